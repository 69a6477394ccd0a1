"""The kinds of findings: all that a comparison of two revisions can report.

To add a kind, add it to ``Kind`` and ``KINDS``; add its rule to ``rules.RULES`` and its sentence to ``reasons``; yield a
``Finding`` of it where its subject is compared (``methods``, ``object_comparer`` or ``comparison``). If it is a difference
between two types, wherever they are used, add it to ``findings.TypeKind``, too, and yield a ``TypeDifference`` in
``type_comparer`` or ``scalars``; ``pair_comparer`` makes findings of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from attrs import field, frozen

Kind: TypeAlias = Literal[
    "type_added",
    "type_removed",
    "type_renamed",
    "type_changed",
    "field_added",
    "field_removed",
    "field_became_required",
    "field_became_optional",
    "field_type_changed",
    "union_member_added",
    "union_member_removed",
    "enum_value_added",
    "enum_value_removed",
    "method_added",
    "method_removed",
    "notification_added",
    "notification_removed",
    "method_embedded",
    "method_result_changed",
    "direction_changed",
    "constant_added",
    "constant_removed",
    "constant_changed",
    "deprecated_added",
    "deprecated_removed",
    "openness_changed",
    "constraint_changed",
    "doc_changed",
]


@frozen
class FindingKind:
    """The properties that all findings of a kind share."""

    subject: Literal["method", "type", "constant"]
    """``method``: a request or notification; ``type``: a type or a field of one."""
    label: str
    """The kind in reports: ``new field``."""
    shows_both_texts: bool = field(default=False, kw_only=True)
    """Reports show the text before and the text after."""
    is_in_words: bool = field(default=False, kw_only=True)
    """The texts are phrases, not types or values."""
    has_member: bool = field(default=False, kw_only=True)
    """``Change.member`` is the union member, enumeration value or result."""
    has_required: bool = field(default=False, kw_only=True)
    """``Change.required`` is set."""


KINDS: Mapping[Kind, FindingKind] = {
    "type_added": FindingKind("type", "new type"),
    "type_removed": FindingKind("type", "type removed"),
    "type_renamed": FindingKind("type", "type renamed"),
    "type_changed": FindingKind("type", "type redefined", shows_both_texts=True),
    "field_added": FindingKind("type", "new field", has_required=True),
    "field_removed": FindingKind("type", "field removed", has_required=True),
    "field_became_required": FindingKind("type", "now required"),
    "field_became_optional": FindingKind("type", "now optional"),
    "field_type_changed": FindingKind("type", "type changed", shows_both_texts=True),
    "union_member_added": FindingKind("type", "new alternative", has_member=True),
    "union_member_removed": FindingKind("type", "alternative removed", has_member=True),
    "enum_value_added": FindingKind("type", "new value", has_member=True),
    "enum_value_removed": FindingKind("type", "value removed", has_member=True),
    "method_added": FindingKind("method", "new method"),
    "method_removed": FindingKind("method", "method removed"),
    "notification_added": FindingKind("method", "new notification"),
    "notification_removed": FindingKind("method", "notification removed"),
    "method_embedded": FindingKind("method", "sent differently", shows_both_texts=True, is_in_words=True),
    "method_result_changed": FindingKind("method", "result changed", has_member=True),
    "direction_changed": FindingKind("method", "senders changed", shows_both_texts=True, is_in_words=True),
    "constant_added": FindingKind("constant", "new constant"),
    "constant_removed": FindingKind("constant", "constant removed"),
    "constant_changed": FindingKind("constant", "constant changed", shows_both_texts=True),
    "deprecated_added": FindingKind("type", "deprecated", is_in_words=True),
    "deprecated_removed": FindingKind("type", "no longer deprecated", is_in_words=True),
    "openness_changed": FindingKind("type", "index signature changed", shows_both_texts=True),
    "constraint_changed": FindingKind("type", "constraint changed", shows_both_texts=True),
    "doc_changed": FindingKind("type", "documentation changed"),
}


def is_of_method(kind: Kind) -> bool:
    """Return whether findings of a kind are about a request or notification itself."""
    return KINDS[kind].subject == "method"
