"""What type checkers know of the client of any revision is what clients of all revisions have."""

from __future__ import annotations

from functools import reduce
from operator import and_

from checkout import REVISIONS
from mcp_bindings.runtime.anyclient import AnyClient
from support.conversing import package

MAKING = {"stdio", "http", "in_memory", "over"}
"""Ways to make a client of one revision."""
INSIDE = {"adopt", "attach", "context", "follow", "greet", "handler", "heard", "limits", "settle"}
"""What clients have for their own, and the decorator of handlers, whose keys are those of one revision."""


def public(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_")}


def test_it_has_what_all_have():
    shared = reduce(and_, (public(package(revision).Client) for revision in REVISIONS))
    declared = public(AnyClient) | {name for name in AnyClient.__annotations__ if not name.startswith("_")}
    # Attributes of objects are no attributes of their classes.
    assert declared - {"timeout", "limit"} == shared - MAKING - INSIDE
