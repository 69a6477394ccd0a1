"""Use of a server from the shell: arguments from words, forms on the terminal, results as text."""
