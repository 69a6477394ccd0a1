"""Contracts of servers: the tools, resources and prompts that callers rely on, read from a server or from a file."""
