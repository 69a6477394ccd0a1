"""Tools of a server for OpenAI's chat completions, and for the many endpoints that accept their form."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from ..client.any_client import AnyClient
from ..errors import EncodeError, ResponseError
from .server_tools import ServerTool, server_tools

_NOT_ALLOWED = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST = 64


class OpenAITools(list[dict[str, Any]]):
    """The list to pass to OpenAI as ``tools``; its method ``answer`` runs the calls that the model requests."""

    def __init__(self, client: AnyClient) -> None:
        super().__init__()
        self._tools: dict[str, ServerTool] = {}
        for tool in server_tools(client):
            name = wanted = _NOT_ALLOWED.sub("_", tool.name)[:_LONGEST]
            number = 1
            while name in self._tools:
                number += 1
                name = f"{wanted[: _LONGEST - 6]}_{number}"
            self._tools[name] = tool
            function = {"name": name, "description": tool.description, "parameters": tool.schema}
            self.append({"type": "function", "function": function})

    def answer(self, call: Any) -> dict[str, Any]:
        """Run an entry of ``message.tool_calls``, an object or a dict; return the message with the result.

        Wrong arguments of the model, and errors of the tool or the server, become the content of that message, so that the
        model can correct its call.
        """
        made = cast("dict[str, Any]", call if isinstance(call, dict) else call.model_dump())
        return {"role": "tool", "tool_call_id": made["id"], "content": self._run(made["function"])}

    def _run(self, function: dict[str, Any]) -> str:
        tool = self._tools.get(function["name"])
        if tool is None:
            return f"There is no tool {function['name']!r}; use one of {', '.join(self._tools)}."
        try:
            arguments: Any = json.loads(function.get("arguments") or "{}")
        except ValueError as error:
            return f"The arguments are not JSON: {error}."
        except RecursionError:
            return "The arguments are nested too deeply."
        if not isinstance(arguments, dict):
            return "The arguments must be a JSON object."
        try:
            return tool.call(cast("dict[str, Any]", arguments))[0]
        except EncodeError as error:
            # Python parses numbers and texts that JSON cannot express, such as NaN and half of a surrogate pair.
            return f"The arguments cannot be sent: {error}."
        except ResponseError as error:
            return f"The call failed: {error}."


def to_openai_tools(client: AnyClient) -> OpenAITools:
    """Return the server's tools in the form of OpenAI's ``tools``.

    The result is a list of dicts. Its method ``answer`` runs the calls.
    """
    return OpenAITools(client)
