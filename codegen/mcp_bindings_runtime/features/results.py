"""Results of tools: the type that a tool declares to return, and the result that its value becomes."""

from __future__ import annotations

import collections.abc
import inspect
import typing
from collections.abc import Callable
from typing import Any

from ..binding import Binding
from ..errors import UsageError
from ..unset import UNSET
from .content_converter import BYTES, ContentConverter, as_text
from .converters import unchanged
from .json_values import to_json
from .mismatch import Mismatch, MismatchError
from .schema_writer import Schema
from .type_nodes import TypeNode
from .type_parser import ACCEPTED, UNIONS, NoSchema, name_of, parse_type

_LISTS = (list, tuple, collections.abc.Sequence)
_OF_GENERATORS: tuple[Any, ...] = (collections.abc.Generator, collections.abc.Iterator, collections.abc.Iterable)
_UNANNOTATED: tuple[Any, ...] = (inspect.Parameter.empty, Any, object)


class Results:
    """Makes the results of tools in one revision."""

    def __init__(self, binding: Binding) -> None:
        types = binding.types
        self.contents = ContentConverter(binding)
        self.ready: Any = binding.requests["tools/call"].result
        """The classes of results that a function may return itself."""
        self.plain: Any = types.CallToolResult
        """The class of the results of finished calls."""
        self.structured = binding.facts.structured_results != "none"
        """Whether results have structured content."""
        self.any_json = binding.facts.structured_results == "any"
        """Whether structured content may be any JSON value, and not only an object."""
        self._binding = binding

    def of(self, value: Any) -> Any:
        """Return the result for a value without annotation; raise `MismatchError` or `UsageError` if there is none."""
        if isinstance(value, self.ready):
            return value
        content = self.contents.of(value)
        if self.structured and value is not None and not isinstance(value, (str, list, tuple, *self.contents.classes)):
            made = to_json(value)
            if made.__class__ is dict:
                return self.plain(content=content, structured_content=made)
        return self.plain(content=content)

    def of_json(self, value: Any, *, structured: bool) -> Any:
        """Return the result for a JSON value."""
        content = [] if value is None and not structured else [self.contents.text(as_text(value))]
        if structured:
            # The text repeats it for clients that ignore structured content (Structured Content).
            return self.plain(content=content, structured_content=value)
        return self.plain(content=content)

    def failed(self, text: str) -> Any:
        """Return the result of a failed call; half surrogates in the text, which cannot be sent, are escaped."""
        text = text.encode(errors="backslashreplace").decode()
        return self.plain(content=[self.contents.text(text)], is_error=True)

    def is_failure(self, result: Any) -> bool:
        """Return whether a result reports an error."""
        return isinstance(result, self.plain) and bool(result.is_error)

    def structured_content(self, result: Any) -> Any:
        """Return the structured content of a result; raise `MismatchError` if it has none."""
        found = getattr(result, "structured_content", UNSET)
        if found is UNSET or (found is None and not self.any_json):
            name = result.__class__.__name__
            raise MismatchError(
                [Mismatch((), f"found a {name} without `structured_content`, which the return type requires")]
            )
        return found

    def declared(self, kind: Any, what: str, *, generator: bool = False) -> DeclaredReturn:
        """Return what a return annotation declares; raise `UsageError` for a type that cannot become a result.

        With ``generator`` the annotation is that of a generator function, which yields progress and returns its result.
        """
        origin = typing.get_origin(kind) or kind
        if generator and kind not in _UNANNOTATED:
            if origin not in _OF_GENERATORS:
                text = (
                    f"{what} yields, and is annotated as returning {name_of(kind)}; "
                    f"what a tool yields is progress: write Generator[float, None, {name_of(kind)}] and return the result"
                )
                raise UsageError(text)
            # ``Iterator`` and ``Iterable`` do not declare the returned value.
            kind = (*typing.get_args(kind), Any, Any, Any)[2] if origin is collections.abc.Generator else Any
        if kind in _UNANNOTATED:
            return DeclaredReturn(self, None, None)
        if not self._content_in(kind).isdisjoint(BYTES):
            text = f"{what} returns {name_of(kind)}: bytes are not content; {self._instead_of_bytes()}"
            raise UsageError(text)
        if self._is_content(kind):
            return DeclaredReturn(self, None, self._classes(kind))
        try:
            node = parse_type(kind)
        except NoSchema as fault:
            text = (
                f"{what} returns {name_of(kind)}: {fault.annotation!r} is not content and has no JSON Schema{fault.remark}; "
                f"use CallToolResult, content blocks, Image, Audio, lists of these, {ACCEPTED}"
            )
            raise UsageError(text) from fault
        except UsageError as fault:
            text = f"{what} returns {name_of(kind)}: {fault}"
            raise UsageError(text) from None
        return DeclaredReturn(self, node, None)

    def _is_content(self, kind: Any) -> bool:
        """Return whether a type contains results or content blocks."""
        return bool(self._content_in(kind))

    def _content_in(self, kind: Any) -> frozenset[type]:
        """Return the classes of results and of content blocks in a type, its unions and lists included."""
        if isinstance(kind, type) and issubclass(kind, (*self.contents.classes, *self._ready_classes)):
            return frozenset({kind})
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if origin is typing.Annotated:
            return self._content_in(arguments[0])
        inner = arguments if origin in UNIONS or origin in _LISTS else ()
        return frozenset[type]().union(*map(self._content_in, inner))

    def _instead_of_bytes(self) -> str:
        """Return the advice for tools that return ``bytes``."""
        sound = ", Audio(data) for a sound" if "AudioContent" in self._binding.facts.content_blocks else ""
        return (
            f"return Image(data) for an image{sound}, an EmbeddedResource for a file, or a str, such as "
            "base64.b64encode(data).decode(), and annotate the tool accordingly"
        )

    @property
    def _ready_classes(self) -> tuple[type, ...]:
        return typing.get_args(self.ready) or (self.ready,)

    def _classes(self, kind: Any) -> tuple[type, ...] | None:
        """Return the classes of which a value must be an instance; None if classes alone do not decide."""
        if typing.get_origin(kind) is typing.Annotated:
            return self._classes(typing.get_args(kind)[0])
        members = typing.get_args(kind) if typing.get_origin(kind) in UNIONS else (kind,)
        content = (*self.contents.classes, *self._ready_classes)
        if all(isinstance(each, type) and issubclass(each, (*content, type(None))) for each in members):
            return members
        return None

    def output_schema(self, declared: DeclaredReturn) -> Schema | None:
        """Return the schema of the structured content that a declared type leads to; None if there is none."""
        if not self.structured or declared.type is None:
            return None
        schema = declared.type.complete_schema("output")
        if schema.get("type") == "object":
            return schema
        # Text belongs in the content blocks, so it does not become structured content.
        textual = schema.get("type") in ("string", "null") or not schema
        return schema if self.any_json and not textual else None


