"""Decorators that are given what their revision does not have, and decorated functions that are misused."""

from mcp_bindings import v2024_11_05, v2025_06_18, v2025_11_25, v2026_07_28


def offer(
    one: v2024_11_05.Server, two: v2025_06_18.Server, three: v2025_11_25.Server, four: v2026_07_28.Server
) -> None:
    one.tool(title="Echo")  # E: call-overload # P: reportCallIssue
    one.tool(output_schema={})  # E: call-overload # P: reportCallIssue
    two.tool(icons=[])  # E: call-overload # P: reportCallIssue
    two.tool(execution=None)  # E: call-overload # P: reportCallIssue
    four.tool(execution=None)  # E: call-overload # P: reportCallIssue
    three.tool(timeout="10")  # E: call-overload # P: reportArgumentType
    three.tool(name=5)  # E: call-overload # P: reportArgumentType
    three.tool(5)  # E: call-overload # P: reportArgumentType reportCallIssue
    two.resource()  # E: call-arg # P: reportCallIssue
    two.resource("a://b", size="3")  # E: arg-type # P: reportArgumentType
    one.resource("a://b", title="B")  # E: call-arg # P: reportCallIssue
    two.resource_template("a://{b}", size=3)  # E: call-arg # P: reportCallIssue
    one.prompt(title="P")  # E: call-overload # P: reportCallIssue
    two.completion(argument="a")  # E: call-overload # P: reportCallIssue
    three.tools.append(len)  # E: attr-defined # P: reportAttributeAccessIssue

    @three.tool
    def add(a: int) -> int:
        return a

    add("1")  # E: arg-type # P: reportArgumentType
    add(1).upper()  # E: attr-defined # P: reportAttributeAccessIssue
