"""The tools of a server: functions that are listed, called with checked arguments, and answered for (Tools).

What can go wrong in a call is answered as ``refusals`` says. What a tool raises goes to the caller as its message, in a
result with ``is_error``, so that a language model can make something of it; the traceback goes to the local log. A
ResponseError is answered as the error that it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from threading import Timer
from types import GeneratorType
from typing import TYPE_CHECKING, Any, Final

from ..errors import DecodeError, EncodeError, ResponseError, ToolError, UsageError
from ..logs import log_handler_error
from ..validation import require_booleans, require_mappings, require_positive_numbers, require_strings
from .error_codes import error_for
from .lists import announced, answer_list
from .mismatch import Mismatch, MismatchError
from .registry import Registry
from .results import Promise, Results, Structured
from .signature import Signature, name_of_function

if TYPE_CHECKING:
    from ..connection.context import Context
    from .feature_server import FeatureServer

_NAMES: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
"""Tools, Tool Names; from 2025-11-25 on."""
_HEADER: Final = "x-mcp-header"


class Tool:
    """A tool as it is offered."""

    __slots__ = ("check", "listed", "name", "promise", "signature", "timeout")

    def __init__(
        self,
        name: str,
        listed: Any,
        signature: Signature,
        promise: Promise | Structured,
        check: Callable[[Any], list[Mismatch]] | None,
        timeout: float | None,
    ) -> None:
        self.name = name
        self.listed = listed
        """What the list says of it: an object of the revision."""
        self.signature = signature
        self.promise = promise
        self.check = check
        """Holds arguments against an input schema that is written by hand."""
        self.timeout = timeout

    def read(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The values of the function's parameters; raises MismatchError."""
        try:
            faults = self.check(arguments) if self.check is not None else None
            if faults:
                raise MismatchError(faults)
            return self.signature.read(arguments)
        except RecursionError:
            raise MismatchError([Mismatch((), "is nested too deeply")]) from None


