"""Values from a URI: the way back from what a template expands to, and what does not come through."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.features.folders import inside
from mcp_bindings_runtime.features.uri_matching import Matcher
from mcp_bindings_runtime.features.uri_templates import OPERATORS, Expression, UriTemplate, expand


def matched(template, uri):
    return Matcher(UriTemplate(template)).match(uri)


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)
segments = texts.filter(lambda text: text not in {".", ".."} and not set("/\\") & set(text))
# In {+x} and {#x}, what looks encoded stays as it is, and is decoded on the way back.
wide = texts.filter(lambda text: "%" not in text and ".." not in text)


def matchable(template):
    try:
        Matcher(template)
    except UsageError:
        return False
    return True


@st.composite
def shapes(draw):
    """A template, of which each expression may be of any form."""
    parts, count = [], 0
    for _ in range(draw(st.integers(1, 3))):
        parts.append(draw(st.sampled_from(["/", ":", "/a/", "a:", "-", ""])))
        specs = []
        for _ in range(draw(st.sampled_from([1, 1, 1, 2]))):
            specs.append(f"v{count}")
            count += 1
        star = draw(st.sampled_from(["", "", "*"]))
        parts.append(f"{{{draw(st.sampled_from([*OPERATORS]))}{','.join(specs)}{star}}}")
    parts.append(draw(st.sampled_from(["", "/", "x"])))
    return UriTemplate("".join(parts))


@st.composite
def filled(draw):
    """A template that can be matched, and values for it."""
    template = draw(shapes().filter(matchable))
    optional = Matcher(template).optional
    values = {}
    for part in template.parts:
        if not isinstance(part, Expression):
            continue
        kind = wide if part.operator in {"+", "#"} else texts if part.operator in {"?", "&", ";"} else segments
        if part.operator == "+":
            later = template.parts[template.parts.index(part) :]
            ends = {each.operator for each in later if isinstance(each, Expression)} & set("?#")
            kind = wide.filter(lambda text, ends=ends: not ends & set(text))
        for variable in part.variables:
            if variable.name not in optional or draw(st.booleans()):
                values[variable.name] = draw(st.lists(kind, min_size=1, max_size=3) if variable.explode else kind)
    return template, values


@given(filled())
def test_what_a_template_expands_to_gives_the_values_back(case):
    template, values = case
    assert Matcher(template).match(template.expand(values)) == values


@given(filled(), st.sets(st.sampled_from(":@!$&'()*+;=,/?#")))
def test_what_a_uri_is_taken_for_is_what_its_values_expand_to(case, raw):
    template, values = case
    uri = template.expand(values)
    for character in raw:
        uri = uri.replace(f"%{ord(character):02X}", character)
    # What is put together by hand is refused, or means the same as the URI that the template gives for its values.
    found = Matcher(template).match(uri)
    if found is not None:
        assert Matcher(template).match(template.expand(found)) == found


FORMS = [
    ("test://template/{id}/data", "test://template/1%202/data", {"id": "1 2"}),
    ("a:{x}:{y}", "a:1:2", {"x": "1", "y": "2"}),
    ("a:{x,y}", "a:1,2", {"x": "1", "y": "2"}),
    ("a:{x,y*}", "a:1,2,3", {"x": "1", "y": ["2", "3"]}),
    ("a{/x*}/end", "a/1/2/end", {"x": ["1", "2"]}),
    ("a:{x}{/y*}", "a:1/2/3", {"x": "1", "y": ["2", "3"]}),
    ("file:///{+path}", "file:///a/b%20c", {"path": "a/b c"}),
    ("a:{+path}/{name}", "a:b/c/d", {"path": "b/c", "name": "d"}),
    ("a:x{.ext}", "a:x.tar", {"ext": "tar"}),
    ("file:///{+path}{?rev}", "file:///a/b.txt?rev=1", {"path": "a/b.txt", "rev": "1"}),
    ("file:///{+path}{?rev}", "file:///a/b.txt", {"path": "a/b.txt"}),
    ("file:///{+path}{?rev}", "file:///a%3Fb?rev=c?d", {"path": "a?b", "rev": "c?d"}),
    ("file:///{+path}{?rev,q*}{#line}", "file:///a/b?q=1&q=2#3", {"path": "a/b", "q": ["1", "2"], "line": "3"}),
    ("file:///{+path}{#line}", "file:///a?b#c?d", {"path": "a?b", "line": "c?d"}),
    ("file:///{+folder}/{name}{?rev}", "file:///a/b/c?rev=1/2", {"folder": "a/b", "name": "c", "rev": "1/2"}),
    ("a:{+path}?rev={rev}", "a:b?c?rev=1", {"path": "b?c", "rev": "1"}),
    ("a:{+path}{?q}/end", "a:b/c?q=2/end", {"path": "b/c", "q": "2"}),
    ("a:{x}{?q}/end", "a:1?q=2/end", {"x": "1", "q": "2"}),
    ("a:{x}{#part}", "a:1#2/3", {"x": "1", "part": "2/3"}),
    ("a:{x}{#part}", "a:1", {"x": "1"}),
    ("a:{x}{?q,r*}", "a:1", {"x": "1"}),
    ("a:{x}{?q,r*}", "a:1?r=1&q=a/b&r=2", {"x": "1", "q": "a/b", "r": ["1", "2"]}),
    ("a:{x}{?q}", "a:1?q=", {"x": "1", "q": ""}),
    ("a:b?c=1{&d}", "a:b?c=1&d=2", {"d": "2"}),
    ("a:{x}{;y,z}", "a:1;z=2", {"x": "1", "z": "2"}),
    # Put together by hand, and yet clear.
    ("a:{x}", "a:me@home:8,9", {"x": "me@home:8,9"}),
    ("a:{x}", "a:é", {"x": "é"}),
    ("a:é/{x}", "a:%c3%a9/1", {"x": "1"}),
]


@pytest.mark.parametrize(("template", "uri", "values"), FORMS, ids=[f"{row[0]} {row[1]}" for row in FORMS])
def test_each_operator_gives_its_values(template, uri, values):
    assert matched(template, uri) == values


STRANGERS = [
    ("file:///{name}", uri)
    for uri in (
        "file:///",
        "file:///a/b",
        "file:///..",
        "file:///.",
        "file:///%2e%2e",
        "file:///.%2E",
        "file:///a%2Fb",
        "file:///..%2fetc",
        "file:///a%5Cb",
        "file:///..%5c..",
        "file:///a\\b",
        "file:///a%00",
        "file:///a b",
        "file:///a\n",
        "file:///%zz",
        "file:///%",
        "file:///%ff",
        "file:///a?b",
        "file:///a#b",
        "FILE:///a",
        "file:///a/",
        " file:///a",
    )
] + [
    ("a:{+path}", "a:b/../c"),
    ("a:{+path}", "a:b/%2e%2E/c"),
    ("a:{+path}", "a:..%2Fc"),
    ("a:{+path}", "a:b%5c..%5cc"),
    ("a:{+path}", "a:.."),
    ("a:{+path}", "a:"),
    ("a:{+path}", "a:b%00c"),
    ("a{/x*}", "a/b/../c"),
    ("a{/x*}", "a/b//c"),
    ("a:{x,y}", "a:1"),
    ("a:{x,y}", "a:1,2,3"),
    ("a:{+path}{?q}", "a:b?"),
    ("a:{+path}{?q}", "a:b?r=1"),
    ("a:{+path}{?q}", "a:?q=1"),
    ("a:{+path}{?q}", "a:b/../c?q=1"),
    ("a:b{?q}", "a:b?"),
    ("a:b{?q}", "a:b?r=1"),
    ("a:b{?q}", "a:b?q=1&q=2"),
    ("a:b{?q}", "a:b?q=1&r=2"),
    ("a:b{?q}", "a:b?q=%ff"),
]


@pytest.mark.parametrize(("template", "uri"), STRANGERS, ids=[f"{row[0]} {row[1]!r}" for row in STRANGERS])
def test_a_value_never_leaves_its_place(template, uri):
    assert matched(template, uri) is None


OPEN = {
    "{a}{b}": "may contain the text after it",
    "{a}-{b}": "may contain the text after it",
    "{a}.{b}": "may contain the text after it",
    "{a}{.b}": "may contain the text after it",
    "{+a}/{+b}": "may contain the text after it",
    "{+a}{;b}": "may contain the text after it",
    "{+a}/{+b}{?c}": "may contain the text after it",
    "{?a}{&b}": "may contain the text after it",
    "{a:3}": "contains only a part of the value",
    "{a}/{a}": "{a} occurs twice",
    "{+a,b}": "which may contain their separator",
    "{.a*}": "which may contain their separator",
    "{a*,b}": "has a list before its last variable",
}


@pytest.mark.parametrize(("template", "reason"), OPEN.items(), ids=OPEN)
def test_a_template_that_leaves_a_choice_cannot_be_matched(template, reason):
    with pytest.raises(UsageError, match="cannot be matched") as caught:
        Matcher(UriTemplate(template))
    assert reason in str(caught.value)


def test_matching_takes_no_longer_than_the_uri_is_long():
    # A pattern that tries all ways to cut it would not come to an end.
    assert matched("{+path}/{a}:{b}/{c}", "/:" * 20_000) is None
    assert matched("a:{x}{?q,r}", "a:1?" + "q=1&" * 20_000) is None
    assert matched("a:{+p}/{x}{?q}/c", "a:" + "/?" * 20_000) is None
    assert matched("a:{+p}/{x}{?q}/c", "a:" + "/c" * 20_000 + "d") is None


def test_what_is_inside_a_folder_is_found(tmp_path):
    (tmp_path / "root" / "sub").mkdir(parents=True)
    root = tmp_path / "root"
    (root / "sub" / "a.txt").write_text("a")
    (root / "link").symlink_to(root / "sub")
    for path in ("sub/a.txt", "/sub/a.txt", "sub/../sub/a.txt", "link/a.txt", "./sub//a.txt"):
        assert inside(root, path) == (root / "sub" / "a.txt").resolve()
    assert inside(root, "") == root.resolve()


def test_what_is_outside_of_a_folder_is_not_found(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "rootbeer").write_text("outside")
    (root / "a.txt").write_text("a")
    (root / "out").symlink_to(tmp_path)
    (root / "loop").symlink_to(root / "loop")
    for path in (
        "..",
        "../rootbeer",
        "out/rootbeer",
        "out",
        "loop",
        "missing",
        "a.txt/b",
        "a\0b",
        "sub/../../rootbeer",
    ):
        with pytest.raises(FileNotFoundError):
            inside(root, path)


def test_a_file_that_does_not_exist_yet_is_found_inside_a_folder(tmp_path):
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "a.txt").write_text("a")
    (root / "link").symlink_to(root / "sub")
    (tmp_path / "way").symlink_to(root)
    for path, place in {
        "new.txt": "new.txt",
        "/new.txt": "new.txt",
        "a.txt": "a.txt",
        "sub/new.txt": "sub/new.txt",
        "link/new.txt": "sub/new.txt",
        "sub/../new.txt": "new.txt",
        "some/new/folder/x": "some/new/folder/x",
        "": "",
    }.items():
        for folder in (root, tmp_path / "way"):
            assert inside(folder, path, must_exist=False) == root.resolve() / place
    inside(root, "new.txt", must_exist=False).write_text("new")
    assert inside(root, "new.txt").read_text() == "new"


def test_a_file_that_does_not_exist_yet_is_not_found_outside_of_a_folder(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("a")
    (root / "out").symlink_to(tmp_path)
    (root / "loop").symlink_to(root / "loop")
    (root / "dangling").symlink_to(tmp_path / "missing")
    (root / "within").symlink_to(root / "missing")
    for path in (
        "..",
        "../new",
        "../rootbeer/new",
        "out/new",
        "out/root/../new",
        "loop",
        "loop/new",
        "dangling",
        "dangling/new",
        "within",
        "a.txt/new",
        "a.txt/new/new",
        "a\0b",
        "new/../../new",
        "new/../a.txt",
        "new/..",
    ):
        with pytest.raises(FileNotFoundError):
            inside(root, path, must_exist=False)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["root"]


@given(st.lists(st.sampled_from(["..", ".", "", "a", "sub", "out", "link", "new", "loop"]), max_size=6))
def test_no_path_that_may_be_created_is_outside_of_its_folder(parts):
    with TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        root = top / "root"
        (root / "sub").mkdir(parents=True)
        (root / "a").write_text("a")
        (root / "out").symlink_to(top)
        (root / "link").symlink_to(root / "sub")
        (root / "loop").symlink_to(root / "loop")
        try:
            found = inside(root, "/".join(parts), must_exist=False)
        except FileNotFoundError:
            return
        assert found.is_relative_to(root)
        if not found.exists():
            found.parent.mkdir(parents=True, exist_ok=True)
            found.touch(exist_ok=False)
            assert found.resolve(strict=True) == found


def test_expanding_makes_no_way_out():
    # What a value holds is encoded, so that matching it again finds the slash and refuses.
    assert expand("file:///{name}", {"name": "../etc"}) == "file:///..%2Fetc"
    assert matched("file:///{name}", "file:///..%2Fetc") is None


# The table of docs/security.md.
LEAVING = ["../b", "a/../../b", "..", "..%2Fb", "%2E%2E/b", "..\\b", "..%5Cb"]


@pytest.mark.parametrize("operator", ["", ".", "/"])
@pytest.mark.parametrize("value", [*LEAVING, ".", "a/b", "a%2Fb", "a%5Cb"])
def test_a_value_within_a_segment_has_no_slash_and_leaves_no_folder(operator, value):
    assert matched(f"f:{{{operator}x}}", f"f:{OPERATORS[operator].first}{value}") is None


@pytest.mark.parametrize("value", LEAVING)
def test_a_path_may_have_slashes_and_no_segment_that_leaves_a_folder(value):
    assert matched("f:{+x}", f"f:{value}") is None
    assert matched("f:{+x}", "f:a/b") == {"x": "a/b"}


@pytest.mark.parametrize("operator", ["?", "&", ";", "#"])
def test_values_in_queries_parameters_and_fragments_are_any_text(operator, tmp_path):
    name = "x=" if OPERATORS[operator].named else ""
    assert matched(f"f:a{{{operator}x}}", f"f:a{operator}{name}..%2Fb") == {"x": "../b"}
    with pytest.raises(FileNotFoundError):
        inside(tmp_path, "../b", must_exist=False)
