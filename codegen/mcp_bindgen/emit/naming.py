"""Python names for the names of a schema, chosen once and checked for conflicts.

Wire names are stored, never computed from Python names.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable

from mcp_bindgen.emit.package_exports import EXPORTED_NAMES
from mcp_bindgen.errors import Fault, SchemaError
from mcp_bindgen.ir.protocol import AliasOf, Enum, Field, ObjectOf, ObjectType, Protocol, Type
from mcp_bindgen.ir.types import Position

MAX_NAME = 120
"""Maximum length of a name."""

_SHOWN = 60
"""Maximum characters of a name in an error message."""

_ANNOTATION_NAMES = frozenset({"bool", "dict", "float", "int", "list", "object", "str"})
"""Builtins that annotations use; an attribute of the same name would hide them in its class."""

_MODULE_NAMES = frozenset(
    {"Any", "ClassVar", "Final", "Literal", "Record", "TypeAlias", "UNSET", "Union", "Unset", "annotations"}
    | {"attrs_for_type_checkers", "overload", "record_methods"}
)
"""Names that the emitted ``types`` module imports."""

_PACKAGE_NAMES = EXPORTED_NAMES | {
    "Message",
    "binding",
    "client",
    "converter",
    "decode",
    "decode_result",
    "encode",
    "methods",
    "revision",
    "runtime",
    "server",
    "types",
}
"""Names that an emitted package has besides the types of its schema."""

_CLASS_NAMES = _ANNOTATION_NAMES | frozenset(keyword.kwlist) | {"extra", "self"}

RESERVED_TYPES = _CLASS_NAMES | _MODULE_NAMES | _PACKAGE_NAMES
RESERVED_FIELDS = _CLASS_NAMES

RESERVED_TABLES = frozenset({"ATOMS", "RESULTS", "TEXTS", "TYPES", "UNSET", "VALUES"})
"""Tables of the emitted codec, and imported names in the same style."""
RESERVED_METHODS = frozenset({"NOTIFICATIONS", "REQUESTS"})

_CODE_NAMES = _ANNOTATION_NAMES | frozenset(keyword.kwlist) | {"method_support", "methods", "overload", "types"}
RESERVED_CALLS = {
    "client": _CODE_NAMES
    | {
        "adopt",
        "attach",
        "batch",
        "binding",
        "capabilities",
        "close",
        "connect",
        "connection",
        "context",
        "greet",
        "handler",
    }
    | {"handles", "in_memory", "info", "instructions", "limit", "listen", "meta", "notify", "over", "request", "start"}
    | {"connected", "handler_of", "server_capabilities", "server_info", "set_roots", "settle", "stdio", "timeout"}
    | {"checks_outputs", "follow", "followed", "forget_outdated", "limits", "outputs", "provide", "rounds", "task"}
    | {"tools_lock"}
    | {"ledger", "peer_revision", "request_raw", "task_support"}
    | {"options_class", "replay", "retrying", "wait_for_page"},
    "server": _CODE_NAMES
    | {
        "caller",
        "cancel_reason",
        "cancellable",
        "cancelled",
        "connection",
        "incoming",
        "ledger",
        "log",
        "meta",
        "notify",
        "peer",
        "peer_capabilities",
        "peer_info",
        "peer_revision",
        "principal",
    }
    | {"progress", "request", "request_id", "send_request", "wants_progress"}
    | {
        "begin_task",
        "close_stream",
        "conclude",
        "elicit_form",
        "elicit_page",
        "flush",
        "params",
        "task",
        "page_done",
        "roots",
        "sample",
        "source",
        "send_log",
        "wants_log",
        "within_roots",
    },
}
"""Names that request methods of a side cannot have, since their class has them already."""
RESERVED_STATELESS_CALLS = frozenset({"subscribe", "unsubscribe"})
"""Further names that request methods of a stateless client cannot have."""
RESERVED_PARAMETERS = _CODE_NAMES | {
    "answer",
    "ask",
    "at",
    "on_progress",
    "page",
    "params",
    "result",
    "returns",
    "self",
    "timeout",
}
"""Names with a meaning in request methods."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")


