"""The bundled revisions against the tables of what they are known to say: unions, methods, numbers, envelopes."""

from __future__ import annotations

import hashlib

import attrs
import pytest
from checkout import REVISIONS
from mcp_bindgen.ir.decisions import Undecidable
from mcp_bindgen.ir.protocol import AliasOf, Enum, ObjectOf, Scalar, Type, Union
from mcp_bindgen.ir.type_text import type_text
from mcp_bindgen.ir.walk import parts
from mcp_bindgen.resolve.protocol import resolve_protocol
from mcp_bindgen.syntax.declarations import read_schema
from resolve.resolving import SCHEMAS, bundled, field, tree

READ = REVISIONS[:5]
"""The revisions that somebody read for these tables; a later one may do anything."""
R24, R03, R06, R11, R26 = READ
EARLY = (R24, R03, R06)


def at(revision: str, path: str) -> Type:
    """The type of an alias, or of a field of an object, or of the values of a map."""
    protocol = bundled(revision)
    if path in protocol.aliases:
        return protocol.aliases[path].type
    index = protocol.objects[path].index if path in protocol.objects else None
    return field(protocol, path).type if index is None else index


RESOURCE = "{object: [text? TextResourceContents : [blob? BlobResourceContents : refuse]]}"
ID = "{string: string, number: number}"
UNTITLED = "[enumNames? LegacyTitledEnumSchema : UntitledSingleSelectEnumSchema]"
MULTI = "items.[enum? UntitledMultiSelectEnumSchema : [anyOf? TitledMultiSelectEnumSchema : refuse]]"

