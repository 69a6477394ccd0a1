"""Clients of one server: the functions behind the typed methods of the classes that ``mcp-codegen client`` emits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import UsageError
from ..features.uri_templates import expand
from ..methods import RequestMethod

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from ..codec.codec import Codec
    from ..codec.record import Record
    from .any_client import AnyClient, OnProgress
    from .any_results import AnyCallToolResult, AnyGetPromptResult, AnyReadResourceResult


class ServerClient:
    """Base of the client of one server, which calls its tools through a client of any revision."""

    codec: ClassVar[Codec[Any]]
    """Codec of the types of the tools."""

    def __init__(self, client: AnyClient) -> None:
        """Wrap a connected client, which ``close`` closes. Raise ``UsageError`` for anything else."""
        if not callable(getattr(client, "call_tool", None)):
            raise _not_a_client(type(self).__name__, client)
        self.client = client
        """The client that sends the requests."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.client.close()

    def _call_tool(
        self,
        name: str,
        arguments: Record | Mapping[str, Any] | None,
        timeout: float | None,
        on_progress: OnProgress | None,
    ) -> AnyCallToolResult:
        """Return the result of a tool; raise ``ToolFailed``, with the result, if the tool reports an error."""
        encoded = None if arguments is None else self.codec.unstructure(arguments)
        result: AnyCallToolResult = self.client.call_tool(name, encoded, timeout=timeout, on_progress=on_progress)
        result.raise_for_error()
        return result

    def _call_tool_for_data(
        self,
        name: str,
        arguments: Record | Mapping[str, Any] | None,
        timeout: float | None,
        on_progress: OnProgress | None,
    ) -> Any:
        """Return the structured content of a tool's result in its type; raise ``DecodeError`` and ``ProtocolError``, too."""
        result = self._call_tool(name, arguments, timeout, on_progress)
        return self.codec.decode_result(_key(name), result.data)

    def _read_resource(
        self, template: str, values: Mapping[str, str], timeout: float | None, on_progress: OnProgress | None
    ) -> AnyReadResourceResult:
        """Return the resource at the URI of a template."""
        return self._read_uri(expand(template, values), timeout, on_progress)

    def _read_uri(self, uri: str, timeout: float | None, on_progress: OnProgress | None) -> AnyReadResourceResult:
        """Return the resource at a URI."""
        result: AnyReadResourceResult = self.client.read_resource(uri, timeout=timeout, on_progress=on_progress)
        return result

    def _get_prompt(
        self, name: str, arguments: Mapping[str, str | None], timeout: float | None, on_progress: OnProgress | None
    ) -> AnyGetPromptResult:
        """Return a prompt; arguments that are None are left out."""
        present = {key: value for key, value in arguments.items() if value is not None}
        result: AnyGetPromptResult = self.client.get_prompt(
            name, present or None, timeout=timeout, on_progress=on_progress
        )
        return result


def _not_a_client(name: str, value: object) -> UsageError:
    from ..module_calls import connect_instead

    if isinstance(value, str | list | tuple):
        instead = connect_instead(value, name)
    else:
        instead = f"{connect_instead(value)}, and pass what that returns"
    return UsageError(f"{name} must be called with a connected client, got {value!r}; {instead}")


def _key(name: str) -> RequestMethod[Any, Any]:
    """Return the key by which the codec finds the type of a tool's result."""
    return RequestMethod(name=name, message=None, params=None, result=None, sent_by=("client",))
