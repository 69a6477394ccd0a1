"""A protocol for its readers: canonical JSON, JSON Schema, a listing, and explanations of single names."""