def snake(name: str) -> str:
    """Convert ``mimeType`` to ``mime_type`` and ``JSONRPCError`` to ``jsonrpc_error``; other characters separate words."""
    words: list[str] = []
    for part in re.split(r"[\W_]+", name):
        found = _WORDS.findall(part)
        for word in found:
            # A number belongs to the previous word: sha256, not sha_256.
            if word.isdigit() and words and found[0] != word:
                words[-1] += word
            else:
                words.append(word.lower())
    return "_".join(words)


def pascal(name: str) -> str:
    """Convert ``inputSchema`` to ``InputSchema``: capitals are kept, and each word starts with one."""
    parts = [part for part in re.split(r"[\W_]+", name) if part]
    return "".join(part[0].upper() + part[1:] for part in parts)


def field_name(wire: str, reserved: frozenset[str] = RESERVED_FIELDS) -> str:
    """Return the attribute name for a member; empty if the wire name has no letters or digits."""
    local = wire.rsplit("/", 1)[-1] if "/" in wire else wire
    # Normalized first, since some characters decompose into several with punctuation among them.
    name = unicodedata.normalize("NFKC", snake(unicodedata.normalize("NFKC", local)))
    if name and not name.isidentifier():
        name = f"n_{name}"
    if not name.isidentifier():
        return ""
    return f"{name}_" if wire.startswith("$") or name in reserved else name


def constant_name(interface: str, suffix: str) -> str:
    """Return the name of a method's key: ``CALL_TOOL`` for ``CallToolRequest``."""
    return snake(interface.removesuffix(suffix) or interface).upper()


class Names:
    """All Python names of one protocol; raises a SchemaError that names both sides of a conflict.

    With ``renames``, members without a name of their own are numbered instead: users cannot change a server's schemas.
    """

    def __init__(self, protocol: Protocol, *, renames: bool = False) -> None:
        self._renames = renames
        self._faults: list[Fault] = []
        self.notes: list[str] = []
        """Remarks on names that a reader of the schema would not expect."""
        self._nowhere = Position(protocol.source, 1, 1)
        self.types = self._name_types(protocol)
        """Object path or alias name to the name of its class or alias; inline maps have none."""
        self.constants = {name: self._valid(name, name, None) for name in protocol.constants}
        """Constants by their own names."""
        self._refuse_equal(
            (name, path, _position(protocol, path)) for path, name in (*self.constants.items(), *self.types.items())
        )
        self.functions = {path: snake(name) for path, name in self.types.items()}
        different = {name: path for path, name in self.types.items()}
        self._refuse_equal((self.functions[path], path, _position(protocol, path)) for path in different.values())
        used = RESERVED_FIELDS | frozenset(self.types.values())
        self.fields = {path: self._name_fields(declared, used) for path, declared in protocol.objects.items()}
        """Object path to wire name to attribute name."""
        self.methods = self._name_methods(protocol)
        """Wire name of a method to the name of its key."""
        if self._faults:
            raise SchemaError(self._faults)

    def _name_types(self, protocol: Protocol) -> dict[str, str]:
        names: dict[str, str] = {}
        unnamed = {path for path, declared in protocol.objects.items() if declared.is_map and declared.kind == "inline"}
        for path in [*(path for path in protocol.objects if path not in unnamed), *protocol.aliases]:
            owner, *inner = path.replace("#", ".").split(".")
            name = owner + "".join(pascal(part) for part in inner)
            names[path] = self._valid(name, path, _position(protocol, path))
        return names

    def _valid(self, name: str, path: str, position: Position | None) -> str:
        if len(name) > MAX_NAME:
            self._fault(f"the name {name[:40]}… has {len(name)} characters; the limit is {MAX_NAME}", position)
        elif not _is_plain(name):
            self._fault(
                f"{_shown(path)} cannot be converted to a Python name; use letters, digits and inner underscores",
                position,
            )
        return f"{name}_" if name in RESERVED_TYPES else name

    def _name_fields(self, declared: ObjectType, used: frozenset[str]) -> dict[str, str]:
        if self._renames:
            return numbered_names((member.name for member in declared.fields), used)
        names: dict[str, str] = {}
        members: dict[str, str] = {}
        for member in sorted(declared.fields, key=_precedence):
            name = field_name(member.name, used)
            place = member.position or declared.position
            if not name or len(name) > MAX_NAME:
                self._fault(
                    f"property {_shown(member.name)} of {_shown(declared.path)} cannot be converted to a Python name",
                    place,
                )
            if name in members:
                other, wanted = members[name], name
                while name in members:
                    name += "_"
                text = f"{_shown(declared.path)}: the attribute of {_shown(member.name)} is {name!r}, as {_shown(other)} has"
                self.notes.append(f"{text} the name {wanted!r}")
            members[name] = member.name
            names[member.name] = name
        return names

    def _name_methods(self, protocol: Protocol) -> dict[str, str]:
        if self._renames:
            return numbered_names(protocol.methods, RESERVED_FIELDS)
        names: dict[str, str] = {}
        used: set[str] = set(RESERVED_METHODS)
        for method in protocol.methods.values():
            suffix = "Request" if method.kind == "request" else "Notification"
            name = constant_name(method.interface, suffix)
            if name in used or not name.isidentifier():
                name = constant_name(method.interface, "")
            if name in used:
                place = _position(protocol, method.interface)
                self._fault(
                    f"method {_shown(method.name)} would have the same key as another method, {name}; rename one", place
                )
            used.add(name)
            names[method.name] = name
        return names

    def _refuse_equal(self, named: Iterable[tuple[str, str, Position | None]]) -> None:
        seen: dict[str, str] = {}
        for name, path, position in named:
            if name and name in seen:
                both = f"{_shown(path)} and {_shown(seen[name])}"
                self._fault(f"{both} would have the same Python name, {name!r}; rename one", position)
            seen.setdefault(name, path)

    def _fault(self, message: str, position: Position | None) -> None:
        self._faults.append(Fault(position or self._nowhere, message))


