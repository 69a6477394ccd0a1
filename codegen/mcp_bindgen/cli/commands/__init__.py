"""One module for each command: its options, and which parts of the generator it calls."""
