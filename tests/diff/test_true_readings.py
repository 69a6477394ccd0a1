"""What the report says of the bundled revisions is true when it is read against the specification."""

from __future__ import annotations

import pytest
from diff.comparing import framed, resolve
from diff.test_methods import EMBEDDED, SENT, with_unions
from mcp_bindgen import catalog, diff


def change(old: str, new: str, identity: str) -> diff.Change:
    changes = diff.compare(catalog.load(old), catalog.load(new)).changes
    return next(each for each in changes if each.id == identity)


class TestMethodsOfAChange:
    """They are those in whose messages peers of the two revisions would notice it."""

    @pytest.mark.parametrize(
        "identity",
        [
            "field_became_required:RequestParams._meta",
            'field_added:RequestMetaObject["io.modelcontextprotocol/protocolVersion"]',
        ],
    )
    def test_what_a_request_must_say_is_not_told_of_requests_that_one_revision_lacks(self, identity: str):
        found = change("2025-11-25", "2026-07-28", identity).methods
        assert {"tools/list", "tools/call", "resources/read", "completion/complete"} <= set(found)
        assert not {"ping", "tasks/list", "roots/list", "server/discover"} & set(found)

    def test_nor_are_members_of_results_told_of_requests_that_nobody_answers_any_more(self):
        found = change("2025-11-25", "2026-07-28", "field_added:Result.resultType").methods
        assert {"tools/list", "tools/call"} <= set(found)
        assert not {"ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"} & set(found)

    def test_what_only_one_revision_has_is_told_of_its_methods(self):
        assert change("2025-11-25", "2026-07-28", "type_removed:SubscribeRequest").methods == ("resources/subscribe",)
        assert change("2025-11-25", "2026-07-28", "type_added:DiscoverResult").methods == ("server/discover",)

    def test_words_are_told_of_all_messages_with_the_type(self):
        found = change("2025-11-25", "2026-07-28", "deprecated_added:LoggingLevel").methods
        assert {"logging/setLevel", "notifications/message", "tools/call"} <= set(found)

    def test_what_another_method_has_in_one_revision_alone_is_not_told_of_that(self):
        more = "export interface MoreRequest extends JSONRPCRequest { method: 'more'; params: { in: In } }\n"
        old = framed("export interface In { i?: string }")
        new = with_unions(f"{more}export interface In {{ i: string }}", ClientRequest="MoreRequest")
        found = {each.subject: each.methods for each in diff.compare(resolve(old), resolve(new)).changes}
        assert found["In.i"] == ("widgets/get",)
        assert found["MoreRequest"] == ("more",)

    def test_a_message_that_only_one_revision_has_inside_others_is_still_named(self):
        new = EMBEDDED.replace("question: string", "question?: string")
        found = {each.subject: each.methods for each in diff.compare(resolve(SENT), resolve(new)).changes}
        assert found["AskRequest.params.question"] == ("ask",)


def test_params_that_no_longer_declare_what_their_base_has_lose_nothing():
    changes = diff.compare(catalog.load("2025-11-25"), catalog.load("2025-06-18")).changes
    found = {each.subject: each for each in changes if each.subject.endswith("Params._meta")}
    assert "CallToolRequestParams._meta" in found
    assert {each.level for each in found.values()} == {"compatible"}


def test_what_was_optional_could_be_left_out_before():
    optional = change("2025-11-25", "2026-07-28", "field_removed:Tool.outputSchema.required")
    assert optional.reason == "A new server may send another value there, which an old client does not expect."
    required = change("2025-11-25", "2026-07-28", "field_removed:Tool.outputSchema.type")
    assert required.reason.startswith("A new server may omit it or send another value there,")


@pytest.mark.parametrize("batch", ["JSONRPCBatchRequest", "JSONRPCBatchResponse"])
def test_instead_of_a_batch_its_messages_are_sent(batch: str):
    found = change("2025-03-26", "2025-06-18", f"union_member_removed:JSONRPCMessage:{batch}")
    assert (found.level, found.hint) == ("breaking", "Send the messages one by one.")


def test_other_arrays_are_no_batches():
    old, new = framed("export interface In { i: Out | Out[] }"), framed("export interface In { i: Out }")
    (found,) = diff.compare(resolve(old), resolve(new)).changes
    assert (found.kind, found.member) == ("union_member_removed", "Out[]")
    assert found.hint == "Send another alternative, or find out the server's revision first."


class TestTheIdOfAnError:
    """From 2025-03-26 on the text lets servers leave it out over HTTP, and only these."""

    @pytest.mark.parametrize(
        ("old", "new", "levels"),
        [
            ("2024-11-05", "2025-11-25", ("risky", "risky")),
            ("2024-11-05", "2026-07-28", ("risky", "compatible")),
            ("2025-03-26", "2025-11-25", ("compatible", "risky")),
            ("2025-06-18", "2025-11-25", ("compatible", "risky")),
            # Nobody but servers answers there.
            ("2025-06-18", "2026-07-28", ("compatible", "compatible")),
        ],
    )
    def test_it_may_be_absent_where_the_old_text_says_so(self, old: str, new: str, levels: tuple[str, str]):
        verdicts = change(old, new, "field_became_optional:JSONRPCErrorResponse.id").verdicts
        assert (verdicts.old_client_new_server, verdicts.new_client_old_server) == levels


class TestAnswersThatOnlyANewQuestionBrings:
    """Tasks are made for requests with ``task``, which other revisions than 2025-11-25 do not have."""

    @pytest.mark.parametrize("method", ["tools/call", "sampling/createMessage", "elicitation/create"])
    def test_the_question_is_named(self, method: str):
        found = change("2025-06-18", "2025-11-25", f"method_result_changed:{method}:CreateTaskResult")
        asked, answers = ("client", "server") if method == "tools/call" else ("server", "client")
        assert (found.level, found.reason) == (
            "compatible",
            f"A new {answers} returns `CreateTaskResult` only for requests with `task`, which an old {asked} never sends.",
        )

    def test_and_where_it_goes(self):
        found = change("2025-11-25", "2026-07-28", "method_result_changed:tools/call:CreateTaskResult")
        assert (found.level, found.reason) == (
            "compatible",
            "An old server returns `CreateTaskResult` only for requests with `task`, which a new client never sends.",
        )

    def test_who_asks_in_that_way_is_told_nothing_of_it(self):
        text = (
            "export interface AskRequest extends JSONRPCRequest { method: 'ask'; params: { task?: string } }\n"
            "export interface AskResult { answer: string }\nexport interface CreateTaskResult { task: string }\n"
            "export interface AskResultResponse { jsonrpc: '2.0'; id: string; result: AskResult }\n"
        )
        old = with_unions(text, ClientRequest="AskRequest")
        new = old.replace("result: AskResult }", "result: AskResult | CreateTaskResult }")
        found = {each.member: each.reason for each in diff.compare(resolve(old), resolve(new)).changes}
        assert found == {
            "CreateTaskResult": "A new server may return `CreateTaskResult`, which an old client does not know."
        }
        old = old.replace("task?: string", "other?: string")
        found = {each.member: each.reason for each in diff.compare(resolve(old), resolve(new)).changes}
        assert "only for requests with `task`" in found["CreateTaskResult"]
