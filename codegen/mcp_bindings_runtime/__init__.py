"""The runtime of all generated packages. This module imports nothing, so that each part loads on first use."""
