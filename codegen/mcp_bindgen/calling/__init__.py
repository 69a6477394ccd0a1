"""Using a server from the shell: what words of a command line mean to it, and how its answers read."""
