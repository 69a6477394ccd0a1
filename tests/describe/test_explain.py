"""What ``mcp-codegen explain`` says of types, members, methods and constants."""

from __future__ import annotations

import json
import textwrap

import pytest
from checkout import REVISIONS
from mcp_bindgen import catalog
from mcp_bindgen.describe import revision_span
from mcp_bindgen.describe.explain import TypeWords, discriminator_lines, explain
from mcp_bindgen.describe.explanation_text import Style, render_page
from mcp_bindgen.describe.lookup import Lookup
from mcp_bindgen.describe.usage import Usage
from mcp_bindgen.ir.protocol import Union


def document(name: str, revision: str = "2025-06-18") -> dict:
    lookup = revision_span.lookup(revision)
    subject = lookup.find(name)
    assert subject is not None
    return explain(subject, lookup, bundled=True)


def page(name: str, revision: str = "2025-06-18") -> str:
    return render_page(document(name, revision))


def test_a_type_says_what_it_is_what_it_extends_and_where_it_occurs() -> None:
    found = document("Tool")
    assert (found["format"], found["subject"], found["kind"]) == ("mcp-explain/1", "type", "interface")
    assert found["doc"]
    assert found["extends"] == ["BaseMetadata"]
    assert found["python"] == "mcp_bindings.v2025_06_18.Tool"
    assert found["used_by"] == ["ListToolsResult.tools"]
    assert found["messages"] == [{"method": "tools/list", "part": "result", "sent_by": ["server"]}]
    assert found["revisions"] == list(catalog.revisions())


def test_its_members_say_all_that_is_known_of_them() -> None:
    members = {member["name"]: member for member in document("Tool")["members"]}
    assert members["name"]["required"] is True
    assert members["name"]["declared_in"] == "BaseMetadata"
    assert members["name"]["inherited"] is True
    assert members["inputSchema"]["attribute"] == "input_schema"
    assert [inner["name"] for inner in members["inputSchema"]["members"]] == ["type", "properties", "required"]
    assert members["outputSchema"]["since"] == "2025-06-18"
    assert "since" not in members["name"]


def test_members_that_are_gone_are_remembered() -> None:
    assert {"name": "execution", "until": "2025-11-25"} in document("Tool", "2026-07-28")["former_members"]
    assert "former_members" not in document("Tool", "2024-11-05")


def test_a_method_says_who_sends_it_with_what_and_what_comes_back() -> None:
    found = document("completion/complete")
    assert (found["kind"], found["sent_by"], found["message"]) == ("request", ["client"], "CompleteRequest")
    assert (found["capability"], found["capability_of"]) == ("completions", ["server"])
    assert found["python"] == "mcp_bindings.v2025_06_18.methods.COMPLETE"
    assert found["params"]["required"] is True
    assert [member["name"] for member in found["params"]["members"]] == ["ref", "argument", "context"]
    assert [result["type"] for result in found["results"]] == ["CompleteResult"]


def test_a_method_of_both_sides_and_one_that_is_embedded() -> None:
    assert document("ping")["sent_by"] == ["client", "server"]
    assert "params" in document("ping")
    assert document("elicitation/create", "2026-07-28")["embedded"] is True
    assert "sent by       server, only inside InputRequiredResult" in page("elicitation/create", "2026-07-28")


def test_results_that_are_told_apart_say_how() -> None:
    assert document("tools/call", "2026-07-28")["told_apart"] == [
        "by 'resultType':",
        '  "complete" -> CallToolResult',
        '  "input_required" -> InputRequiredResult',
        "  absent -> CallToolResult",
    ]


def test_a_union_says_how_its_members_are_told_apart() -> None:
    assert document("EnumSchema", "2025-11-25")["told_apart"][0] == "by 'type':"
    assert document("RequestId")["told_apart"] == [
        "by the JSON type:",
        "  string -> string",
        "  number -> integer",
    ]
    assert "impossible: " in document("ServerResult")["told_apart"][0]


