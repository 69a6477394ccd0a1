"""Emission of packages: Python decides names, annotations, docstrings and checks; the templates print them."""
