"""Read and write ``_meta`` of params and results.

Until 2025-06-18 the params of most methods do not declare ``_meta``; it is then kept in ``extra``. A *meta class* is the
class of a declared ``_meta``, ``dict`` for a JSON object, or None if it is not declared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .jsonrpc import RequestId

_KEY = "_meta"


def member(value: Any, *keys: str) -> Any:
    """Return the value at a path of keys in a JSON value; None if there is none."""
    for key in keys:
        if value.__class__ is not dict:
            return None
        value = value.get(key)
    return value


def token_in(meta: Any) -> RequestId | None:
    """Return the progress token in ``_meta``; None if there is none."""
    token: Any = meta.get("progressToken") if meta.__class__ is dict else getattr(meta, "progress_token", None)
    return token if token.__class__ in {str, int} else None


def meta_of(params: Any, *, declared: bool) -> Any:
    """Return ``_meta`` of params: an object of the revision, a dict, or None; ``declared`` if their type declares it."""
    if params is None:
        return None
    if declared:
        return params.meta
    extra = params.extra
    return None if extra is None else extra.get(_KEY)


def with_entries(value: Any, entries: Mapping[str, Any], meta_class: Any) -> Any:
    """Return a copy of params or of a result with further entries of ``_meta``."""
    if meta_class is None:
        extra: dict[str, Any] = value.extra or {}
        current: Any = extra.get(_KEY)
        kept: dict[str, Any] = current if current.__class__ is dict else {}
        return value.__replace__(extra={**extra, _KEY: {**kept, **entries}})
    current = meta_class() if value.meta is None else value.meta
    if current.__class__ is dict:
        return value.__replace__(meta={**current, **entries})
    return value.__replace__(meta=current.__replace__(extra={**(current.extra or {}), **entries}))


def with_token(params: Any, token: RequestId, meta_class: Any) -> Any:
    """Return a copy of params that asks for progress notifications under a token."""
    if meta_class is None or meta_class is dict:
        return with_entries(params, {"progressToken": token}, meta_class)
    current = meta_class() if params.meta is None else params.meta
    return params.__replace__(meta=current.__replace__(progress_token=token))