UNIONS = (
    (
        (R24, R06),
        "JSONRPCMessage",
        "{object: [method? [id? JSONRPCRequest : JSONRPCNotification] : [result? JSONRPCResponse : [error? JSONRPCError : refuse]]]}",
    ),
    (
        (R03,),
        "JSONRPCMessage",
        "{object: [method? [id? JSONRPCRequest : JSONRPCNotification] : [result? JSONRPCResponse : [error? JSONRPCError : refuse]]], "
        "array: first{object: [method? (JSONRPCRequest | JSONRPCNotification)[] : (JSONRPCResponse | JSONRPCError)[]]} "
        "empty: (JSONRPCRequest | JSONRPCNotification)[]}",
    ),
    (
        (R11, R26),
        "JSONRPCMessage",
        "{object: [method? [id? JSONRPCRequest : JSONRPCNotification] : [result? JSONRPCResultResponse : [error? JSONRPCErrorResponse : refuse]]]}",
    ),
    (
        (R11, R26),
        "JSONRPCResponse",
        "{object: [result? JSONRPCResultResponse : [error? JSONRPCErrorResponse : refuse]]}",
    ),
    (EARLY, "JSONRPCError.id", "{string: string, number: number, null: null}"),
    ((R11, R26), "JSONRPCErrorResponse.id", "{string: string, number: number, null: null}"),
    (READ, "RequestId", ID),
    (READ, "ProgressToken", ID),
    (READ, "ReadResourceResult.contents[]", RESOURCE),
    (READ, "EmbeddedResource.resource", RESOURCE),
    (
        (R24,),
        "CallToolResult.content[]",
        "{object: type(text: TextContent, image: ImageContent, resource: EmbeddedResource)}",
    ),
    (
        (R03,),
        "CallToolResult.content[]",
        "{object: type(text: TextContent, image: ImageContent, audio: AudioContent, resource: EmbeddedResource)}",
    ),
    (
        (R24,),
        "PromptMessage.content",
        "{object: type(text: TextContent, image: ImageContent, resource: EmbeddedResource)}",
    ),
    (
        (R06, R11, R26),
        "ContentBlock",
        "{object: type(text: TextContent, image: ImageContent, audio: AudioContent, resource_link: ResourceLink, resource: EmbeddedResource)}",
    ),
    ((R24,), "SamplingMessage.content", "{object: type(text: TextContent, image: ImageContent)}"),
    (
        (R03, R06),
        "SamplingMessage.content",
        "{object: type(text: TextContent, image: ImageContent, audio: AudioContent)}",
    ),
    (
        (R11, R26),
        "SamplingMessage.content",
        "{object: type(text: TextContent, image: ImageContent, audio: AudioContent, tool_use: ToolUseContent, tool_result: ToolResultContent), "
        "array: SamplingMessageContentBlock[]}",
    ),
    (
        (R24, R03),
        "CompleteRequest.params.ref",
        "{object: type(ref/prompt: PromptReference, ref/resource: ResourceReference)}",
    ),
    (
        (R06,),
        "CompleteRequest.params.ref",
        "{object: type(ref/prompt: PromptReference, ref/resource: ResourceTemplateReference)}",
    ),
    (
        (R11, R26),
        "CompleteRequestParams.ref",
        "{object: type(ref/prompt: PromptReference, ref/resource: ResourceTemplateReference)}",
    ),
    (
        (R06,),
        "PrimitiveSchemaDefinition",
        "{object: type(string: [enum? EnumSchema : StringSchema], number: NumberSchema, integer: NumberSchema, boolean: BooleanSchema)}",
    ),
    (
        (R11, R26),
        "PrimitiveSchemaDefinition",
        f"{{object: type(string: [enum? {UNTITLED} : [oneOf? TitledSingleSelectEnumSchema : StringSchema]], "
        f"number: NumberSchema, integer: NumberSchema, boolean: BooleanSchema, array: {MULTI})}}",
    ),
    (
        (R11, R26),
        "EnumSchema",
        f"{{object: type(string: [enum? {UNTITLED} : [oneOf? TitledSingleSelectEnumSchema : refuse]], array: {MULTI})}}",
    ),
    (
        (R11, R26),
        "SingleSelectEnumSchema",
        "{object: [enum? UntitledSingleSelectEnumSchema : [oneOf? TitledSingleSelectEnumSchema : refuse]]}",
    ),
    ((R11, R26), "MultiSelectEnumSchema", f"{{object: {MULTI}}}"),
    (
        (R11, R26),
        "ElicitRequestParams",
        "{object: mode(form: ElicitRequestFormParams, url: ElicitRequestURLParams, absent: ElicitRequestFormParams)}",
    ),
    (
        (R26,),
        "ReadResourceResultResponse.result",
        "{object: resultType(complete: ReadResourceResult, input_required: InputRequiredResult, absent: ReadResourceResult)}",
    ),
    (
        (R26,),
        "GetPromptResultResponse.result",
        "{object: resultType(complete: GetPromptResult, input_required: InputRequiredResult, absent: GetPromptResult)}",
    ),
    (
        (R26,),
        "CallToolResultResponse.result",
        "{object: resultType(complete: CallToolResult, input_required: InputRequiredResult, absent: CallToolResult)}",
    ),
    (
        (R26,),
        "InputRequest",
        "{object: method(sampling/createMessage: CreateMessageRequest, roots/list: ListRootsRequest, elicitation/create: ElicitRequest)}",
    ),
    (
        (R26,),
        "InputResponse",
        "{object: [model? CreateMessageResult : [roots? ListRootsResult : [action? ElicitResult : refuse]]]}",
    ),
    (
        (R24, R03),
        "ServerRequest",
        "{object: method(ping: PingRequest, sampling/createMessage: CreateMessageRequest, roots/list: ListRootsRequest)}",
    ),
    ((*EARLY, R11), "ClientResult", "undecidable: the method of the request with the same id says which result it is"),
    (READ, "ServerResult", "undecidable: the method of the request with the same id says which result it is"),
    ((R06,), "ElicitResult.content", "{string: string, number: number, boolean: boolean}"),
    ((R11, R26), "ElicitResult.content", "{string: string, number: number, boolean: boolean, array: string[]}"),
    ((R11,), "Task.ttl", "{number: number, null: null}"),
)


@pytest.mark.parametrize(("revision", "path", "expected"), [(each, *row[1:]) for row in UNIONS for each in row[0]])
def test_unions(revision, path, expected):
    kind = at(revision, path.removesuffix("[]"))
    assert tree(kind.element if path.endswith("[]") else kind) == expected


def test_no_other_union_is_left_undecided():
    for revision in READ:
        protocol = bundled(revision)
        kinds = [alias.type for alias in protocol.aliases.values()]
        kinds += [each.type for made in protocol.objects.values() for each in made.fields]
        kinds += [made.index for made in protocol.objects.values() if made.index is not None]
        kinds += [alias.written for alias in protocol.aliases.values() if alias.written is not None]
        kinds += [method.result for method in protocol.methods.values() if method.result is not None]
        undecided = [
            type_text(part)
            for kind in kinds
            for part in parts(kind)
            if isinstance(part, Union) and isinstance(part.decision, Undecidable)
        ]
        assert all("EmptyResult" in text for text in undecided), undecided
        assert len(undecided) == (1 if revision == R26 else 2)


