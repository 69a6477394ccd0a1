"""Client of the official Python SDK that logs a user in: ``sdk_oauth_client.py MODE URL`` prints what it has seen."""

import asyncio
import json
import sys
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata


class Storage:
    """Tokens in memory."""

    def __init__(self) -> None:
        self.tokens: Any = None
        self.client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


async def main(mode: str, url: str) -> dict[str, Any]:
    asked: list[str | None] = []
    answers: list[AuthorizationCodeResult] = []

    async def redirect(place: str) -> None:
        asked.append(parse_qs(urlsplit(place).query).get("scope", [None])[0])
        async with httpx2.AsyncClient() as browser:
            answer = await browser.get(place, follow_redirects=False)
        query = parse_qs(urlsplit(answer.headers["location"]).query)
        parts = {name: query[name][0] for name in ("code", "state", "iss") if name in query}
        answers.append(AuthorizationCodeResult(**parts))

    async def callback() -> AuthorizationCodeResult:
        return answers[-1]

    metadata = OAuthClientMetadata(redirect_uris=["http://localhost:3000/callback"], client_name="the SDK")
    provider = OAuthClientProvider(url, metadata, Storage(), redirect, callback)
    async with (
        httpx2.AsyncClient(auth=provider, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        tools = await client.list_tools()
        read = await client.call_tool("read", {})
        before = list(asked)
        write = await client.call_tool("write", {})
        return {
            "revision": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "texts": [read.content[0].text, write.content[0].text],
            "asked": [before, asked],
        }


print(json.dumps(asyncio.run(main(*sys.argv[1:]))))
