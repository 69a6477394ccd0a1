"""What holds for any two schemas."""

from __future__ import annotations

import random
from collections import Counter

import attrs
import pytest
from diff.comparing import framed, resolve
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_bindgen import catalog, diff
from mcp_bindgen.diff import RULES
from mcp_bindgen.diff.rules import verdicts_of
from mcp_bindgen.resolve.overrides import Overrides
from mcp_bindgen.resolve.protocol import resolve_protocol
from mcp_bindgen.syntax.declarations import read_schema
from strategies.schema_texts import resolvable_texts

MIRROR = {
    "type_added": "type_removed",
    "field_added": "field_removed",
    "field_became_required": "field_became_optional",
    "union_member_added": "union_member_removed",
    "enum_value_added": "enum_value_removed",
    "method_added": "method_removed",
    "notification_added": "notification_removed",
    "constant_added": "constant_removed",
    "deprecated_added": "deprecated_removed",
}
# The rule of a changed result says whether the alternative came or went.
MIRROR["union-member-added"] = "union-member-removed"
MIRROR |= {other: one for one, other in MIRROR.items()}

PAIRS = [(one, other) for one in catalog.revisions() for other in catalog.revisions() if one < other]


def kinds(difference: diff.Difference, *, mirrored: bool = False) -> Counter[str]:
    found = [change.rule if change.kind == "method_result_changed" else change.kind for change in difference.changes]
    return Counter(MIRROR.get(kind, kind) if mirrored else kind for kind in found)


def check(difference: diff.Difference) -> None:
    """What holds for every document."""
    ids = [change.id for change in difference.changes]
    assert len(ids) == len(set(ids))
    for change in difference.changes:
        assert change.level == change.verdicts.level
        assert change.reason
        assert change.rule in RULES
        assert change.id.startswith(f"{change.kind}:{change.subject}")
        assert (change.required is not None) == (change.kind in {"field_added", "field_removed"})
        assert (change.member is not None) == (
            change.kind.startswith(("union_", "enum_")) or change.kind == "method_result_changed"
        )
        if not change.sent_by:
            assert change.level == "compatible"


@given(resolvable_texts())
@settings(max_examples=40, deadline=None)
def test_nothing_differs_from_itself(text):
    protocol = resolve(text)
    assert diff.compare(protocol, protocol, docs=True).changes == ()


