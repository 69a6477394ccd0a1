"""Methods and notifications: which there are, who sends them, what answers them, and what is inside others."""

from __future__ import annotations

import pytest
from diff.comparing import compare, framed, line, lines, only, resolve
from mcp_bindgen import catalog, diff
from mcp_bindgen.diff.senders import Senders
from mcp_bindgen.resolve.overrides import Overrides

C, R, B = "compatible", "risky", "breaking"

ASK = "export interface AskRequest extends JSONRPCRequest { method: 'ask' }\n"
SAY = "export interface SayNotification extends JSONRPCNotification { method: 'say' }\n"


def with_unions(text: str, **unions: str) -> str:
    """A framed text in which a union of messages lists more."""
    whole = framed(text)
    for union, members in unions.items():
        start = f"export type {union} ="
        if start in whole:
            whole = whole.replace(start, f"{start} {members} |")
        else:
            whole += f"\n{start} {members};"
    return whole


def told(old: str, new: str) -> list[str]:
    return [line(change) for change in diff.compare(resolve(old), resolve(new)).changes if "type_" not in change.kind]


SENT_BY = {
    "client": {"ClientRequest": "AskRequest"},
    "server": {"ServerRequest": "AskRequest"},
    "client+server": {"ClientRequest": "AskRequest", "ServerRequest": "AskRequest"},
}


@pytest.mark.parametrize(
    ("sides", "added", "removed"),
    [
        ("client", f"{C}/{R}/{C}", f"{B}/{C}/{B}"),
        ("server", f"{R}/{C}/{C}", f"{C}/{B}/{B}"),
        ("client+server", f"{R}/{R}/{C}", f"{B}/{B}/{B}"),
    ],
)
def test_requests_come_and_go(sides, added, removed):
    without, with_it = framed(""), with_unions(ASK, **SENT_BY[sides])
    assert told(without, with_it) == [f"method_added ask method-added {added} {sides}"]
    assert told(with_it, without) == [f"method_removed ask method-removed {removed} {sides}"]


def test_notifications_come_and_go():
    without, with_it = framed(""), with_unions(SAY, ServerNotification="SayNotification")
    assert told(without, with_it) == [f"notification_added say notification-added {C}/{C}/{C} server"]
    assert told(with_it, without) == [f"notification_removed say notification-removed {R}/{C}/{B} server"]


def test_a_method_by_another_name_is_another_method():
    old = with_unions(ASK, ClientRequest="AskRequest")
    assert told(old, old.replace("'ask'", "'demand'")) == [
        f"method_removed ask method-removed {B}/{C}/{B} client",
        f"method_added demand method-added {C}/{R}/{C} client",
    ]


def test_a_request_that_is_a_notification_now():
    old = with_unions(ASK, ClientRequest="AskRequest")
    new = with_unions(
        ASK.replace("JSONRPCRequest", "JSONRPCNotification").replace("AskRequest", "AskNotification"),
        ClientNotification="AskNotification",
    )
    assert told(old, new) == [
        f"method_removed ask method-removed {B}/{C}/{B} client",
        f"notification_added ask notification-added {C}/{C}/{C} client",
    ]


def test_the_interface_of_a_method_may_have_any_name():
    old = with_unions(ASK, ClientRequest="AskRequest")
    changes = diff.compare(resolve(old), resolve(old.replace("AskRequest", "QuestionRequest"))).changes
    assert [(each.kind, each.old, each.new) for each in changes] == [("type_renamed", "AskRequest", "QuestionRequest")]


