"""What type checkers know of the client of any revision is what clients of all revisions have."""

from __future__ import annotations

import ast
from functools import reduce
from operator import and_
from pathlib import Path

from checkout import REVISIONS
from mcp_bindings_runtime.client.any_client import AnyClient, AnyOptions
from support.scripted_peers import package

MAKING = {"stdio", "http", "in_memory", "over"}
"""Ways to make a client of one revision."""
INSIDE = {"adopt", "attach", "context", "follow", "forget_outdated", "greet", "handler", "limits", "settle"}
"""What clients have for their own, and the decorator of handlers, whose keys are those of one revision."""

FOR_ONE_REVISION = {"discover", "restart"}
"""Options of what negotiation does by itself, and of what it cannot do again."""


def options_of(revision: str) -> set[str]:
    """The keys of ``ClientOptions``, which no one but a type checker sees."""
    source = Path(package(revision).__file__).with_name("client.py").read_text()
    found = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.ClassDef)]
    (options,) = [each for each in found if each.name == "ClientOptions"]
    return {each.target.id for each in options.body if isinstance(each, ast.AnnAssign)}


def public(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_")}


def test_it_has_what_all_have():
    shared = reduce(and_, (public(package(revision).Client) for revision in REVISIONS))
    declared = public(AnyClient) | {name for name in AnyClient.__annotations__ if not name.startswith("_")}
    # Attributes of objects are no attributes of their classes.
    assert declared - {"timeout", "limit"} == shared - MAKING - INSIDE


def test_it_is_told_what_any_can_be_told():
    assert {*AnyOptions.__annotations__} == set[str]().union(*map(options_of, REVISIONS)) - FOR_ONE_REVISION
