"""Questions to the client inside a request that stands alone (2026-07-28, Multi Round-Trip Requests).

A handler that asks is run from its start in every round. What was answered in earlier rounds comes back with the
request, in ``requestState``: the client cannot read meaning into it nor change it, and it is good for this request
only, for a while.

The state is ``payload.signature``, both base64url without padding. The payload is JSON: ``e`` the time when it expires
(seconds since 1970), ``r`` a digest of the request it belongs to, ``p`` a digest of who sent it (null where the transport
does not know), ``a`` the answers so far: a list of ``[question, answer]``, where a question is a digest of its method and
params, ``q`` the question that is asked now. The signature is HMAC-SHA256 of the payload as it is written.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, overload

from ..binding import Binding
from ..errors import DecodeError, ResponseError
from ..jsonrpc import INVALID_PARAMS, MISSING_CLIENT_CAPABILITY
from ..methods import RequestMethod
from .control_flow import InputNeeded

_FORGED = "requestState was not issued here, or was changed"
_FOREIGN = "requestState belongs to another request"
_STOLEN = "requestState belongs to another user"
_EXPIRED = "requestState has expired; send the request again without it"


class RequestStates:
    """Makes and reads states.

    ``key`` signs them: at least 32 secret bytes, the same for all processes that serve one endpoint. ``lifetime`` is in
    seconds; ``now`` gives the time in seconds since 1970.
    """

    def __init__(self, key: bytes, lifetime: float, now: Callable[[], float]) -> None:
        self._key = key
        self._lifetime = lifetime
        self._now = now

    def seal(self, request: str, principal: str | None, answers: list[list[Any]], question: str) -> str:
        """The state with which the answers come back, and that to the question too."""
        payload = {
            "e": self._now() + self._lifetime,
            "r": request,
            "p": _digest_of(principal),
            "a": answers,
            "q": question,
        }
        encoded = _base64(json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode())
        return f"{encoded}.{self._sign(encoded)}"

    def open(self, state: str, request: str, principal: str | None) -> tuple[list[list[Any]], str]:
        """The answers in a state, and the question that was asked with it.

        Raises ResponseError (-32602) for a state that is forged, expired, of another request, or of another user's.
        """
        import hmac
        from base64 import urlsafe_b64decode

        encoded, _, signature = state.partition(".")
        if not hmac.compare_digest(self._sign(encoded).encode(), signature.encode()):
            raise _bad_round(_FORGED)
        payload = json.loads(urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
        if payload["r"] != request:
            raise _bad_round(_FOREIGN)
        if payload["p"] != _digest_of(principal):
            raise _bad_round(_STOLEN)
        if payload["e"] < self._now():
            raise _bad_round(_EXPIRED)
        answers: list[list[Any]] = payload["a"]
        question: str = payload["q"]
        return answers, question

    def _sign(self, encoded: str) -> str:
        import hmac

        return _base64(hmac.digest(self._key, encoded.encode(), "sha256"))


class Round:
    """The questions of one round of one request. Raises ResponseError (-32602) for a state that is not good.

    ``principal`` is who sends the request, where the transport knows.
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
        self._request = _digest(key.name, binding.codec.unstructure(first))
        self._principal = principal
        self._answers: list[list[Any]] = []
        self._questions = 0
        if params.request_state is None:
            return
        self._answers, awaited = states.open(params.request_state, self._request, principal)
        # One question is asked in a round, so one answer is due; what else was given is not what was asked for.
        responses: dict[str, Any] = params.input_responses or {}
        given = responses.get(_name(len(self._answers)))
        if given is not None:
            self._answers.append([awaited, binding.codec.unstructure(given)])

    def answer(self, key: RequestMethod[Any, Any], params: Any) -> Any:
        """The answer to a question; raises InputNeeded where it has to be asked first."""
        binding = self._binding
        if key.capability is not None and not binding.declares(self._capabilities, key.capability):
            required: Any = {}
            for part in reversed(key.capability.split(".")):
                required = {part: required}
            raise ResponseError(
                MISSING_CLIENT_CAPABILITY, "Missing required client capability", {"requiredCapabilities": required}
            )
        request = key.message(params=params)
        question = _digest(key.name, binding.codec.unstructure(request))
        place = self._questions
        self._questions += 1
        name = _name(place)
        if place < len(self._answers):
            asked, answer = self._answers[place]
            if asked != question:
                text = f"question {place + 1} is another one than in the round before; ask the same, in the same order"
                raise RuntimeError(text)
            try:
                return binding.codec.decode_result(key, answer)
            except DecodeError as fault:
                reason = f"inputResponses, {name}: {fault}"
                raise _bad_round(reason) from None
        state = self._states.seal(self._request, self._principal, self._answers, question)
        raise InputNeeded(name, request, state)


def _name(place: int) -> str:
    """What a question is called in ``inputRequests``."""
    return f"question-{place + 1}"


def _digest(method: str, value: dict[str, Any]) -> str:
    """Of what is asked, whoever asks: ``_meta`` may change from round to round."""
    params = {key: item for key, item in value.items() if key != "_meta"}
    return _digest_of(json.dumps([method, params], separators=(",", ":"), sort_keys=True))


@overload
def _digest_of(text: str) -> str: ...
@overload
def _digest_of(text: str | None) -> str | None: ...
def _digest_of(text: str | None) -> str | None:
    import hashlib

    return None if text is None else hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _bad_round(reason: str) -> ResponseError:
    return ResponseError(INVALID_PARAMS, "Invalid params", {"reason": reason})


def _base64(data: bytes) -> str:
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(data).rstrip(b"=").decode()
