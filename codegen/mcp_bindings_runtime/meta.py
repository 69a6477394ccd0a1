"""``_meta`` of params and results, wherever a revision has put it.

Until 2025-06-18 the params of most methods do not declare ``_meta``: it then lies among the undeclared members, in
``extra``.
"""

from __future__ import annotations

from typing import Any

from .jsonrpc import RequestId

_KEY = "_meta"


def member(value: Any, *keys: str) -> Any:
    """What lies under keys, one within the other, in a JSON value; None where nothing does."""
    for key in keys:
        if value.__class__ is not dict:
            return None
        value = value.get(key)
    return value


def token_in(meta: Any) -> RequestId | None:
    """The progress token in ``_meta``, of which there may be none."""
    token: Any = meta.get("progressToken") if meta.__class__ is dict else getattr(meta, "progress_token", None)
    return token if token.__class__ in {str, int} else None


def entries_of(params: Any) -> Any:
    """``_meta`` of params or of a result: an object of the revision, a dict, or None."""
    if params is None:
        return None
    if "meta" in params.__slots__:
        return params.meta
    extra = params.extra
    return None if extra is None else extra.get(_KEY)


def with_token(params: Any, token: RequestId, types: Any) -> Any:
    """A copy of params that asks for progress under this token."""
    current = entries_of(params)
    if "meta" not in params.__slots__:
        kept: dict[str, Any] = current if current.__class__ is dict else {}
        entries = {**kept, "progressToken": token}
        return params.__replace__(extra={**(params.extra or {}), _KEY: entries})
    if current is None:
        name = params.__class__.__annotations__["meta"].partition(" ")[0]
        current = getattr(types, name)()
    return params.__replace__(meta=current.__replace__(progress_token=token))
