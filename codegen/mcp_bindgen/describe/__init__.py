"""Descriptions of a protocol: canonical JSON, JSON Schema, a list of revisions, and explanations of single names."""
