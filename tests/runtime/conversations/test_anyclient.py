"""What type checkers know of the client of any revision is what clients of all revisions have."""

from __future__ import annotations

import ast
from functools import reduce
from importlib import import_module
from operator import and_
from pathlib import Path
from types import ModuleType

from checkout import REVISIONS
from mcp_bindings import connect
from mcp_bindings_runtime.client.any_client import AnyClient
from mcp_bindings_runtime.client.options import ONLY_OF_ONE_REVISION, NegotiationOptions
from support.scripted_peers import package

MAKING = {"stdio", "http", "in_memory", "over", "replay"}
"""Ways to make a client of one revision."""
INSIDE = {
    "options_class",
    "adopt",
    "attach",
    "context",
    "follow",
    "forget_outdated",
    "greet",
    "handler",
    "limits",
    "settle",
}
"""What clients have for their own, and the decorator of handlers, whose keys are those of one revision."""


def typed_options(module: ModuleType, name: str) -> set[str]:
    """The keys of a ``TypedDict``, which there is for type checkers only."""
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    found = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.ClassDef)]
    (options,) = [each for each in found if each.name == name]
    return {each.target.id for each in options.body if isinstance(each, ast.AnnAssign)}


def client_options(revision: str) -> set[str]:
    return typed_options(import_module(f"{package(revision).__name__}.client"), "ClientOptions")


def public(cls: type) -> set[str]:
    # Names of other libraries only raise an error.
    return {name for name in dir(cls) if not name.startswith("_") and (hasattr(cls, name) or cls is AnyClient)}


def test_it_has_what_all_have():
    shared = reduce(and_, (public(package(revision).Client) for revision in REVISIONS))
    declared = public(AnyClient) | {name for name in AnyClient.__annotations__ if not name.startswith("_")}
    # Attributes of objects are no attributes of their classes.
    assert declared - {"timeout", "limit"} == shared - MAKING - INSIDE


def test_it_is_told_what_any_can_be_told():
    of_any = set[str]().union(*map(client_options, REVISIONS))
    assert typed_options(connect, "ConnectOptions") == of_any - ONLY_OF_ONE_REVISION | NegotiationOptions.names()
