"""Rules about errors and results of 2026-07-28: reserved codes, contradicting versions, cache scopes of pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from mcp_bindings_runtime.codec.checks import is_integer
from mcp_bindings_runtime.codec.error_wording import describe

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.bounded_map import BoundedMap
from mcp_bindgen.validate.rules.rule import Fault, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn

ERROR_CODE_RESERVED: Final = Rule(
    "error-code-reserved",
    "Codes from -32099 to -32020 are reserved for the protocol; -32002 and -32042 are no longer used.",
    "basic/index, Error Codes",
    since="2026-07-28",
)
VERSION_REFUSED: Final = Rule(
    "version-refused",
    "An error -32022 names the version of the request and lists only others as supported.",
    "basic/versioning, Protocol Version Negotiation",
    since="2026-07-28",
)
VERSION_UNLISTED: Final = Rule(
    "version-unlisted",
    "The result of `server/discover` lists the version of the request as supported.",
    "basic/versioning, Protocol Version Negotiation",
    since="2026-07-28",
)
CACHE_SCOPE: Final = Rule(
    "cache-scope",
    "All pages of a list have the same `cacheScope`.",
    "server/utilities/caching, Interaction with Pagination",
    since="2026-07-28",
)

_UNSUPPORTED_VERSION = -32022
_DEFINED = (-32020, -32021, _UNSUPPORTED_VERSION)
_RETIRED = (-32002, -32042)
_VERSION = "io.modelcontextprotocol/protocolVersion"


class Answers(Area):
    """Remembers the cache scope with which each next page was announced."""

    RULES: ClassVar = (ERROR_CODE_RESERVED, VERSION_REFUSED, VERSION_UNLISTED, CACHE_SCOPE)

    def __init__(self) -> None:
        self._scopes: BoundedMap[tuple[str, str], Json] = BoundedMap()

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of errors and results."""
        if turn.message.kind == "error":
            yield from _error(turn)
        elif turn.is_result("server/discover"):
            version = _requested_version(turn)
            supported = json_access.items(turn.result.get("supportedVersions"))
            if version is not None and version not in supported:
                message = f"the version {describe(version)} of the request is not among the supported versions, yet "
                message += "the server returned a result"
                path = ("result", "supportedVersions")
                yield Fault(VERSION_UNLISTED, path, message, "a list without it", describe(version))
        elif turn.message.kind == "result" and turn.method is not None:
            yield from self._page(turn, turn.method)

    def _page(self, turn: Turn, method: str) -> Iterator[Fault]:
        scope, cursor = turn.result.get("cacheScope"), json_access.text(turn.request_params.get("cursor"))
        before = self._scopes.get((method, cursor)) if cursor is not None else None
        if isinstance(before, str) and isinstance(scope, str) and scope != before:
            message = f"`cacheScope` is {describe(scope)} on this page and {describe(before)} on the one before"
            yield Fault(CACHE_SCOPE, ("result", "cacheScope"), message, describe(scope), describe(before))
        following = json_access.text(turn.result.get("nextCursor"))
        if following is not None and isinstance(scope, str):
            self._scopes.put((method, following), scope)


def _error(turn: Turn) -> Iterator[Fault]:
    code = json_access.member(turn.value, "error", "code")
    if not is_integer(code):
        return
    if code in _RETIRED or (-32099 <= code <= -32020 and code not in _DEFINED):
        why = "was used by earlier revisions only" if code in _RETIRED else "is reserved and undefined"
        message = f"the error code {code} {why}"
        yield Fault(ERROR_CODE_RESERVED, ("error", "code"), message, str(code), "a defined or unreserved code")
    if code == _UNSUPPORTED_VERSION:
        yield from _refused(turn)


def _refused(turn: Turn) -> Iterator[Fault]:
    data = json_access.fields(json_access.member(turn.value, "error", "data"))
    requested, version = data.get("requested"), _requested_version(turn)
    path = ("error", "data")
    if isinstance(requested, str) and version is not None and requested != version:
        message = f"the error names {describe(requested)} as the requested version, but it was {describe(version)}"
        yield Fault(VERSION_REFUSED, (*path, "requested"), message, describe(requested), describe(version))
    elif (version or requested) in json_access.items(data.get("supported")):
        shown = describe(version or requested)
        message = f"the version {shown} is rejected as unsupported, but listed as supported"
        yield Fault(VERSION_REFUSED, (*path, "supported"), message, shown, "versions other than the rejected one")


def _requested_version(turn: Turn) -> str | None:
    return json_access.text(json_access.member(turn.request_params, "_meta", _VERSION))
