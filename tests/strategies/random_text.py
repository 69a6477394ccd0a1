"""Random texts for JSON strings and keys: all characters except lone surrogates."""

from __future__ import annotations

from random import Random

ALPHABETS = (
    "aZ09 -_/~.",
    "éßÑǆﬁΩ",
    "e\u0301n\u0303\u0327\u200d\ufe0f",  # letters, and marks that combine with what is before them
    "אבاب\u200f\u202e\u2066٣",  # from right to left, with marks that change the direction
    "日本語한ไ",
    "😀🏴𝒜𠮷\U0001f1e9",  # beyond the first 65,536 characters: two halves each in UTF-16
    "\u0000\u0001\b\u001b\u007f\u0085",  # control characters
    "\u2028\u2029\u00a0\u3000\ufeff",  # blanks, ends of lines to some, and a byte order mark
    "\ufdd0\ufffe\uffff\U0001fffe\U0010ffff",  # no characters, but legal in text
    "\ue000\U000f0000\u0378",  # for private use, and not assigned
    "\"\\'\n\r\t{}[],:",  # what JSON itself is written with
)

EXAMPLES = ("text", "", "é\u0000\u2028日本😀", "null", "1", " a\n'\"\\", "e\u0301\u202eא\ufeff\uffff\U0010ffff")
"""Representative strings, the plainest first."""


def drawn_text(random: Random) -> str:
    """Draw up to nine characters, of one kind or of all."""
    alphabet = random.choice([*ALPHABETS, "".join(ALPHABETS)])
    return "".join(random.choice(alphabet) for _ in range(random.randint(0, 9)))
