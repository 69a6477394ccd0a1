"""The revisions that have a package in this installation, or beside this copy of the runtime."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from .errors import UsageError
from .facts import Facts
from .validation import require_list

_PACKAGE = re.compile(r"v(\d{4})_(\d{2})_(\d{2})")
# A copy of the runtime lies beside the packages that it was copied for; the installed one serves the bundled packages.
_PARENT = __name__.rpartition(".")[0].rpartition(".")[0] or "mcp_bindings"


@cache
def installed_revisions() -> tuple[str, ...]:
    """All of them, the newest first."""
    names = (module.name for module in pkgutil.iter_modules(import_module(_PARENT).__path__) if module.ispkg)
    return tuple(sorted(("-".join(found.groups()) for found in map(_PACKAGE.fullmatch, names) if found), reverse=True))


def select_revisions(wanted: Sequence[str] | None) -> tuple[str, ...]:
    """Those that are wanted, in that order, or all; raises UsageError for one that is not there."""
    if wanted is None:
        return installed_revisions()
    require_list("revisions", wanted, installed_revisions()[0])
    for revision in wanted:
        if revision not in installed_revisions():
            text = f"there are no bindings of {revision!r} here; accepted are {', '.join(installed_revisions())}"
            raise UsageError(text)
    return tuple(wanted)


@cache
def facts_of(revision: str) -> Facts | None:
    """Return the facts about a revision; None if there is no package of it."""
    if revision not in installed_revisions():
        return None
    facts: Facts = import_module(f"{_PARENT}.v{revision.replace('-', '_')}.revision").FACTS
    return facts


def client_class_of(server: Any) -> Any:
    """The client class of the package that a server's class is from."""
    own = next(cls for cls in type(server).__mro__ if "binding" in vars(cls))
    return import_module(own.__module__.rpartition(".")[0]).Client


def client_class(revision: str) -> Any:
    """The client class of a revision; its package is imported for it."""
    return import_module(f"{_PARENT}.v{revision.replace('-', '_')}").Client


def extension_package(name: str) -> Any:
    """The package of an extension; raises UsageError where it is not there."""
    try:
        return import_module(f"{_PARENT}.{name}")
    except ModuleNotFoundError as fault:
        label = name.replace("_", "-")
        text = f"there are no bindings of {label} here; add `--version {label}` to the command that generates these"
        raise UsageError(text) from fault
