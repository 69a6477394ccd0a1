"""Requests that are executed as tasks, on either side."""
