"""The outcomes of an elicitation: accepted, declined or cancelled by the user (Elicitation, Response Actions)."""

from __future__ import annotations

from typing import Generic, TypeVar

from ..foreign_names import OF_OUTCOMES, explain_attributes

T = TypeVar("T")


@explain_attributes(OF_OUTCOMES)
class Accepted(Generic[T]):
    """The user has accepted. ``value`` is the content of the form or, for a page, the id of the elicitation."""

    __match_args__ = ("value",)
    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return other.__class__ is Accepted and bool(self.value == getattr(other, "value", None))

    __hash__ = None  # type: ignore[assignment]  # the value may be changed

    def __repr__(self) -> str:
        return f"Accepted({self.value!r})"


@explain_attributes(OF_OUTCOMES)
class Declined:
    """The user has declined."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Declined()"


@explain_attributes(OF_OUTCOMES)
class Cancelled:
    """The user has closed the request without a choice. Request it again later, or continue without it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Cancelled()"
