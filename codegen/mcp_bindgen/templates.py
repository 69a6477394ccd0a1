"""Jinja environments over the folder of templates."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from mcp_bindgen import resources


@cache
def environment(*, autoescape: bool, finalize: Callable[[Any], Any] | None = None) -> Environment:
    """Return an environment that loads templates by their path below ``templates/``.

    A missing value is an error. Lines that hold nothing but a statement leave no trace in the text.
    """
    return Environment(
        loader=FileSystemLoader(resources.templates()),
        undefined=StrictUndefined,
        # Python code is not HTML.
        autoescape=autoescape,  # noqa: S701
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