def test_every_decision_of_every_revision_can_be_told() -> None:
    for revision in catalog.revisions():
        protocol = catalog.load(revision)
        kinds = [member.type for declared in protocol.objects.values() for member in declared.fields]
        kinds += [alias.type for alias in protocol.aliases.values()]
        for kind in kinds:
            assert TypeWords(protocol).type(kind)
            if isinstance(kind, Union):
                assert discriminator_lines(protocol, kind)


def test_a_member_says_of_what_it_is_one() -> None:
    found = document("CallToolResult.content.text")
    assert (found["subject"], found["of"], found["key"]) == ("member", "TextContent", "text")
    assert found["canonical"] == "string"
    assert found["annotation"] == "str"
    assert document("Tool.inputSchema")["canonical"].startswith("{properties?: {[string]: object}")
    assert document("Annotations.priority")["constraints"] == ["0 to 1"]


def test_a_constant_has_its_value() -> None:
    found = document("INVALID_PARAMS")
    assert (found["subject"], found["value"]) == ("constant", -32602)
    assert "value         -32602" in page("INVALID_PARAMS")


@pytest.mark.parametrize(
    ("name", "revision", "words"),
    [
        ("Tool", "2025-06-18", f"all revisions ({REVISIONS[0]} to {REVISIONS[-1]})"),
        ("ContentBlock", "2025-06-18", "2025-06-18 and later"),
        ("Task", "2025-11-25", "2025-11-25 only, removed in 2026-07-28"),
        ("JSONRPCError", "2024-11-05", "2024-11-05 to 2025-06-18, removed in 2025-11-25"),
        ("DiscoverRequest", "2026-07-28", f"2026-07-28 {'only' if REVISIONS[-1] == '2026-07-28' else 'and later'}"),
        ("initialize", "2024-11-05", "2024-11-05 to 2025-11-25, removed in 2026-07-28"),
        ("Tool.outputSchema", "2026-07-28", "2025-06-18 and later"),
        ("JSONRPCBatchRequest", "2025-03-26", "2025-03-26 only, removed in 2025-06-18"),
    ],
)
def test_the_models_say_since_when_and_until_when(name: str, revision: str, words: str) -> None:
    assert document(name, revision)["since"] == words


def test_a_history_with_a_gap_lists_its_revisions() -> None:
    assert revision_span.Span(("a", "c"), ("a", "b", "c")).words == "a, c"
    assert revision_span.Span((), ("a", "b")).words == "no bundled revision"


def test_the_newest_revision_that_has_a_name_is_shown() -> None:
    newest = revision_span.newest_with("Task")
    assert newest is not None
    assert newest[0] == "2025-11-25"
    assert revision_span.newest_with("Nope") is None
    assert revision_span.revisions_with("ResourceReference") == ["2024-11-05", "2025-03-26"]


def test_a_schema_of_ones_own_has_no_history(widgets) -> None:
    lookup = Lookup(widgets)
    subject = lookup.find("Widget")
    assert subject is not None
    found = explain(subject, lookup, bundled=False)
    assert "since" not in found
    assert found["python"] == "Widget"
    assert found["messages"] == [{"method": "widgets/list", "part": "result", "sent_by": ["server"]}]
    assert found["extended_by"] == ["Big", "Pair"]
    assert found["used_by"] == ["Widget.parts", "ListWidgetsResult.widgets"]


def test_the_page_of_a_small_type(widgets) -> None:
    lookup = Lookup(widgets)
    subject = lookup.find("Widget")
    assert subject is not None
    shown = render_page(explain(subject, lookup, bundled=False))
    assert shown == textwrap.dedent("""\
        Widget  interface in 2001-01-01

        A widget.

        Deprecated: Use a gadget.

        in Python     Widget
        extended by   Big, Pair
        used by       Widget.parts, ListWidgetsResult.widgets
        from servers  in result of widgets/list

        Members
          id       WidgetId, required
              Which one.
          size     "large" | "small", optional
          options  {…}, optional
              How it is made.
              color  string, required
                  Its hue.
              old    integer, optional
                  Deprecated.
          parts    Widget[], optional
          mood     Mood, optional
          weight   number, optional
              (0 to 1)
          links    string[], optional
              (at most 3 items)
          data     string, optional
              (format byte)
          odd/key  any JSON, optional
          note     string | null, optional""")


