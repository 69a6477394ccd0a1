"""Validation of sampling and elicitation beyond their schemas, on both sides, by capabilities and specification.

The server checks a request before it sends it and the result that it receives; the client checks the request that it
receives and the result before it sends it. A mistake of the own side raises `UsageError`, and nothing is sent.
"""

from __future__ import annotations

from typing import Any

from ..binding import Binding
from ..connection.handler_results import WrongResult
from ..errors import EncodeError, NotDeclared, ProtocolError, ResponseError, UsageError
from ..installed_revisions import facts_of
from ..jsonrpc import INVALID_PARAMS
from ..methods import RequestMethod
from ..session.multi_round import missing_capability
from . import elicitation, sampling
from .client_methods import ELICIT, SAMPLE
from .error_codes import ERROR_CODES, Situation


def check_outgoing_request(context: Any, key: RequestMethod[Any, Any], params: Any) -> None:
    """Raise `UsageError`, or `ResponseError` (-32021) in stateless revisions, for a request that the server may not send."""
    binding: Binding = context.connection.session.binding
    form = getattr(params, "requested_schema", None)
    if isinstance(form, type):
        text = f"the schema of {key.name} is the class {form.__name__}; write context.elicit_form(message, {form.__name__})"
        raise UsageError(text)
    top = key.capability or ""
    if not binding.declares(context.peer_capabilities, top) or not isinstance(params, key.params):
        # The session refuses requests without that capability, and params of another class.
        return
    for path in _required(binding, key, params):
        if not _declares(binding, context.peer_capabilities, path):
            if binding.era == "stateless":
                raise ResponseError(*missing_capability(key.name, path))
            facts = facts_of(context.peer_revision)
            if facts is not None and not facts.handshake:
                from ..bridge.undeclared_capability import UndeclaredCapability

                raise UndeclaredCapability(key.name, path)
            text = f"{key.name} needs the capability {path!r} with these params, which the client has not declared"
            raise NotDeclared(text)
    if key.name == SAMPLE:
        wrong = sampling.find_imbalance(params.messages)
        if wrong is not None:
            raise UsageError(wrong[1])
    elif elicitation.mode_of(binding, params) == "url":
        elicitation.check_url(params.url)


def check_incoming_result(context: Any, key: RequestMethod[Any, Any], params: Any, result: Any) -> None:
    """Raise `ProtocolError`, or `ResponseError` (-32602) in stateless revisions, for a result that does not fit."""
    if key.name != ELICIT:
        return
    binding: Binding = context.connection.session.binding
    wrong = elicitation.answer_mismatch(binding, params, result, own=True)
    if wrong is None:
        return
    if binding.era == "stateless":
        raise ResponseError(INVALID_PARAMS, "Invalid params", {"reason": f"inputResponses: {wrong}"})
    text = f"{key.name}: the client's result does not fit: {wrong}"
    raise ProtocolError(text)


def undeclared_capability(binding: Binding, capabilities: Any, key: RequestMethod[Any, Any], params: Any) -> str | None:
    """Return the first capability that a request needs and a client has not declared; None if there is none."""
    if key.capability is not None and not binding.declares(capabilities, key.capability):
        return key.capability
    if key.name not in (ELICIT, SAMPLE):
        return None
    # A client may ignore the wish for context (Sampling: Capabilities).
    needed = (path for path in _required(binding, key, params) if path != "sampling.context")
    return next((path for path in needed if not _declares(binding, capabilities, path)), None)


def check_incoming_request(context: Any, key: RequestMethod[Any, Any], params: Any) -> None:
    """Raise `ResponseError`, or `ProtocolError` in stateless revisions, for a request that is not allowed."""
    session = context.connection.session
    binding: Binding = session.binding
    path = undeclared_capability(binding, session.capabilities, key, params)
    if path is not None:
        situation: Situation = "undeclared elicitation mode" if key.name == ELICIT else "undeclared sampling tools"
        raise _refused(binding, key, situation, f"this client has not declared {path!r}")
    if key.name == SAMPLE:
        wrong = sampling.find_imbalance(params.messages)
        if wrong is not None:
            raise _refused(binding, key, *wrong)
    elif elicitation.mode_of(binding, params) == "url":
        elicitation.pages_of(session).expect(elicitation.page_of(binding, params))


def finish_result(context: Any, key: RequestMethod[Any, Any], params: Any, result: Any) -> Any:
    """Return the client's result with defaults filled in; raise `WrongResult` for one that does not fit its request."""
    if key.name != ELICIT or not isinstance(result, context.connection.session.binding.types.ElicitResult):
        return result
    binding: Binding = context.connection.session.binding
    wrong: object = None
    try:
        # Constructors do not validate, and the content that a result must have depends on its action.
        binding.codec.unstructure(result)
    except EncodeError as fault:
        wrong = fault
    else:
        result = elicitation.with_defaults(binding, params, result)
        wrong = elicitation.answer_mismatch(binding, params, result, own=False)
    if wrong is not None:
        text = f"the result of {key.name} does not fit: {wrong}"
        raise WrongResult(text)
    return result


def _required(binding: Binding, key: RequestMethod[Any, Any], params: Any) -> list[str]:
    module: Any = sampling if key.name == SAMPLE else elicitation
    paths = module.required_capabilities(binding, params)
    known = binding.capabilities["client"]
    return [path for path in paths if path in known]


def _declares(binding: Binding, capabilities: Any, path: str) -> bool:
    if binding.declares(capabilities, path):
        return True
    # A client that declares no mode supports forms (Elicitation: Capabilities).
    return path == "elicitation.form" and not binding.declares(capabilities, "elicitation.url")


def _refused(binding: Binding, key: RequestMethod[Any, Any], situation: Situation, reason: str) -> Exception:
    if binding.era == "stateless":
        return ProtocolError(f"the server has sent a wrong {key.name}: {reason}")
    message = _MESSAGES.get(situation, "Invalid params")
    return ResponseError(ERROR_CODES[situation], message, {"reason": reason})


_MESSAGES = {
    "tool results incomplete": "Tool result missing in request",
    "tool results mixed": "Tool results mixed with other content",
}
