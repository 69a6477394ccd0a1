"""Facts of the bundled revisions, as the specification's changelogs tell them, and as their schemas say where those do not."""

from __future__ import annotations

from functools import cache

import pytest
from checkout import REVISIONS
from diff.comparing import line
from mcp_bindgen import catalog, diff

C, R, B = "compatible", "risky", "breaking"


@cache
def changes(old: str, new: str) -> dict[str, diff.Change]:
    return {change.id: change for change in diff.compare(catalog.load(old), catalog.load(new)).changes}


def lines(new: str, *kinds: str) -> set[str]:
    """The changes of a revision from the one before it, of some kinds."""
    old = REVISIONS[REVISIONS.index(new) - 1]
    return {line(each) for each in changes(old, new).values() if each.kind.startswith(kinds)}


def change(new: str, identity: str) -> diff.Change:
    return changes(REVISIONS[REVISIONS.index(new) - 1], new)[identity]


class Test20250326:
    NEW = "2025-03-26"

    def test_it_breaks_nobody_who_does_not_send_what_is_new(self):
        assert not [each for each in changes("2024-11-05", self.NEW).values() if each.level == B]

    def test_audio(self):
        assert lines(self.NEW, "union_") == {
            f"union_member_added CallToolResult.content AudioContent union-member-added {R}/{C}/{R} server",
            f"union_member_added PromptMessage.content AudioContent union-member-added {R}/{C}/{R} server",
            f"union_member_added SamplingMessage.content AudioContent union-member-added {R}/{R}/{R} client+server",
            f"union_member_added JSONRPCMessage JSONRPCBatchRequest union-member-added {R}/{R}/{R} client+server",
            f"union_member_added JSONRPCMessage JSONRPCBatchResponse union-member-added {R}/{R}/{R} client+server",
        }

    def test_fields(self):
        assert lines(self.NEW, "field_") == {
            f"field_added ProgressNotification.params.message field-added-optional {C}/{C}/{C} client+server",
            f"field_added ServerCapabilities.completions field-added-optional {C}/{C}/{C} server",
            f"field_added Tool.annotations field-added-optional {C}/{C}/{C} server",
        }

    def test_annotations_that_moved_are_no_change(self):
        assert {each.id for each in changes("2024-11-05", self.NEW).values() if "Annotat" in each.id} == {
            "type_removed:Annotated",
            "type_added:Annotations",
            "type_added:ToolAnnotations",
        }

    def test_no_method_came_or_went(self):
        assert lines(self.NEW, "method_", "notification_", "direction_") == set()


class Test20250618:
    NEW = "2025-06-18"

    def test_batches_are_messages_and_no_methods(self):
        removed = f"union-member-removed {B}/{B}/{B} client+server"
        assert lines(self.NEW, "union_member_removed") == {
            f"union_member_removed JSONRPCMessage JSONRPCBatchRequest {removed}",
            f"union_member_removed JSONRPCMessage JSONRPCBatchResponse {removed}",
        }
        assert {each.subject for each in changes("2025-03-26", self.NEW).values() if each.level == B} == {
            "JSONRPCMessage"
        }

    def test_elicitation(self):
        assert lines(self.NEW, "method_") == {f"method_added elicitation/create method-added {R}/{C}/{C} server"}

    def test_resource_links_in_what_tools_and_prompts_give(self):
        added = f"ResourceLink union-member-added {R}/{C}/{R} server"
        assert lines(self.NEW, "union_member_added") == {
            f"union_member_added CallToolResult.content {added}",
            f"union_member_added PromptMessage.content {added}",
        }

    def test_structured_content(self):
        found = change(self.NEW, "field_added:CallToolResult.structuredContent")
        assert (found.new, found.methods, found.level) == ("{ [key: string]: unknown }", ("tools/call",), C)

    def test_titles_come_with_a_new_base(self):
        titles = [each for each in changes("2025-03-26", self.NEW).values() if each.subject.endswith(".title")]
        assert {each.declared_in for each in titles} == {"BaseMetadata"}
        assert [each.subject for each in titles] == [
            f"{name}.title"
            for name in (
                "Implementation",
                "Prompt",
                "PromptArgument",
                "PromptReference",
                "Resource",
                "ResourceTemplate",
                "Tool",
            )
        ]

    def test_one_rename(self):
        assert lines(self.NEW, "type_renamed") == {f"type_renamed ResourceReference type-renamed {C}/{C}/{B} client"}
        assert change(self.NEW, "type_renamed:ResourceReference").new == "ResourceTemplateReference"
        assert lines(self.NEW, "type_removed") == {
            f"type_removed JSONRPCBatchRequest type-removed {C}/{C}/{B} client+server",
            f"type_removed JSONRPCBatchResponse type-removed {C}/{C}/{B} client+server",
        }


