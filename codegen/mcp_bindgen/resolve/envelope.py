"""The JSON-RPC envelope of the messages of early revisions.

Until 2025-06-18 messages extend ``Request`` and ``Notification``, which declare neither ``jsonrpc`` nor ``id``, although
the wire has both.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from mcp_bindgen.ir.protocol import Method, ObjectType

_WHOLE = {"request": "JSONRPCRequest", "notification": "JSONRPCNotification"}


def with_envelopes(
    objects: Mapping[str, ObjectType], methods: Mapping[str, Method]
) -> tuple[dict[str, ObjectType], dict[str, Method]]:
    """Return the objects and methods with the members of ``JSONRPCRequest`` added to messages that lack them."""
    completed, complete = dict(objects), dict(methods)
    for name, method in methods.items():
        made, whole = objects[method.interface], objects.get(_WHOLE[method.kind])
        if whole is None or not set(whole.bases) & set(made.bases):
            continue
        present = {each.name for each in made.fields}
        added = [each for each in whole.fields if each.declared_in == whole.path and each.name not in present]
        fields = (*made.fields, *(evolve(each, envelope=True) for each in added))
        completed[made.path] = evolve(made, fields=fields)
        complete[name] = evolve(method, envelope=tuple(each.name for each in added))
    return completed, complete
