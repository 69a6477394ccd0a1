"""Texts that are nearly messages: valid ones with bytes and values put in, taken out and exchanged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from mcp_bindgen import catalog
from mcp_bindgen.ir.protocol import ObjectOf
from strategies.values import Values

TOKENS = (
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b'"',
        b"\\",
        b"\\u",
        b"\\ud83d",
        b"\\ude00",
        b"\\u0000",
        b"\\ud800",
        b"-",
        b"+",
    ),
    *(
        b"0",
        b"-0",
        b"1.0",
        b"1e5",
        b"1e400",
        b"-1e999",
        b"9" * 18,
        b"9" * 19,
        b"9" * 25,
        b"9" * 5000,
        b"0.1",
        b"1E+2",
        b"01",
    ),
    *(
        b"true",
        b"false",
        b"null",
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"undefined",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\xc0\x80",
    ),
    *(
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\x00",
        b"\x1f",
        b"\x7f",
        b"\xe2\x80\xa8",
        b" ",
        b"\n",
        b"\r\n",
        b"\t",
        b"\x0b",
    ),
    *(
        b'"method":',
        b'"id":',
        b'"result":',
        b'"error":',
        b'"jsonrpc":"2.0"',
        b'"params":{}',
        b'"_meta":{}',
        b'"type":"text"',
    ),
    *(
        b"[" * 600,
        b'{"a":' * 600,
        b"[[]]",
        b"{}",
        b"[]",
        b'""',
        b'{"":""}',
        b'{"a":1,"a":2}',
        b"// c\n",
        b"/**/",
        b"'a'",
    ),
)


IDS = {"tools/call": 1, "tools/list": "a", "resources/read": 2}
"""Requests that are taken to have been sent, and their ids."""


def seeds(revision: str, random: Random) -> Iterator[bytes]:
    """Valid messages of a revision, without end."""
    protocol = catalog.load(revision)
    values = Values(protocol)
    while True:
        method = random.choice(list(protocol.methods.values()))
        if method.embedded or random.random() < 0.4:
            if method.result is None:
                continue
            result: Any = values.drawn(method.result, random)
            message: Any = {"jsonrpc": "2.0", "id": IDS.get(method.name, 7), "result": result}
        else:
            message = values.drawn(ObjectOf(method.interface), random)
        yield json.dumps(message, ensure_ascii=random.random() < 0.3).encode()


def mutated(data: bytes, other: bytes, random: Random) -> bytes:
    """The text after one to four changes, perhaps with a part of another one in it."""
    for _ in range(random.choice([1, 1, 1, 2, 3, 4])):
        start = random.randrange(len(data) + 1)
        end = min(len(data), start + random.choice([0, 0, 1, 1, 2, 5, 20]))
        kind = random.random()
        if kind < 0.45:
            put = random.choice(TOKENS)
        elif kind < 0.6:
            put = b""
        elif kind < 0.75:
            put = bytes([random.randrange(256)])
        elif kind < 0.9:
            begin = random.randrange(len(other) + 1)
            put = other[begin : begin + random.choice([1, 5, 20, 80])]
        else:
            begin = random.randrange(len(data) + 1)
            put = data[begin : begin + random.choice([1, 5, 20, 80])]
        data = data[:start] + put + data[end:]
    return data
