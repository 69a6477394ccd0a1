"""Servers that answer from a recording."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from ..binding import Binding
from ..codec.codec import Codec
from ..connection.context import Context
from ..errors import DecodeError, McpError, ResponseError, UsageError
from ..jsonrpc import INTERNAL_ERROR
from ..logs import write_log
from ..server.server import Server
from ..server.stand_in import stand_in_for
from .recording import RecordedMessage, read_recording
from .sessions import ANSWERED_BY_SESSIONS, RecordedExchange, RecordedSession, Unused, sessions_of
from .tape import Tape

_PROGRESS = "notifications/progress"
_LOG = "notifications/message"
_SET_LEVEL = "logging/setLevel"


class Replay:
    """The servers of a recording, one for each revision in it, and the messages that they do not use.

    ``ignore`` are the JSON Pointers of `Tape`, ``revision`` is that of sessions that name none. Raise ``UsageError`` for a
    recording that has no message or none of an installed revision, and for a message that is not valid in its revision.
    """

    def __init__(
        self, messages: Iterable[RecordedMessage], *, ignore: Sequence[str] = (), revision: str | None = None
    ) -> None:
        sessions = sessions_of(messages, revision)
        self.unused: list[Unused] = [unused for each in sessions for unused in each.unused]
        """The messages that no request brings back."""
        by_revision: dict[str, list[RecordedSession]] = {}
        for each in sessions:
            by_revision.setdefault(each.binding.revision, []).append(each)
        self.servers: list[Server] = [self._server(each, ignore) for each in by_revision.values()]
        """The servers, in the order in which their revisions occur."""

    def _server(self, sessions: list[RecordedSession], ignore: Sequence[str]) -> Server:
        binding = sessions[0].binding
        tape = Tape((exchange for each in sessions for exchange in each.exchanges), ignore)
        described = next((each for each in sessions if each.server_info is not None), sessions[0])
        server = _new_server(described)
        requested = {name: key for name, key in binding.requests.items() if "client" in key.sent_by}
        for key in requested.values():
            if key.name not in ANSWERED_BY_SESSIONS and not key.embedded:
                server.handler(key)(partial(_answer, tape, key))
        for session in sessions:
            for each in session.exchanges:
                if each.method not in requested:
                    self.unused.append(Unused(each.place, f"clients of {binding.revision} send no {each.method}"))
                else:
                    _check_answer(each, requested[each.method], binding.codec)
        return server


def replay_servers(path: str | os.PathLike[str], ignore: Sequence[str] = ()) -> list[Server]:
    """Return the servers of the recording in a file; log the messages that they do not use. Raise as `Replay`."""
    replay = Replay(read_recording(path), ignore=ignore)
    for each in replay.unused:
        write_log("info", "%s: not replayed: %s", each.place, each.reason)
    return replay.servers


def _new_server(session: RecordedSession) -> Server:
    """Return a server of the session's revision, with the recorded name, capabilities and instructions."""
    codec, types = session.binding.codec, session.binding.types
    info = session.server_info
    return stand_in_for(
        session.binding.revision,
        info=None if info is None else _decoded(codec, info, types.Implementation, "the server's name"),
        capabilities=_decoded(codec, session.capabilities or {}, types.ServerCapabilities, "capabilities"),
        instructions=session.instructions if isinstance(session.instructions, str) else None,
        limits=False,
    )


def _answer(tape: Tape, key: Any, params: Any, context: Any) -> Any:
    """Send what the recording has between a request and its answer, and return the result or raise the error."""
    codec: Codec[Any] = context.connection.session.binding.codec
    if key.name == _SET_LEVEL:
        context.connection.session.log_level = params.level
        if key.name not in tape.methods:
            return None
    exchange = tape.find(key.name, None if params is None else codec.unstructure(params))
    for message in exchange.during:
        _send(context, message)
    answer = exchange.answer
    if answer is None:
        reason = f"{exchange.place}: the recording has no answer to this request"
        raise ResponseError(INTERNAL_ERROR, "Not in the recording", {"reason": reason})
    if "error" in answer:
        error = answer["error"]
        raise ResponseError(error["code"], error["message"], error.get("data"))
    return codec.decode_result(key, answer.get("result"))


def _send(context: Context, message: dict[str, Any]) -> None:
    """Send a recorded request or notification of the server within a request."""
    binding: Binding = context.connection.session.binding
    method, params = message["method"], message.get("params")
    if "id" in message:
        key: Any = binding.requests[method]
        try:
            context.request(key, binding.codec.structure(params, key.params) if params is not None else None)
        except (ResponseError, UsageError) as refused:
            # The recorded result may be the server's reaction to a refusal, too.
            write_log("info", "%s: %s", method, refused)
        return
    notification = binding.notifications.get(method)
    if notification is None:
        write_log("info", "%s is no notification of %s; it is not replayed", method, binding.revision)
    elif method == _PROGRESS:
        typed = binding.codec.structure(params, notification.params)
        context.progress(typed.progress, typed.total, getattr(typed, "message", None))
    else:
        found: Any = None if params is None else binding.codec.structure(params, notification.params)
        if method == _LOG:
            server_context: Any = context
            if server_context.wants_log(found.level):
                server_context.send_log(found)
        else:
            _announce(context, message)


def _announce(context: Context, message: dict[str, Any]) -> None:
    """Send a recorded notification that belongs to no request; without handshake, to those who have subscribed to it."""
    binding = context.connection.session.binding
    key = binding.notifications[message["method"]]
    recorded: dict[str, Any] = message.get("params") or {}
    params = {name: value for name, value in recorded.items() if name != "_meta"}
    typed = binding.codec.structure(params, key.params) if params else None
    try:
        if binding.era == "handshake":
            context.notify(key, typed)
        else:
            uri = params.get("uri")
            context.peer.announce(key.name, typed, about=(uri,) if isinstance(uri, str) else ())
    except McpError as fault:
        write_log("info", "%s is not replayed: %s", key.name, fault)


def _check_answer(exchange: RecordedExchange, key: Any, codec: Codec[Any]) -> None:
    """Raise ``UsageError`` if a recorded result is not valid in the revision."""
    if exchange.answer is None or "result" not in exchange.answer:
        return
    try:
        codec.decode_result(key, exchange.answer["result"])
    except DecodeError as fault:
        text = f"{exchange.place}: the recorded result of {exchange.method} is not valid: {fault}"
        raise UsageError(text) from None


def _decoded(codec: Codec[Any], value: Any, cls: Any, what: str) -> Any:
    try:
        return codec.structure(value, cls)
    except DecodeError as fault:
        text = f"the recording is not valid: {what}: {fault}"
        raise UsageError(text) from None
