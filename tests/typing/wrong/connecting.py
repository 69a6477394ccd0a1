"""What not every revision has, asked of a client of any; the comment says with which error."""

from mcp_bindings import connect

with connect.stdio(["server"]) as client:
    client.ping()  # E: attr-defined # P: reportAttributeAccessIssue
    client.discover()  # E: attr-defined # P: reportAttributeAccessIssue
    client.call_tool(5)  # E: call-overload # P: reportArgumentType
    client.no_such_thing()  # E: attr-defined # P: reportAttributeAccessIssue