class TestDirection:
    def test_of_a_request(self):
        client, both = with_unions(ASK, **SENT_BY["client"]), with_unions(ASK, **SENT_BY["client+server"])
        server = with_unions(ASK, **SENT_BY["server"])
        assert told(client, both) == [f"direction_changed ask direction-changed {R}/{C}/{R} client+server"]
        assert told(both, client) == [f"direction_changed ask direction-changed {C}/{B}/{R} client+server"]
        # An old client still asks, and a new server begins to.
        assert told(client, server) == [f"direction_changed ask direction-changed {B}/{C}/{R} client+server"]

    def test_of_a_notification(self):
        old = with_unions(SAY, ServerNotification="SayNotification", ClientNotification="SayNotification")
        new = with_unions(SAY, ServerNotification="SayNotification")
        (change,) = diff.compare(resolve(old), resolve(new)).changes
        assert line(change) == f"direction_changed say direction-changed {C}/{R}/{R} client+server"
        assert (change.old, change.new) == ("client and server", "server")
        assert change.reason == "A new client no longer sends it."


class TestResults:
    def test_another_alternative(self):
        new = (
            "export interface Later { later: string }\n"
            "export interface GetResultResponse { id: string; result: GetResult | Later }"
        )
        expected = "method_result_changed widgets/get Later union-member-{} {} server"
        assert [each for each in lines("", new) if "type_" not in each] == [expected.format("added", f"{R}/{C}/{R}")]
        assert [each for each in lines(new, "") if "type_" not in each] == [expected.format("removed", f"{C}/{B}/{B}")]

    def test_another_alternative_is_told_of_the_method_alone(self):
        old = "export interface Later { later: string }\nexport interface GetResultResponse { id: string; result: GetResult }"
        new = old.replace("result: GetResult", "result: GetResult | Later")
        assert lines(old, new) == [f"method_result_changed widgets/get Later union-member-added {R}/{C}/{R} server"]

    def test_another_result(self):
        old = with_unions(ASK, ClientRequest="AskRequest")
        new = with_unions(
            ASK + "export interface AskResult extends Result { answer: string }", ClientRequest="AskRequest"
        )
        assert told(old, new) == [
            f"method_result_changed ask AskResult union-member-added {R}/{C}/{R} server",
            f"method_result_changed ask EmptyResult union-member-removed {C}/{B}/{B} server",
        ]
        change, *_ = diff.compare(resolve(old), resolve(new)).changes
        assert (change.old, change.new, change.methods) == ("EmptyResult", "AskResult", ("ask",))

    def test_the_same_result_by_another_name(self):
        old = with_unions(ASK + "export type AskResult = EmptyResult", ClientRequest="AskRequest")
        assert told(old, with_unions(ASK, ClientRequest="AskRequest")) == []


EMBEDDED = (
    framed("")
    .replace(
        "export interface GetResult extends Result { out: Out }",
        "export interface GetResult extends Result { out: Out; questions?: { [key: string]: InputRequest } }",
    )
    .replace("{ in: In }", "{ in: In; answers?: { [key: string]: AskResult } }")
    + """
export interface AskRequest { method: 'ask'; params: { question: string } }
export interface AskResult { answer: string }
export type InputRequest = AskRequest;
"""
)
SENT = framed("") + ("""
export interface AskRequest extends JSONRPCRequest { method: 'ask'; params: { question: string } }
export interface AskResult { answer: string }
export type ServerRequest = AskRequest;
""")


class TestEmbedded:
    def test_what_travels_inside_a_result(self):
        changes = [line(each) for each in diff.compare(resolve(SENT), resolve(EMBEDDED)).changes]
        assert changes == [
            f"method_embedded ask method-embedded {R}/{B}/{B} server",
            f"field_added GetRequestParams.answers field-added-optional {C}/{C}/{C} client",
            f"field_added GetResult.questions field-added-optional {C}/{C}/{C} server",
            f"type_added InputRequest type-added {C}/{C}/{C} server",
            f"type_removed ServerRequest type-removed {C}/{C}/{B} server",
        ]

    def test_the_reverse(self):
        changes = diff.compare(resolve(EMBEDDED), resolve(SENT)).changes
        assert line(changes[0]) == f"method_embedded ask method-embedded {R}/{B}/{B} server"

    def test_its_params_come_from_the_server_and_its_result_from_the_client(self):
        change = only(
            diff.compare(resolve(EMBEDDED), resolve(EMBEDDED.replace("question: string", "question?: string")))
        )
        assert (
            line(change) == f"field_became_optional AskRequest.params.question field-became-optional {R}/{C}/{B} server"
        )
        assert change.methods == ("ask",)
        change = only(diff.compare(resolve(EMBEDDED), resolve(EMBEDDED.replace("answer: string", "answer?: string"))))
        assert line(change) == f"field_became_optional AskResult.answer field-became-optional {C}/{R}/{B} client"
        assert change.methods == ("widgets/get", "ask")


