"""Completion of prompts' arguments and templates' variables (Completion)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sized
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ResponseError, UsageError
from ..validation import require_strings
from .error_codes import error_for
from .registry import Changes, Registry

if TYPE_CHECKING:
    from ..connection.context import Context
    from .feature_server import FeatureServer
    from .prompts import Prompts
    from .resources import Resources

MOST = 100
"""Values that one answer may have (Completion Results)."""

_METHOD = "completion/complete"
_ARGUMENTS = "arguments"
_CONTEXT = "context"


class Completer(NamedTuple):
    """A function that completes, and which of the parameters it has besides the first."""

    function: Callable[..., Any]
    takes: frozenset[str]


class Completions(Registry[Completer]):
    """What completes the arguments of a server's prompts and the variables of its templates. Thread-safe.

    A function is called with what was typed so far, and returns an iterable of texts, the best first, or a ready-made
    result. It may have a parameter ``arguments``, for what the other arguments are already, and one ``context``.
    """

    def __init__(self, server: FeatureServer) -> None:
        # No client is told: it asks each time.
        super().__init__("completion", Changes(lambda: None))
        self._server = server
        self._types = server.binding.types
        server.provide(_METHOD, self._complete)
        self._knows_others = server.binding.facts.completion_context

    def add(
        self,
        function: Callable[..., Any],
        argument: str,
        *,
        prompt: str | None = None,
        resource_template: str | None = None,
        replace: bool = False,
    ) -> None:
        """Has a function complete an argument of a prompt, or a variable of a template; it may be added before them.

        Raises UsageError where not one of the two is named, where there is a completion and ``replace`` is not set, and
        for parameters that cannot be given.
        """
        if (prompt is None) == (resource_template is None):
            text = (
                "a completion is for a prompt's argument or a template's variable; pass prompt= or resource_template="
            )
            raise UsageError(text)
        require_strings(argument=argument, prompt=prompt, resource_template=resource_template)
        completer = Completer(function, self._taken_by(function))
        key = _key("prompt", prompt, argument) if prompt is not None else _key("template", resource_template, argument)
        self.put(key, completer, replace=replace)

    def _taken_by(self, function: Callable[..., Any]) -> frozenset[str]:
        name = getattr(function, "__name__", function.__class__.__name__)
        if isinstance(function, type) or not callable(function):
            text = f"the completion is {function!r}; accepted are functions"
            raise UsageError(text)
        if inspect.iscoroutinefunction(function):
            text = f"{name} is a coroutine function; handlers are plain functions, and run in threads"
            raise UsageError(text)
        parameters = list(inspect.signature(function).parameters.values())
        positional = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
        if not parameters or parameters[0].kind not in positional:
            text = f"{name} takes no argument; a completion is called with what was typed so far"
            raise UsageError(text)
        more = {each.name for each in parameters[1:]}
        strange = [
            each.name
            for each in parameters[1:]
            if each.name not in {_ARGUMENTS, _CONTEXT} and each.default is each.empty
        ]
        if strange:
            text = (
                f"{name} has the parameter {strange[0]!r}; accepted are, besides the first, `arguments` and `context`"
            )
            raise UsageError(text)
        if _ARGUMENTS in more and not self._knows_others:
            text = f"{name} has `arguments`, which clients of {self._server.binding.revision} do not send; 2025-06-18 has it"
            raise UsageError(text)
        return frozenset(more & {_ARGUMENTS, _CONTEXT})

    def _complete(self, params: Any, context: Context) -> Any:
        reference, argument = params.ref, params.argument
        if isinstance(reference, self._types.PromptReference):
            key, arguments = _key("prompt", reference.name, argument.name), self._arguments_of(reference.name)
        else:
            key, arguments = _key("template", reference.uri, argument.name), self._variables_of(reference.uri)
        completer = self.get(key)
        if completer is None:
            if arguments is None or argument.name not in arguments:
                raise self._unknown(reference, argument.name, arguments)
            return self._result(())
        more: dict[str, Any] = {}
        if _ARGUMENTS in completer.takes:
            more[_ARGUMENTS] = dict(params.context.arguments or {}) if params.context is not None else {}
        if _CONTEXT in completer.takes:
            more[_CONTEXT] = context
        return self._result(completer.function(argument.value, **more))

    def _arguments_of(self, prompt: str) -> Iterable[str] | None:
        prompts: Prompts | None = self._server.offered("Prompts")
        offer = None if prompts is None else prompts.get(prompt)
        return None if offer is None else offer.function.arguments

    def _variables_of(self, uri: str) -> Iterable[str] | None:
        resources: Resources | None = self._server.offered("Resources")
        template = None if resources is None else resources.templates.get(uri)
        if template is not None:
            return template.function.arguments
        return () if resources is not None and uri in resources else None

    def _unknown(self, reference: Any, name: str, arguments: Iterable[str] | None) -> ResponseError:
        what = reference.name if isinstance(reference, self._types.PromptReference) else reference.uri
        reason = f"there is no prompt or resource template {what!r}"
        if arguments is not None:
            reason = f"{what!r} has no argument {name!r}; accepted are {', '.join(arguments) or 'none'}"
        data: Mapping[str, str] = {"reason": reason}
        return error_for("unknown completion reference", "Invalid params", data)

    def _result(self, given: Any) -> Any:
        types = self._types
        if isinstance(given, types.CompleteResult):
            return given
        if isinstance(given, types.CompleteResultCompletion):
            return types.CompleteResult(completion=given)
        return types.CompleteResult(completion=self._completion(given))

    def _completion(self, given: Any) -> Any:
        if isinstance(given, str) or not hasattr(given, "__iter__"):
            text = (
                f"a completion has given a {given.__class__.__name__}; accepted are an iterable of texts, and results"
            )
            raise UsageError(text)
        values: list[Any] = list(islice(given, MOST + 1))
        wrong = next((each.__class__.__name__ for each in values if not isinstance(each, str)), None)
        if wrong is not None:
            text = f"a completion has given a {wrong} among its values; accepted are texts"
            raise UsageError(text)
        # What is made one by one may have no end, so it is not counted.
        total = len(given) if isinstance(given, Sized) else len(values) if len(values) <= MOST else None
        return self._types.CompleteResultCompletion(values=values[:MOST], total=total, has_more=len(values) > MOST)


def _key(kind: str, what: str | None, argument: str) -> str:
    return f"{argument} of the {kind} {what}"
