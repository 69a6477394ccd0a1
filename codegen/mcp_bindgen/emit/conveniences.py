"""Methods of clients and contexts that do more than send one request: those whose messages a schema has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import frozen

from mcp_bindgen.ir.protocol import Protocol, Side
from mcp_bindgen.runtime.features.callbacks import ROOTS

_DOCSTRING = re.compile(r'""".*?"""', re.DOTALL)


@frozen
class _Convenience:
    name: str
    side: Side
    methods: tuple[str, ...]
    """What a schema needs to have."""
    types: tuple[str, ...]
    """What it needs to declare."""
    code: str


_EVERY: Sequence[_Convenience] = (
    _Convenience(
        "set_roots",
        "client",
        (ROOTS,),
        ("Root",),
        '''
    def set_roots(self, roots: Iterable[types.Root | str | PathLike[str]]) -> None:
        """Offers these roots from now on, in the place of those before; the server is told.

        A root is a path, a ``file://`` URI or a ``Root``. One that cannot be read any more
        when the server asks is left out. Raises UsageError for one that is not there, is no
        file, or leads out of itself by ``..``, and for a client that has connected without
        any: an empty list is enough to have them later.
        """
        from ..runtime.features.roots import share

        share(self, roots)
''',
    ),
    _Convenience(
        "roots",
        "server",
        (ROOTS,),
        ("Root",),
        '''
    def roots(self) -> list[types.Root]:
        """The client's roots: where it would have the server work.

        They are asked for once and kept until the client says that they have changed, if it
        says so at all. Raises as ``request`` does.
        """
        from ..runtime.features.roots import roots_of

        return roots_of(self)
''',
    ),
    _Convenience(
        "within_roots",
        "server",
        (ROOTS,),
        ("Root",),
        '''
    def within_roots(self, path: str | PathLike[str]) -> bool:
        """Whether a path or ``file://`` URI is one of the client's roots, or below one.

        It is judged by where it leads, after ``..`` and symbolic links; open what it leads
        to, as links may change afterwards. Raises as ``request`` does.
        """
        from ..runtime.features.roots import is_within

        return is_within(path, self.roots())
''',
    ),
)


def conveniences(protocol: Protocol, side: Side) -> list[str]:
    """The lines of a side's conveniences: those of the client's class, or of the context of a server's handlers."""
    return [line for each in _of(protocol, side) for line in each.code.rstrip().splitlines()]


def code_of(written: Sequence[str]) -> list[str]:
    """The lines that are no docstrings."""
    return _DOCSTRING.sub("", "\n".join(written)).splitlines()


def _of(protocol: Protocol, side: Side) -> Iterator[_Convenience]:
    for each in _EVERY:
        known = {*protocol.methods, *protocol.objects, *protocol.aliases}
        if each.side == side and known.issuperset((*each.methods, *each.types)):
            yield each


def convenience_names(side: Side) -> frozenset[str]:
    """What they are called, in whatever schema."""
    return frozenset(each.name for each in _EVERY if each.side == side)
