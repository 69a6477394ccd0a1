"""Groups of the bundled revisions, by the facts and methods of their packages: tests choose by these, not by dates."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

from checkout import REVISIONS
from mcp_bindgen import catalog
from mcp_bindings_runtime.facts import Facts
from support.bindings import binding


def facts(revision: str) -> Facts:
    """Return the facts that a package declares."""
    module = importlib.import_module(f"mcp_bindings.{catalog.package_name(revision)}.revision")
    found: Facts = module.FACTS
    return found


def those_with(fact: Callable[[Facts], object]) -> list[str]:
    """Return the revisions for which a function of the facts is true, oldest first."""
    return [revision for revision in REVISIONS if fact(facts(revision))]


def those_with_methods(*names: str) -> list[str]:
    """Return the revisions that have requests or notifications of all these names, oldest first."""
    return [each for each in REVISIONS if {*binding(each).requests, *binding(each).notifications}.issuperset(names)]


def newest(revisions: Sequence[str], *methods: str) -> str:
    """Return the newest of some revisions that has requests or notifications of all these names."""
    return next(each for each in reversed(revisions) if each in those_with_methods(*methods))


HANDSHAKE = those_with(lambda each: each.handshake)
STATELESS = those_with(lambda each: not each.handshake)
STREAMABLE = those_with(lambda each: not each.only_sse)
"""Revisions whose HTTP transport is Streamable HTTP."""
WITH_BATCHES = those_with(lambda each: each.batches)
WITH_NULL_ID = those_with(lambda each: each.null_id)
"""Revisions in which an error without a readable id has ``id: null``; later ones omit ``id``."""
WITH_FORMS = those_with(lambda each: each.form_types)
WITH_CHOICES = those_with(lambda each: each.form_choices)
"""Revisions whose forms may have multiple-choice fields."""
WITH_PAGE_ERRORS = those_with(lambda each: each.page_errors)
"""Revisions in which an error may send the user to pages first."""
WITH_STRUCTURE = those_with(lambda each: each.structured_results != "none")
"""Revisions whose tools may return structured results."""
TASK_EXTENSION = catalog.extended_by("ext-tasks")
"""The revision that the bundled extension of tasks extends."""
WITH_TASKS = [*those_with(lambda each: bool(each.task_methods)), TASK_EXTENSION]
"""Revisions in which tools can become tasks."""
LIST_CHANGES = tuple(f"notifications/{each}/list_changed" for each in ("tools", "prompts", "resources"))
"""Notifications that a list has changed."""
