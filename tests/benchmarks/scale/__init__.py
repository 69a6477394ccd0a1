"""Figures of HTTP servers at scale: many sessions, many streams, growing work, and several processes that are killed."""
