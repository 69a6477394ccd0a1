"""Documentation comments of a schema file, as written."""

from __future__ import annotations

from attrs import frozen


@frozen
class Tag:
    """One ``@name text`` of a documentation comment; ``text`` may span lines and may be empty."""

    name: str
    text: str


@frozen
class Doc:
    """A documentation comment: its text without the decoration, and its tags in the order written."""

    text: str
    tags: tuple[Tag, ...] = ()

    def tag(self, name: str) -> str | None:
        """Return the text of the first tag with that name, or None."""
        return next((tag.text for tag in self.tags if tag.name == name), None)


NO_DOC = Doc("")
