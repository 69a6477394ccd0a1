"""Decode and encode the messages of a revision."""
