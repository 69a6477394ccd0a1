"""Recordings served as servers: each request gets the answer that the recording has for it.

``recording`` reads files, ``sessions`` pairs requests with their answers, ``tape`` finds the answer to a request, and
``server`` makes servers of a tape.
"""
