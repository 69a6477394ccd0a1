"""The parameter type for addresses to listen at."""

from __future__ import annotations

import re

import click

DEFAULT_HOST = "127.0.0.1"
_ADDRESS = re.compile(r"(?:(?P<host>[^:\s]+|\[[0-9a-fA-F:.]+\]):)?(?P<port>\d{1,5})")
_HIGHEST_PORT = 65535


class Address(click.ParamType[tuple[str, int]]):
    """``[HOST:]PORT``; the default host is 127.0.0.1."""

    name = "address"

    def convert(
        self,
        value: str,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, int]:
        """Return host and port."""
        found = _ADDRESS.fullmatch(value)
        if found is None or int(found["port"]) > _HIGHEST_PORT:
            self.fail(f"must be a port such as 8000, or HOST:PORT, got {value!r}", param, ctx)
        return (found["host"] or DEFAULT_HOST).strip("[]"), int(found["port"])
