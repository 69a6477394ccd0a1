"""Client that the official conformance suite runs: ``client.py URL``, once for each scenario.

Environment variables (``MCP_CONFORMANCE_…``) name the scenario and its revision; the exit status is 0 if the client
succeeds. ``conformance.sh`` runs all scenarios.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

from mcp_bindings import ClientCredentials, EnterpriseAuthorization, OAuth, WorkloadIdentity, connect

SCENARIOS: dict[str, Callable[[Any, Any], None]] = {}
STUBS: Mapping[str, Any] = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "object": {}, "array": []}


def scenario(*names: str) -> Callable[[Callable[[Any, Any], None]], Callable[[Any, Any], None]]:
    def register(steps: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
        SCENARIOS.update(dict.fromkeys(names, steps))
        return steps

    return register


def result(method: str, context: Any, value: Any) -> Any:
    """Return a result of the negotiated revision."""
    binding = context.peer.binding
    return binding.codec.decode_result(binding.requests[method], value)


def elicit(params: Any, context: Any) -> Any:
    """Accept with the schema's defaults, and confirm required confirmations."""
    content = {}
    for name, schema in params.requested_schema.properties.items():
        default = getattr(schema, "default", None)
        content[name] = True if default is None and name == "confirmed" else default
    content = {name: value for name, value in content.items() if value is not None}
    return result("elicitation/create", context, {"action": "accept", "content": content})


def sample(params: Any, context: Any) -> Any:
    answer = {"role": "assistant", "model": "none", "content": {"type": "text", "text": "an answer"}}
    return result("sampling/createMessage", context, answer)


def roots(params: Any, context: Any) -> Any:
    return result("roots/list", context, {"roots": []})


HANDLERS = {"elicitation/create": elicit, "sampling/createMessage": sample, "roots/list": roots}


def plain(client: Any, value: Any) -> Any:
    """Return the value as the received JSON."""
    return client.binding.codec.unstructure(value)


def stub_of(schema: Any) -> dict[str, Any]:
    return {name: STUBS.get(each.get("type")) for name, each in schema.get("properties", {}).items()}


@scenario("initialize", "json-schema-ref-no-deref")
def only_list(client: Any, context: Any) -> None:
    if client.server_capabilities.tools is not None:
        list(client.list_tools())


@scenario("tools_call")
def add(client: Any, context: Any) -> None:
    list(client.list_tools())
    client.call_tool("add_numbers", {"a": 5, "b": 3})


@scenario("elicitation-sep1034-client-defaults")
def defaults(client: Any, context: Any) -> None:
    list(client.list_tools())
    client.call_tool("test_client_elicitation_defaults")


@scenario("sse-retry")
def reconnect(client: Any, context: Any) -> None:
    list(client.list_tools())
    client.call_tool("test_reconnection")


@scenario("request-metadata")
def metadata(client: Any, context: Any) -> None:
    methods = client.binding.requests
    # What the server has declared is not all that it answers.
    client.connection.session.peer_capabilities = None
    client.request(methods["tools/list"])
    client.call_tool("any")


@scenario("http-standard-headers", "http-invalid-tool-headers")
def everything(client: Any, context: Any) -> None:
    client.connection.session.peer_capabilities = None
    for tool in client.list_tools():
        client.call_tool(tool.name, stub_of(plain(client, tool.input_schema)))
    if os.environ["MCP_CONFORMANCE_SCENARIO"] == "http-invalid-tool-headers":
        return
    for resource in client.list_resources():
        client.read_resource(resource.uri)
    for prompt in client.list_prompts():
        client.get_prompt(prompt.name, {each.name: "x" for each in prompt.arguments or []})


@scenario("http-custom-headers")
def custom(client: Any, context: Any) -> None:
    list(client.list_tools())
    for call in context["toolCalls"]:
        client.call_tool(call["name"], call["arguments"])


@scenario("sep-2322-client-request-state")
def rounds(client: Any, context: Any) -> None:
    list(client.list_tools())
    for name in ("test_mrtr_echo_state", "test_mrtr_unrelated", "test_mrtr_no_state", "test_mrtr_no_result_type"):
        client.call_tool(name)


@scenario("json-schema-2020-12-preservation")
def preserve(client: Any, context: Any) -> None:
    tools = {tool.name: tool for tool in client.list_tools()}
    schema = plain(client, tools["json_schema_2020_12_tool"].input_schema)
    client.call_tool("json_schema_echo", {"schema": schema})


def call_test_tool(client: Any, context: Any) -> None:
    list(client.list_tools())
    client.call_tool("test-tool", {})


def visit(url: str) -> None:
    """Do as the user's browser: visit the authorization page, and follow it to our listener."""
    with urllib.request.urlopen(url, timeout=20) as response:
        response.read()


def auth_of(name: str, context: Any) -> Any:
    """Return the OAuth client of a scenario ``auth/…``."""
    if name == "auth/client-credentials-basic":
        return ClientCredentials(context["client_id"], context["client_secret"])
    if name == "auth/client-credentials-jwt":
        key, algorithm = context["private_key_pem"], context["signing_algorithm"]
        return ClientCredentials(context["client_id"], private_key=key, algorithm=algorithm)
    if name == "auth/wif-jwt-bearer":
        return WorkloadIdentity(context["client_id"], assertion=lambda: context["valid_jwt"])
    if name == "auth/enterprise-managed-authorization":
        return EnterpriseAuthorization(
            context["client_id"],
            context["client_secret"],
            idp_token_endpoint=context["idp_token_endpoint"],
            idp_client_id=context["idp_client_id"],
            id_token=lambda: context["idp_id_token"],
        )
    return OAuth(
        client_id=(context or {}).get("client_id"),
        client_secret=(context or {}).get("client_secret"),
        client_metadata_url="https://conformance-test.local/client-metadata.json",
        client_name="conformance",
        open_url=visit,
        dpop=name.startswith("auth/dpop"),
    )


def main(url: str) -> int:
    name = os.environ["MCP_CONFORMANCE_SCENARIO"]
    steps = call_test_tool if name.startswith("auth/") else SCENARIOS.get(name)
    if steps is None:
        print(f"no steps for the scenario {name!r}; there are {', '.join(sorted(SCENARIOS))}", file=sys.stderr)
        return 2
    newest = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "2026-07-28")
    every = ("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
    revisions = [each for each in every if each <= newest]
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "null"))
    auth = auth_of(name, context) if name.startswith("auth/") else None
    with connect.http(
        url,
        revisions=revisions,
        handlers=None if auth else HANDLERS,
        auth=auth,
        name="conformance",
        version="1",
        timeout=20,
    ) as client:
        steps(client, context)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
