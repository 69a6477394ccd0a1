"""Subsumption of JSON Schemas: whether every value of one schema is a value of another, proven or refuted by a witness."""
