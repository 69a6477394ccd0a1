"""Which interfaces are messages, who sends them, with what params, what answers them, and what they depend on."""

from __future__ import annotations

import pytest
from checkout import REVISIONS
from mcp_bindgen.ir.protocol import AliasOf, ObjectOf, Union
from mcp_bindgen.resolve.overrides import Overrides
from resolve.resolving import bundled, faults, field, resolve, tree

BASE = """
export interface Request { method: string; params?: { [key: string]: unknown } }
export interface Notification { method: string; params?: { n?: string } }
export interface Result { [key: string]: unknown }
export type EmptyResult = Result
"""
EARLY = BASE + """
export interface JSONRPCRequest extends Request { jsonrpc: '2.0'; id: string | number }
export interface JSONRPCNotification extends Notification { jsonrpc: '2.0' }
"""


def methods(text: str, **options):
    return resolve(BASE + text, **options).methods


def test_a_message_has_one_literal_as_its_method():
    found = methods(
        "export interface ARequest extends Request { method: 'a' }\n"
        "export interface BRequest extends Request { method: typeof B }\nexport const B = 'b'\n"
        "export interface OpenRequest extends Request { method: 'o' | string }\n"
        "export interface ManyRequest extends Request { method: 'm' | 'n' }\n"
        "export interface OptionalRequest extends Request { method?: 'p' }\n"
        "export interface NumberRequest extends Request { method: 1 }\n"
        "export type SecondRequest = ARequest\nexport type JoinedRequest = Request & { method: 'q' }\n"
        "export type ThirdRequest = ARequest & { id: 1 }\n"
        "export interface EnvelopeRequest extends Omit<Full, 'id'> {}\nexport interface Full extends Request { method: 'f'; id: 1 }"
    )
    interfaces = {name: each.interface for name, each in found.items()}
    assert interfaces == {"a": "ARequest", "b": "BRequest", "q": "JoinedRequest", "f": "Full"}


@pytest.mark.parametrize("method", ["method: string", "method?: 'p'", "method: 'm' | 'n'", "method: 1", "other: 1"])
def test_a_member_of_a_union_of_messages_needs_one_literal_as_its_method(method: str):
    text = f"export interface PriceRequest {{ jsonrpc: '2.0'; {method} }}\nexport type ClientRequest = PriceRequest"
    assert faults(text) == [
        "acme.ts:1:18: PriceRequest is a member of ClientRequest, so it needs a `method` with one literal, such as "
        'method: "acme/price"'
    ]


def test_who_sends_it_is_said_by_the_unions_through_aliases():
    protocol = resolve(
        BASE
        + "export interface ARequest extends Request { method: 'a' }\nexport interface BRequest extends Request { method: 'b' }\n"
        "export interface CRequest extends Request { method: 'c' }\nexport interface DNotification extends Notification { method: 'd' }\n"
        "export interface ENotification extends Notification { method: 'e' }\n"
        "export type ClientRequest = Some | CRequest\nexport type Some = ARequest\nexport type ServerRequest = BRequest | CRequest\n"
        "export type ClientNotification = DNotification\nexport type ServerNotification = ENotification | DNotification"
    )
    assert {name: (each.kind, *each.sent_by) for name, each in protocol.methods.items()} == {
        "a": ("request", "client"),
        "b": ("request", "server"),
        "c": ("request", "client", "server"),
        "d": ("notification", "client", "server"),
        "e": ("notification", "server"),
    }
    assert protocol.warnings == ()


def test_a_message_in_no_union_may_be_sent_by_both_and_is_warned_of():
    protocol = resolve(BASE + "export interface ARequest extends Request { method: 'a' }")
    assert protocol.methods["a"].sent_by == ("client", "server")
    assert protocol.warnings == (
        "acme.ts:6: ARequest is not a member of ClientRequest, ServerRequest, ClientNotification, ServerNotification, "
        "so both sides may send it",
    )


KINDS = {
    "export interface A extends Request { method: 'm' }": "request",
    "export interface A extends B { method: 'm' }\nexport interface B extends Notification {}": "notification",
    "export interface ANotification { method: 'm' }": "notification",
    "export interface ARequest { method: 'm' }": "request",
    "export interface A { method: 'm'; id: string }": "request",
}


