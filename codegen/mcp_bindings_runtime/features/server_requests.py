"""What servers may ask clients, held against what both have declared and to the form that the text wants.

Before a question is sent, and when it comes, that it may be asked; before an answer is sent, and when it comes, that it
is one. What fails on the own side raises UsageError, and nothing is sent.
"""

from __future__ import annotations

from typing import Any

from ..binding import Binding
from ..errors import NotDeclared, ProtocolError, ResponseError, UsageError
from ..jsonrpc import INVALID_PARAMS, MISSING_CLIENT_CAPABILITY
from ..methods import RequestMethod
from . import elicitation, sampling
from .client_methods import ELICIT, SAMPLE
from .error_codes import ERROR_CODES, Situation


def check_question(context: Any, key: RequestMethod[Any, Any], params: Any) -> None:
    """Before a server sends it: raises UsageError, or ResponseError (-32021) where every request stands alone."""
    binding: Binding = context.connection.session.binding
    top = key.capability or ""
    if not binding.declares(context.peer_capabilities, top):
        # Without that, nothing of it may be asked at all, which is said elsewhere.
        return
    for path in _takes(binding, key, params):
        if not _declares(binding, context.peer_capabilities, path):
            if binding.era == "stateless":
                raise _missing(path)
            text = f"{key.name} takes the capability {path!r} with these params, which the client has not declared"
            raise NotDeclared(text)
    if key.name == SAMPLE:
        wrong = sampling.imbalance(params.messages)
        if wrong is not None:
            raise UsageError(wrong[1])
    elif elicitation.mode_of(params) == "url":
        elicitation.check_url(params.url)


def check_answer(context: Any, key: RequestMethod[Any, Any], params: Any, answer: Any) -> None:
    """When it comes to a server: raises ProtocolError, or ResponseError (-32602) where it came with a request."""
    if key.name != ELICIT:
        return
    binding: Binding = context.connection.session.binding
    wrong = elicitation.misfit(binding, params, answer, own=True)
    if wrong is None:
        return
    if binding.era == "stateless":
        raise ResponseError(INVALID_PARAMS, "Invalid params", {"reason": f"inputResponses: {wrong}"})
    text = f"{key.name}: the client's answer does not fit: {wrong}"
    raise ProtocolError(text)


def admit(context: Any, key: RequestMethod[Any, Any], params: Any) -> None:
    """When it comes to a client: raises ResponseError, or ProtocolError where servers are sent no errors."""
    session = context.connection.session
    binding: Binding = session.binding
    for path in _takes(binding, key, params):
        # A client may pass over the wish for context (Sampling: Capabilities).
        if path != "sampling.context" and not _declares(binding, session.capabilities, path):
            situation: Situation = "undeclared elicitation mode" if key.name == ELICIT else "undeclared sampling tools"
            raise _refused(binding, key, situation, f"this client has not declared {path!r}")
    if key.name == SAMPLE:
        wrong = sampling.imbalance(params.messages)
        if wrong is not None:
            raise _refused(binding, key, *wrong)
    elif elicitation.mode_of(params) == "url":
        elicitation.pages_of(session).expect(getattr(params, "elicitation_id", None))


def finish(context: Any, key: RequestMethod[Any, Any], params: Any, answer: Any) -> Any:
    """Before a client sends it: the answer, with defaults filled in; raises UsageError for one that is none."""
    if key.name != ELICIT or not isinstance(answer, context.connection.session.binding.types.ElicitResult):
        return answer
    binding: Binding = context.connection.session.binding
    filled = elicitation.filled(binding, params, answer)
    wrong = elicitation.misfit(binding, params, filled, own=False)
    if wrong is not None:
        text = f"the answer to {key.name} does not fit: {wrong}"
        raise UsageError(text)
    return filled


def _takes(binding: Binding, key: RequestMethod[Any, Any], params: Any) -> list[str]:
    paths = sampling.takes(params) if key.name == SAMPLE else elicitation.takes(params)
    known = binding.capabilities["client"]
    return [path for path in paths if path in known]


def _declares(binding: Binding, capabilities: Any, path: str) -> bool:
    if binding.declares(capabilities, path):
        return True
    # Who names no mode has forms (Elicitation: Capabilities).
    return path == "elicitation.form" and not binding.declares(capabilities, "elicitation.url")


def _missing(path: str) -> ResponseError:
    required: Any = {}
    for part in reversed(path.split(".")):
        required = {part: required}
    return ResponseError(
        MISSING_CLIENT_CAPABILITY, "Missing required client capability", {"requiredCapabilities": required}
    )


def _refused(binding: Binding, key: RequestMethod[Any, Any], situation: Situation, reason: str) -> Exception:
    if binding.era == "stateless":
        return ProtocolError(f"the server asks for {key.name} as it may not: {reason}")
    message = _MESSAGES.get(situation, "Invalid params")
    return ResponseError(ERROR_CODES[situation], message, {"reason": reason})


_MESSAGES = {
    "tool results incomplete": "Tool result missing in request",
    "tool results mixed": "Tool results mixed with other content",
}
