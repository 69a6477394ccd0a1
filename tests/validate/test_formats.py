"""Texts that are of a format, and texts that nearly are; the examples are those of the standards where they have some."""

from __future__ import annotations

import pytest
from mcp_bindgen.validate import formats

URIS = [
    # RFC 3986, section 1.1.2.
    "ftp://ftp.is.co.za/rfc/rfc1808.txt",
    "http://www.ietf.org/rfc/rfc2396.txt",
    "ldap://[2001:db8::7]/c=GB?objectClass?one",
    "mailto:John.Doe@example.com",
    "news:comp.infosystems.www.servers.unix",
    "tel:+1-816-555-1212",
    "telnet://192.0.2.16:80/",
    "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
    # Section 5.4, and other forms.
    "http://a/b/c/d;p?q#s",
    "file:///data/user/a%20b.txt",
    "http://user:pass%40word@example.com:8080/",
    "http://user:a:b@example.com",
    "http://[v7.a:b]:1/",
    "http://[::ffff:192.0.2.1]",
    "http://[1:2:3:4:5:6:7::]",
    "http://example.com:/",
    "http://999.999.999.999/",
    "file://",
    "a:",
    "A+b-c.1:/",
    "x:?",
    "x:#?/",
    "data:text/plain;base64,aGk=",
    "https://example.com/'(a)*!$&+,;=:@~",
]

NO_URIS = [
    "",
    "README.md",
    "/etc/hosts",
    "//example.com/a",
    "?q",
    "#s",
    "1a:b",
    "a_b:c",
    ":a",
    "http://example.com/a b",
    "http://example.com/a\n",
    "http://example.com/ä",
    "http://exa<mple>.com",
    "http://example.com/{id}",
    "C:\\Users",
    "http://example.com/%",
    "http://example.com/%4",
    "http://example.com/%zz",
    "http://example.com:80a/",
    "http://example.com:80:80/",
    "http://a@b@c/",
    "http://[::1",
    "http://[::1]a/",
    "http://[fe80::1%25en0]/",
    "http://[1:2:3:4:5:6:7:8:9]/",
    "http://[::ffff:1.2.3.04]/",
    "http://[v.a]/",
    "http://a[::1]/",
    "http://example.com/[a]",
    "http://example.com/#a#b",
    "x:\x00",
]

TEMPLATES = [
    # RFC 6570, sections 1.2 and 3.2.
    "http://www.example.com/foo{?query,number}",
    "{var}",
    "O{undef}X",
    "{x,hello,y}",
    "{var:30}",
    "{list*}",
    "{+path:6}here",
    "{#path,x}",
    "X{.list*}",
    "{/var:1,var}",
    "{;keys*}",
    "{?x,y,undef}",
    "?fixed=yes{&x}",
    "{%20a}",
    "{a.b.c}",
    "{a:9999}",
    "{0_}",
    "{=a}",
    "{,a}",
    "{!a}",
    "{@a}",
    "{|a}",
    "",
    "file:///no/expression",
    "it's",
    "/%e4/日本/\U0001f600",
    "\U000e1000\U000f0000\ue000",
]

NO_TEMPLATES = [
    "{",
    "}",
    "{}",
    "{a",
    "a}",
    "{{a}}",
    "{a b}",
    "{a-b}",
    "{:a}",
    "{a:0}",
    "{a:10000}",
    "{a:}",
    "{a**}",
    "{a:1*}",
    "{a,}",
    "{.a.}",
    "{a..b}",
    "{?}",
    "{++a}",
    "{$a}",
    "{é}",
    "a b",
    'a"b',
    "a<b",
    "a>b",
    "a\\b",
    "a^b",
    "a`b",
    "a|b",
    "100%",
    "a\n",
    "a\x7f",
    "\ufdd0",
    "\uffff",
    "\U0001fffe",
    "\U000e0001",
    "\ud800",
]

BYTES = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy", "+/+/", "AA=="]
"""Most of them from RFC 4648, section 10."""

