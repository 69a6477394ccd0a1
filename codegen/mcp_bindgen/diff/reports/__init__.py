"""A difference as text: for a terminal, for a pull request, for a build server."""
