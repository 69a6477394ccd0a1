"""Completion of arguments of prompts and variables of resource templates (Completion)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sized
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ResponseError, UsageError
from ..options import near_name
from ..validation import require_strings
from .error_codes import error_for
from .registry import Changes, Registry
from .signature import parameters_in

if TYPE_CHECKING:
    from ..connection.context import Context
    from .feature_server import FeatureServer
    from .prompts import Prompts
    from .resources import Resources

MAX_VALUES = 100
"""Limit on the values in the result of a completion. The section "Completion Results" of the specification sets this
limit.
"""

_METHOD = "completion/complete"
_ARGUMENTS = "arguments"
_CONTEXT = "context"


class Completer(NamedTuple):
    """A completion function with the names of its parameters besides the first."""

    function: Callable[..., Any]
    parameters: frozenset[str]
    owner: str
    """The prompt or template, as ``_owner`` writes it."""
    argument: str


class Completions(Registry[Completer]):
    """The completion functions of a server, for arguments of prompts and variables of templates. Thread-safe.

    A function is called with the text typed so far and returns an iterable of texts, the best first, or a result. It may
    have the parameters ``arguments``, for the values of the other arguments, and ``context``.
    """

    def __init__(self, server: FeatureServer) -> None:
        # Clients are not notified: they send a request each time.
        super().__init__("completion", Changes(lambda: None))
        self._server = server
        self._types = server.binding.types
        server.add_default_handler(_METHOD, self._complete)
        self._has_other_arguments = server.binding.facts.completion_context

    def add(
        self,
        function: Callable[..., Any],
        argument: str,
        *,
        prompt: str | None = None,
        resource_template: str | None = None,
        replace: bool = False,
    ) -> None:
        """Register a function that completes an argument of a prompt or a variable of a template.

        The prompt or template may be added later. Raise `UsageError` unless exactly one of the two is named, for an argument
        that it does not have, for a second completion unless ``replace`` is True, and for a function with other parameters.
        """
        if (prompt is None) == (resource_template is None):
            text = "a completion is for a prompt or a resource template; pass prompt= or resource_template="
            raise UsageError(text)
        require_strings(argument=argument, prompt=prompt, resource_template=resource_template)
        if prompt is not None:
            owner, arguments = _owner("prompt", prompt), self._arguments_of(prompt)
        else:
            template = resource_template or ""
            owner, arguments = _owner("resource template", template), self._variables_of(template)
        if arguments is not None:
            _require_argument(argument, owner, arguments)
        completer = Completer(function, self._parameters_of(function), owner, argument)
        self.put(_key(owner, argument), completer, replace=replace)

    def check(self, kind: str, name: str, arguments: Collection[str]) -> None:
        """Raise `UsageError` if there is a completion for an argument that a new prompt or template does not have."""
        owner = _owner(kind, name)
        for each in self:
            if each.owner == owner:
                _require_argument(each.argument, owner, arguments)

    def _parameters_of(self, function: Callable[..., Any]) -> frozenset[str]:
        name = getattr(function, "__name__", function.__class__.__name__)
        if isinstance(function, type) or not callable(function):
            text = f"a completion must be a function, got {function!r}"
            raise UsageError(text)
        if inspect.iscoroutinefunction(function):
            text = f"{name} is a coroutine function; use a plain function, which runs in a thread"
            raise UsageError(text)
        parameters = parameters_in(function, name)
        positional = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
        if not parameters or parameters[0].kind not in positional:
            text = f"{name} has no parameter; a completion is called with the text typed so far"
            raise UsageError(text)
        more = {each.name for each in parameters[1:]}
        strange = [
            each.name
            for each in parameters[1:]
            if each.name not in {_ARGUMENTS, _CONTEXT} and each.default is each.empty
        ]
        if strange:
            text = f"{name} has the parameter {strange[0]!r}; besides the first, use `arguments` and `context`"
            raise UsageError(text)
        if _ARGUMENTS in more and not self._has_other_arguments:
            text = f"{name} has `arguments`, which clients of {self._server.binding.revision} do not send; 2025-06-18 has it"
            raise UsageError(text)
        return frozenset(more & {_ARGUMENTS, _CONTEXT})

    def _complete(self, params: Any, context: Context) -> Any:
        reference, argument = params.ref, params.argument
        if isinstance(reference, self._types.PromptReference):
            owner, arguments = _owner("prompt", reference.name), self._arguments_of(reference.name)
        else:
            owner, arguments = _owner("resource template", reference.uri), self._variables_of(reference.uri)
        completer = self.get(_key(owner, argument.name))
        if completer is None:
            if arguments is None or argument.name not in arguments:
                raise self._unknown(reference, argument.name, arguments)
            return self._result(())
        more: dict[str, Any] = {}
        if _ARGUMENTS in completer.parameters:
            more[_ARGUMENTS] = dict(params.context.arguments or {}) if params.context is not None else {}
        if _CONTEXT in completer.parameters:
            more[_CONTEXT] = context
        return self._result(completer.function(argument.value, **more))

    def _arguments_of(self, prompt: str) -> Collection[str] | None:
        prompts: Prompts | None = self._server.existing_registry("Prompts")
        offer = None if prompts is None else prompts.get(prompt)
        return None if offer is None else offer.function.arguments

    def _variables_of(self, uri: str) -> Collection[str] | None:
        resources: Resources | None = self._server.existing_registry("Resources")
        template = None if resources is None else resources.templates.get(uri)
        if template is not None:
            return template.function.arguments
        return () if resources is not None and uri in resources else None

    def _unknown(self, reference: Any, name: str, arguments: Iterable[str] | None) -> ResponseError:
        what = reference.name if isinstance(reference, self._types.PromptReference) else reference.uri
        reason = f"there is no prompt or resource template {what!r}"
        if arguments is not None:
            reason = f"{what!r} has no argument {name!r}; use {', '.join(arguments) or 'none'}"
        data: Mapping[str, str] = {"reason": reason}
        return error_for("unknown completion reference", "Invalid params", data)

    def _result(self, value: Any) -> Any:
        types = self._types
        if isinstance(value, types.CompleteResultCompletion):
            value = types.CompleteResult(completion=value)
        if not isinstance(value, types.CompleteResult):
            return types.CompleteResult(completion=self._completion(value))
        count = len(value.completion.values)
        if count > MAX_VALUES:
            text = f"a result has {count} values, at most {MAX_VALUES} are allowed; return the values, which are cut"
            raise UsageError(text)
        return value

    def _completion(self, value: Any) -> Any:
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            text = f"a completion must return an iterable of texts or a result, got {value.__class__.__name__}"
            raise UsageError(text)
        values: list[Any] = list(islice(value, MAX_VALUES + 1))
        wrong = next((each.__class__.__name__ for each in values if not isinstance(each, str)), None)
        if wrong is not None:
            text = f"a completion must return texts, got {wrong}"
            raise UsageError(text)
        # An iterator may be infinite, so it is not counted.
        total = len(value) if isinstance(value, Sized) else len(values) if len(values) <= MAX_VALUES else None
        return self._types.CompleteResultCompletion(
            values=values[:MAX_VALUES], total=total, has_more=len(values) > MAX_VALUES
        )


def _owner(kind: str, name: str) -> str:
    return f"{kind} {name}"


def _key(owner: str, argument: str) -> str:
    return f"{argument} of the {owner}"


def _require_argument(argument: str, owner: str, arguments: Collection[str]) -> None:
    if argument not in arguments:
        accepted = ", ".join(arguments) or "none"
        text = f"the {owner} has no argument {argument!r} to complete{near_name(argument, arguments)}; use {accepted}"
        raise UsageError(text)
