"""Prompts of a server (Prompts)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..errors import ResponseError, UsageError
from .content_blocks import Contents
from .error_codes import Situation, error_for
from .lists import announced, answer_list, listed
from .registry import Registry
from .signature import name_of_function
from .text_arguments import TextFunction, WrongArgument

if TYPE_CHECKING:
    from ..connection.context import Context
    from .feature_server import FeatureServer

_LIST_CHANGED = "notifications/prompts/list_changed"


class Prompt(NamedTuple):
    """A prompt that is offered."""

    listed: Any
    function: TextFunction


class Prompts(Registry[Prompt]):
    """What a server offers as prompts, by name. Thread-safe; may be changed while clients are connected.

    A function that serves a prompt returns a ``str`` or content (a message of the user), messages, a list of such, or a
    ready-made result. Contents of a resource are embedded.
    """

    def __init__(self, server: FeatureServer) -> None:
        super().__init__("prompt", announced(server, _LIST_CHANGED))
        self._server = server
        self._types = server.binding.types
        self._contents = Contents(server.binding)
        answer_list(server, "prompts/list", "prompts", self)
        server.provide("prompts/get", self._get)

    def add(
        self,
        function: Callable[..., Any],
        name: str | None = None,
        members: Mapping[str, Any] | None = None,
        *,
        replace: bool = False,
    ) -> None:
        """Offers what a function returns as a prompt; ``members`` are attributes of the revision's Prompt.

        Its arguments are the function's parameters, read by their annotations, with what ``Annotated`` says of them; they
        are required where there is no default. Name and description are the function's, unless given. Raises UsageError
        where the name is taken and ``replace`` is not set, for parameters that cannot be given by name or have no JSON,
        and for members that the revision does not have.
        """
        called = name or name_of_function(function)
        reader = TextFunction(function, f"prompt {called}", self._server.context)
        arguments = [
            self._types.PromptArgument(name=each.name, description=each.description or None, required=each.required)
            for each in reader.arguments.values()
        ]
        more = {"name": called, "arguments": arguments or None, "description": reader.about, **(members or {})}
        offer = listed(self._server, self._types.Prompt, more, f"prompt {called}")
        self.put(called, Prompt(offer, reader), replace=replace)

    def _get(self, params: Any, context: Context) -> Any:
        offer = self.get(params.name)
        given: Mapping[str, str] = params.arguments or {}
        situation, reason = _misfit(params.name, offer, given)
        if situation is None and offer is not None:
            try:
                return self._result(offer.listed, offer.function.call(given, context))
            except WrongArgument as fault:
                situation, reason = "wrong prompt argument", str(fault)
        raise self._refusal(situation or "unknown prompt", params.name, reason)

    def _refusal(self, situation: Situation, name: str, reason: str) -> ResponseError:
        data = {"name": name, "reason": reason}
        return error_for(situation, f"{situation.capitalize()}: {reason}", data)

    def _result(self, listed: Any, given: Any) -> Any:
        binding = self._server.binding
        if isinstance(given, binding.requests["prompts/get"].result):
            return given
        messages = list(self._messages(listed.name, given))
        return binding.types.GetPromptResult(description=listed.description, messages=messages)

    def _messages(self, name: str, given: Any) -> Iterator[Any]:
        types = self._types
        if isinstance(given, list | tuple):
            for each in cast("Sequence[Any]", given):
                yield from self._messages(name, each)
            return
        if isinstance(given, types.PromptMessage):
            yield given
            return
        if isinstance(given, types.TextResourceContents | types.BlobResourceContents):
            given = types.EmbeddedResource(resource=given)
        if not isinstance(given, (str, *self._contents.classes)):
            text = (
                f"prompt {name}: the function has given a {given.__class__.__name__}; accepted are str, PromptMessage, "
                "content, Image, Audio, contents of a resource, a list of these, and a GetPromptResult"
            )
            raise UsageError(text)
        for block in self._contents.of(given):
            yield types.PromptMessage(role="user", content=block)


def _misfit(name: str, offer: Prompt | None, given: Mapping[str, str]) -> tuple[Situation | None, str]:
    """What is wrong with a request, if anything is, and why."""
    if offer is None:
        return "unknown prompt", f"there is no prompt {name!r}"
    arguments = offer.function.arguments
    missing = [each.name for each in arguments.values() if each.required and each.name not in given]
    if missing:
        return "missing prompt argument", f"the argument {', '.join(missing)} is required"
    unknown = next((each for each in given if each not in arguments), None)
    if unknown is not None:
        accepted = ", ".join(arguments) or "none"
        return "wrong prompt argument", f"there is no argument {unknown!r}; accepted are {accepted}"
    return None, ""