@given(resolvable_texts(), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_the_order_and_the_words_say_nothing(text, seed):
    module = read_schema(text.encode(), "acme.ts")
    declarations = list(module.declarations)
    random.Random(seed).shuffle(declarations)
    # Tags of the documentation say something, its text does not.
    wordless = tuple(attrs.evolve(each, doc=attrs.evolve(each.doc, text="Other.")) for each in declarations)
    other = resolve_protocol(attrs.evolve(module, declarations=wordless), revision="acme", overrides=Overrides())
    assert diff.compare(resolve(text), other).changes == ()
    assert diff.compare(other, resolve(text)).changes == ()


@given(resolvable_texts(), resolvable_texts())
@settings(max_examples=60, deadline=None)
def test_the_reverse_is_the_mirror_image(one, other):
    old, new = resolve(one), resolve(other)
    forward, backward = diff.compare(old, new), diff.compare(new, old)
    check(forward)
    check(backward)
    assert kinds(forward, mirrored=True) == kinds(backward)


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_revisions_mirror_each_other(old, new):
    forward = diff.compare(catalog.load(old), catalog.load(new))
    backward = diff.compare(catalog.load(new), catalog.load(old))
    check(forward)
    check(backward)
    assert kinds(forward, mirrored=True) == kinds(backward)
    names = {change.subject for change in forward.changes if change.kind == "type_renamed"}
    renamed = {change.new for change in backward.changes if change.kind == "type_renamed"}
    assert names == renamed


@pytest.mark.parametrize("revision", catalog.revisions())
def test_a_revision_does_not_differ_from_itself(revision):
    protocol = catalog.load(revision)
    assert diff.compare(protocol, protocol, docs=True).changes == ()


# One edit, and nothing but that

FIELDS = {
    "wide": "string | number",
    "narrow": "string",
    "few": "'x' | 'y'",
    "many": "'x' | 'y' | 'z'",
    "one": "(P | Q)[]",
    "two": "(P | Q | R)[]",
    "open": "'x' | string",
    "other": "{ x: boolean }",
}
MEMBERS = "".join(f"export interface {name} {{ kind: '{name}' }}\n" for name in "PQR")
OWNERS = {"In": ("client",), "Out": ("server",), "Told": ("client", "server"), "Deep": ("client", "server")}

TYPE_EDITS = {
    ("narrow", "wide"): [("field_type_changed", "type-widened", None)],
    ("wide", "narrow"): [("field_type_changed", "type-narrowed", None)],
    ("narrow", "other"): [("field_type_changed", "type-replaced", None)],
    ("few", "narrow"): [("field_type_changed", "type-widened", None)],
    ("few", "many"): [("enum_value_added", "enum-value-added", '"z"')],
    ("many", "few"): [("enum_value_removed", "enum-value-removed", '"z"')],
    ("one", "two"): [("union_member_added", "union-member-added", "R")],
    ("two", "one"): [("union_member_removed", "union-member-removed", "R")],
    ("narrow", "open"): [("enum_value_added", "open-enum-value-added", '"x"')],
}


def schema(owners: dict[str, dict[str, tuple[str, bool]]]) -> str:
    """A schema in which each owner has those fields: their types, and whether they are optional."""
    texts = [MEMBERS]
    for owner, fields in owners.items():
        body = "; ".join(
            f"{name}{'?' if optional else ''}: {FIELDS[kind]}" for name, (kind, optional) in fields.items()
        )
        deep = "" if owner == "Deep" else "; deep: Deep[]"
        texts.append(f"export interface {owner} {{ {body}{deep} }}")
    return framed("\n".join(texts))


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str, list[tuple[str, str, str, str | None]], str]:
    """Two schemas that differ in one field; what that is; and whose field."""
    fields = st.dictionaries(
        st.sampled_from("abcde"), st.tuples(st.sampled_from(list(FIELDS)), st.booleans()), min_size=1, max_size=4
    )
    owners = {owner: draw(fields) for owner in OWNERS}
    owner = draw(st.sampled_from(list(OWNERS)))
    changed = dict(owners[owner])
    name = draw(st.sampled_from(sorted(changed)))
    kind, optional = changed[name]
    edit = draw(st.sampled_from(["add", "remove", "toggle", "retype"]))
    if edit == "add":
        changed["new"] = ("narrow", optional)
        expected = [("field_added", f"field-added-{'optional' if optional else 'required'}", f"{owner}.new", None)]
    elif edit == "remove":
        del changed[name]
        expected = [
            ("field_removed", f"field-removed-{'optional' if optional else 'required'}", f"{owner}.{name}", None)
        ]
    elif edit == "toggle":
        changed[name] = (kind, not optional)
        word = "required" if optional else "optional"
        expected = [(f"field_became_{word}", f"field-became-{word}", f"{owner}.{name}", None)]
    else:
        (before, after), found = draw(st.sampled_from(list(TYPE_EDITS.items())))
        owners[owner] = {**changed, name: (before, optional)}
        changed[name] = (after, optional)
        expected = [(kind, rule, f"{owner}.{name}", member) for kind, rule, member in found]
    return schema(owners), schema({**owners, owner: changed}), expected, owner


@given(edits())
@settings(max_examples=150, deadline=None)
def test_one_edit_is_that_change_with_the_verdict_of_its_rule(drawn):
    old, new, expected, owner = drawn
    changes = diff.compare(resolve(old), resolve(new)).changes
    assert [(each.kind, each.rule, each.subject, each.member) for each in changes] == expected
    for change in changes:
        rule = RULES[change.rule]
        assert change.sent_by == OWNERS[owner]
        assert change.verdicts == verdicts_of(dict.fromkeys(OWNERS[owner], rule.weights), rule.api)