ENUMS = (
    (READ, "Role", "user assistant"),
    (READ, "LoggingLevel", "debug info notice warning error critical alert emergency"),
    ((R11,), "TaskStatus", "working input_required completed failed cancelled"),
    ((R06, R11, R26), "ElicitResult.action", "accept decline cancel"),
    ((R11, R26), "Icon.theme", "light dark"),
    ((R11, R26), "ToolChoice.mode", "auto required none"),
    ((R11, R26), "CreateMessageRequestParams.includeContext", "none thisServer allServers"),
    (EARLY, "CreateMessageRequest.params.includeContext", "none thisServer allServers"),
    ((R06, R11, R26), "StringSchema.format", "email uri date date-time"),
    ((R06, R11, R26), "NumberSchema.type", "number integer"),
    ((R26,), "CacheableResult.cacheScope", "public private"),
    (EARLY, "CreateMessageResult.stopReason", "endTurn stopSequence maxTokens …"),
    ((R11, R26), "CreateMessageResult.stopReason", "endTurn stopSequence maxTokens toolUse …"),
    ((R26,), "ResultType", "complete input_required …"),
)


@pytest.mark.parametrize(("revision", "path", "expected"), [(each, *row[1:]) for row in ENUMS for each in row[0]])
def test_literal_unions(revision, path, expected):
    *values, last = expected.split()
    assert at(revision, path) == (Enum(tuple(values), open=True) if last == "…" else Enum((*values, last)))


# By revision: C, S or B for who sends it; an interface in brackets where it travels inside another message; the result;
# the capability, which is the receiver's of a request and the sender's of a notification unless an arrow says otherwise.
REQUESTS = """
initialize               Initialize             C C C C -    InitializeResult             -
ping                     Ping                   B B B B -    EmptyResult                  -
server/discover          Discover               - - - - C    DiscoverResult               -
resources/list           ListResources          C C C C C    ListResourcesResult          resources
resources/templates/list ListResourceTemplates  C C C C C    ListResourceTemplatesResult  resources
resources/read           ReadResource           C C C C C    ReadResourceResult+input     resources
resources/subscribe      Subscribe              C C C C -    EmptyResult                  resources.subscribe
resources/unsubscribe    Unsubscribe            C C C C -    EmptyResult                  resources.subscribe
subscriptions/listen     SubscriptionsListen    - - - - C    SubscriptionsListenResult    -
prompts/list             ListPrompts            C C C C C    ListPromptsResult            prompts
prompts/get              GetPrompt              C C C C C    GetPromptResult+input        prompts
tools/list               ListTools              C C C C C    ListToolsResult              tools
tools/call               CallTool               C C C C C    CallToolResult+input+task    tools
logging/setLevel         SetLevel               C C C C -    EmptyResult                  logging
completion/complete      Complete               C C C C C    CompleteResult               completions
sampling/createMessage   CreateMessage          S S S S in   CreateMessageResult+task     sampling
roots/list               ListRoots              S S S S in   ListRootsResult              roots
elicitation/create       Elicit                 - - S S in   ElicitResult+task            elicitation
tasks/get                GetTask                - - - B -    GetTaskResult                tasks
tasks/result             GetTaskPayload         - - - B -    GetTaskPayloadResult         tasks
tasks/cancel             CancelTask             - - - B -    CancelTaskResult             tasks.cancel
tasks/list               ListTasks              - - - B -    ListTasksResult              tasks.list
"""
NOTIFICATIONS = """
notifications/initialized                Initialized               C C C C -   -
notifications/cancelled                  Cancelled                 B B B B B   -
notifications/progress                   Progress                  B B B B S   -
notifications/message                    LoggingMessage            S S S S S   logging
notifications/resources/updated          ResourceUpdated           S S S S S   resources.subscribe
notifications/resources/list_changed     ResourceListChanged       S S S S S   resources.listChanged
notifications/tools/list_changed         ToolListChanged           S S S S S   tools.listChanged
notifications/prompts/list_changed       PromptListChanged         S S S S S   prompts.listChanged
notifications/roots/list_changed         RootsListChanged          C C C C -   roots.listChanged
notifications/elicitation/complete       ElicitationComplete       - - - S -   >elicitation.url
notifications/tasks/status               TaskStatus                - - - B -   tasks
notifications/subscriptions/acknowledged SubscriptionsAcknowledged - - - - S   -
"""
SIDES = {"C": ("client",), "S": ("server",), "B": ("client", "server"), "in": ("server",)}


