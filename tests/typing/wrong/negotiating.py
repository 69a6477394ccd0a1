"""Clients of any revision, told what none of them can be told; the comment says with which error a checker refuses it."""

from mcp_bindings import connect, v2025_06_18

server = v2025_06_18.Server("s", "1")

connect.in_memory(server, timeuot=5)  # E: call-arg # P: reportCallIssue
connect.in_memory(server, timeout="5")  # E: arg-type # P: reportArgumentType
connect.stdio(["server"], on_tools_changed=print, log_level="loud")  # E: arg-type # P: reportArgumentType
connect.http("https://example.com/mcp", discover=True)  # E: call-arg # P: reportCallIssue
connect.in_memory(server, elicitation=lambda params, context: 3)  # E: arg-type return-value # P: reportArgumentType
connect.in_memory(server, sampling=lambda params, context: "x")  # E: arg-type return-value # P: reportArgumentType
connect.in_memory(server, on_log=len("x"))  # E: arg-type # P: reportArgumentType
