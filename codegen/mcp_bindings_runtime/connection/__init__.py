"""A session on a transport: threads, deadlines and locks."""
