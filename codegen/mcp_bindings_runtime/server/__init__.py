"""Servers of every revision."""