def test_the_page_of_a_small_method(widgets) -> None:
    lookup = Lookup(widgets)
    subject = lookup.find("widgets/list")
    assert subject is not None
    assert render_page(explain(subject, lookup, bundled=False)) == textwrap.dedent("""\
        widgets/list  request in 2001-01-01

        sent by       client
        message       ListWidgetsRequest
        result        ListWidgetsResult
        in Python     methods.LIST_WIDGETS

        Params  {…}, optional
          cursor  string, optional

        Result  ListWidgetsResult
          widgets  Widget[], required""")


def test_params_that_are_one_of_several_objects_list_the_members_of_each() -> None:
    found = document("elicitation/create", "2026-07-28")
    alternatives = found["params"]["alternatives"]
    assert [each["type"] for each in alternatives] == ["ElicitRequestFormParams", "ElicitRequestURLParams"]
    assert [member["name"] for member in alternatives[1]["members"]] == ["mode", "message", "url"]
    page = render_page(found)
    assert (
        "Params  ElicitRequestParams, required\n  one of the 2 that follow\n\nParams  ElicitRequestFormParams\n" in page
    )
    assert "  none" not in page


def test_a_result_that_is_another_name_of_an_object_lists_its_members() -> None:
    page = render_page(document("ping", "2025-11-25"))
    assert "Result  EmptyResult\n  _meta  map of any JSON, optional\n" in page


@pytest.mark.parametrize("revision", catalog.revisions())
def test_every_name_of_every_revision_has_a_page_that_fits_and_a_document_that_is_json(revision: str) -> None:
    lookup = revision_span.lookup(revision)
    names = [*lookup.protocol.order, *lookup.protocol.methods]
    # Not all of them: each page looks at all revisions, and every seventh is enough to meet every form.
    for name in names[::7]:
        found = document(name, revision)
        assert json.loads(json.dumps(found)) == found
        assert max(map(len, render_page(found).splitlines())) <= 80, name
        assert found == document(name, revision)


def test_colour_changes_nothing_but_the_colour() -> None:
    ink = Style(lambda text: f"<{text}>", lambda text: f"<{text}>", lambda text: f"<{text}>")
    found = document("RequestMetaObject", "2026-07-28")
    shown = render_page(found, style=ink)
    assert shown != render_page(found)
    assert shown.replace("<", "").replace(">", "") == render_page(found).replace("<", "").replace(">", "")


def test_a_narrow_terminal_still_gets_every_word() -> None:
    found = document("Tool")
    assert render_page(found, width=1).split() == render_page(found, width=200).split()


def test_occurrences_stop_at_messages_inside_others() -> None:
    usage = Usage(catalog.load("2026-07-28"))
    methods = {found.method for found in usage.messages("CreateMessageRequestParams")}
    assert methods == {"sampling/createMessage"}
    sides = {found.sent_by for found in usage.messages("CreateMessageResult")}
    assert ("client",) in sides


@pytest.mark.parametrize("name", ["Task", "Task.ttlMs", "Task.status", "tasks/get", "Tool", "GetTaskResult"])
def test_an_extension_has_no_history_of_revisions(name: str) -> None:
    found = document(name, "ext-tasks")
    assert {"revisions", "since", "former_members"}.isdisjoint(found)
    assert all("since" not in member for member in found.get("members", []))
    assert found.get("python", "mcp_bindings.ext_tasks.").startswith("mcp_bindings.ext_tasks.")
    shown = render_page(found)
    assert "\nin  " not in shown
    assert "2025-11-25" not in shown