NO_BYTES = [
    "Z",
    "Zg",
    "Zg=",
    "Zm8",
    "Zm9v=",
    "Zm9v====",
    "Zg===",
    "=",
    "====",
    "Zg==Zg==",
    "Z===",
    "Zm9 ",
    "Zm9v\n",
    "-_-_",
    "Zmé=",
    "Zm\n8=",
]


@pytest.mark.parametrize("text", URIS)
def test_a_uri(text: str) -> None:
    assert formats.fault("uri", text) is None


@pytest.mark.parametrize("text", NO_URIS)
def test_no_uri(text: str) -> None:
    assert "a URI" in (formats.fault("uri", text) or "")


@pytest.mark.parametrize("text", TEMPLATES)
def test_a_uri_template(text: str) -> None:
    assert formats.fault("uri-template", text) is None


@pytest.mark.parametrize("text", NO_TEMPLATES)
def test_no_uri_template(text: str) -> None:
    assert "a URI template" in (formats.fault("uri-template", text) or "")


@pytest.mark.parametrize("text", BYTES)
def test_base64(text: str) -> None:
    assert formats.fault("byte", text) is None


@pytest.mark.parametrize("text", NO_BYTES)
def test_no_base64(text: str) -> None:
    assert "base64" in (formats.fault("byte", text) or "")


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("uri", "README.md", "begins with a scheme"),
        ("uri", "x:a b", '" " escaped as %20'),
        ("uri", "x:é", '"é" escaped as %C3%A9'),
        ("uri", "x:a\tb", "U+0009 escaped as %09"),
        ("uri", "x:100%", '"%" escaped as %25'),
        ("uri", "x:\ud800", "U+D800 escaped as %ED%A0%80"),
        ("uri", "x://h:port", "section 3.2"),
        ("uri", "x:[a]", "only around an address"),
        ("uri-template", "{a b}", "section 2.2"),
        ("uri-template", "a b", 'without a literal " "'),
        ("byte", "_w==", "base64 with + and /"),
        ("byte", "Zg", "padded with ="),
    ],
)
def test_it_says_what_is_expected(name: str, text: str, hint: str) -> None:
    assert hint in (formats.fault(name, text) or "")


def test_formats_that_no_schema_names_are_not_judged() -> None:
    assert formats.fault("email", "no address") is None


@pytest.mark.parametrize(
    "text",
    [
        "base64-encoded-image-data",
        "base64 encoded data",
        "BASE64_DATA",
        "<uri>",
        "[data]",
        "{data}",
        "iVBORw0KGgo...",
        "…",
    ],
)
def test_a_text_that_says_what_would_stand_there_is_a_placeholder(text: str) -> None:
    assert formats.is_placeholder(text)


@pytest.mark.parametrize("text", ["", "Zg", "aGVs-bG8", "README.md", "hello", "C:\\a b", "a-b " * 100])
def test_other_texts_are_none(text: str) -> None:
    assert not formats.is_placeholder(text)


LONG = 200_000
HOSTILE = {
    "uri": ["a", "a:", "%20", "%2", "a@", ":", "/", "?", "#", "[", "1:", "a://[", "é", "x:#"],
    "uri-template": ["{", "}", "{a", "{a}", "a,", "a.", "%20", "%2", "a:1,", "é", " "],
    "byte": ["A", "=", "AAA=", "_", "A\n"],
}


STARTS = {"uri": ("", "a:", "a://", "a://[v1."), "uri-template": ("", "{", "{+"), "byte": ("",)}


@pytest.mark.parametrize(("name", "unit"), [(name, unit) for name, units in HOSTILE.items() for unit in units])
def test_a_long_text_is_judged_as_a_short_one_of_its_kind(name: str, unit: str) -> None:
    """With a pattern that backtracks it would take minutes to hours."""
    for start in STARTS[name]:
        for end in ("", "^"):
            long, short = (start + unit * times + end for times in (LONG // len(unit), 8))
            assert formats.fault(name, long) == formats.fault(name, short)
            assert not formats.is_placeholder(long)


def test_much_base64_is_judged_as_a_whole() -> None:
    assert formats.fault("byte", "AAAA" * LONG) is None
    assert formats.fault("byte", "AAAA" * LONG + "AAA") is not None
    assert formats.fault("byte", "AAAA" * LONG + "!AAA") is not None
