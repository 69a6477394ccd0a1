"""The messages of the corpus as hand-written msgspec Structs with exactly the members that each revision declares.

Two unions of the protocol are not unions here, because msgspec distinguishes Structs by a tag only: the contents of a
resource are one Struct with either member, and a client's answer to an embedded request has the type that it has in the
corpus.
"""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeAlias, TypeVar

from msgspec import UNSET, Struct, UnsetType, field

R = TypeVar("R")
P = TypeVar("P")
Id: TypeAlias = int | str
Json: TypeAlias = dict[str, Any]
Number: TypeAlias = int | float
Role: TypeAlias = Literal["user", "assistant"]
Texts: TypeAlias = list[str] | UnsetType
Text: TypeAlias = str | UnsetType
Flag: TypeAlias = bool | UnsetType
Opaque: TypeAlias = Json | UnsetType


class Base(Struct, kw_only=True, omit_defaults=True, rename="camel"):
    """Base that drops unknown members, as msgspec does by default."""


class WithMeta(Base, kw_only=True):
    meta: Opaque = field(default=UNSET, name="_meta")


# Envelopes


class Response(Base, Generic[R], kw_only=True):
    jsonrpc: Literal["2.0"]
    id: Id
    result: R


class Call(Base, Generic[P], kw_only=True):
    jsonrpc: Literal["2.0"]
    id: Id
    method: str
    params: P


class Notice(Base, Generic[P], kw_only=True):
    jsonrpc: Literal["2.0"]
    method: str
    params: P


class Ping(Base, tag_field="method", tag="ping", kw_only=True):
    jsonrpc: Literal["2.0"]
    id: Id
    params: Opaque = UNSET


# 2025-03-26


class OldImplementation(Base, kw_only=True):
    name: str
    version: str


class RootsCapability(Base, kw_only=True):
    list_changed: Flag = UNSET


class OldClientCapabilities(Base, kw_only=True):
    experimental: dict[str, Json] | UnsetType = UNSET
    roots: RootsCapability | UnsetType = UNSET
    sampling: Opaque = UNSET


class ResourcesCapability(RootsCapability, kw_only=True):
    subscribe: Flag = UNSET


class ServerCapabilities(Base, kw_only=True):
    experimental: dict[str, Json] | UnsetType = UNSET
    logging: Opaque = UNSET
    completions: Opaque = UNSET
    prompts: RootsCapability | UnsetType = UNSET
    resources: ResourcesCapability | UnsetType = UNSET
    tools: RootsCapability | UnsetType = UNSET


class OldInitializeParams(Base, kw_only=True):
    protocol_version: str
    capabilities: OldClientCapabilities
    client_info: OldImplementation


class OldInitializeResult(WithMeta, kw_only=True):
    protocol_version: str
    capabilities: ServerCapabilities
    server_info: OldImplementation
    instructions: Text = UNSET


class OldCallToolParams(WithMeta, kw_only=True):
    name: str
    arguments: Opaque = UNSET


class ProgressParams(WithMeta, kw_only=True):
    progress_token: Id
    progress: Number
    total: Number | UnsetType = UNSET
    message: Text = UNSET


class OldAnnotations(Base, kw_only=True):
    audience: list[Role] | UnsetType = UNSET
    priority: Number | UnsetType = UNSET


class OldText(Base, tag_field="type", tag="text", kw_only=True):
    text: str
    annotations: OldAnnotations | UnsetType = UNSET


class OldImage(Base, tag_field="type", tag="image", kw_only=True):
    data: str
    mime_type: str
    annotations: OldAnnotations | UnsetType = UNSET


class OldAudio(OldImage, tag_field="type", tag="audio", kw_only=True):
    pass


class OldContents(Base, kw_only=True):
    uri: str
    mime_type: Text = UNSET
    text: Text = UNSET
    blob: Text = UNSET


class OldEmbedded(Base, tag_field="type", tag="resource", kw_only=True):
    resource: OldContents
    annotations: OldAnnotations | UnsetType = UNSET


class OldCallToolResult(WithMeta, kw_only=True):
    content: list[OldText | OldImage | OldAudio | OldEmbedded]
    is_error: Flag = UNSET


class ModelHint(Base, kw_only=True):
    name: Text = UNSET


