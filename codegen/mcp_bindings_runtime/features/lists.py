"""Handlers of the four list methods, which read registries."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from ..codec.record import field_names
from ..errors import DecodeError, EncodeError, UsageError
from ..options import near_name
from .keywords import python_name
from .registry import Changes, Registry

if TYPE_CHECKING:
    from ..connection.context import Context
    from .feature_server import FeatureServer

_LONGEST_NAME: Final = 128
"""Limit on the characters of an unknown name for which an error suggests a similar name."""
_SEARCHED: Final = 1000
"""Limit on the names that are searched for one similar to an unknown name."""


class Listed(Protocol):
    """An entry of a registry that can be listed."""

    @property
    def listed(self) -> Any:
        """Its entry in the list: an object of the revision, such as a ``Tool``."""


def listed(
    server: FeatureServer, cls: Any, own: Mapping[str, Any], members: Mapping[str, Any] | None, what: str
) -> Any:
    """Return an entry of a list: an object of a class of the revision, such as ``Prompt``.

    ``own`` are the members that the registration itself determines, ``members`` those that the caller adds.

    Raise `UsageError` for a member that the revision does not have, for one that is determined already, and for a
    value that does not fit its member.
    """
    added = members or {}
    repeated = next((name for name in added if name in own), None)
    if repeated is not None:
        text = f"{what}: `{repeated}` must not be among the members, as the registration determines it"
        raise UsageError(text)
    members = {**own, **added}
    unknown = next((name for name in members if name not in field_names(cls)), None)
    if unknown is not None:
        text = f"a {cls.__name__} of {server.binding.revision} has no {unknown!r}"
        raise UsageError(text)
    made = cls(**members)
    try:
        server.binding.codec.unstructure(made)
    except EncodeError as fault:
        text = f"{what} does not fit {server.binding.revision}: {fault}{instead_of_dict(server, fault, members)}"
        raise UsageError(text) from fault
    return made


def instead_of_dict(server: FeatureServer, fault: DecodeError | EncodeError, members: Mapping[str, Any]) -> str:
    """Return ``; write mcp.Icon(src='a.png')`` for a dict in the place of an object; empty for another fault."""
    found: Any = members
    try:
        for key in fault.keys:
            found = found[key]
    except (KeyError, IndexError, TypeError):
        return ""
    cls = getattr(server.binding.types, fault.expected.rpartition(" ")[2], None)
    if not isinstance(found, dict) or cls is None:
        return ""
    values = {python_name(str(name)): value for name, value in cast("dict[object, object]", found).items()}
    fits = values.keys() <= {*field_names(cls)}
    arguments = ", ".join(f"{name}={value!r}" for name, value in values.items()) if fits else "..."
    return f"; write mcp.{cls.__name__}({arguments})"


def check_completions(server: FeatureServer, kind: str, name: str, arguments: Collection[str]) -> None:
    """Raise `UsageError` if there is a completion for an argument that a new prompt or template does not have."""
    completions = server.existing_registry("Completions")
    if completions is not None:
        completions.check(kind, name, arguments)


def announced(server: FeatureServer, method: str) -> Changes:
    """Return the changes of a registry, each of which is announced by a notification if the revision has it."""
    known = method in server.binding.notifications
    return Changes((lambda: server.announce(method)) if known else (lambda: None))


def answer_list(server: FeatureServer, method: str, member: str, entries: Registry[Any]) -> None:
    """Add the default handler of a list method, which returns pages of a registry of `Listed` entries.

    ``member`` is the attribute of the result for the items.
    """
    key = server.binding.requests[method]

    def answer(params: Any, context: Context) -> Any:
        hints = server.cache_hints(method)
        # All pages have one scope (Caching: Interaction with Pagination), so cursors of another one are invalid.
        scope = hints.get("cache_scope", "")
        page, cursor = server.paginator.cut(method, entries, None if params is None else params.cursor, scope)
        return key.result(**{member: [each.listed for each in page]}, next_cursor=cursor, **hints)

    server.add_default_handler(method, answer)


def near_entry(server: FeatureServer, method: str, name: str, names: Collection[str]) -> str:
    """Return `` (did you mean 'add'?)`` for the entry whose name is most like an unknown one; empty if none is like it.

    ``method`` lists the entries. If a handler of the user answers it, it may conceal some, so none is suggested.
    """
    few = len(name) <= _LONGEST_NAME and len(names) <= _SEARCHED
    public = method not in server.handlers.chosen
    return near_name(name, names) if few and public else ""
