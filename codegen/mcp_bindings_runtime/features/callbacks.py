"""Options of a client that are callbacks, and their flags.

A callback for a request of the server is a handler, from which a capability of the client follows. A callback whose name
begins with ``on_`` handles a notification. ``ClientOptions`` declares them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..connection.handler_results import convert_result
from ..distribution import install_command
from ..errors import ResponseError, UsageError
from ..jsonrpc import INVALID_PARAMS
from ..validation import require_callable
from .client_methods import BY_CAPABILITY, ELICIT, ON_NOTIFICATION, SAMPLE

if TYPE_CHECKING:
    from .feature_client import FeatureClient

_PARAMETERS: Mapping[str, Sequence[str]] = {
    "sampling": ("params", "context"),
    "approve_request": ("params",),
    "approve_result": ("params", "result"),
    "elicitation": ("params", "context"),
    "elicitation_url": ("params", "context"),
    **{name: () if name.endswith("s_changed") else ("params",) for name in ON_NOTIFICATION},
}
"""Callbacks to the parameters of their function."""
_EXAMPLES: Mapping[str, str] = {
    ELICIT: 'ElicitResult(action="accept", content={…})',
    SAMPLE: 'CreateMessageResult(role="assistant", model="…", content=TextContent(text="…"))',
}
"""Results that a callback may return, by method."""


def install(client: FeatureClient, options: Mapping[str, Any]) -> list[str]:
    """Register the callbacks among the options of a client; return the capabilities that follow, as dotted paths.

    Raise `UsageError` for an option that needs another option, and for a callback that is not a function.
    """
    binding = client.binding
    # None is the same as leaving an option out, so that a program can pass its own options on.
    wanted = {name: option for name, option in options.items() if option is not None and option is not False}
    for name, parameters in _PARAMETERS.items():
        if name in wanted:
            require_callable(name, wanted[name], parameters)
    if options.get("check_output") is not None:
        _check_outputs(client, options["check_output"])
    declared = [*_sampling(client, wanted), *_elicitation(client, wanted)]
    if "roots" in wanted:
        from .roots import set_roots

        set_roots(client, wanted["roots"])
    _lock_tools(client, wanted)
    for option, method in ON_NOTIFICATION.items():
        if option in wanted:
            client.handles(
                binding.notifications[method], _notification_handler(wanted[option], bare=option.endswith("s_changed"))
            )
    return declared


def _lock_tools(client: FeatureClient, wanted: dict[str, Any]) -> None:
    """Add the lock of a client's tools, and the callback that compares them after a change of the list."""
    path, drift = wanted.get("tools_lock"), wanted.get("drift", "warn")
    if path is None:
        if "drift" in wanted:
            text = "`drift` needs `tools_lock`: the file that mcp-codegen tools snapshot has written"
            raise UsageError(text)
        return
    from .tools_lock import ToolsLock

    lock = ToolsLock(path, drift)
    if drift == "ignore":
        return
    client.tools_lock = lock
    if ON_NOTIFICATION["on_tools_changed"] in client.binding.notifications:
        wanted["on_tools_changed"] = lock.on_change(client, wanted.get("on_tools_changed"))


def _check_outputs(client: FeatureClient, wanted: object) -> None:
    if wanted not in (True, False):
        text = f"check_output must be True, False, or None for True if the extra `schema` is installed; got {wanted!r}"
        raise UsageError(text)
    if wanted and find_spec("jsonschema") is None:
        text = f"check_output=True needs jsonschema: {install_command('schema')}"
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

    # Without the client: a client that its own handlers refer to is not closed when it is forgotten.
    convert = partial(convert_result, client.binding, client.binding.requests[SAMPLE], example=_EXAMPLES[SAMPLE])

    def answer(params: Any, context: Any) -> Any:
        approved = params if approve is None else approve(params)
        result = convert(sample(approved, context))
        return result if review is None else convert(review(approved, result))

    client.handles(client.binding.requests[SAMPLE], answer)
    yield from (BY_CAPABILITY[name] for name in ("sampling_tools", "sampling_context") if name in options)


def _elicitation(client: FeatureClient, options: Mapping[str, Any]) -> Iterable[str]:
    modes = {"form": options.get("elicitation"), "url": options.get("elicitation_url")}
    if modes["form"] is None and modes["url"] is None:
        return

    convert = partial(convert_result, client.binding, client.binding.requests[ELICIT], example=_EXAMPLES[ELICIT])

    def answer(params: Any, context: Any) -> Any:
        from .elicitation import mode_of

        mode = mode_of(context.connection.session.binding, params)
        callback = modes["url" if mode == "url" else "form"]
        if callback is None:
            raise ResponseError(INVALID_PARAMS, "Invalid params", {"reason": f"this client has no {mode} elicitation"})
        return convert(callback(params, context))

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
