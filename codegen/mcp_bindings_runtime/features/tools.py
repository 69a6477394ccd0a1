"""Tools of a server: functions that clients list and call (Tools).

The message of an exception that a tool raises goes to the client in a result with ``is_error``, for the language model;
the traceback goes to the local log. So does ``sys.exit``, which in a thread cannot end the program. A `ResponseError`
becomes an error response.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from threading import Timer
from types import GeneratorType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from ..auth.scopes import NO_SCOPES
from ..errors import DecodeError, EncodeError, ResponseError, ToolError, UsageError
from ..logs import exception_text, log_handler_error, log_warning
from ..validation import require_booleans, require_mappings, require_positive_numbers, require_strings
from .error_codes import error_for
from .lists import announced, answer_list, instead_of_dict, near_entry
from .mismatch import Mismatch, MismatchError
from .registry import Registry
from .results import DeclaredReturn, Results, ReturnMismatch, SchemaReturn
from .signature import Signature, name_of_function

if TYPE_CHECKING:
    from ..connection.context import Context
    from .feature_server import FeatureServer

Schemas: TypeAlias = Literal["full", "portable"]
"""Forms of a tool's schemas: all that JSON Schema has, or what every known host accepts."""

_NAMES: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
"""Tools, Tool Names; from 2025-11-25 on."""
_HEADER: Final = "x-mcp-header"
_EXPRESSION: Final = "<genexpr>"
"""Name of the code of a generator expression."""


