"""Names of the types that are read from JSON Schema: identifiers made of the words of tools, members and definitions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

MAX_WORDS = 60
"""Maximum length of a name before a number that makes it unique."""

_WORD = re.compile(r"[^\W_]+")


def type_name(*texts: str) -> str:
    """Return the words of the texts as one name: ``GetForecastDays`` for ``get-forecast`` and ``days``."""
    words = [word for text in texts for word in _WORD.findall(unicodedata.normalize("NFKC", text[:200]))]
    name = unicodedata.normalize("NFKC", "".join(word[0].upper() + word[1:] for word in words))[:MAX_WORDS]
    return name if name.isidentifier() else f"N{name}" if f"N{name}".isidentifier() and name else "Type"


class TypeNames:
    """The names in use, without regard to case and underscores, so that names of functions differ, too."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._used = {_key(name) for name in reserved}

    def claim(self, *texts: str) -> str:
        """Return the name for the texts, with a number if it is in use."""
        name = wanted = type_name(*texts)
        number = 1
        while _key(name) in self._used:
            number += 1
            name = f"{wanted}{number}" if not wanted[-1].isdecimal() else f"{wanted}N{number}"
        self._used.add(_key(name))
        return name


def _key(name: str) -> str:
    return name.replace("_", "").casefold()
