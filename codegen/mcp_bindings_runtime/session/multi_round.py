"""Requests to the client inside a stateless request (2026-07-28, Multi Round-Trip Requests).

In every round the handler runs again from its start. The client's earlier responses come back in ``requestState``, which
the client can neither read nor change, and which is valid for one request and a limited time.

A state is ``payload.signature``, both base64url without padding. The payload is JSON: ``e`` is the time of expiry (seconds
since 1970), ``r`` a digest of the request, ``p`` a digest of the sender (null if the transport does not authenticate),
``a`` the list of ``[question, response]`` so far, where a question is a digest of its method and params, and ``q`` the
current question. The signature is the HMAC-SHA256 of the encoded payload.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, overload

from ..binding import Binding
from ..errors import DecodeError, ResponseError
from ..jsonrpc import INVALID_PARAMS, MISSING_CLIENT_CAPABILITY, ErrorObject
from ..methods import RequestMethod
from .control_flow import InputNeeded

_FORGED = "requestState was changed, or is of a process with another key; send the request again without it"
_FOREIGN = "requestState belongs to another request"
_STOLEN = "requestState belongs to another user"
_EXPIRED = "requestState has expired; send the request again without it"


class RequestStates:
    """Writes and reads signed states.

    ``key`` signs them: at least 32 secret bytes, the same for all processes of one endpoint. ``lifetime`` is in seconds;
    ``now`` returns seconds since 1970.
    """

    def __init__(self, key: bytes, lifetime: float, now: Callable[[], float]) -> None:
        self._key = key
        self._lifetime = lifetime
        self._now = now

    def seal(self, request: str, principal: str | None, answers: list[list[Any]], question: str) -> str:
        """Return the state for the next round."""
        payload = {
            "e": self._now() + self._lifetime,
            "r": request,
            "p": _sha256(principal),
            "a": answers,
            "q": question,
        }
        encoded = _base64(json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode())
        return f"{encoded}.{self._sign(encoded)}"

    def open(self, state: str, request: str, principal: str | None) -> tuple[list[list[Any]], str]:
        """Return the responses in a state, and the question whose response comes with it.

        Raise ``ResponseError`` (-32602) for a state that is forged, expired, of another request or of another user.
        """
        import hmac
        from base64 import urlsafe_b64decode

        encoded, _, signature = state.partition(".")
        if not hmac.compare_digest(self._sign(encoded).encode(), signature.encode()):
            raise _invalid_params(_FORGED)
        payload = json.loads(urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
        if payload["r"] != request:
            raise _invalid_params(_FOREIGN)
        if payload["p"] != _sha256(principal):
            raise _invalid_params(_STOLEN)
        if payload["e"] < self._now():
            raise _invalid_params(_EXPIRED)
        answers: list[list[Any]] = payload["a"]
        question: str = payload["q"]
        return answers, question

    def _sign(self, encoded: str) -> str:
        import hmac

        return _base64(hmac.digest(self._key, encoded.encode(), "sha256"))


class Round:
    """One round of a request; ``principal`` is the authenticated sender.

    Raise ``ResponseError`` (-32602) if the request's state is not valid.
    """

    def __init__(
        self,
        binding: Binding,
        states: RequestStates,
        key: RequestMethod[Any, Any],
        params: Any,
        principal: str | None = None,
    ) -> None:
        self._binding = binding
        self._states = states
        self._capabilities = params.meta.client_capabilities
        first = params.__replace__(input_responses=None, request_state=None)
        self._request = digest_of(key.name, binding.codec.unstructure(first))
        self._principal = principal
        self._answers: list[list[Any]] = []
        self._questions = 0
        if params.request_state is None:
            return
        self._answers, awaited = states.open(params.request_state, self._request, principal)
        # Each round has one question; other responses were not asked for.
        responses: dict[str, Any] = params.input_responses or {}
        response = responses.get(_name(len(self._answers)))
        if response is not None:
            self._answers.append([awaited, binding.codec.unstructure(response)])

    def answer(self, key: RequestMethod[Any, Any], params: Any) -> Any:
        """Return the client's response to a request; raise ``InputNeeded`` if it must be sent first."""
        binding = self._binding
        require_capability(binding, self._capabilities, key)
        request = key.message(params=params)
        question = digest_of(key.name, binding.codec.unstructure(request))
        index = self._questions
        self._questions += 1
        name = _name(index)
        if index < len(self._answers):
            earlier, answer = self._answers[index]
            if earlier != question:
                text = f"question {index + 1} differs from the round before; ask the same questions in the same order"
                raise RuntimeError(text)
            try:
                return binding.codec.decode_result(key, answer)
            except DecodeError as error:
                reason = f"inputResponses, {name}: {error}"
                raise _invalid_params(reason) from None
        state = self._states.seal(self._request, self._principal, self._answers, question)
        raise InputNeeded(name, request, state)


def require_capability(binding: Binding, capabilities: Any, key: RequestMethod[Any, Any]) -> None:
    """Raise ``ResponseError`` (-32021) if the client has not declared that it answers a request."""
    if key.capability is None or binding.declares(capabilities, key.capability):
        return
    raise ResponseError(*missing_capability(key.name, key.capability))


def missing_capability(method: str, path: str) -> ErrorObject:
    """Return the error -32021 for a request that needs the capability with this path, such as ``sampling.tools``."""
    required: dict[str, Any] = {}
    for part in reversed(path.split(".")):
        required = {part: required}
    reason = f"{method} needs the capability {path!r}, which the client has not declared"
    data = {"requiredCapabilities": required, "reason": reason}
    return ErrorObject(MISSING_CLIENT_CAPABILITY, "Missing required client capability", data)


def _name(index: int) -> str:
    """Return the key of a question in ``inputRequests``."""
    return f"question-{index + 1}"


def digest_of(method: str, params: dict[str, Any]) -> str:
    """Return the digest of the params without ``_meta``, which may differ between rounds."""
    params = {key: item for key, item in params.items() if key != "_meta"}
    return _sha256(json.dumps([method, params], separators=(",", ":"), sort_keys=True))


@overload
def _sha256(text: str) -> str: ...
@overload
def _sha256(text: str | None) -> str | None: ...
def _sha256(text: str | None) -> str | None:
    import hashlib

    return None if text is None else hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _invalid_params(reason: str) -> ResponseError:
    return ResponseError(INVALID_PARAMS, "Invalid params", {"reason": reason})


def _base64(data: bytes) -> str:
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(data).rstrip(b"=").decode()
