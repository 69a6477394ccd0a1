"""Senders of methods, and the capabilities that they require, as the packages of the revisions declare them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeAlias

from mcp_bindings_runtime.methods import NotificationMethod, RequestMethod

from mcp_bindgen import catalog
from mcp_bindgen.validate import packages
from mcp_bindgen.validate.entries import Side

Method: TypeAlias = RequestMethod[Any, Any] | NotificationMethod[Any]


@cache
def methods_of(revision: str) -> Mapping[str, Method]:
    """Return the methods of a bundled revision by name."""
    module = packages.find(revision).methods
    return {**module.REQUESTS, **module.NOTIFICATIONS}


@cache
def all_methods() -> Mapping[str, Method]:
    """Return the methods of all bundled revisions by name, each as its newest revision has it."""
    return {name: method for revision in catalog.revisions() for name, method in methods_of(revision).items()}


def find_method(name: str | None, revision: str) -> Method | None:
    """Return a method of the revision, or else of the newest one that has it; None if none has."""
    return methods_of(revision).get(name or "") or all_methods().get(name or "")


def sender_by(name: str | None, revision: str) -> Side | None:
    """Return the only side that may send a method; None if both may, or if it is unknown."""
    method = find_method(name, revision)
    return method.sent_by[0] if method is not None and len(method.sent_by) == 1 else None