class Test20251125:
    NEW = "2025-11-25"

    def test_it_breaks_nobody(self):
        assert not [each for each in changes("2025-06-18", self.NEW).values() if each.level == B]
        assert lines(self.NEW, "type_removed", "method_removed", "union_member_removed") == set()

    def test_tasks(self):
        assert lines(self.NEW, "method_", "notification_") == {
            *(
                f"method_added tasks/{verb} method-added {R}/{R}/{C} client+server"
                for verb in ("cancel", "get", "list", "result")
            ),
            f"notification_added notifications/elicitation/complete notification-added {C}/{C}/{C} server",
            f"notification_added notifications/tasks/status notification-added {C}/{C}/{C} client+server",
            # A task is made for a request with ``task``, which no peer of an older revision sends.
            f"method_result_changed elicitation/create CreateTaskResult union-member-added {C}/{C}/{R} client",
            f"method_result_changed sampling/createMessage CreateTaskResult union-member-added {C}/{C}/{R} client",
            f"method_result_changed tools/call CreateTaskResult union-member-added {C}/{C}/{R} server",
        }

    def test_renames_and_the_name_that_was_given_away(self):
        found = {
            each.subject: each.new for each in changes("2025-06-18", self.NEW).values() if each.kind == "type_renamed"
        }
        assert found == {"JSONRPCError": "JSONRPCErrorResponse", "JSONRPCResponse": "JSONRPCResultResponse"}
        assert lines(self.NEW, "type_changed") == {
            f"type_changed JSONRPCResponse type-redefined {C}/{C}/{B} client+server",
            f"type_changed EnumSchema type-redefined {R}/{C}/{B} server",
        }

    def test_the_enumeration_that_lives_on_under_another_name(self):
        assert {each for each in lines(self.NEW, "field_") if "Legacy" in each} == {
            f"field_added LegacyTitledEnumSchema.default field-added-optional {C}/{C}/{C} server"
        }

    def test_params_that_got_names_are_compared_with_those_that_had_none(self):
        found = {each.id for each in changes("2025-06-18", self.NEW).values() if "CallToolRequest" in each.subject}
        assert found == {
            "type_added:CallToolRequestParams",
            "field_added:CallToolRequestParams._meta",
            "field_added:CallToolRequestParams.task",
        }

    def test_forms_stay_what_they_were_beside_the_new_urls(self):
        added = change(self.NEW, "union_member_added:ElicitRequest.params:ElicitRequestURLParams")
        assert line(added).endswith(f"union-member-added {R}/{C}/{R} server")
        subjects = {each.subject for each in changes("2025-06-18", self.NEW).values() if each.kind == "field_added"}
        assert {
            "ElicitRequestFormParams.mode",
            "ElicitRequestFormParams.requestedSchema.$schema",
        } <= subjects
        assert "ElicitRequestFormParams.message" not in subjects

    def test_schemas_of_choices(self):
        verdicts = {
            "TitledMultiSelect": f"{R}/{C}/{R}",
            "TitledSingleSelect": f"{R}/{C}/{R}",
            "UntitledMultiSelect": f"{R}/{C}/{R}",
            "UntitledSingleSelect": f"{C}/{C}/{R}",
        }
        assert {each for each in lines(self.NEW, "union_") if "Primitive" in each} == {
            f"union_member_added PrimitiveSchemaDefinition {variant}EnumSchema union-member-added {each} server"
            for variant, each in verdicts.items()
        }
        untitled = change(self.NEW, "union_member_added:PrimitiveSchemaDefinition:UntitledSingleSelectEnumSchema")
        assert untitled.reason == "An old client reads it as `EnumSchema`, which has all its required members."

    def test_messages_to_models(self):
        added = f"union-member-added {R}/{R}/{R} client+server"
        assert {each for each in lines(self.NEW, "union_") if "Sampling" in each} == {
            f"union_member_added SamplingMessage.content {member} {added}"
            for member in ("SamplingMessageContentBlock[]", "ToolResultContent", "ToolUseContent")
        }
        stop = change(self.NEW, 'enum_value_added:CreateMessageResult.stopReason:"toolUse"')
        assert (stop.rule, stop.level) == ("open-enum-value-added", C)

    def test_answers_may_be_lists(self):
        found = change(self.NEW, "union_member_added:ElicitResult.content:string[]")
        assert line(found).endswith(f"union-member-added {C}/{R}/{R} client")

    def test_markers_that_got_members(self):
        found = {each.subject for each in changes("2025-06-18", self.NEW).values() if "Capabilities." in each.subject}
        assert found == {
            "ClientCapabilities.elicitation.form",
            "ClientCapabilities.elicitation.url",
            "ClientCapabilities.sampling.context",
            "ClientCapabilities.sampling.tools",
            "ClientCapabilities.tasks",
            "ServerCapabilities.tasks",
        }

    def test_what_the_changelog_does_not_tell(self):
        assert lines(self.NEW, "field_became", "field_type_changed") == {
            f"field_became_optional CancelledNotificationParams.requestId field-became-optional {R}/{R}/{B} client+server",
            f"field_became_optional JSONRPCErrorResponse.id field-became-optional {C}/{R}/{B} client+server",
        }


