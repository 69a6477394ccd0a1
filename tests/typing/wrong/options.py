"""Options that do not exist, and values of a wrong type, which a type checker refuses; the comment says with which error."""

from mcp_bindings import connect, serve, v2024_11_05, v2025_11_25
from mcp_bindings_runtime.transports import Transport

server = v2025_11_25.Server("s", "1")


def client(transport: Transport) -> v2025_11_25.Client:
    return v2025_11_25.Client(lambda: transport, worker=1)  # E: call-arg # P: reportCallIssue


v2025_11_25.Client.in_memory(server, timout=1)  # E: call-arg # P: reportCallIssue
v2025_11_25.Client.in_memory(server, timeout="1")  # E: arg-type # P: reportArgumentType
v2024_11_05.Client.in_memory(server, elicitation=print)  # E: call-arg # P: reportCallIssue
v2025_11_25.Client.http("http://127.0.0.1/mcp", pools=1)  # E: call-arg # P: reportCallIssue
v2025_11_25.Client.http("http://127.0.0.1/mcp", pool="1")  # E: arg-type # P: reportArgumentType
v2025_11_25.Client.stdio(["server"], environment={})  # E: call-arg # P: reportCallIssue
connect.in_memory(server, discover=True)  # E: call-arg # P: reportCallIssue
connect.http("http://127.0.0.1/mcp", probe="1")  # E: arg-type # P: reportArgumentType
server.wsgi_app(body_limits=1)  # E: call-arg # P: reportCallIssue
server.wsgi_app(idle=1.0)  # E: call-arg # P: reportCallIssue
server.run_http(idle="1")  # E: arg-type # P: reportArgumentType
serve.wsgi_app(server, body_limit="1")  # E: arg-type # P: reportArgumentType
serve.http(server, graces=1)  # E: call-arg # P: reportCallIssue
