"""``mcp-codegen replay``: recordings in any format that ``validate`` reads, and their comparison with a live server.

``reading`` validates a recording and turns it into the messages that the runtime's ``replay`` serves. ``verification``
sends the recorded requests to a server and compares the answers.
"""