class TestHandshake:
    START = ASK.replace("AskRequest", "InitializeRequest").replace("'ask'", "'initialize'")

    def test_without_it_no_session_starts(self):
        without, with_it = framed(""), with_unions(self.START, ClientRequest="InitializeRequest")
        assert told(without, with_it) == [f"method_added initialize method-added {B}/{B}/{C} client"]
        assert told(with_it, without) == [f"method_removed initialize method-removed {B}/{B}/{B} client"]
        change = diff.compare(resolve(with_it), resolve(without)).changes[0]
        assert change.reason == (
            "An old client begins with `initialize`, which a new server does not know; a new client never sends it, but "
            "an old server requires it to start a session."
        )


class TestAbsenceThatIsTolerated:
    OVERRIDES = Overrides.parse(
        "[[absence]]\nfield = 'Out.mode'\ntolerated = true\ndefault = 'full'\nreason = 'r'\nsource = 's'\n"
        "since = '2026-07-28'"
    )
    WITHOUT = "export interface Out { o: string }"
    WITH = "export interface Out { o: string; mode: string }"

    def line(self, old: str, new: str) -> diff.Change:
        return only(
            diff.compare(resolve(framed(old), overrides=self.OVERRIDES), resolve(framed(new), overrides=self.OVERRIDES))
        )

    def test_a_required_field_that_receivers_do_without(self):
        change = self.line(self.WITHOUT, self.WITH)
        assert line(change) == f"field_added Out.mode field-added-required {C}/{C}/{B} server"
        assert change.reason == (
            "An old server does not send it, but a new client accepts its absence, as the specification requires, and assumes "
            '"full".'
        )
        assert (
            line(self.line(self.WITH, self.WITHOUT))
            == f"field_removed Out.mode field-removed-required {C}/{C}/{B} server"
        )

    def test_whose_absence_became_legal(self):
        optional = self.WITH.replace("mode:", "mode?:")
        assert line(self.line(self.WITH, optional)) == (
            f"field_became_optional Out.mode field-became-optional {C}/{C}/{B} server"
        )
        assert line(self.line(optional, self.WITH)) == (
            f"field_became_required Out.mode field-became-required {C}/{C}/{B} server"
        )


class TestAbsenceThatOneSideTolerates:
    """The text of the revision asks only one side for tolerance, as receivers; ``Told`` is sent by both."""

    OPTIONAL, REQUIRED = (
        "export interface Told { t: string; m?: string }",
        "export interface Told { t: string; m: string }",
    )

    def change(self, required_of: str, old: str, new: str) -> diff.Change:
        overrides = Overrides.parse(
            f"[[absence]]\nfield = 'Told.m'\ntolerated = true\nrequired_of = '{required_of}'\nreason = 'r'\nsource = 's'\n"
            "since = '2026-07-28'"
        )
        return only(diff.compare(*(resolve(framed(text), overrides=overrides) for text in (old, new))))

    @pytest.mark.parametrize(
        ("required_of", "levels"),
        [("both", f"{C}/{C}"), ("client", f"{C}/{R}"), ("server", f"{R}/{C}"), ("nobody", f"{R}/{R}")],
    )
    def test_it_is_harmless_where_that_side_receives(self, required_of: str, levels: str):
        found = self.change(required_of, self.REQUIRED, self.OPTIONAL)
        assert line(found) == f"field_became_optional Told.m field-became-optional {levels}/{B} client+server"

    def test_the_reason_tells_both_sides(self):
        found = self.change("client", self.REQUIRED, self.OPTIONAL)
        assert found.reason == (
            "A new client may omit it, but an old server requires it; a new server may omit it, but an old "
            "client accepts its absence, as the specification requires."
        )
        assert found.hint == "Keep sending it to servers of the old revision."
        assert found.reasons.old_client_new_server is None
        assert found.reasons.new_client_old_server == "A new client may omit it, but an old server requires it."

    def test_whatever_makes_a_receiver_miss_it(self):
        without = "export interface Told { t: string }"
        for old, new, levels in (
            (self.REQUIRED, without, f"{C}/{B}"),
            (without, self.REQUIRED, f"{C}/{B}"),
            (self.OPTIONAL, self.REQUIRED, f"{C}/{B}"),
        ):
            verdicts = self.change("client", old, new).verdicts
            found = {verdicts.old_client_new_server, verdicts.new_client_old_server}
            assert found == set(levels.split("/"))


