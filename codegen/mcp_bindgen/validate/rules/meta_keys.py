"""Rules about ``_meta`` keys: spelling, reserved prefixes, and the values of trace contexts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from mcp_bindings_runtime.codec.error_wording import describe

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.protocol_members import find_members
from mcp_bindgen.validate.rules.rule import Fault, Path, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn

_SECTION = "basic/index, _meta"

META_KEY: Final = Rule(
    "meta-key",
    "A `_meta` key is a name, optionally after a prefix of dotted labels and a slash.",
    _SECTION,
    since="2025-06-18",
)
META_KEY_RESERVED: Final = Rule(
    "meta-key-reserved",
    "Prefixes of `_meta` keys with `modelcontextprotocol` or `mcp` as the reserved label belong to the protocol.",
    _SECTION,
    since="2025-06-18",
)
TRACE_CONTEXT: Final = Rule(
    "trace-context",
    "`traceparent`, `tracestate` and `baggage` in `_meta` have values according to W3C Trace Context and W3C Baggage.",
    _SECTION,
    since="2026-07-28",
)
EXTENSION_ID: Final = Rule(
    "extension-id",
    "The identifier of an extension is spelled like a `_meta` key with a prefix.",
    "basic/versioning, Extension Negotiation",
    since="2026-07-28",
)

_LABEL = r"[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_NAME = r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?"
_KEY = re.compile(rf"(?:{_LABEL}(?:\.{_LABEL})*/)?{_NAME}")
_TRACEPARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?P<more>-.*)?", re.DOTALL
)

_OURS = frozenset({"mcp", "modelcontextprotocol"})
_DECLARING = (("capabilities",), ("io.modelcontextprotocol/clientCapabilities",))
_OFFICIAL = "io.modelcontextprotocol/"
"""Prefix of the specification and official extensions, whose keys no list here can be complete."""


class MetaKeys(Area):
    """Checks each ``_meta`` of a message, and the declared extensions."""

    RULES: ClassVar = (META_KEY, META_KEY_RESERVED, TRACE_CONTEXT, EXTENSION_ID)

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of keys."""
        if turn.revision < "2025-06-18":
            return
        for path, found in find_members(turn.value, "_meta", "extensions"):
            if path[-1] == "_meta":
                for key, value in json_access.fields(found).items():
                    yield from _key_faults(key, (*path, key), turn.revision)
                    yield from _trace_faults(key, value, (*path, key))
            elif path[-2:-1] in _DECLARING:
                yield from _extension_faults(found, path)


def _key_faults(key: str, path: Path, revision: str) -> Iterator[Fault]:
    if not _KEY.fullmatch(key):
        yield Fault(
            META_KEY,
            path,
            f"the `_meta` key {describe(key)} is invalid: it must be a name of letters, digits, `-`, `_` and "
            "`.` that begins and ends with a letter or digit, optionally after a prefix of dotted labels and a slash",
            describe(key),
            "prefix/name, or name",
        )
    elif _is_reserved(key, revision):
        yield Fault(
            META_KEY_RESERVED,
            path,
            f"the prefix of the `_meta` key {describe(key)} is reserved for the protocol",
            describe(key),
            "a prefix of your own",
        )


def _is_reserved(key: str, revision: str) -> bool:
    prefix, slash, _ = key.partition("/")
    labels = prefix.split(".")
    if not slash or len(labels) < 2 or key.startswith(_OFFICIAL):
        return False
    return (labels[1] if revision >= "2025-11-25" else labels[-2]) in _OURS


def _trace_faults(key: str, value: Json, path: Path) -> Iterator[Fault]:
    if key not in {"traceparent", "tracestate", "baggage"}:
        return
    if isinstance(value, str) and (key != "traceparent" or _is_traceparent(value)):
        return
    wanted = "version-traceid-parentid-flags in lowercase hex digits" if key == "traceparent" else "a string"
    yield Fault(
        TRACE_CONTEXT,
        path,
        f"`{key}` is {describe(value)}; the key is reserved for trace contexts and must hold {wanted}",
        describe(value),
        wanted,
    )


def _is_traceparent(value: str) -> bool:
    found = _TRACEPARENT.fullmatch(value)
    return found is not None and not (value.startswith("00") and found["more"])


def _extension_faults(extensions: Json, path: Path) -> Iterator[Fault]:
    for key in json_access.fields(extensions):
        if "/" not in key or not _KEY.fullmatch(key):
            yield Fault(
                EXTENSION_ID,
                (*path, key),
                f"the extension identifier {describe(key)} is not spelled like a `_meta` key with a prefix",
                describe(key),
                "prefix/name",
            )
