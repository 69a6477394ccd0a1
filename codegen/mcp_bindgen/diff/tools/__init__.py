"""Differences of the tools, resources and prompts of two servers, or of two releases of one."""
