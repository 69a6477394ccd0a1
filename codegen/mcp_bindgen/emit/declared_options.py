"""The options that a class of the runtime declares, read from its source."""

from __future__ import annotations

import ast
import re
from functools import cache
from inspect import getsource
from itertools import accumulate, pairwise
from typing import Any

from attrs import frozen
from mcp_bindings_runtime.options import Options

_STANDS_FOR = {"Seconds": "float", "Milliseconds": "int", "Bytes": "int", "TaskStore": "MemoryTasks"}
"""Types that state a unit, and protocols with one implementation, to the types that they stand for."""
_ALIASES = re.compile(rf"\b({'|'.join(_STANDS_FOR)})\b")


@frozen
class DeclaredOption:
    """An option of a class."""

    name: str
    annotation: str
    """The type as declared, with its unit."""
    default: Any
    doc: str
    """The docstring in one line."""

    @property
    def plain_annotation(self) -> str:
        """The type that users pass."""
        return _ALIASES.sub(lambda name: _STANDS_FOR[name[0]], self.annotation)

    @property
    def doc_with_default(self) -> str:
        """The docstring and, if it says anything, the default."""
        return self.doc if self.default in (None, ()) else f"{self.doc} Default: {self.default!r}."


def declared_options(cls: type[Options]) -> tuple[DeclaredOption, ...]:
    """Return the options of a class in the order of their first declaration."""
    found: dict[str, DeclaredOption] = {}
    for base in reversed(cls.__mro__[:-1]):
        for name, annotation, doc in _declarations(base):
            assert name in cls.names(), f"{base.__name__}.{name}: declare the option as option(default=…)"
            found[name] = DeclaredOption(name, annotation, getattr(cls, name), doc)
    assert found.keys() == cls.names(), "each option has a default and a docstring"
    return tuple(found.values())


@cache
def _declarations(base: type) -> tuple[tuple[str, str, str], ...]:
    """Return the name, the annotation and the docstring of each option in the body of a class."""
    source = getsource(base)
    (declaration,) = ast.parse(source).body
    assert isinstance(declaration, ast.ClassDef)
    data = source.encode()
    starts = [0, *accumulate(len(line) for line in data.splitlines(keepends=True))]
    found: list[tuple[str, str, str]] = []
    for field, after in pairwise(declaration.body):
        match field, after:
            case ast.AnnAssign(ast.Name(name), annotation), ast.Expr(ast.Constant(str(text))):
                # `ast.get_source_segment` would split the source anew for each.
                assert annotation.end_lineno is not None
                assert annotation.end_col_offset is not None
                begin = starts[annotation.lineno - 1] + annotation.col_offset
                declared = data[begin : starts[annotation.end_lineno - 1] + annotation.end_col_offset].decode()
                if not declared.startswith("ClassVar"):
                    found.append((name, " ".join(declared.split()), " ".join(text.split())))
            case _:
                pass
    return tuple(found)