@pytest.mark.parametrize("place", range(5), ids=READ)
class TestMethods:
    def test_requests(self, place):
        revision, found = READ[place], {}
        for row in REQUESTS.strip().splitlines():
            name, interface, *sides, result, capability = row.split()
            if sides[place] == "-":
                continue
            if name == "completion/complete" and revision == R24:
                capability = "-"
            own, *others = result.split("+")
            results = [own]
            results += ["InputRequiredResult"] if "input" in others and revision == R26 else []
            results += ["CreateTaskResult"] if "task" in others and revision == R11 else []
            found[name] = (
                f"{interface}Request",
                SIDES[sides[place]],
                sides[place] == "in",
                results,
                None if capability == "-" else capability,
                None if capability == "-" else "receiver",
            )
        assert found == {
            name: (
                each.interface,
                each.sent_by,
                each.embedded,
                [type_text(result) for result in each.results],
                each.capability,
                each.capability_of,
            )
            for name, each in bundled(revision).methods.items()
            if each.kind == "request"
        }

    def test_notifications(self, place):
        found = {}
        for row in NOTIFICATIONS.strip().splitlines():
            name, interface, *sides, gate = row.split()
            if sides[place] != "-":
                party = None if gate == "-" else "receiver" if gate.startswith(">") else "sender"
                found[name] = (
                    f"{interface}Notification",
                    SIDES[sides[place]],
                    None if gate == "-" else gate.strip(">"),
                    party,
                )
        assert found == {
            name: (each.interface, each.sent_by, each.capability, each.capability_of)
            for name, each in bundled(READ[place]).methods.items()
            if each.kind == "notification"
        }

    def test_params(self, place):
        revision = READ[place]
        optional = "ping roots/list notifications/initialized".split()
        optional += [name for name in bundled(revision).methods if name.endswith("list_changed")]
        if revision != R26:
            optional += "resources/list resources/templates/list prompts/list tools/list tasks/list".split()
        for name, method in bundled(revision).methods.items():
            assert method.params is not None
            assert method.params_required == (name not in optional), name

    def test_envelopes(self, place):
        revision = READ[place]
        for method in bundled(revision).methods.values():
            fields = {each.name: each for each in bundled(revision).objects[method.interface].fields}
            envelope = ("jsonrpc", "id") if method.kind == "request" else ("jsonrpc",)
            assert method.envelope == (envelope if revision in EARLY else ())
            assert {name for name in ("jsonrpc", "id") if name in fields} == (
                set() if method.embedded else set(envelope)
            )
            if not method.embedded:
                assert fields["jsonrpc"].type == Enum(("2.0",))
            if "id" in fields:
                assert fields["id"].type == AliasOf("RequestId")

    def test_results_are_one_type_with_a_decision(self, place):
        for method in bundled(READ[place]).methods.values():
            if len(method.results) == 1:
                assert method.result == method.results[0]
            elif method.kind == "request":
                assert isinstance(method.result, Union)
                assert method.result.written == method.results
            else:
                assert method.result is None


def test_a_task_may_answer_instead():
    found = bundled(R11).methods
    assert tree(found["tools/call"].result) == "{object: [content? CallToolResult : [task? CreateTaskResult : refuse]]}"
    assert (
        tree(found["sampling/createMessage"].result)
        == "{object: [content? CreateMessageResult : [task? CreateTaskResult : refuse]]}"
    )
    assert (
        tree(found["elicitation/create"].result)
        == "{object: [action? ElicitResult : [task? CreateTaskResult : refuse]]}"
    )


FLOATS = {
    (
        R24,
    ): "Annotated.annotations.priority CreateMessageRequest.params.temperature ProgressNotification.params.progress ProgressNotification.params.total",
    (
        R03,
    ): "Annotations.priority CreateMessageRequest.params.temperature ProgressNotification.params.progress ProgressNotification.params.total",
    (
        R06,
    ): "Annotations.priority CreateMessageRequest.params.temperature ProgressNotification.params.progress ProgressNotification.params.total NumberSchema.minimum NumberSchema.maximum",
    (
        R11,
        R26,
    ): "Annotations.priority CreateMessageRequestParams.temperature ProgressNotificationParams.progress ProgressNotificationParams.total NumberSchema.minimum NumberSchema.maximum NumberSchema.default",
}


@pytest.mark.parametrize(("revision", "expected"), [(each, FLOATS[row]) for row in FLOATS for each in row])
def test_floats(revision, expected):
    preferences = {f"ModelPreferences.{name}Priority" for name in ("cost", "speed", "intelligence")}
    protocol = bundled(revision)
    floats = {
        f"{path}.{each.name}"
        for path, made in protocol.objects.items()
        for each in made.fields
        if each.constraints.number == "float" and each.declared_in == path
    }
    assert floats == preferences | set(expected.split())
    limits = {
        (each.constraints.minimum, each.constraints.maximum)
        for each in protocol.objects["ModelPreferences"].fields
        if each.name != "hints"
    }
    assert limits == {(0, 1)}
    if revision not in (R24, R03):
        content = protocol.objects["ElicitResult.content"].index
        assert Scalar("float", "number") in content.members


