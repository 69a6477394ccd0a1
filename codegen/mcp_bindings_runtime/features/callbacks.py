"""Options of a client that are callbacks, and their flags.

A callback for a request of the server is a handler, from which a capability of the client follows. A callback whose name
begins with ``on_`` handles a notification. A revision's clients have the options for what the revision has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..binding import Binding
from ..errors import ResponseError, UsageError
from ..jsonrpc import INVALID_PARAMS
from ..validation import require_callable
from .client_methods import ELICIT, ROOTS, SAMPLE

if TYPE_CHECKING:
    from .feature_client import FeatureClient

ON_NOTIFICATION: Mapping[str, str] = {
    "on_log": "notifications/message",
    "on_resource_updated": "notifications/resources/updated",
    "on_tools_changed": "notifications/tools/list_changed",
    "on_prompts_changed": "notifications/prompts/list_changed",
    "on_resources_changed": "notifications/resources/list_changed",
}
"""Options to the notification that their function handles. Those of changed lists are called without an argument."""

BY_CAPABILITY: Mapping[str, str] = {
    "elicitation_url": "elicitation.url",
    "sampling_tools": "sampling.tools",
    "sampling_context": "sampling.context",
}
"""Options to the capability that a revision must have for them."""


def options_of(binding: Binding) -> frozenset[str]:
    """Return the callbacks and flags that clients of a revision have."""
    known = binding.capabilities["client"]
    found = {option for option, path in BY_CAPABILITY.items() if path in known}
    found |= {option for option, method in ON_NOTIFICATION.items() if method in binding.notifications}
    if binding.facts.output_schemas:
        found.add("check_output")
    if SAMPLE in binding.requests:
        found |= {"sampling", "approve_request", "approve_result"}
    if ELICIT in binding.requests:
        found.add("elicitation")
    if ROOTS in binding.requests:
        found.add("roots")
    return frozenset(found)


EVERY = frozenset(
    {
        *ON_NOTIFICATION,
        *BY_CAPABILITY,
        "check_output",
        "sampling",
        "approve_request",
        "approve_result",
        "elicitation",
        "roots",
    },
)
"""The options that any revision has."""


_VALUES = frozenset({"check_output", "roots", "sampling_context", "sampling_tools"})
"""Options that are not functions."""


_PARAMETERS: Mapping[str, Sequence[str]] = {
    "sampling": ("params", "context"),
    "elicitation": ("params", "context"),
    "elicitation_url": ("params", "context"),
    "approve_result": ("params", "result"),
}
"""Options to the parameters of their function, unless it has the params alone."""


def install(client: FeatureClient, options: Mapping[str, Any]) -> list[str]:
    """Register the callbacks of a client; return the capabilities that follow, as dotted paths.

    Raise `UsageError` for an option that clients of the revision do not have, for one that needs another option, and for
    a callback that is not a function.
    """
    binding = client.binding
    known = options_of(binding)
    wrong = next((option for option in options if option not in known), None)
    if wrong is not None:
        text = (
            f"clients of {binding.revision} have no option {wrong!r}{_resembling(client, wrong, known)}; besides those of "
            f"the class they have {', '.join(sorted(known))}"
        )
        raise UsageError(text)
    # None is the same as leaving an option out, so that a program can pass its own options on.
    wanted = {name: option for name, option in options.items() if option is not None and option is not False}
    for name, option in wanted.items():
        if name not in _VALUES:
            require_callable(name, option, _PARAMETERS.get(name, () if name.endswith("s_changed") else ("params",)))
    if options.get("check_output") is not None:
        _check_outputs(client, options["check_output"])
    declared = [*_sampling(client, wanted), *_elicitation(client, wanted)]
    if "roots" in wanted:
        from .roots import set_roots

        set_roots(client, wanted["roots"])
    for option, method in ON_NOTIFICATION.items():
        if option in wanted:
            client.handles(
                binding.notifications[method], _notification_handler(wanted[option], bare=option.endswith("s_changed"))
            )
    return declared


def _resembling(client: FeatureClient, wrong: str, known: Iterable[str]) -> str:
    """Return a question about the option whose name is most like one that does not exist, if one is."""
    from difflib import get_close_matches
    from inspect import Parameter, signature

    named = {
        each.name
        for cls in type(client).__mro__
        for each in signature(cls).parameters.values()
        if each.kind is Parameter.KEYWORD_ONLY
    }
    close = get_close_matches(wrong, [*known, *sorted(named)], 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _check_outputs(client: FeatureClient, wanted: object) -> None:
    if wanted not in (True, False):
        text = f"check_output must be True, False, or None for True if the extra `schema` is installed; got {wanted!r}"
        raise UsageError(text)
    if wanted and find_spec("jsonschema") is None:
        text = "check_output=True needs the extra `schema`: pip install 'mcp-bindings[schema]'"
        raise UsageError(text)
    client.checks_outputs = bool(wanted)
    if not wanted:
        client.followed = frozenset()


def _sampling(client: FeatureClient, options: Mapping[str, Any]) -> Iterable[str]:
    sample = options.get("sampling")
    if sample is None:
        _require("sampling", options, "approve_request", "approve_result", "sampling_tools", "sampling_context")
        return
    approve, review = options.get("approve_request"), options.get("approve_result")

    def answer(params: Any, context: Any) -> Any:
        approved = params if approve is None else approve(params)
        result = sample(approved, context)
        return result if review is None else review(approved, result)

    client.handles(client.binding.requests[SAMPLE], answer)
    yield from (BY_CAPABILITY[name] for name in ("sampling_tools", "sampling_context") if name in options)


def _elicitation(client: FeatureClient, options: Mapping[str, Any]) -> Iterable[str]:
    modes = {"form": options.get("elicitation"), "url": options.get("elicitation_url")}
    if modes["form"] is None and modes["url"] is None:
        return

    def answer(params: Any, context: Any) -> Any:
        mode = getattr(params, "mode", "form")
        callback = modes["url" if mode == "url" else "form"]
        if callback is None:
            raise ResponseError(INVALID_PARAMS, "Invalid params", {"reason": f"this client has no {mode} elicitation"})
        return callback(params, context)

    client.handles(client.binding.requests[ELICIT], answer)
    known = client.binding.capabilities["client"]
    yield from (
        f"elicitation.{mode}"
        for mode, callback in modes.items()
        if callback is not None and f"elicitation.{mode}" in known
    )


def _require(option: str, options: Mapping[str, Any], *others: str) -> None:
    alone = next((other for other in others if other in options), None)
    if alone is not None:
        text = f"the option {alone!r} of a client needs {option!r}; pass both"
        raise UsageError(text)


def _notification_handler(function: Callable[..., object], *, bare: bool) -> Callable[[Any, Any], None]:
    def handle(params: Any, context: Any) -> None:
        if bare:
            function()
        else:
            function(params)

    return handle