def _precedence(member: Field) -> tuple[bool, bool]:
    """Return the sort key of members that would have the same name: `_meta` keeps it, else a member of that very name."""
    return member.name != "_meta", member.name != snake(member.name)


def _position(protocol: Protocol, path: str) -> Position | None:
    declared = protocol.objects.get(path) or protocol.aliases.get(path)
    return declared.position if declared else None


def _is_plain(name: str) -> bool:
    """Return whether a name is a public Python identifier that yields words for function names."""
    normal = name.isidentifier() and unicodedata.normalize("NFKC", name) == name
    return normal and not name.startswith("_") and bool(snake(name))


def _shown(name: str) -> str:
    return repr(name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…")


def free_name(wanted: str, used: set[str]) -> str:
    """Return the name, with underscores appended while it is in ``used``, and add it there."""
    name = wanted
    while name in used:
        name += "_"
    used.add(name)
    return name


def numbered_names(wire: Iterable[str], reserved: frozenset[str]) -> dict[str, str]:
    """Return an identifier for each wire name; one that is in use has a number: ``foo_bar_2``."""
    names: dict[str, str] = {}
    used: set[str] = set()
    for each in wire:
        name = wanted = field_name(each, reserved)[:_SHOWN].strip("_") or "member"
        name = f"{name}_" if wanted in reserved else name
        number = 1
        while name in used:
            number += 1
            name = f"{wanted}_{number}"
        used.add(name)
        names[each] = name
    return names


def own_function(names: Names, kind: Type) -> str | None:
    """Return the stem of the names of functions for a declared type; None for a type without a name."""
    match kind:
        case AliasOf():
            return names.functions[kind.name]
        case ObjectOf():
            return names.functions.get(kind.path)
        case _:
            return None


def is_constant(member: Field) -> bool:
    """Return whether a member is required with one legal value, so that the class has it and objects do not store it."""
    kind = member.type
    return (
        isinstance(kind, Enum)
        and len(kind.values) == 1
        and not kind.open
        and not member.optional
        and not member.absence_tolerated
    )
