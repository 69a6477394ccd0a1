"""Generates typed Python bindings for the Model Context Protocol from its TypeScript schema."""

from __future__ import annotations

__version__ = "0.1.0"
