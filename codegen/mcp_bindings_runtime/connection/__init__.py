"""A session at work on a transport: threads, deadlines and locks."""
