"""Validation of tool results against the output schemas of the tools (Tools: Output Schema)."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from threading import Lock, local
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from ..errors import OutputMismatch, ProtocolError, UsageError
from ..features.mismatch import Mismatch
from ..features.user_schemas import validator_of, walk
from ..logs import write_log

if TYPE_CHECKING:
    from ..features.feature_client import FeatureClient
    from ..methods import RequestMethod

LIST: Final = "tools/list"
CALL: Final = "tools/call"
MOST: Final = 1024
"""Limit on the tools whose output schemas a client remembers; the least recently used are dropped."""
SIZE: Final = 4 * 1024 * 1024
"""Limit on the bytes of all output schemas that a client remembers."""
LONGEST: Final = 5.0
"""Seconds in which the validation of a tool's result must end."""
_ITEMS: Final = 1000
"""Limit on the items of an array that are compared with each other for ``uniqueItems``."""

_UNBOUNDED: Final = frozenset({"patternProperties", "unevaluatedItems", "unevaluatedProperties"})
"""Keywords that can take unbounded time and cannot be left out."""

Look = Callable[[Any], Sequence[Mismatch]]


def follow(client: FeatureClient, key: RequestMethod[Any, Any], params: Any, result: Any) -> None:
    """Remember the schemas of listed tools, or validate the result of a call against that of its tool.

    Raise ``OutputMismatch``.
    """
    outputs: Outputs | None = client.outputs
    if key.name == LIST:
        if outputs is None:
            if all(tool.output_schema is None for tool in result.tools):
                return
            if not client.checks_outputs and find_spec("jsonschema") is None:
                client.followed = frozenset()
                return
            absent = client.binding.types.CallToolResult(content=[]).structured_content
            outputs = client.outputs = Outputs(strict=bool(client.checks_outputs), absent=absent)
            client.followed = frozenset({LIST, CALL})
        for tool in result.tools:
            schema = tool.output_schema
            outputs.learn(tool.name, None if schema is None else client.binding.codec.unstructure(schema))
    elif outputs is not None and isinstance(result, client.binding.types.CallToolResult):
        outputs.check(params.name, result)


class Outputs:
    """The output schemas of one server: at most MOST, of SIZE bytes in total; the least recently used are dropped.

    With ``strict`` an unusable schema is an error of the call; without, it is logged. ``absent`` is the value of missing
    structured content, which differs from null.
    """

    def __init__(self, *, strict: bool, absent: Any = None) -> None:
        self._strict = strict
        self._absent = absent
        self._known: OrderedDict[str, bytes | Look | None] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._held = 0
        self._lock = Lock()

    def learn(self, tool: str, schema: Any) -> None:
        """Store the output schema of a tool; None if it has none."""
        text = b"" if schema is None else json.dumps(schema).encode()
        with self._lock:
            self._drop(tool)
            if not text or len(text) > SIZE:
                return
            self._known[tool] = text
            self._sizes[tool] = len(text)
            self._held += len(text)
            while self._held > SIZE or len(self._known) > MOST:
                self._drop(next(iter(self._known)))

    def forget(self) -> None:
        """Drop all schemas, as the tools may have changed."""
        with self._lock:
            self._known.clear()
            self._sizes.clear()
            self._held = 0

    def _drop(self, tool: str) -> None:
        if tool in self._sizes:
            del self._known[tool]
            self._held -= self._sizes.pop(tool)

    def check(self, tool: str, result: Any) -> None:
        """Validate a result. Raise ``OutputMismatch``, and ``ProtocolError`` for an unusable schema if ``strict``."""
        look = self._look(tool)
        if look is None or result.is_error:
            return
        content = result.structured_content
        if content is self._absent:
            faults: Sequence[Mismatch] = [Mismatch((), "is missing, and the tool has an outputSchema")]
        else:
            try:
                faults = look(content)
            except (_Exhausted, RecursionError):
                self._cannot_check(tool, f"takes longer than {LONGEST:g} s, or too many levels")
                return
            except Exception as fault:  # noqa: BLE001  # raised by the library for a schema of the server
                self._cannot_check(tool, f"cannot be used: {fault}")
                return
        if faults:
            raise OutputMismatch(tool, list(map(str, faults)), result)

    def _look(self, tool: str) -> Look | None:
        with self._lock:
            known = self._known.get(tool)
            if known is None:
                return None
            self._known.move_to_end(tool)
        if not isinstance(known, bytes):
            return known
        look: Look | None = None
        try:
            look = bounded_checker(json.loads(known))
        except UsageError as fault:
            self._cannot_check(tool, str(fault))
        with self._lock:
            # Unless the tool was listed again meanwhile.
            if self._known.get(tool) is known:
                self._known[tool] = look if look is not None or not self._strict else known
        return look

    def _cannot_check(self, tool: str, why: str) -> None:
        text = f"the result of {tool} is not validated against its outputSchema: {why}"
        if self._strict:
            raise ProtocolError(text)
        write_log("warning", "%s", text)


def bounded_checker(schema: Any) -> Look:
    """Return a function that lists the faults of a value, like ``handwritten.checker``, for a schema of somebody else.

    The function raises after ``LONGEST`` seconds. Raises UsageError for a schema that cannot be used.
    """
    for value, _ in walk(schema, 0):
        unbounded = _UNBOUNDED & value.keys() if value.__class__ is dict else ()
        if unbounded:
            text = f"it has {', '.join(sorted(unbounded))}, which can take unbounded time"
            raise UsageError(text)
    look = validator_of(schema, "it", adapt=_restrained)

    def timed(value: Any) -> Sequence[Mismatch]:
        _RUNNING.until = monotonic() + LONGEST
        return look(value)

    return timed


class _Running(local):
    until = 0.0


_RUNNING = _Running()


class _Exhausted(Exception):
    """The time for one value is over."""


def _restrained(library: Any, cls: Any) -> Any:
    """Return a validator class that stops at its deadline and ignores patterns."""

    def timed(apply: Callable[..., Iterator[Any] | None]) -> Callable[..., Iterator[Any] | None]:
        def run(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any] | None:
            if monotonic() > _RUNNING.until:
                raise _Exhausted
            return apply(validator, value, instance, schema)

        return run

    def unique(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any] | None:
        small = instance.__class__ is not list or len(instance) <= _ITEMS
        apply: Callable[..., Iterator[Any] | None] = cls.VALIDATORS["uniqueItems"]
        return apply(validator, value, instance, schema) if small else None

    rules = {name: timed(apply) for name, apply in cls.VALIDATORS.items()}
    rules["pattern"] = lambda *_: None
    if "uniqueItems" in rules:
        rules["uniqueItems"] = timed(unique)
    return library.validators.extend(cls, rules)