class Test20260728:
    NEW = "2026-07-28"

    def test_no_session_starts(self):
        found = change(self.NEW, "method_removed:initialize")
        assert line(found) == f"method_removed initialize method-removed {B}/{B}/{B} client"
        assert "requires it to start a session" in found.reason
        assert found.hint

    def test_methods(self):
        removed = f"method-removed {B}/{C}/{B} client"
        both = f"method-removed {B}/{B}/{B} client+server"
        embedded = f"method-embedded {R}/{B}/{B} server"
        assert lines(self.NEW, "method_added", "method_removed", "method_embedded", "direction_") == {
            f"method_removed initialize method-removed {B}/{B}/{B} client",
            *(
                f"method_removed {name} {removed}"
                for name in ("logging/setLevel", "resources/subscribe", "resources/unsubscribe")
            ),
            *(
                f"method_removed {name} {both}"
                for name in ("ping", "tasks/cancel", "tasks/get", "tasks/list", "tasks/result")
            ),
            *(
                f"method_added {name} method-added {C}/{R}/{C} client"
                for name in ("server/discover", "subscriptions/listen")
            ),
            *(
                f"method_embedded {name} {embedded}"
                for name in ("elicitation/create", "roots/list", "sampling/createMessage")
            ),
            *(
                f"method_embedded notifications/{name} notification-requested {R}/{C}/{C} server"
                for name in (
                    "message",
                    "prompts/list_changed",
                    "resources/list_changed",
                    "resources/updated",
                    "tools/list_changed",
                )
            ),
            f"direction_changed notifications/progress direction-changed {C}/{R}/{R} client+server",
        }

    def test_an_old_client_may_wait_for_notifications_that_it_has_to_request_now(self):
        found = change(self.NEW, "method_embedded:notifications/tools/list_changed")
        assert (found.old, found.new) == ("without a request", "only on streams of `subscriptions/listen`")
        assert found.reason == (
            "An old client may wait for it, but a new server sends it only on streams of `subscriptions/listen`."
        )
        assert not [
            each
            for each in changes(self.NEW, "2025-11-25").values()
            if each.subject == found.subject and each.level != C
        ]

    def test_notifications(self):
        removed = "notification-removed"
        assert lines(self.NEW, "notification_") == {
            f"notification_added notifications/subscriptions/acknowledged notification-added {C}/{C}/{C} server",
            f"notification_removed notifications/elicitation/complete {removed} {R}/{C}/{B} server",
            f"notification_removed notifications/initialized {removed} {C}/{R}/{B} client",
            f"notification_removed notifications/roots/list_changed {removed} {C}/{R}/{B} client",
            f"notification_removed notifications/tasks/status {removed} {R}/{R}/{B} client+server",
        }

    def test_results(self):
        added = f"InputRequiredResult union-member-added {R}/{C}/{R} server"
        assert lines(self.NEW, "method_result_changed") == {
            *(f"method_result_changed {name} {added}" for name in ("prompts/get", "resources/read", "tools/call")),
            f"method_result_changed tools/call CreateTaskResult union-member-removed {C}/{C}/{B} server",
            # Their requests travel inside other messages now, so that no answer of its own gets anywhere.
            f"method_result_changed elicitation/create CreateTaskResult union-member-removed {C}/{C}/{B} client",
            f"method_result_changed sampling/createMessage CreateTaskResult union-member-removed {C}/{C}/{B} client",
        }

    def test_what_travels_elsewhere_differs_in_no_message(self):
        ids = [
            "field_removed:CreateMessageRequestParams.task",
            "field_removed:ElicitRequestURLParams.elicitationId",
            "field_removed:ClientCapabilities.tasks",
        ]
        for found in (change(self.NEW, each) for each in ids):
            assert (found.level, found.verdicts.api) == (C, B)
            assert found.reason == "No message exchanged between the two revisions contains it; only code must change."

    def test_an_embedded_request_has_no_envelope_and_nothing_is_said_of_that(self):
        subjects = {each.subject for each in changes("2025-11-25", self.NEW).values()}
        assert not {"CreateMessageRequest.id", "CreateMessageRequest.jsonrpc", "ElicitRequest.id"} & subjects

    def test_every_request_says_its_revision(self):
        for key in ("protocolVersion", "clientCapabilities"):
            found = change(self.NEW, f'field_added:RequestMetaObject["io.modelcontextprotocol/{key}"]')
            assert line(found).endswith(f"field-added-required {B}/{C}/{B} client")
        assert line(change(self.NEW, "field_became_required:RequestParams._meta")).endswith(f"{B}/{C}/{B} client")
        found = change(self.NEW, "field_became_required:PaginatedRequest.params")
        assert found.inherited_by == (
            "ListResourcesRequest",
            "ListResourceTemplatesRequest",
            "ListPromptsRequest",
            "ListToolsRequest",
        )

    def test_a_missing_result_type_is_a_complete_result(self):
        found = change(self.NEW, "field_added:Result.resultType")
        assert line(found) == f"field_added Result.resultType field-added-required {C}/{C}/{B} server"
        assert '"complete"' in found.reason
        assert "CallToolResult" in found.inherited_by

    def test_results_that_may_be_cached(self):
        results = (
            "ListPromptsResult",
            "ListResourceTemplatesResult",
            "ListResourcesResult",
            "ListToolsResult",
            "ReadResourceResult",
        )
        found = {each for each in lines(self.NEW, "field_added") if "ttlMs" in each or "cacheScope" in each}
        assert found == {
            # A client that knows them does without them, as older servers leave them out.
            f"field_added {name}.{field} field-added-required {C}/{C}/{B} server"
            for name in results
            for field in ("cacheScope", "ttlMs")
        }

    def test_any_json_schema(self):
        now_open = f"field-removed-now-open {R}/{C}/{B} server"
        assert {each for each in lines(self.NEW, "field_removed", "openness") if "Schema" in each} == {
            f"openness_changed Tool.inputSchema openness-changed {C}/{C}/{C} server",
            f"field_removed Tool.inputSchema.properties {now_open}",
            f"field_removed Tool.inputSchema.required {now_open}",
            f"openness_changed Tool.outputSchema openness-changed {C}/{C}/{C} server",
            f"field_removed Tool.outputSchema.properties {now_open}",
            f"field_removed Tool.outputSchema.required {now_open}",
            f"field_removed Tool.outputSchema.type {now_open}",
        }

    def test_any_structured_content(self):
        widened = {each for each in lines(self.NEW, "field_type_changed") if "type-widened" in each}
        assert widened == {
            f"field_type_changed CallToolResult.structuredContent type-widened {R}/{C}/{B} server",
            f"field_type_changed ToolResultContent.structuredContent type-widened {C}/{C}/{B} client+server",
        }

    def test_objects_by_another_name_are_the_same_objects(self):
        others = {each for each in lines(self.NEW, "field_type_changed") if "type-widened" not in each}
        assert len(others) == 9
        assert all(f"type-equivalent {C}/{C}/{C}" in each for each in others)

    def test_deprecations(self):
        found = {each.subject for each in changes("2025-11-25", self.NEW).values() if each.kind == "deprecated_added"}
        assert {
            "Root",
            "SamplingMessage",
            "LoggingLevel",
            "ClientCapabilities.roots",
            "ServerCapabilities.logging",
        } <= found
        assert "CreateMessageRequestParams.includeContext" in found

    def test_what_the_changelog_does_not_tell(self):
        ids = changes("2025-11-25", self.NEW)
        assert {
            "field_became_required:CancelledNotificationParams.requestId",
            "constraint_changed:CompleteResult.completion.values",
            "field_removed:ClientCapabilities.roots.listChanged",
            "field_removed:ElicitResult._meta",
            "field_removed:ListRootsResult._meta",
            "field_removed:ListRootsRequest.params._meta.progressToken",
            "openness_changed:CreateMessageResult",
        } <= ids.keys()
        assert ids["field_removed:ListRootsRequest.params._meta.progressToken"].sent_by == ("server",)


def test_first_to_last():
    found = changes(REVISIONS[0], REVISIONS[-1])
    assert "type_renamed:ResourceReference" in found
    assert "union_member_removed:JSONRPCMessage:JSONRPCBatchRequest" not in found
    assert found["method_added:elicitation/create"].verdicts.old_client_new_server == R
    assert found["field_added:CallToolRequestParams._meta"].required is True


@pytest.mark.parametrize("revision", REVISIONS[1:])
def test_the_revision_that_a_schema_names_is_a_constant_like_any_other(revision):
    found = change(revision, "constant_changed:LATEST_PROTOCOL_VERSION")
    assert (found.new, found.level) == (f'"{revision}"', C)