@pytest.mark.parametrize("text", KINDS)
def test_what_is_in_no_union_is_told_by_its_bases_then_its_name_then_its_id(text):
    assert methods(text)["m"].kind == KINDS[text]


def test_a_listed_result_that_answers_no_request_is_a_warning_where_a_request_has_no_result_of_its_own():
    text = (
        "export interface PriceRequest extends Request { method: 'price' }\n"
        "export interface PriceAnswer extends Result { cents: number }\n"
        "export type ClientRequest = PriceRequest\nexport type ServerResult = PriceAnswer"
    )
    (warning,) = resolve(BASE + text).warnings
    assert warning.endswith(
        ": PriceAnswer is a member of ServerResult, but the result of no request: PriceRequest returns EmptyResult; to be a "
        "result, it must be named PriceResult"
    )
    assert resolve(BASE + text.replace("PriceAnswer", "PriceResult")).warnings == ()
    assert resolve(BASE + text.replace("= PriceAnswer", "= EmptyResult")).warnings == ()


def test_a_result_of_a_request_that_no_union_of_results_has_is_warned_of():
    text = (
        "export interface PriceRequest extends Request { method: 'price' }\n"
        "export interface SaleRequest extends Request { method: 'sale' }\n"
        "export interface PriceResult extends Result { cents: number }\n"
        "export interface SaleResult extends Result { price: string }\n"
        "export type ClientRequest = PriceRequest\nexport type ServerRequest = SaleRequest\n"
    )
    price = (
        "acme.ts:8: PriceResult is the result of PriceRequest, but not a member of ServerResult; add it to that union"
    )
    sale = "acme.ts:9: SaleResult is the result of SaleRequest, but not a member of ClientResult; add it to that union"
    for unions, warnings in {
        "export type ServerResult = PriceResult": (),
        "export type ServerResult = EmptyResult": (price,),
        "export type ClientResult = SaleResult\nexport type ServerResult = PriceResult": (),
        "export type ClientResult = EmptyResult\nexport type ServerResult = EmptyResult": (price, sale),
    }.items():
        assert resolve(BASE + text + unions).warnings == warnings


@pytest.mark.parametrize(
    "union",
    ["", "export type ClientResult = EmptyResult", "export type ServerResult = EmptyResult"],
    ids=["no union of results", "a union for the other side", "a request that returns EmptyResult"],
)
def test_a_result_that_no_union_can_have_is_not_warned_of(union: str):
    result = "" if "ServerResult" in union else "export interface PriceResult extends Result { cents: number }\n"
    text = (
        "export interface PriceRequest extends Request { method: 'price' }\nexport type ClientRequest = PriceRequest\n"
    )
    assert resolve(BASE + text + result + union).warnings == ()


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_bundled_schemas_are_not_warned_of(revision: str):
    assert bundled(revision).warnings == ()


def test_a_literal_method_alone_makes_no_message_but_a_warning():
    protocol = resolve("export interface Http { method: 'GET' }")
    assert not protocol.methods
    assert protocol.warnings == (
        "acme.ts:1: Http has a literal `method` but no other sign of a message, so it is treated as a plain object",
    )


def test_requests_inside_a_result_are_embedded():
    protocol = resolve(
        EARLY
        + "export interface ARequest { method: 'a' }\nexport interface BRequest extends JSONRPCRequest { method: 'b' }\n"
        "export type InputRequest = ARequest | BRequest\nexport type ClientRequest = BRequest"
    )
    found = protocol.methods["a"]
    assert (found.kind, found.sent_by, found.embedded, found.envelope) == ("request", ("server",), True, ())
    assert not protocol.methods["b"].embedded
    assert [each.name for each in protocol.objects["ARequest"].fields] == ["method"]