class TestParamsThatDeclareWhatTheirBaseHad:
    """The early revisions have ``_meta`` in the params of every request, and leave it out where they spell params out."""

    OLD = framed("").replace("params?: { [key: string]: unknown }", "params?: { tag?: string; [key: string]: unknown }")

    def added(self, declaration: str) -> diff.Change:
        new = self.OLD.replace("GetRequestParams { ", f"GetRequestParams {{ {declaration}; ")
        return only(diff.compare(resolve(self.OLD), resolve(new)))

    def test_it_is_not_new_in_messages(self):
        change = self.added("tag?: string")
        assert line(change) == f"field_added GetRequestParams.tag field-added-optional {C}/{C}/{C} client"
        assert change.reason == (
            "It is not new in messages: `Request.params` declared it for all of them, and now these params declare it too."
        )

    def test_required_it_is_what_an_old_sender_may_leave_out_and_an_old_receiver_takes(self):
        change = self.added("tag: string")
        assert line(change) == f"field_added GetRequestParams.tag field-added-required {B}/{C}/{B} client"
        assert change.reason == (
            "An old client may omit it, as `Request.params` allowed in all messages, but a new server requires it."
        )
        assert change.hint == "Always send it: receivers of the old revision accept it too."

    def removed(self, declaration: str, base: str | None = None) -> diff.Change:
        """What goes from the params, given what their base has in the newer schema."""
        old = self.OLD.replace("GetRequestParams { ", f"GetRequestParams {{ {declaration}; ")
        new = self.OLD if base is None else self.OLD.replace("params?: { tag?: string; ", f"params?: {{ {base}; ")
        changes = diff.compare(resolve(old), resolve(new)).changes
        return next(each for each in changes if each.subject == "GetRequestParams.tag")

    def test_it_is_not_gone_from_messages(self):
        change = self.removed("tag?: string")
        assert line(change) == f"field_removed GetRequestParams.tag field-removed-optional {C}/{C}/{B} client"
        assert change.reason == (
            "Messages may still contain it: `Request.params` declares it for all of them, and only these params no longer do."
        )

    def test_required_it_is_what_a_new_sender_may_leave_out(self):
        change = self.removed("tag: string")
        assert line(change) == f"field_removed GetRequestParams.tag field-removed-required {C}/{B}/{B} client"
        assert change.reason == (
            "A new client may omit it, as `Request.params` allows in all messages, but an old server requires it."
        )
        assert change.hint == "Keep sending it to servers of the old revision."

    @pytest.mark.parametrize("base", ["other?: string", "tag?: number"])
    def test_it_is_gone_where_the_base_does_not_have_it_so(self, base: str):
        change = self.removed("tag?: string", base)
        assert line(change) == f"field_removed GetRequestParams.tag field-removed-optional {R}/{C}/{B} client"

    def test_others_are_new(self):
        assert self.added("label?: string").reason == "An old server ignores it, and a new server accepts its absence."

    def test_revisions_say_so_of_meta(self):
        changes = diff.compare(catalog.load("2025-06-18"), catalog.load("2025-11-25")).changes
        found = {each.subject for each in changes if each.reason.startswith("It is not new")}
        params = ("CallToolRequest", "PaginatedRequest", "ElicitRequestForm", "ProgressNotification")
        assert {f"{name}Params._meta" for name in params} <= found
        assert all(subject.endswith("Params._meta") for subject in found)
        assert not {"SamplingMessage._meta", "ElicitRequestFormParams.task"} & found