class ModelPreferences(Base, kw_only=True):
    hints: list[ModelHint] | UnsetType = UNSET
    cost_priority: Number | UnsetType = UNSET
    speed_priority: Number | UnsetType = UNSET
    intelligence_priority: Number | UnsetType = UNSET


class OldSamplingMessage(Base, kw_only=True):
    role: Role
    content: OldText | OldImage | OldAudio


class SamplingOptions(Base, kw_only=True):
    model_preferences: ModelPreferences | UnsetType = UNSET
    system_prompt: Text = UNSET
    include_context: Literal["none", "thisServer", "allServers"] | UnsetType = UNSET
    temperature: Number | UnsetType = UNSET
    max_tokens: int
    stop_sequences: Texts = UNSET
    metadata: Opaque = UNSET


class OldSamplingParams(SamplingOptions, kw_only=True):
    messages: list[OldSamplingMessage]


class OldSamplingResult(OldSamplingMessage, kw_only=True):
    meta: Opaque = field(default=UNSET, name="_meta")
    model: str
    stop_reason: Text = UNSET


class ToolAnnotations(Base, kw_only=True):
    title: Text = UNSET
    read_only_hint: Flag = UNSET
    destructive_hint: Flag = UNSET
    idempotent_hint: Flag = UNSET
    open_world_hint: Flag = UNSET


class OldInputSchema(Base, tag_field="type", tag="object", kw_only=True):
    properties: dict[str, Json] | UnsetType = UNSET
    required: Texts = UNSET


class OldTool(Base, kw_only=True):
    name: str
    description: Text = UNSET
    input_schema: OldInputSchema
    annotations: ToolAnnotations | UnsetType = UNSET


class OldListToolsResult(WithMeta, kw_only=True):
    tools: list[OldTool]
    next_cursor: Text = UNSET


class OldResource(Base, kw_only=True):
    uri: str
    name: str
    description: Text = UNSET
    mime_type: Text = UNSET
    annotations: OldAnnotations | UnsetType = UNSET
    size: int | UnsetType = UNSET


class OldListResourcesResult(WithMeta, kw_only=True):
    resources: list[OldResource]
    next_cursor: Text = UNSET


class OldReadResourceResult(WithMeta, kw_only=True):
    contents: list[OldContents]


# 2025-11-25


class Icon(Base, kw_only=True):
    src: str
    mime_type: Text = UNSET
    sizes: Texts = UNSET
    theme: Literal["light", "dark"] | UnsetType = UNSET


class Implementation(OldImplementation, kw_only=True):
    title: Text = UNSET
    icons: list[Icon] | UnsetType = UNSET
    description: Text = UNSET
    website_url: Text = UNSET


class SamplingCapability(Base, kw_only=True):
    context: Opaque = UNSET
    tools: Opaque = UNSET


class ElicitationCapability(Base, kw_only=True):
    form: Opaque = UNSET
    url: Opaque = UNSET


class ClientCapabilities(Base, kw_only=True):
    experimental: dict[str, Json] | UnsetType = UNSET
    roots: RootsCapability | UnsetType = UNSET
    sampling: SamplingCapability | UnsetType = UNSET
    elicitation: ElicitationCapability | UnsetType = UNSET


class RequestMeta(Base, kw_only=True):
    progress_token: Id | UnsetType = UNSET


class InitializeParams(Base, kw_only=True):
    protocol_version: str
    capabilities: ClientCapabilities
    client_info: Implementation
    meta: RequestMeta | UnsetType = field(default=UNSET, name="_meta")


class InitializeResult(WithMeta, kw_only=True):
    protocol_version: str
    capabilities: ServerCapabilities
    server_info: Implementation
    instructions: Text = UNSET


class CallToolParams(Base, kw_only=True):
    name: str
    arguments: Opaque = UNSET
    meta: RequestMeta | UnsetType = field(default=UNSET, name="_meta")


class Annotations(OldAnnotations, kw_only=True):
    last_modified: Text = UNSET


class TextBlock(WithMeta, tag_field="type", tag="text", kw_only=True):
    text: str
    annotations: Annotations | UnsetType = UNSET


class Image(WithMeta, tag_field="type", tag="image", kw_only=True):
    data: str
    mime_type: str
    annotations: Annotations | UnsetType = UNSET