class Tools:
    """The tools of a server, in the order in which they were added. Thread-safe.

    A handler for ``tools/list`` or ``tools/call`` that the server is given has the last word on its method.
    """

    def __init__(self, server: FeatureServer) -> None:
        binding = server.binding
        self._server = server
        self._revision = binding.revision
        self._facts = binding.facts
        self._offers: Registry[Tool] = Registry("tool", announced(server, "notifications/tools/list_changed"))
        self._results = Results(binding)
        self.admit: Callable[[Context], str | None] | None = None
        """Asked before each call: why there may be none now, or None."""
        answer_list(server, "tools/list", "tools", self._offers)
        server.provide("tools/call", self._answer)

    # Offering.

    def add(
        self,
        function: Callable[..., Any],
        name: str | None = None,
        members: Mapping[str, Any] | None = None,
        *,
        input_schema: Mapping[str, Any] | None = None,
        output_schema: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        check: bool = True,
        replace: bool = False,
    ) -> Tool:
        """Offers a function as a tool; clients are told, if there are any.

        ``name`` is that of the function by default; ``members`` are further members of the revision's Tool, by their
        names in Python. ``input_schema`` and ``output_schema`` stand for those that follow from the annotations, and
        values are held against them unless ``check`` is off. ``timeout`` is in seconds. Raises UsageError for what cannot
        be a tool: an annotation without JSON Schema, a name that the revision does not want or that is taken (unless it
        is to be replaced), a schema that is none.
        """
        name = name_of_function(function) if name is None else name
        require_strings(name=name)
        what = f"tool {name}"
        self._check_name(name)
        require_positive_numbers(**{f"{what}: timeout": timeout})
        require_mappings(**{f"{what}: input_schema": input_schema, f"{what}: output_schema": output_schema})
        require_booleans(**{f"{what}: check": check})
        signature = Signature(function, what, self._server.context, loose=input_schema is not None)
        promise = self._promise(signature, output_schema, what, check=check)
        self._check_headers(what, input_schema or signature.schema)
        members = self._supporting(name, members or {})
        listed = self._listed(name, signature, promise, members, input_schema, output_schema)
        looks = None if input_schema is None else self._looks(signature, input_schema, what, check=check)
        offer = Tool(name, listed, signature, promise, looks, timeout)
        self._offers.put(name, offer, replace=replace)
        return offer

    def remove(self, name: str) -> None:
        """Offers a tool no longer; clients are told. Raises UsageError where there is none of that name."""
        self._offers.remove(name)

    def changing(self) -> AbstractContextManager[None]:
        """A ``with`` block: what is added and removed in it is told of once, at its end, instead of each time."""
        return self._offers.changing()

    def get(self, name: str) -> Tool | None:
        """The tool of that name; None where there is none."""
        return self._offers.get(name)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._offers)

    def __len__(self) -> int:
        return len(self._offers)

    def __contains__(self, name: object) -> bool:
        return name in self._offers

    def _supporting(self, name: str, members: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the list says of the tool as a task, and what the server does, say the same."""
        support = getattr(members.get("execution"), "task_support", None)
        if support is not None:
            self._server.tasks.declare(name, support)
            return members
        support = self._server.supports_task(name)
        if support == "forbidden" or not self._facts.tool_execution:
            return members
        return {**members, "execution": self._server.binding.types.ToolExecution(task_support=support)}

    def _check_name(self, name: str) -> None:
        if self._facts.tool_names and not _NAMES.fullmatch(name):
            text = f"a tool is called {name!r}; accepted are 1 to 128 letters (A-Z, a-z), digits, _, - and ."
            raise UsageError(text)
        if not name:
            text = "the name of a tool is empty"
            raise UsageError(text)

    def _check_headers(self, what: str, schema: Mapping[str, Any]) -> None:
        """Refuses a tool that clients would have to pass over because of its ``x-mcp-header`` (Tools, x-mcp-header)."""
        if not self._facts.parameter_headers or _HEADER not in repr(schema):
            return
        from ..http.headers import InvalidParamHeader, param_headers_of

        try:
            param_headers_of(schema)
        except InvalidParamHeader as fault:
            text = f"{what}: {fault}"
            raise UsageError(text) from fault

    def _promise(
        self, signature: Signature, output_schema: Mapping[str, Any] | None, what: str, *, check: bool
    ) -> Promise | Structured:
        if output_schema is not None:
            from .user_schemas import checker

            looks = checker(output_schema, f"{what}: output_schema") if check else None
            return Structured(self._results, looks, what)
        return self._results.promise(signature.returns, what, generator=signature.generator)

    @staticmethod
    def _looks(
        signature: Signature, input_schema: Mapping[str, Any], what: str, *, check: bool
    ) -> Callable[[Any], list[Mismatch]] | None:
        if signature.more is None:
            names = {each.name for each in signature.parameters}
            strange = [name for name in input_schema.get("properties", ()) if name not in names]
            if strange:
                text = (
                    f"{what}: input_schema has {', '.join(strange)}, which the function does not take; add **more to it"
                )
                raise UsageError(text)
        if not check:
            return None
        from .user_schemas import checker

        return checker(input_schema, f"{what}: input_schema")

    def _listed(
        self,
        name: str,
        signature: Signature,
        promise: Promise | Structured,
        members: Mapping[str, Any],
        input_schema: Mapping[str, Any] | None,
        output_schema: Mapping[str, Any] | None,
    ) -> Any:
        codec = self._server.binding.codec
        given = dict(members)
        if "description" not in given and signature.summary:
            given["description"] = signature.summary
        schemas: dict[str, Any] = {"inputSchema": dict(input_schema or signature.schema)}
        if isinstance(promise, Promise):
            output_schema = self._results.output_schema(promise)
            promise.structured = output_schema is not None
        if output_schema is not None:
            schemas["outputSchema"] = dict(output_schema)
        try:
            listed = codec.structure({"name": name, **schemas}, self._server.binding.types.Tool)
            for member, value in given.items():
                setattr(listed, member, value)
            codec.unstructure(listed)
        except (DecodeError, EncodeError) as fault:
            text = f"tool {name} is not what {self._revision} takes: {fault}"
            raise UsageError(text) from fault
        return listed

    # Calling.

    def _answer(self, params: Any, context: Context) -> Any:
        tool = self._offers.get(params.name)
        if tool is None:
            text = f"Unknown tool: {params.name}"
            error = error_for("unknown tool", text, {"name": params.name})
            raise error
        if self.admit is not None:
            why = self.admit(context)
            if why is not None:
                return self._results.failed(why)
        try:
            values = tool.read(params.arguments or {})
        except MismatchError as misfit:
            return self._misread(tool, misfit)
        if tool.timeout is None:
            return self._call(tool, values, context)
        timer = Timer(tool.timeout, self._overdue, (tool, context))
        timer.name = "mcp-tool-timeout"
        timer.daemon = True
        timer.start()
        try:
            return self._call(tool, values, context)
        finally:
            timer.cancel()

    def _call(self, tool: Tool, values: dict[str, Any], context: Context) -> Any:
        try:
            value = tool.signature.call(values, context)
            if value.__class__ is GeneratorType:
                value = _followed(value, context, tool.signature.what)
            return tool.promise.kept(value)
        except ResponseError:
            raise
        except ToolError as error:
            return self._results.failed(str(error))
        except Exception as error:  # noqa: BLE001  # whatever a tool raises, its caller is told
            log_handler_error(error, f"{tool.signature.what} has failed", over=context.connection.closed)
            return self._results.failed(str(error) or error.__class__.__name__)

    def _misread(self, tool: Tool, misfit: MismatchError) -> Any:
        if self._facts.argument_faults_in_results:
            return self._results.failed(f"Invalid arguments for {tool.signature.what}: {misfit}")
        text = f"Invalid arguments for {tool.signature.what}: {misfit}"
        data = {"name": tool.name, "faults": [str(fault) for fault in misfit.mismatches]}
        error = error_for("wrong tool arguments", text, data)
        raise error

    def _overdue(self, tool: Tool, context: Context) -> None:
        """In a thread of its own: answers a call that takes too long; the function sees that it is cancelled."""
        context.conclude(self._results.failed(f"{tool.signature.what} has not ended within {tool.timeout:g} s"))


def _followed(steps: Any, context: Context, what: str) -> Any:
    """What a generator returns; what it yields is progress: a number, or ``(progress, total, message)``."""
    try:
        while True:
            step = next(steps)
            if context.cancelled:
                return None
            _tell(step, context, what)
    except StopIteration as end:
        return end.value
    finally:
        steps.close()


def _tell(step: Any, context: Context, what: str) -> None:
    parts: tuple[Any, ...] = step if step.__class__ is tuple else (step,)
    progress, total, message = (*parts, None, None, None)[:3]
    fits = 1 <= len(parts) <= 3 and _is_number(progress) and (total is None or _is_number(total))
    if progress is None or not fits or not (message is None or isinstance(message, str)):
        text = f"{what} has yielded {step!r}; accepted are progress, (progress, total) and (progress, total, message)"
        raise UsageError(text)
    context.progress(progress, total, message)


def _is_number(value: Any) -> bool:
    return value.__class__ in (int, float)
