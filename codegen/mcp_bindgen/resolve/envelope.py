"""Gives the messages of the early revisions their envelope.

Until 2025-06-18 they extend ``Request`` and ``Notification``, which have neither ``jsonrpc`` nor ``id``; on the wire
they have both all the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from mcp_bindgen.ir.protocol import Method, ObjectType

_WHOLE = {"request": "JSONRPCRequest", "notification": "JSONRPCNotification"}


def with_envelopes(
    objects: Mapping[str, ObjectType], methods: Mapping[str, Method]
) -> tuple[dict[str, ObjectType], dict[str, Method]]:
    """The same with what ``JSONRPCRequest`` adds to its base, wherever a message has the base alone."""
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