class Tool:
    """A registered tool."""

    __slots__ = ("check", "listed", "name", "returns", "scopes", "signature", "timeout")

    def __init__(
        self,
        name: str,
        listed: Any,
        signature: Signature,
        returns: DeclaredReturn | SchemaReturn,
        check: Callable[[Any], list[Mismatch]] | None,
        timeout: float | None,
        scopes: frozenset[str],
    ) -> None:
        self.name = name
        self.listed = listed
        """Its entry in the list: an object of the revision."""
        self.signature = signature
        self.returns = returns
        self.check = check
        """Validates arguments by an input schema that the user has written."""
        self.timeout = timeout
        self.scopes = scopes
        """Scopes that a call needs over HTTP."""

    def read(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the values of the function's parameters; raise `MismatchError` for wrong arguments."""
        try:
            faults = self.check(arguments) if self.check is not None else None
            if faults:
                raise MismatchError(faults)
            return self.signature.read(arguments)
        except RecursionError:
            raise MismatchError([Mismatch((), "is nested too deeply")]) from None


class Tools:
    """The tools of a server, in the order in which they were added. Thread-safe.

    A handler that the user registers for ``tools/list`` or ``tools/call`` takes precedence.
    """

    def __init__(self, server: FeatureServer) -> None:
        binding = server.binding
        self._server = server
        self._revision = binding.revision
        self._facts = binding.facts
        self._tools: Registry[Tool] = Registry("tool", announced(server, "notifications/tools/list_changed"))
        self._results = Results(binding)
        self.admit: Callable[[Context], str | None] | None = None
        """Is called before each call; returns the reason to refuse it, or None."""
        answer_list(server, "tools/list", "tools", self._tools)
        server.add_default_handler("tools/call", self._answer, self._source_of)

    # Registration.

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
        schemas: Schemas = "full",
        scopes: Iterable[str] = (),
        replace: bool = False,
    ) -> Tool:
        """Register a function as a tool and notify the clients.

        ``name`` is that of the function by default; ``members`` are further attributes of the revision's ``Tool``.
        ``input_schema`` and ``output_schema`` replace the schemas that follow from the annotations; values are validated by
        them unless ``check`` is False. With ``schemas="portable"`` those from annotations have the forms that every known
        host accepts. ``timeout`` is in seconds. ``scopes`` are those that a call needs over HTTP. Raise
        `UsageError` for an annotation without such a schema, an invalid schema, a name that the revision does not allow, and
        a name that is in use, unless ``replace`` is True.
        """
        name = name_of_function(function) if name is None else name
        require_strings(name=name)
        what = f"tool {name}"
        self._check_name(name)
        require_positive_numbers(**{f"{what}: timeout": timeout})
        require_mappings(**{f"{what}: input_schema": input_schema, f"{what}: output_schema": output_schema})
        require_booleans(**{f"{what}: check": check})
        signature = Signature(function, what, self._server.context, loose=input_schema is not None)
        returns = self._declared_return(signature, output_schema, what, check=check)
        written = _input_schema(signature, input_schema, output_schema, schemas, what)
        self._check_headers(what, written)
        members = self._with_task_support(name, members or {})
        listed = self._listed(name, signature, returns, members, written, output_schema, schemas)
        validate = None if input_schema is None else self._validator(signature, input_schema, what, check=check)
        tool = Tool(name, listed, signature, returns, validate, timeout, self._server.checked_scopes(what, scopes))
        self._tools.put(name, tool, replace=replace)
        return tool

    def remove(self, name: str) -> None:
        """Remove a tool and notify the clients. Raise `UsageError` if there is no tool of that name."""
        self._tools.remove(name)

    def changing(self) -> AbstractContextManager[None]:
        """Return a context manager: clients are notified once, at its end, of all changes made in it."""
        return self._tools.changing()

    def get(self, name: str) -> Tool | None:
        """Return the tool of a name; None if there is none."""
        return self._tools.get(name)

    def scopes_of(self, name: str) -> frozenset[str]:
        """Return the scopes that a call of a tool needs."""
        tool = self._tools.get(name)
        return NO_SCOPES if tool is None else tool.scopes

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def _with_task_support(self, name: str, members: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the members of a tool with a task support that agrees with the server's store of tasks."""
        if not self._facts.tool_execution:
            return members
        execution = members.get("execution")
        if execution is not None:
            if not isinstance(execution, self._server.binding.types.ToolExecution):
                # It is refused with all other members that are not valid.
                return members
            if execution.task_support is not None:
                self._server.tasks.declare(name, execution.task_support)
                return members
        support = self._server.supports_task(name)
        if support == "forbidden":
            return members
        return {**members, "execution": self._server.binding.types.ToolExecution(task_support=support)}

    def _check_name(self, name: str) -> None:
        if self._facts.tool_names and not _NAMES.fullmatch(name):
            text = f"the name of a tool must be 1 to 128 letters (A-Z, a-z), digits, _, - and ., got {name!r}"
            raise UsageError(text)
        if not name:
            text = "the name of a tool is empty"
            raise UsageError(text)

    def _check_headers(self, what: str, schema: Mapping[str, Any]) -> None:
        """Raise `UsageError` for an ``x-mcp-header`` that makes clients ignore the tool (Tools, x-mcp-header)."""
        if not self._facts.parameter_headers or _HEADER not in repr(schema):
            return
        from ..http.headers import InvalidParamHeader, param_headers_of

        try:
            param_headers_of(schema)
        except InvalidParamHeader as fault:
            text = f"{what}: {fault}"
            raise UsageError(text) from fault

    def _declared_return(
        self, signature: Signature, output_schema: Mapping[str, Any] | None, what: str, *, check: bool
    ) -> DeclaredReturn | SchemaReturn:
        if output_schema is not None:
            from .user_schemas import validator_of

            validate = validator_of(output_schema, f"{what}: output_schema") if check else None
            return SchemaReturn(self._results, validate)
        return self._results.declared(signature.returns, what, generator=signature.generator)

    @staticmethod
    def _validator(
        signature: Signature, input_schema: Mapping[str, Any], what: str, *, check: bool
    ) -> Callable[[Any], list[Mismatch]] | None:
        if signature.more is None:
            names = {each.name for each in signature.parameters}
            strange = [name for name in input_schema.get("properties", ()) if name not in names]
            if strange:
                text = f"{what}: input_schema has {', '.join(strange)}, for which the function has no parameter; add **more"
                raise UsageError(text)
        if not check:
            return None
        from .user_schemas import validator_of

        return validator_of(input_schema, f"{what}: input_schema")

    def _listed(
        self,
        name: str,
        signature: Signature,
        returns: DeclaredReturn | SchemaReturn,
        members: Mapping[str, Any],
        input_schema: Mapping[str, Any],
        output_schema: Mapping[str, Any] | None,
        schemas: Schemas,
    ) -> Any:
        codec = self._server.binding.codec
        attributes = dict(members)
        if "description" not in attributes and signature.summary:
            attributes["description"] = signature.summary
        written: dict[str, Any] = {"inputSchema": dict(input_schema)}
        if isinstance(returns, DeclaredReturn):
            output_schema = self._results.output_schema(returns)
            if schemas == "portable" and output_schema is not None and output_schema.get("type") != "object":
                # Hosts refuse it; the result has the value as text.
                output_schema = None
            returns.structured = output_schema is not None
        if output_schema is not None:
            written["outputSchema"] = dict(output_schema)
        if schemas == "portable":
            from .portable_schemas import require_portable

            require_portable(signature.what, name, attributes.get("description"))
        try:
            listed = codec.structure({"name": name, **written}, self._server.binding.types.Tool)
            for member, value in attributes.items():
                setattr(listed, member, value)
            codec.unstructure(listed)
        except (DecodeError, EncodeError) as fault:
            text = (
                f"tool {name} does not fit {self._revision}: {fault}{instead_of_dict(self._server, fault, attributes)}"
            )
            raise UsageError(text) from fault
        return listed

    # Calls.

    def _answer(self, params: Any, context: Context) -> Any:
        tool = self._tools.get(params.name)
        if tool is None:
            raise self._unknown_tool(params.name)
        if self.admit is not None:
            why = self.admit(context)
            if why is not None:
                return self._results.failed(why)
        try:
            values = tool.read(params.arguments or {})
        except MismatchError as misfit:
            return self._wrong_arguments(tool, misfit)
        if tool.timeout is None:
            return self._call(tool, values, context)
        timer = Timer(tool.timeout, self._time_out, (tool, context))
        timer.name = "mcp-tool-timeout"
        timer.daemon = True
        timer.start()
        try:
            return self._call(tool, values, context)
        finally:
            timer.cancel()

    def _source_of(self, params: Any) -> str | None:
        """Return the name of a tool's function with its file and line; None if there is no such tool."""
        tool = self._tools.get(params.name)
        return None if tool is None else tool.signature.source

    def _unknown_tool(self, name: str) -> ResponseError:
        near = near_entry(self._server, "tools/list", name, [each.name for each in self._tools])
        return error_for("unknown tool", f"Unknown tool: {name}{near}", {"name": name})

    def _call(self, tool: Tool, values: dict[str, Any], context: Context) -> Any:
        try:
            value = tool.signature.call(values, context)
            if value.__class__ is GeneratorType:
                value = _run_generator(value, context, tool.signature.what)
            return tool.returns.result(value)
        except ResponseError:
            raise
        except ToolError as error:
            return self._results.failed(exception_text(error))
        except ReturnMismatch as misfit:
            # A function that has seen its cancellation may return anything.
            if not context.cancelled:
                # The stack has no line of the function any more, so its definition is named.
                log_warning("%s %s", tool.signature.source, misfit)
            return self._results.failed(f"{tool.signature.what} {misfit}")
        except (Exception, SystemExit) as error:  # noqa: BLE001  # the client gets the message of any exception
            log_handler_error(error, f"{tool.signature.what} failed", over=context.connection.closed)
            return self._results.failed(exception_text(error))

    def _wrong_arguments(self, tool: Tool, misfit: MismatchError) -> Any:
        if self._facts.argument_faults_in_results:
            return self._results.failed(f"Invalid arguments for {tool.signature.what}: {misfit}")
        text = f"Invalid arguments for {tool.signature.what}: {misfit}"
        data = {"name": tool.name, "faults": [str(fault) for fault in misfit.mismatches]}
        error = error_for("wrong tool arguments", text, data)
        raise error

    def _time_out(self, tool: Tool, context: Context) -> None:
        """End a call that takes too long; the function sees that it is cancelled. Runs in the timer's thread."""
        context.conclude(self._results.failed(f"{tool.signature.what} did not finish within {tool.timeout:g} s"))


def _input_schema(
    signature: Signature,
    input_schema: Mapping[str, Any] | None,
    output_schema: Mapping[str, Any] | None,
    schemas: Schemas,
    what: str,
) -> Mapping[str, Any]:
    """Return the schema of a tool's arguments in the form that ``schemas`` names."""
    if schemas not in ("full", "portable"):
        text = f"{what}: schemas must be 'full' or 'portable', got {schemas!r}"
        raise UsageError(text)
    if schemas == "full":
        return input_schema or signature.schema
    if input_schema is not None or output_schema is not None:
        text = (
            f"{what}: schemas='portable' is for schemas of annotations; leave it out, or input_schema and output_schema"
        )
        raise UsageError(text)
    from .portable_schemas import portable_schema

    return portable_schema(signature.schema, what)


def _run_generator(steps: Any, context: Context, what: str) -> Any:
    """Run a generator and return its result; report what it yields: a number or ``(progress, total, message)``.

    Raise `ReturnMismatch` for a generator expression, which has no result.
    """
    if steps.gi_code.co_name == _EXPRESSION:
        text = "returned a generator expression, which is used up by reading it; return a list"
        raise ReturnMismatch(text)
    try:
        while True:
            step = next(steps)
            if context.cancelled:
                return None
            _report(step, context, what)
    except StopIteration as end:
        return end.value
    finally:
        steps.close()


def _report(step: Any, context: Context, what: str) -> None:
    parts: tuple[Any, ...] = step if step.__class__ is tuple else (step,)
    progress, total, message = (*parts, None, None, None)[:3]
    fits = 1 <= len(parts) <= 3 and _is_number(progress) and (total is None or _is_number(total))
    if progress is None or not fits or not (message is None or isinstance(message, str)):
        text = f"{what} must yield progress, (progress, total) or (progress, total, message), got {step!r}"
        raise UsageError(text)
    context.progress(progress, total, message)


def _is_number(value: Any) -> bool:
    return value.__class__ in (int, float)
