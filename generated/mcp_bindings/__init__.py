"""Typed, exact, light bindings for the Model Context Protocol: one package for each revision, imported by name."""
