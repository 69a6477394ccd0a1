"""From a protocol to files: names, annotations, docstrings and checks are decided here; the templates only print them."""
