"""Prompts of a server (Prompts)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..auth.scopes import NO_SCOPES
from ..connection.handler_results import WrongResult
from ..errors import ResponseError, UsageError
from .content_converter import ContentConverter
from .error_codes import Situation, error_for
from .lists import announced, answer_list, check_completions, listed, near_entry
from .registry import Registry
from .signature import name_of_function
from .text_arguments import TextArgumentError, TextFunction

if TYPE_CHECKING:
    from ..connection.context import Context
    from .feature_server import FeatureServer

_LIST_CHANGED = "notifications/prompts/list_changed"


class Prompt(NamedTuple):
    """A registered prompt."""

    listed: Any
    function: TextFunction
    scopes: frozenset[str]
    """Scopes that a request for it needs over HTTP."""


class Prompts(Registry[Prompt]):
    """The prompts of a server, by name. Thread-safe; may be changed while clients are connected.

    The function of a prompt returns a ``str`` or content (a message of the user), messages, a list of these, or a result.
    Contents of a resource are embedded.
    """

    def __init__(self, server: FeatureServer) -> None:
        super().__init__("prompt", announced(server, _LIST_CHANGED))
        self._server = server
        self._types = server.binding.types
        self._contents = ContentConverter(server.binding)
        answer_list(server, "prompts/list", "prompts", self)
        server.add_default_handler("prompts/get", self._get, self._source_of)

    def add(
        self,
        function: Callable[..., Any],
        name: str | None = None,
        members: Mapping[str, Any] | None = None,
        *,
        scopes: Iterable[str] = (),
        replace: bool = False,
    ) -> None:
        """Register the function of a prompt; ``members`` are attributes of the revision's ``Prompt``.

        The arguments of the prompt are the function's parameters, converted by their annotations and described by
        ``Annotated``; those without a default are required. Name and description are those of the function by default.
        ``scopes`` are those that a request for the prompt needs over HTTP. Raise `UsageError` for a name that is in use
        unless ``replace`` is True, for parameters that cannot be passed by name or have no JSON, for members that the
        revision does not have, and if there is a completion for another argument.
        """
        called = name or name_of_function(function)
        reader = TextFunction(function, f"prompt {called}", self._server.context)
        arguments = [
            self._types.PromptArgument(name=each.name, description=each.description or None, required=each.required)
            for each in reader.arguments.values()
        ]
        own = {"name": called, "arguments": arguments or None}
        more = {"description": reader.description, **(members or {})}
        offer = listed(self._server, self._types.Prompt, own, more, f"prompt {called}")
        if not replace:
            check_completions(self._server, "prompt", called, reader.arguments)
        self.put(
            called, Prompt(offer, reader, self._server.checked_scopes(f"prompt {called}", scopes)), replace=replace
        )

    def scopes_of(self, name: str) -> frozenset[str]:
        """Return the scopes that a request for a prompt needs."""
        offer = self.get(name)
        return NO_SCOPES if offer is None else offer.scopes

    def _get(self, params: Any, context: Context) -> Any:
        offer = self.get(params.name)
        arguments: Mapping[str, str] = params.arguments or {}
        situation, reason = _problem(params.name, offer, arguments)
        if offer is None:
            reason += near_entry(self._server, "prompts/list", params.name, [each.listed.name for each in self])
        if situation is None and offer is not None:
            try:
                return self._result(offer, offer.function.call(arguments, context))
            except TextArgumentError as fault:
                situation, reason = "wrong prompt argument", str(fault)
        raise self._refusal(situation or "unknown prompt", params.name, reason)

    def _source_of(self, params: Any) -> str | None:
        """Return the name of a prompt's function with its file and line; None if there is no such prompt."""
        offer = self.get(params.name)
        return None if offer is None else offer.function.source

    def _refusal(self, situation: Situation, name: str, reason: str) -> ResponseError:
        data = {"name": name, "reason": reason}
        return error_for(situation, f"{situation.capitalize()}: {reason}", data)

    def _result(self, offer: Prompt, value: Any) -> Any:
        binding = self._server.binding
        if isinstance(value, binding.requests["prompts/get"].result):
            return value
        try:
            messages = list(self._messages(value))
        except UsageError as fault:
            text = f"{offer.function.source} returned a value that cannot become messages: {fault}"
            raise WrongResult(text) from fault
        return binding.types.GetPromptResult(description=offer.listed.description, messages=messages)

    def _messages(self, value: Any) -> Iterator[Any]:
        types = self._types
        if isinstance(value, list | tuple):
            for each in cast("Sequence[Any]", value):
                yield from self._messages(each)
            return
        if isinstance(value, types.PromptMessage):
            yield value
            return
        if isinstance(value, types.TextResourceContents | types.BlobResourceContents):
            value = types.EmbeddedResource(resource=value)
        if not isinstance(value, (str, *self._contents.classes)):
            text = (
                f"found {value.__class__.__name__}, expected str, PromptMessage, content, Image, Audio, contents of a "
                "resource, a list of these, or a GetPromptResult"
            )
            raise UsageError(text)
        for block in self._contents.of(value):
            yield types.PromptMessage(role="user", content=block)


def _problem(name: str, offer: Prompt | None, passed: Mapping[str, str]) -> tuple[Situation | None, str]:
    """Return the situation that a request is refused for and the reason; None for a valid request."""
    if offer is None:
        return "unknown prompt", f"there is no prompt {name!r}"
    arguments = offer.function.arguments
    missing = [each.name for each in arguments.values() if each.required and each.name not in passed]
    if missing:
        return "missing prompt argument", f"the argument {', '.join(missing)} is required"
    unknown = next((each for each in passed if each not in arguments), None)
    if unknown is not None:
        accepted = ", ".join(arguments) or "none"
        return "wrong prompt argument", f"there is no argument {unknown!r}; use {accepted}"
    return None, ""
