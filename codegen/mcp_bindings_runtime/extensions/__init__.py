"""Methods beyond those of a revision: extensions of one's own, and single methods as JSON."""
