"""Options: each is declared once, as an attribute of a class with its type, default and docstring.

The generator reads these classes for the signatures of the packages, and a test compares the tables of the documentation
with them. The type of a number is its unit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, TypeAlias, TypeVar

from .errors import UsageError

if TYPE_CHECKING:
    from .facts import Facts

Seconds: TypeAlias = float
Milliseconds: TypeAlias = int
Bytes: TypeAlias = int
T = TypeVar("T")


class Prerequisite(NamedTuple):
    """The part of a revision without which its clients or servers do not have an option."""

    kind: Literal["method", "client capability", "member of Implementation", "fact"]
    name: str
    """The method, the dotted path of the capability, or the attribute of ``Implementation`` or ``Facts``."""

    def is_fulfilled(self, facts: Facts, methods: Collection[str], client_capabilities: Collection[str]) -> bool:
        """Return whether a revision with these parts has the option."""
        match self.kind:
            case "method":
                return self.name in methods
            case "client capability":
                return self.name in client_capabilities
            case "member of Implementation":
                return self.name in facts.introduction
            case "fact":
                return bool(getattr(facts, self.name))


INTRODUCTION: Mapping[str, Prerequisite] = {
    name: Prerequisite("member of Implementation", name) for name in ("title", "description", "icons", "website_url")
}
"""Prerequisites of the options by which a client or server introduces itself."""


class _Declaration:
    """The declaration of an option; the attribute of the class is its default."""

    def __init__(self, default: Any) -> None:
        self._default = default

    def __set_name__(self, owner: type[Options], name: str) -> None:
        owner.declare(name, self._default)


def option(*, default: T) -> T:
    """Declare an attribute of a subclass of ``Options`` as an option."""
    declaration: Any = _Declaration(default)
    declared: T = declaration
    return declared


_SHORTEST: Final = 3
"""Characters that a name must have for another one to be like it because it begins with it."""


def nearest(name: str, known: Collection[str]) -> str | None:
    """Return the known name most like this one; None if none is like it."""
    from difflib import get_close_matches

    longer = [each for each in known if min(len(each), len(name)) >= _SHORTEST and _begin_alike(each, name)]
    close = get_close_matches(name, sorted(longer), 1, 0.0) or get_close_matches(name, sorted(known), 1)
    return close[0] if close else None


def near_name(name: str, known: Collection[str]) -> str:
    """Return `` (did you mean 'timeout'?)`` for the known name most like this one; empty if none is like it."""
    near = nearest(name, known)
    return "" if near is None else f" (did you mean {near!r}?)"


def unknown_option_text(name: str, known: Collection[str]) -> str:
    """Return the text of the error for an unknown option: it names the known option most like it, or else all."""
    accepted = near_name(name, known) or f"; use {', '.join(sorted(known))}"
    return f"unknown option {name!r}{accepted}"


def _begin_alike(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


class Options:
    """The values of options; subclasses declare them as ``timeout: Seconds = option(default=60.0)``."""

    _names: ClassVar[frozenset[str]] = frozenset()
    prerequisites: ClassVar[Mapping[str, Prerequisite]] = {}
    """Prerequisites of the options that not every revision has."""
    parameters: ClassVar[frozenset[str]] = frozenset()
    """The parameters that the functions with these options have besides them."""
    refused: ClassVar[frozenset[str]] = frozenset()
    """The options of the base class that only have an error, which says what to use instead."""

    def __init__(self, **options: Any) -> None:
        """Raise ``UsageError`` for an unknown option; in subclasses, also for a value that does not fit its option."""
        unknown = next((name for name in options if name not in self.names()), None)
        if unknown is not None:
            known = (self.names() | self.parameters) - self.refused
            hint = self.hint_for(unknown)
            text = f"unknown option {unknown!r}; {hint}" if hint else unknown_option_text(unknown, known)
            raise UsageError(text)
        vars(self).update(options)

    @classmethod
    def declare(cls, name: str, default: Any) -> None:
        """Add an option to those of the base class."""
        cls._names |= {name}
        setattr(cls, name, default)

    @classmethod
    def hint_for(cls, name: str) -> str | None:  # noqa: ARG003  # subclasses use it
        """Return what to write instead of an unknown option; None if nothing is known about it."""
        return None

    @classmethod
    def names(cls) -> frozenset[str]:
        """Return the names of all options."""
        return cls._names

    @classmethod
    def lacking(cls, facts: Facts, methods: Collection[str], client_capabilities: Collection[str]) -> frozenset[str]:
        """Return the names of the options that a revision with these parts does not have."""
        return frozenset(
            name
            for name, prerequisite in cls.prerequisites.items()
            if not prerequisite.is_fulfilled(facts, methods, client_capabilities)
        )