FAULTS = {
    "two messages with one method": (
        "export interface ARequest extends Request { method: 'a' }\nexport interface BRequest extends Request { method: 'a' }",
        ["acme.ts:7:18: BRequest and ARequest have the same method 'a'; each method must belong to one message"],
    ),
    "a refinement of a message is a second one": (
        "export interface ARequest extends Request { method: 'a' }\nexport interface BRequest extends ARequest { params: {} }",
        ["acme.ts:7:18: BRequest and ARequest have the same method 'a'; each method must belong to one message"],
    ),
    "a request that is a notification": (
        "export interface A extends Request { method: 'a' }\nexport type ClientRequest = A\nexport type ServerNotification = A",
        ["acme.ts:6:18: A is listed both as a request and as a notification"],
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_messages_that_contradict_are_faults(case):
    text, expected = FAULTS[case]
    assert faults(BASE + text) == expected


def test_a_request_without_an_answer_is_a_fault():
    assert faults("export interface ARequest { method: 'a' }") == [
        "acme.ts:1:18: the result of ARequest is unknown; declare one of AResultResponse, AResult or EmptyResult"
    ]


class TestResults:
    REQUEST = "export interface GetRequest extends Request { method: 'get'; params: Params }\nexport interface Params { p: string }\n"

    def test_of_no_own_result_the_empty_one(self):
        found = methods(self.REQUEST)["get"]
        assert found.results == (AliasOf("EmptyResult"),)
        assert found.result == AliasOf("EmptyResult")

    def test_of_a_result_of_the_same_name_that(self):
        text = self.REQUEST + "export interface GetResult extends Result { g: string }"
        assert methods(text)["get"].results == (ObjectOf("GetResult"),)
        text = self.REQUEST + "export type GetResult = Result"
        assert methods(text)["get"].results == (AliasOf("GetResult"),)
        text = self.REQUEST + "export type GetResult = Result & { g: string }"
        assert methods(text)["get"].results == (ObjectOf("GetResult"),)

    def test_of_a_response_of_the_same_name_what_that_allows(self):
        found = methods(
            self.REQUEST + "export interface GetResultResponse { id: string; result: GetResult | Others }\n"
            "export interface GetResult { g: string }\nexport type Others = More | Second\n"
            "export interface More { m: string }\nexport interface Other { o: string }\nexport type Second = Other"
        )["get"]
        assert found.results == (ObjectOf("GetResult"), ObjectOf("More"), AliasOf("Second"))
        assert tree(found.result) == "{object: [g? GetResult : [m? More : [o? Other : refuse]]]}"

    AUGMENTED = Overrides.parse(
        "[[additional_result]]\nparams = 'Taskable'\nresult = 'Task'\nreason = 'r'\nsource = 's'\nsince = '2025-11-25'"
    )

    @pytest.mark.parametrize(
        "params",
        ["interface Params extends Taskable {}", "type Params = Taskable & { x: 'x' }", "type Params = One | Two"],
    )
    def test_of_params_that_ask_for_a_task_the_task_too(self, params):
        request = self.REQUEST.replace("export interface Params { p: string }", f"export {params}")
        text = (
            request + "export interface One { kind: 1 }\nexport interface Two extends Taskable { kind: 2 }\n"
            "export interface Taskable { task?: string }\nexport interface Task { taskId: string }\n"
            "export interface GetResult { g: string }"
        )
        found = methods(text, overrides=self.AUGMENTED)["get"]
        assert found.results == (ObjectOf("GetResult"), ObjectOf("Task"))
        assert isinstance(found.result, Union)
        assert tree(found.result) == "{object: [g? GetResult : [taskId? Task : refuse]]}"
        assert methods(text)["get"].results == (ObjectOf("GetResult"),)

    def test_of_an_override_what_that_says(self):
        overrides = Overrides.parse(
            "[[result]]\nrequest = 'GetRequest'\nresults = ['Other']\nreason = 'r'\nsource = 's'\nsince = '2025-11-25'"
        )
        text = self.REQUEST + "export interface Other { o: string }"
        assert methods(text, overrides=overrides)["get"].results == (ObjectOf("Other"),)

    def test_alternatives_that_cannot_be_told_apart_are_a_fault_of_the_request(self):
        text = self.REQUEST.replace("Params { p: string }", "Params extends Taskable {}")
        text += "export interface Taskable {}\nexport interface Task { t?: string }\nexport interface GetResult { g?: string }"
        (found,) = faults(BASE + text, overrides=self.AUGMENTED)
        assert found.startswith(
            "acme.ts:6:18: the result of GetRequest: GetResult and Task cannot be distinguished in JSON"
        )


def test_params():
    found = methods(
        "export interface ARequest extends Request { method: 'a' }\nexport interface BRequest extends Request { method: 'b'; params: { x: string } }\n"
        "export interface CNotification extends Notification { method: 'c' }\nexport interface DRequest { method: 'd' }"
    )
    assert {name: (each.params, each.params_required) for name, each in found.items()} == {
        "a": (ObjectOf("Request.params"), False),
        "b": (ObjectOf("BRequest.params"), True),
        "c": (ObjectOf("Notification.params"), False),
        "d": (None, False),
    }


def test_early_messages_get_the_envelope_that_their_text_leaves_out():
    protocol = resolve(
        EARLY
        + "export interface ARequest extends Paged { method: 'a'; params: {} }\nexport interface Paged extends Request {}\n"
        "export interface BNotification extends Notification { method: 'b' }\n"
        "export interface CRequest extends JSONRPCRequest { method: 'c' }\nexport interface DRequest { method: 'd' }"
    )
    assert {name: each.envelope for name, each in protocol.methods.items()} == {
        "a": ("jsonrpc", "id"),
        "b": ("jsonrpc",),
        "c": (),
        "d": (),
    }
    assert [(each.name, each.envelope) for each in protocol.objects["ARequest"].fields] == [
        ("method", False),
        ("params", False),
        ("jsonrpc", True),
        ("id", True),
    ]
    assert field(protocol, "ARequest.id").type == field(protocol, "JSONRPCRequest.id").type
    assert field(protocol, "ARequest.id").declared_in == "JSONRPCRequest"
    assert not field(protocol, "CRequest.id").envelope
    assert [each.name for each in protocol.objects["Paged"].fields] == ["method", "params"]


CAPABILITIES = """
export interface ClientCapabilities { roots?: { listChanged?: boolean }; sampling?: object; tasks?: { list?: object }; both?: object }
export interface ServerCapabilities { tools?: { listChanged?: boolean; call?: object }; tasks?: { list?: object }; resources?: Bag; both?: { x?: object } }
export interface Bag { subscribe?: boolean }
"""

NEEDS = (
    ("request", "client", "tools/list", "tools", "receiver"),
    ("request", "client", "tools/call", "tools.call", "receiver"),
    ("request", "client", "tools/call/deep", "tools.call", "receiver"),
    ("request", "client", "resources/subscribe", "resources.subscribe", "receiver"),
    ("request", "client", "resources/read", "resources", "receiver"),
    ("request", "client", "ping", None, None),
    ("request", "client", "sampling/createMessage", None, None),
    ("request", "server", "sampling/createMessage", "sampling", "receiver"),
    ("request", "server", "tools/list", None, None),
    ("request", "both", "tasks/list", "tasks.list", "receiver"),
    ("request", "both", "tasks/get", "tasks", "receiver"),
    ("notification", "server", "notifications/tools/list_changed", "tools.listChanged", "sender"),
    ("notification", "client", "notifications/tools/list_changed", None, None),
    ("notification", "client", "notifications/roots/list_changed", "roots.listChanged", "sender"),
    ("notification", "server", "notifications/roots/list_changed", None, None),
    ("notification", "server", "notifications/resources/list_changed", None, None),
    ("notification", "server", "notifications/tools/called", None, None),
)


@pytest.mark.parametrize(("kind", "side", "method", "capability", "of"), NEEDS)
def test_capabilities_by_the_words_of_the_method(kind, side, method, capability, of):
    name = kind.capitalize()
    unions = [f"{each}{name}" for each in ("Client", "Server") if side in {each.lower(), "both"}]
    text = f"export interface A{name} extends {name} {{ method: '{method}' }}\n"
    text += "".join(f"export type {union} = A{name}\n" for union in unions)
    found = methods(CAPABILITIES + text)[method]
    assert (found.capability, found.capability_of) == (capability, of)