class Audio(Image, tag_field="type", tag="audio", kw_only=True):
    pass


class Contents(OldContents, kw_only=True):
    meta: Opaque = field(default=UNSET, name="_meta")


class Embedded(WithMeta, tag_field="type", tag="resource", kw_only=True):
    resource: Contents
    annotations: Annotations | UnsetType = UNSET


class Resource(WithMeta, kw_only=True):
    uri: str
    name: str
    title: Text = UNSET
    icons: list[Icon] | UnsetType = UNSET
    description: Text = UNSET
    mime_type: Text = UNSET
    annotations: Annotations | UnsetType = UNSET
    size: int | UnsetType = UNSET


class Link(Resource, tag_field="type", tag="resource_link", kw_only=True):
    pass


Block: TypeAlias = TextBlock | Image | Audio | Link | Embedded


class CallToolResult(WithMeta, kw_only=True):
    content: list[Block]
    structured_content: Opaque = UNSET
    is_error: Flag = UNSET


class ToolUse(WithMeta, tag_field="type", tag="tool_use", kw_only=True):
    id: str
    name: str
    input: Json


class ToolResult(WithMeta, tag_field="type", tag="tool_result", kw_only=True):
    tool_use_id: str
    content: list[Block]
    structured_content: Any = UNSET
    is_error: Flag = UNSET


SamplingBlock: TypeAlias = TextBlock | Image | Audio | ToolUse | ToolResult


class SamplingMessage(WithMeta, kw_only=True):
    role: Role
    content: SamplingBlock | list[SamplingBlock]


class InputSchema(OldInputSchema, tag_field="type", tag="object", kw_only=True):
    schema: Text = field(default=UNSET, name="$schema")


class ToolExecution(Base, kw_only=True):
    task_support: Literal["forbidden", "optional", "required"] | UnsetType = UNSET


class Tool(WithMeta, kw_only=True):
    name: str
    title: Text = UNSET
    icons: list[Icon] | UnsetType = UNSET
    description: Text = UNSET
    input_schema: InputSchema
    output_schema: InputSchema | UnsetType = UNSET
    annotations: ToolAnnotations | UnsetType = UNSET
    execution: ToolExecution | UnsetType = UNSET


class ToolChoice(Base, kw_only=True):
    mode: Literal["auto", "required", "none"] | UnsetType = UNSET


class SamplingParams(SamplingOptions, kw_only=True):
    messages: list[SamplingMessage]
    tools: list[Tool] | UnsetType = UNSET
    tool_choice: ToolChoice | UnsetType = UNSET
    meta: RequestMeta | UnsetType = field(default=UNSET, name="_meta")


class SamplingResult(SamplingMessage, kw_only=True):
    model: str
    stop_reason: Text = UNSET


class ListToolsResult(WithMeta, kw_only=True):
    tools: list[Tool]
    next_cursor: Text = UNSET


class ListResourcesResult(WithMeta, kw_only=True):
    resources: list[Resource]
    next_cursor: Text = UNSET


class ReadResourceResult(WithMeta, kw_only=True):
    contents: list[Contents]


# 2026-07-28

NAMESPACE = "io.modelcontextprotocol/"


class StatelessClientCapabilities(Base, kw_only=True):
    experimental: dict[str, Json] | UnsetType = UNSET
    roots: Opaque = UNSET
    sampling: SamplingCapability | UnsetType = UNSET
    elicitation: ElicitationCapability | UnsetType = UNSET
    extensions: dict[str, Json] | UnsetType = UNSET


class StatelessMeta(Base, kw_only=True):
    progress_token: Id | UnsetType = UNSET
    protocol_version: str = field(name=NAMESPACE + "protocolVersion")
    client_info: Implementation | UnsetType = field(default=UNSET, name=NAMESPACE + "clientInfo")
    client_capabilities: StatelessClientCapabilities = field(name=NAMESPACE + "clientCapabilities")
    log_level: Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] | UnsetType = (
        field(default=UNSET, name=NAMESPACE + "logLevel")
    )


class ResultMeta(Base, kw_only=True):
    server_info: Implementation | UnsetType = field(default=UNSET, name=NAMESPACE + "serverInfo")