INTEGERS = {
    READ: "Error.code Resource.size CompleteResult.completion.total",
    (R11,): "Task.ttl Task.pollInterval TaskMetadata.ttl StringSchema.minLength UntitledMultiSelectEnumSchema.maxItems",
    (R26,): "CacheableResult.ttlMs StringSchema.maxLength",
}


@pytest.mark.parametrize(
    ("revision", "path"), [(each, path) for row in INTEGERS for each in row for path in INTEGERS[row].split()]
)
def test_integers(revision, path):
    if path == "Error.code" and revision in EARLY:
        path = "JSONRPCError.error.code"
    if path == "Resource.size" and revision == R24:
        path = "CompleteResult.completion.total"
    assert field(bundled(revision), path).constraints.number == "integer"


class TestShapes:
    def test_an_error_with_data_is_a_whole_response(self):
        made = bundled(R26).objects["UnsupportedProtocolVersionError.error"]
        assert [(each.name, each.optional, type_text(each.type), each.declared_in) for each in made.fields] == [
            ("code", False, "-32022", "UnsupportedProtocolVersionError.error"),
            ("message", False, "string", "Error"),
            ("data", False, "UnsupportedProtocolVersionError.error.data", "UnsupportedProtocolVersionError.error"),
        ]
        assert made.bases == ("Error",)
        assert bundled(R26).objects["UnsupportedProtocolVersionError"].bases == ("JSONRPCErrorResponse",)
        assert bundled(R26).objects["ParseError"].bases == ("Error",)
        assert bundled(R11).objects["URLElicitationRequiredError.error.data"].index == Scalar("json", "unknown")

    def test_aliases_of_results(self):
        assert bundled(R11).objects["GetTaskResult"].index == Scalar("json", "unknown")
        assert bundled(R11).objects["TaskStatusNotificationParams"].index is None
        assert bundled(R26).aliases["EmptyResult"].type == ObjectOf("Result")
        assert bundled(R26).aliases["ClientResult"].type == AliasOf("EmptyResult")
        assert bundled(R26).aliases["ClientNotification"].type == ObjectOf("CancelledNotification")

    def test_json_is_opaque(self):
        protocol = bundled(R26)
        assert protocol.aliases["JSONValue"].type == Scalar("json", "unknown")
        assert protocol.objects["JSONObject"].index == AliasOf("JSONValue")
        assert {name for name, alias in protocol.aliases.items() if alias.recursive} == {"JSONValue", "JSONArray"}

    def test_a_diamond_and_a_narrower_field(self):
        made = bundled(R26).objects["ListToolsResult"]
        assert [each.name for each in made.fields] == [
            "_meta",
            "resultType",
            "nextCursor",
            "ttlMs",
            "cacheScope",
            "tools",
        ]
        assert made.bases == ("PaginatedResult", "CacheableResult", "Result")
        meta = field(bundled(R26), "SubscriptionsListenResult._meta")
        assert (meta.type, meta.optional) == (ObjectOf("SubscriptionsListenResultMetaObject"), False)

    def test_two_bases_with_the_same_meta(self):
        meta = field(bundled(R11), "CreateMessageResult._meta")
        assert (meta.declared_in, meta.type) == ("Result", ObjectOf("Result._meta"))

    def test_maps_and_markers(self):
        assert bundled(R26).objects["InputRequests"].index == AliasOf("InputRequest")
        assert bundled(R26).objects["InputRequests"].is_map
        assert bundled(R26).objects["ClientCapabilities.roots"].is_map
        assert bundled(R26).objects["MetaObject"].kind == "alias"
        assert not bundled(R11).objects["GetTaskPayloadResult"].is_map


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_it_says_of_itself(revision):
    protocol = bundled(revision)
    data = (SCHEMAS / revision / "schema.ts").read_bytes()
    assert protocol.revision == revision
    assert protocol.sha256 == hashlib.sha256(data).hexdigest()
    assert protocol.warnings == ()
    assert protocol.constants["JSONRPC_VERSION"].value == "2.0"
    assert set(protocol.order) == {
        *protocol.constants,
        *protocol.aliases,
        *(path for path, made in protocol.objects.items() if made.kind != "inline"),
    }


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_same_text_under_another_label_means_the_same(revision):
    module = read_schema((SCHEMAS / revision / "schema.ts").read_bytes(), "schema.ts")
    assert attrs.evolve(resolve_protocol(module, revision="draft", base=revision), revision=revision) == bundled(
        revision
    )
