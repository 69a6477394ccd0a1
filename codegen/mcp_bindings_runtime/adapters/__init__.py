"""Adapters for libraries of other projects: tools in the form that each expects, and traces."""
