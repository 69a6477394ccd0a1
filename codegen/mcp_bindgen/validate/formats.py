"""Checks of the formats that the schemas name: ``uri``, ``uri-template`` and ``byte``.

The grammars are those of the standards; texts are split at delimiters first, so that each is read once.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping

_PERCENT = "%[0-9A-Fa-f]{2}"
_UNRESERVED = r"A-Za-z0-9\-._~"
_SUB_DELIMS = "!$&'()*+,;="


def _repeated(characters: str) -> re.Pattern[str]:
    """Return a pattern for any number of these and of percent-encoded characters."""
    return re.compile(f"[{characters}]*(?:{_PERCENT}[{characters}]*)*")


# RFC 3986: appendix B for the five parts, section 3 for what each may hold. Section 4.3 has the fragment left out of an
# "absolute URI"; JSON Schema's `uri` is the URI of section 3: with a scheme and optionally a fragment.
_PARTS = re.compile(r"([^:/?#]*):(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*")
_USER = _repeated(f"{_UNRESERVED}{_SUB_DELIMS}:")
_HOST = _repeated(f"{_UNRESERVED}{_SUB_DELIMS}")
_PORT = re.compile("[0-9]*")
_FUTURE = re.compile(rf"[vV][0-9A-Fa-f]+\.[{_UNRESERVED}{_SUB_DELIMS}:]+")
_PATH = _repeated(f"{_UNRESERVED}{_SUB_DELIMS}:@/")
_QUERY = _repeated(f"{_UNRESERVED}{_SUB_DELIMS}:@/?")
_FOREIGN = re.compile(rf"(?!{_PERCENT})[^{_UNRESERVED}{_SUB_DELIMS}:/?#\[\]@]")
_LONGEST_ADDRESS = 45
"""Maximum length of an IPv6 address: six groups of four digits with their colons, and an IPv4 address."""

# RFC 6570, section 2, with the apostrophe, which erratum 6937 allows in literals.
_LITERALS = re.compile(
    "(?:[!#$&'()*+,\\-./0-9:;=?@A-Z\\[\\]_a-z~"
    "\u00a0-\ud7ff\ue000-\ufdcf\ufdf0-\uffef"
    + "".join(f"{chr(plane)}-{chr(plane + 0xFFFD)}" for plane in range(0x10000, 0x110000, 0x10000) if plane != 0xE0000)
    + f"\U000e1000-\U000efffd]|{_PERCENT})"
)
_VARIABLE = rf"(?:[A-Za-z0-9_]|{_PERCENT})(?:\.?(?:[A-Za-z0-9_]|{_PERCENT}))*(?::[1-9][0-9]{{0,3}}|\*)?"
_EXPRESSION = re.compile(rf"\{{[+#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*\}}")

# RFC 4648, section 4. Not binascii: before Python 3.13 its strict mode accepts excess padding.
_BASE64 = re.compile("[A-Za-z0-9+/]*={0,2}")

_WORD = "(?:[A-Za-z]?[a-z]+|[A-Z]+)[0-9]*"
_DESCRIPTION = re.compile(rf"<[^<>]*>|\[[^\[\]]*\]|\{{[^{{}}]*\}}|{_WORD}(?:[-_ ]{_WORD})+|.*(?:\.\.\.|…).*", re.DOTALL)
_LONGEST_DESCRIPTION = 100


def fault(format_: str, text: str) -> str | None:
    """Return what is expected if ``text`` violates the format; None if it conforms or the format is unknown."""
    check = _CHECKS.get(format_)
    return None if check is None else check(text)


def is_placeholder(text: str) -> bool:
    """Return whether an invalid text only describes the value: ``base64-encoded-data``, ``<url>``."""
    return len(text) <= _LONGEST_DESCRIPTION and _DESCRIPTION.fullmatch(text) is not None


def _uri(text: str) -> str | None:
    foreign = _FOREIGN.search(text)
    if foreign is not None:
        escaped = "".join(f"%{byte:02X}" for byte in foreign[0].encode("utf-8", "surrogatepass"))
        return f"a URI, with {_shown(foreign[0])} escaped as {escaped} (RFC 3986, section 2)"
    parts = _PARTS.fullmatch(text)
    if parts is None or not _SCHEME.fullmatch(parts[1]):
        return "a URI that begins with a scheme and a colon (RFC 3986, section 3.1)"
    _, authority, path, query, fragment = parts.groups()
    if authority is not None and not _is_authority(authority):
        return "a URI with a valid host and port after // (RFC 3986, section 3.2)"
    if not (_PATH.fullmatch(path) and _QUERY.fullmatch(query or "") and _QUERY.fullmatch(fragment or "")):
        return "a URI with [ and ] only around an address, and # only once (RFC 3986, section 3)"
    return None


def _shown(character: str) -> str:
    return f'"{character}"' if character.isprintable() else f"U+{ord(character):04X}"


def _is_authority(authority: str) -> bool:
    user, at, rest = authority.rpartition("@")
    if at and not _USER.fullmatch(user):
        return False
    if rest.startswith("["):
        address, closed, port = rest[1:].partition("]")
        if not closed or not (_is_address(address) or _FUTURE.fullmatch(address)):
            return False
        return not port or (port[0] == ":" and _PORT.fullmatch(port[1:]) is not None)
    host, _, port = rest.partition(":")
    return _HOST.fullmatch(host) is not None and _PORT.fullmatch(port) is not None


def _is_address(text: str) -> bool:
    # RFC 3986 has no zones, which Python accepts after a percent sign.
    if len(text) > _LONGEST_ADDRESS or "%" in text:
        return False
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _uri_template(text: str) -> str | None:
    position = 0
    while position < len(text):
        found = _EXPRESSION.match(text, position) or _LITERALS.match(text, position)
        if found is None:
            if text[position] == "{":
                return "a URI template, with expressions such as {name} or {?a,b*} (RFC 6570, section 2.2)"
            return f"a URI template, without a literal {_shown(text[position])} (RFC 6570, section 2.1)"
        position = found.end()
    return None


def _byte(text: str) -> str | None:
    if len(text) % 4 == 0 and _BASE64.fullmatch(text):
        return None
    if "-" in text or "_" in text:
        return "base64 with + and / and padded with = (RFC 4648, section 4)"
    return "base64 padded with =, without blanks and line breaks (RFC 4648, section 4)"


_CHECKS: Mapping[str, Callable[[str], str | None]] = {"uri": _uri, "uri-template": _uri_template, "byte": _byte}