def test_a_field_that_comes_deprecated():
    text = "export interface In { i: string; /** @deprecated Use i. */ late?: string }"
    change = only(compare("export interface In { i: string }", text))
    assert line(change) == f"field_added In.late field-added-optional {C}/{C}/{C} client"
    assert change.reason == (
        "An old server ignores it, and a new server accepts its absence; it is deprecated and may be removed later."
    )


def test_the_request_that_finds_out_the_revision_is_for_receivers_of_any():
    asked = ASK.replace("'ask'", "'server/discover'")
    old, new = framed(""), with_unions(asked, ClientRequest="AskRequest")
    change = next(each for each in diff.compare(resolve(old), resolve(new)).changes if each.kind == "method_added")
    assert line(change) == f"method_added server/discover method-added {C}/{R}/{C} client"
    assert change.hint == "Call it first: a peer that does not know it, or does not respond, has an earlier revision."


class TestSenders:
    def test_nothing_says_who_sends_what_where_there_are_no_methods(self):
        old, new = "export interface A { a?: string }", "export interface A { a: string }"
        (change,) = diff.compare(resolve(old), resolve(new)).changes
        assert line(change) == f"field_became_required A.a field-became-required {B}/{B}/{B} client+server"

    def test_what_no_message_contains_breaks_nobody(self):
        (change,) = compare("export interface X { a?: string }", "export interface X { a: string }").changes
        assert line(change) == f"field_became_required X.a field-became-required {C}/{C}/{B} nobody"
        assert change.reason == "No message exchanged between the two revisions contains it; only code must change."

    def test_what_only_one_revision_sends_breaks_nobody(self):
        old = "export interface X { a?: string }"
        new = "export interface X { a: string }\nexport interface In { x?: X }"
        assert f"field_became_required X.a field-became-required {C}/{C}/{B} nobody" in lines(old, new)

    def test_an_inline_object_is_sent_where_it_was_found(self):
        # Meta is sent by both, but what took its place in In comes from the client alone.
        old = "export interface Meta { a?: string; b?: string }\nexport interface In { m: Meta }\nexport interface Out { m: Meta }"
        new = old.replace("In { m: Meta }", "In { m: { a?: string } }")
        assert lines(old, new) == [f"field_removed In.m.b field-removed-optional {R}/{C}/{B} client"]

    def test_responses_come_from_whoever_answers(self):
        errors = "export interface JSONRPCError { jsonrpc: '2.0'; id: string; error: Fault }\nexport interface Fault { code: number }\n"
        errors += "export interface StrangeError extends JSONRPCError { strange?: boolean }\n"
        errors += "export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCError;"
        senders = Senders(resolve(framed(errors)))
        found = {name: "+".join(sorted(senders.sides(name))) for name in senders._protocol.objects}
        assert {name: found[name] for name in ("JSONRPCError", "Fault", "StrangeError")} == {
            "JSONRPCError": "server",
            "Fault": "server",
            "StrangeError": "server",
        }
        assert (found["JSONRPCRequest"], found["JSONRPCNotification"]) == ("client", "client+server")
        assert senders.sides("JSONRPCMessage") == {"client", "server"}
        assert (senders.sides("ClientRequest"), senders.sides("ServerNotification")) == ({"client"}, {"server"})
