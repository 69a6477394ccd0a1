"""Creation of a decoded message's parts without a look at any value: the cost of its objects and dicts alone."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

Make = Callable[[Any], Any]


def replay(made: Any, value: Any) -> tuple[Make, Make]:
    """Return two functions for a typed value and its JSON, which ignore their argument.

    The first creates the objects of ``made`` again and fills all slots with None; the second also looks up each member
    as decoding must, both present and absent ones.
    """
    makers: dict[tuple[type[Any], frozenset[str]], tuple[Make, Make]] = {}
    plain: list[tuple[Make, Any]] = []
    looking: list[tuple[Make, Any]] = []
    for cls, source in _objects(made, value):
        shape = (cls, frozenset(source))
        if shape not in makers:
            makers[shape] = _makers(cls, source)
        create, look = makers[shape]
        plain.append((create, source))
        looking.append((look, source))
    return (
        lambda _: [make(source) for make, source in plain],
        lambda _: [make(source) for make, source in looking],
    )


def _objects(made: Any, value: Any) -> Iterator[tuple[type[Any], dict[str, Any]]]:
    """Yield the class of each record below ``made``, and the dict that it was read from."""
    cls: type[Any] = made.__class__
    if hasattr(cls, "__attrs_attrs__"):
        yield cls, value
        names = {field_name(name): name for name in value}
        for field in _slots(cls):
            if field in names:
                yield from _objects(getattr(made, field), value[names[field]])
    elif cls is list:
        for item, part in zip(made, value, strict=True):
            yield from _objects(item, part)
    elif cls is dict:
        for name in made:
            yield from _objects(made[name], value[name])


def _slots(cls: Any) -> tuple[str, ...]:
    slots: tuple[str, ...] = cls.__slots__
    return slots


@functools.cache
def field_name(wire: str) -> str:
    """Return the name of the member's field: ``mime_type`` for ``mimeType``."""
    name = re.sub(r"(?<=[a-z0-9])[A-Z]", lambda found: "_" + found[0].lower(), wire.rpartition("/")[2])
    return name.removeprefix("_") if name.startswith("_") else name.removeprefix("$") + "_" * name.startswith("$")


def _makers(cls: type, source: dict[str, Any]) -> tuple[Make, Make]:
    slots = _slots(cls)
    names = {field_name(name): name for name in source}
    optional: dict[str, Any] = vars(cls)["__init__"].__kwdefaults__ or {}
    create = ["    o = new(cls)", *(f"    o.{slot} = None" for slot in slots)]
    members = [(names.get(slot, slot), slot in names, slot in optional) for slot in slots if slot != "extra"]
    look = [f"    {name!r} in d" for name, _, may_miss in members if may_miss]
    look += [f"    d[{name!r}]" for name, there, _ in members if there]
    return _compiled(cls, [*create, "    return o"]), _compiled(cls, [*create, *look, "    len(d)", "    return o"])


def _compiled(cls: type, lines: list[str]) -> Make:
    space: dict[str, Any] = {"new": object.__new__, "cls": cls}
    exec("\n".join(["def make(d):", *lines]), space)  # the same kind of code as is emitted, without its checks
    make: Make = space["make"]
    return make
