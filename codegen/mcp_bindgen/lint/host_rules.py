"""The rules of ``mcp-codegen tools lint``, as a table: the hosts concerned, and the date and place of the evidence."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen


@frozen
class HostRule:
    """One row of the table."""

    id: str
    hosts: str
    """The hosts, or the model providers behind them, that refuse or misread it."""
    evidence: str
    """The newest report or change that shows it: repository and number on GitHub."""
    date: str
    """The date of the evidence."""
    explanation: str
    hint: str


_TABLE = (
    HostRule(
        "root-combinator",
        "Anthropic API (Claude Code leaves the tool out), AWS Bedrock, opencode",
        "anthropics/claude-code#95504, kenn-io/kata#365",
        "2026-09-14",
        "The root of the input schema has anyOf, oneOf or allOf.",
        "Describe the condition in words, check it in the tool, or move it into a member.",
    ),
    HostRule(
        "root-type",
        "clients that use the TypeScript SDK: one such schema makes them drop all tools",
        "opentokenz/mcpx#28",
        "2026-09-21",
        'The root of the schema does not have "type": "object".',
        'Add "type": "object".',
    ),
    HostRule(
        "root-properties",
        "OpenAI API, Osaurus",
        "osaurus-ai/osaurus#2847",
        "2026-09-22",
        "The root of the input schema has no properties.",
        'Add "properties": {} to a tool without arguments.',
    ),
    HostRule(
        "reference",
        "Gemini CLI, Gemini API through several hosts",
        "google-gemini/gemini-cli#13326, NousResearch/hermes-agent#99438",
        "2026-08-31",
        "The schema has $ref, which is refused, or dropped together with the type of the argument.",
        "Write the schema where it is used.",
    ),
    HostRule(
        "type-list",
        "Gemini API",
        "aoci-spec/aoci-code#61",
        "2026-09-17",
        "A type is a list, such as string and null.",
        "Leave out null, and do not require the member; or write anyOf with a schema for each type.",
    ),
    HostRule(
        "boolean-schema",
        "opencode (loses all tools of the server), Fireworks AI",
        "anomalyco/opencode#49464",
        "2026-09-17",
        "A member has the schema true or false.",
        "Write the type of the value.",
    ),
    HostRule(
        "array-items",
        "VS Code with GitHub Copilot, Gemini API",
        "lerd-env/lerd#1267",
        "2026-08-03",
        "An array has no items.",
        "Add items with the type of each item.",
    ),
    HostRule(
        "untyped",
        "Home Assistant, Kimi, OpenAI API in strict mode",
        "home-assistant/core#175628, anomalyco/opencode#40127",
        "2026-08-02",
        "A schema does not say the type of the value.",
        "Add the type.",
    ),
    HostRule(
        "untyped-branch",
        "opencode",
        "trycua/cua#3622",
        "2026-09-13",
        "A branch of anyOf or oneOf does not say its type.",
        "Repeat the type in each branch.",
    ),
    HostRule(
        "const",
        "Gemini API",
        "taylorwilsdon/google_workspace_mcp#1099",
        "2026-09-06",
        "The schema has const, which is unknown there.",
        "Write an enum of one value.",
    ),
    HostRule(
        "tool-name",
        "Anthropic API, OpenAI API (Codex), GitHub Copilot CLI",
        "github/copilot-cli#1879, openai/codex#8174",
        "2026-03-06",
        "The name has other characters than letters, digits, _ and -, or more than 64 of them.",
        "Use snake_case, and no dots, slashes or spaces.",
    ),
    HostRule(
        "description",
        "AWS Bedrock, WSO2, Amazon Q",
        "wso2/api-manager#4266, Softeria/ms-365-mcp-server#76",
        "2025-09-17",
        "The tool has no description.",
        "Say what the tool does and when to use it.",
    ),
    HostRule(
        "duplicate-name",
        "every host: calls cannot name the second tool",
        "Model Context Protocol, Tools: Tool Names",
        "2025-11-25",
        "Two tools have the same name.",
        "Rename one of them.",
    ),
    HostRule(
        "malformed",
        "every host",
        "schema.ts, Tool",
        "2026-07-28",
        "The entry is not a tool: it has no name, or its schema is not a JSON Schema.",
        "Correct it.",
    ),
)

HOST_RULES: Mapping[str, HostRule] = {rule.id: rule for rule in _TABLE}
"""By id."""
