"""Clients of every revision."""