class StatelessParams(Base, kw_only=True):
    meta: StatelessMeta = field(name="_meta")


class PageParams(StatelessParams, kw_only=True):
    cursor: Text = UNSET


class StatelessCallToolParams(StatelessParams, kw_only=True):
    name: str
    arguments: Opaque = UNSET
    input_responses: dict[str, SamplingResult] | UnsetType = UNSET
    request_state: Text = UNSET


class Cached(Base, kw_only=True):
    meta: ResultMeta | UnsetType = field(default=UNSET, name="_meta")
    result_type: str
    ttl_ms: int
    cache_scope: Literal["public", "private"]


class DiscoverResult(Cached, kw_only=True):
    supported_versions: list[str]
    capabilities: ServerCapabilities
    instructions: Text = UNSET


class Completed(Base, tag_field="resultType", tag="complete", kw_only=True):
    meta: ResultMeta | UnsetType = field(default=UNSET, name="_meta")
    content: list[Block]
    structured_content: Any = UNSET
    is_error: Flag = UNSET


class StatelessTool(WithMeta, kw_only=True):
    name: str
    title: Text = UNSET
    icons: list[Icon] | UnsetType = UNSET
    description: Text = UNSET
    input_schema: Json
    output_schema: Opaque = UNSET
    annotations: ToolAnnotations | UnsetType = UNSET


class StatelessSamplingParams(SamplingOptions, kw_only=True):
    messages: list[SamplingMessage]
    tools: list[StatelessTool] | UnsetType = UNSET
    tool_choice: ToolChoice | UnsetType = UNSET


class SamplingRequest(Base, tag_field="method", tag="sampling/createMessage", kw_only=True):
    params: StatelessSamplingParams


class RootsRequest(Base, tag_field="method", tag="roots/list", kw_only=True):
    params: Opaque = UNSET


class InputRequired(Base, tag_field="resultType", tag="input_required", kw_only=True):
    meta: ResultMeta | UnsetType = field(default=UNSET, name="_meta")
    input_requests: dict[str, SamplingRequest | RootsRequest] | UnsetType = UNSET
    request_state: Text = UNSET


class StatelessListToolsResult(Cached, kw_only=True):
    tools: list[StatelessTool]
    next_cursor: Text = UNSET


class StatelessListResourcesResult(Cached, kw_only=True):
    resources: list[Resource]
    next_cursor: Text = UNSET


class StatelessReadResourceResult(Cached, kw_only=True):
    contents: list[Contents]


MESSAGES: dict[str, dict[str, Any]] = {
    "2025-03-26": {
        "ping": Ping,
        "tools/call": Call[OldCallToolParams],
        "progress": Notice[ProgressParams],
        "initialize": Call[OldInitializeParams],
        "initialize result": Response[OldInitializeResult],
        "tool result": Response[OldCallToolResult],
        "sampling": Call[OldSamplingParams],
        "sampling result": Response[OldSamplingResult],
        "200 tools": Response[OldListToolsResult],
        "1000 resources": Response[OldListResourcesResult],
        "blob": Response[OldReadResourceResult],
    },
    "2025-11-25": {
        "ping": Ping,
        "tools/call": Call[CallToolParams],
        "progress": Notice[ProgressParams],
        "initialize": Call[InitializeParams],
        "initialize result": Response[InitializeResult],
        "tool result": Response[CallToolResult],
        "sampling": Call[SamplingParams],
        "sampling result": Response[SamplingResult],
        "200 tools": Response[ListToolsResult],
        "1000 resources": Response[ListResourcesResult],
        "blob": Response[ReadResourceResult],
    },
    "2026-07-28": {
        "resources/list": Call[PageParams],
        "tools/call": Call[StatelessCallToolParams],
        "progress": Notice[ProgressParams],
        "discover": Call[StatelessParams],
        "discover result": Response[DiscoverResult],
        "tool result": Response[Completed | InputRequired],
        "sampling": Response[Completed | InputRequired],
        "sampling result": Call[StatelessCallToolParams],
        "200 tools": Response[StatelessListToolsResult],
        "1000 resources": Response[StatelessListResourcesResult],
        "blob": Response[StatelessReadResourceResult],
    },
}
"""Structs by revision and by name in the corpus."""
