"""mcp-types 2.x by its public functions: the envelope's adapter, then ``parse_*`` for the revision.

``parse_*`` takes parsed params and results, so the package's adapter of JSON-RPC messages reads the text, as in its
SDK. Writing is the reverse: ``model_dump``, for results of servers ``serialize_server_result`` (without it, members of
later revisions appear), and ``model_dump_json`` of the envelope.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

import pydantic_core
from mcp_types import methods
from mcp_types.jsonrpc import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import BaseModel, TypeAdapter

from benchmarks.contenders import Work
from benchmarks.corpus import Message

_read_envelope: Callable[..., Any] = jsonrpc_message_adapter.validate_json
_DUMP: dict[str, Any] = {"by_alias": True, "mode": "json", "exclude_none": True}


@functools.cache
def _adapter(method: str) -> TypeAdapter[Any]:
    result: Any = methods.MONOLITH_RESULTS[method]
    return TypeAdapter(result)


def _write_envelope(envelope: BaseModel) -> bytes:
    return envelope.model_dump_json(by_alias=True, exclude_unset=True).encode()


class Official:
    """One revision, by the functions for the side that sends the message."""

    def __init__(self, revision: str) -> None:
        self._revision = revision

    def decoder(self, message: Message) -> Callable[[bytes], Any]:
        """Return the reading of the id, which the typed values lack, and of the typed value."""
        parse, revision, method = self._parse(message), self._revision, message.answers
        if method is not None:

            def decode_result(data: bytes) -> Any:
                envelope = _read_envelope(data, by_name=False)
                return envelope.id, parse(method, revision, envelope.result)

            return decode_result
        if message.id is not None:

            def decode_request(data: bytes) -> Any:
                envelope = _read_envelope(data, by_name=False)
                return envelope.id, parse(envelope.method, revision, envelope.params)

            return decode_request

        def decode_notification(data: bytes) -> Any:
            envelope = _read_envelope(data, by_name=False)
            return None, parse(envelope.method, revision, envelope.params)

        return decode_notification

    def _parse(self, message: Message) -> Callable[..., Any]:
        kind = "result" if message.answers else "notification" if message.id is None else "request"
        parse: Callable[..., Any] = getattr(methods, f"parse_{message.sender}_{kind}")
        return parse

    def encoder(self, message: Message) -> Callable[[Any], bytes]:
        revision, method = self._revision, message.answers
        if method is not None:
            of_server = message.sender == "server"

            def encode_result(made: tuple[Any, Any]) -> bytes:
                result = made[1].model_dump(**_DUMP)
                if of_server:
                    result = methods.serialize_server_result(method, revision, result)
                return _write_envelope(JSONRPCResponse(jsonrpc="2.0", id=made[0], result=result))

            return encode_result
        if message.id is not None:
            return lambda made: _write_envelope(
                JSONRPCRequest(jsonrpc="2.0", id=made[0], **made[1].model_dump(**_DUMP))
            )
        return lambda made: _write_envelope(JSONRPCNotification(jsonrpc="2.0", **made[1].model_dump(**_DUMP)))

    def other(self, work: str, message: Message) -> Work:
        """Return the shortest works, which skip the checks of the revision."""
        if work == "short decode":
            return Work(self._short_decoder(message), message.data)
        if work == "short encode":
            return Work(self._short_encoder(message), self.decoder(message)(message.data))
        raise LookupError(work)

    def _short_encoder(self, message: Message) -> Callable[[Any], bytes]:
        is_result = message.answers is not None

        def encode(made: tuple[Any, Any]) -> bytes:
            identity, typed = made
            head = {"jsonrpc": "2.0"} if identity is None else {"jsonrpc": "2.0", "id": identity}
            body = {"result": typed} if is_result else {"method": typed.method, "params": typed.params}
            return pydantic_core.to_json({**head, **body}, by_alias=True, exclude_none=True)

        return encode

    def _short_decoder(self, message: Message) -> Callable[[bytes], Any]:
        if message.answers is not None:
            read: Callable[..., Any] = _adapter(message.answers).validate_python

            def decode_result(data: bytes) -> Any:
                envelope = _read_envelope(data, by_name=False)
                return envelope.id, read(envelope.result, by_name=False)

            return decode_result
        tables: dict[str, Any] = {**methods.MONOLITH_REQUESTS, **methods.MONOLITH_NOTIFICATIONS}
        kind = tables[message.method or ""]

        def decode(data: bytes) -> Any:
            envelope = _read_envelope(data, by_name=False)
            body = {"method": envelope.method}
            if envelope.params is not None:
                body["params"] = envelope.params
            return envelope, kind.model_validate(body, by_name=False)

        return decode

    def versions(self) -> Mapping[str, str]:
        return {name: version(name) for name in ("mcp-types", "pydantic")}


def make(name: str, revision: str) -> Official:
    return Official(revision)