class ReturnMismatch(UsageError):
    """The function of a tool returned a wrong value; the text begins with "returned", and its subject is the tool."""


class DeclaredReturn:
    """The return type of a tool: a JSON type, some classes, or anything."""

    __slots__ = ("_classes", "_results", "_write", "structured", "type")

    def __init__(self, results: Results, node: TypeNode | None, classes: tuple[type, ...] | None) -> None:
        self._results = results
        self._classes = classes
        self.type = node
        self._write = unchanged if node is None else node.write
        self.structured = False
        """Whether the results have structured content."""

    def result(self, value: Any) -> Any:
        """Return the result for a value; raise `ReturnMismatch` if the value does not match the annotation."""
        node = self.type
        try:
            if node is None:
                self._check_class(value)
                return self._results.of(value)
            if isinstance(value, self._results.ready):
                if self.structured and not self._results.is_failure(value):
                    node.check(self._results.structured_content(value))
                return value
            return self._results.of_json(self._write(value), structured=self.structured)
        except MismatchError as misfit:
            problem = "cannot be sent as JSON" if self._is_undeclared else "does not match its annotation"
            text = f"returned a value that {problem}: {misfit}"
            raise ReturnMismatch(text) from misfit
        except UsageError as fault:
            text = f"returned a value that cannot become content: {fault}"
            raise ReturnMismatch(text) from fault

    @property
    def _is_undeclared(self) -> bool:
        """Whether the tool may return anything that JSON has."""
        return self.type is None and self._classes is None

    def _check_class(self, value: Any) -> None:
        if self._classes is not None and not isinstance(value, self._classes):
            wanted = " or ".join(each.__name__ for each in self._classes)
            found = "None" if value is None else value.__class__.__name__
            raise MismatchError([Mismatch((), f"found {found}, expected {wanted}")])


class SchemaReturn:
    """The return type of a tool whose output schema the user has written: a JSON value, or an object that becomes one."""

    def __init__(self, results: Results, check: Callable[[Any], list[Mismatch]] | None) -> None:
        self._results = results
        self._check = check

    def result(self, value: Any) -> Any:
        """Return the result for a value; raise `ReturnMismatch` if it does not fit the schema."""
        try:
            if isinstance(value, self._results.ready):
                self._check_result(value)
                return value
            made = to_json(value)
            self._check_value(made)
            return self._results.of_json(made, structured=True)
        except MismatchError as misfit:
            text = f"returned a value that does not fit its output schema: {misfit}"
            raise ReturnMismatch(text) from misfit

    def _check_result(self, result: Any) -> None:
        """Validate a result; one that reports an error needs no structured content."""
        results = self._results
        if results.structured and isinstance(result, results.plain) and not result.is_error:
            self._check_value(results.structured_content(result))

    def _check_value(self, value: Any) -> None:
        if self._check is not None:
            faults = self._check(value)
            if faults:
                raise MismatchError(faults)
