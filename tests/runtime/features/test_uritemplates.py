"""URI templates: what they expand to, by the table of RFC 6570 and by an implementation that is not ours."""

from __future__ import annotations

import pytest
import uritemplate
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.features.uri_templates import OPERATORS, UriTemplate, expand

VALUES = {
    "count": ["one", "two", "three"],
    "dom": ["example", "com"],
    "dub": "me/too",
    "hello": "Hello World!",
    "half": "50%",
    "var": "value",
    "who": "fred",
    "base": "http://example.com/base/",
    "path": "/foo/bar",
    "list": ["red", "green", "blue"],
    "keys": {"semi": ";", "dot": ".", "comma": ","},
    "v": "6",
    "x": "1024",
    "y": "768",
    "empty": "",
    "empty_keys": {},
    "undef": None,
}
"""The variables of RFC 6570, section 3.2."""

EXAMPLES = """
{count} one,two,three | {count*} one,two,three | {/count} /one,two,three | {/count*} /one/two/three
{;count} ;count=one,two,three | {;count*} ;count=one;count=two;count=three
{?count} ?count=one,two,three | {?count*} ?count=one&count=two&count=three | {&count*} &count=one&count=two&count=three
{var} value | {hello} Hello%20World%21 | {half} 50%25 | O{empty}X OX | O{undef}X OX | {x,y} 1024,768
{x,hello,y} 1024,Hello%20World%21,768 | ?{x,empty} ?1024, | ?{x,undef} ?1024 | ?{undef,y} ?768 | {var:3} val
{var:30} value | {list} red,green,blue | {list*} red,green,blue | {keys} semi,%3B,dot,.,comma,%2C
{keys*} semi=%3B,dot=.,comma=%2C
{+var} value | {+hello} Hello%20World! | {+half} 50%25 | {base}index http%3A%2F%2Fexample.com%2Fbase%2Findex
{+base}index http://example.com/base/index | O{+empty}X OX | {+path}/here /foo/bar/here
here?ref={+path} here?ref=/foo/bar | up{+path}{var}/here up/foo/barvalue/here | {+x,hello,y} 1024,Hello%20World!,768
{+path,x}/here /foo/bar,1024/here | {+path:6}/here /foo/b/here | {+list} red,green,blue | {+keys} semi,;,dot,.,comma,,
{+keys*} semi=;,dot=.,comma=,
{#var} #value | {#hello} #Hello%20World! | {#half} #50%25 | foo{#empty} foo# | foo{#undef} foo
{#x,hello,y} #1024,Hello%20World!,768 | {#path,x}/here #/foo/bar,1024/here | {#path:6}/here #/foo/b/here
{#list*} #red,green,blue | {#keys} #semi,;,dot,.,comma,, | {#keys*} #semi=;,dot=.,comma=,
{.who} .fred | {.who,who} .fred.fred | {.half,who} .50%25.fred | www{.dom*} www.example.com | X{.var} X.value
X{.empty} X. | X{.undef} X | X{.var:3} X.val | X{.list} X.red,green,blue | X{.list*} X.red.green.blue
X{.keys} X.semi,%3B,dot,.,comma,%2C | X{.keys*} X.semi=%3B.dot=..comma=%2C | X{.empty_keys} X | X{.empty_keys*} X
{/who} /fred | {/half,who} /50%25/fred | {/who,dub} /fred/me%2Ftoo | {/var,empty} /value/ | {/var,undef} /value
{/var,x}/here /value/1024/here | {/var:1,var} /v/value | {/list*,path:4} /red/green/blue/%2Ffoo
{/keys} /semi,%3B,dot,.,comma,%2C | {/keys*} /semi=%3B/dot=./comma=%2C
{;who} ;who=fred | {;half} ;half=50%25 | {;empty} ;empty | {;v,empty,who} ;v=6;empty;who=fred | {;v,bar,who} ;v=6;who=fred
{;hello:5} ;hello=Hello | {;keys} ;keys=semi,%3B,dot,.,comma,%2C | {;keys*} ;semi=%3B;dot=.;comma=%2C
{?x,y,empty} ?x=1024&y=768&empty= | {?x,y,undef} ?x=1024&y=768 | {?var:3} ?var=val | {?keys*} ?semi=%3B&dot=.&comma=%2C
?fixed=yes{&x} ?fixed=yes&x=1024 | {&x,y,empty} &x=1024&y=768&empty= | {&var:3} &var=val | {&list} &list=red,green,blue
"""
"""What the RFC says the variables come to, section 3.2."""

PAIRS = [tuple(pair.split()) for line in EXAMPLES.split("\n") for pair in line.split("|") if pair.strip()]


@pytest.mark.parametrize(("template", "expected"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_a_template_expands_as_the_standard_says(template, expected):
    assert expand(template, VALUES) == expected


names = st.text("abcXYZ_09", min_size=1, max_size=3)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
# The other implementation takes a % in a value for what is encoded already where the standard asks for triplets.
plain = texts.filter(lambda text: "%" not in text)
# It leaves a comma for an empty list, which counts as undefined, and sorts mappings; of empty items in lists and mappings
# the standard does not say whether they make an empty value.
items = plain.filter(bool)
lists = st.lists(items, min_size=1, max_size=3)
mappings = st.dictionaries(items, items, min_size=1, max_size=2).map(lambda each: dict(sorted(each.items())))
values = st.dictionaries(names, plain | lists | mappings, max_size=4)


@st.composite
def templates(draw, known):
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        parts.append(draw(st.text("ab/:?=&.é", max_size=3)))
        specs = []
        for name in draw(st.lists(st.sampled_from([*known, "none"]), min_size=1, max_size=3)):
            prefixed = st.integers(1, 9).map(lambda size: f":{size}")
            more = st.just("") | st.just("*")
            specs.append(name + draw(more | prefixed if isinstance(known.get(name), str) else more))
        parts.append(f"{{{draw(st.sampled_from([*OPERATORS]))}{','.join(specs)}}}")
    return "".join(parts)


@given(st.data())
def test_a_template_expands_as_with_another_implementation(data):
    known = data.draw(values)
    template = data.draw(templates(known))
    ours = expand(template, known)
    theirs = uritemplate.expand(template, known)
    # It leaves literals beyond ASCII as they are, where the standard has them encoded (section 3.1).
    assert ours == theirs.replace("é", "%C3%A9")


FAULTS = {
    "a{": "at character 2, the closing '}' of the expression is missing",
    "a}b": "at character 2, '}' is not allowed",
    "a b": "at character 2, ' ' is not allowed",
    "50%": "at character 3, '%' is not allowed",
    "{}": "at character 2, found nothing, expected a name",
    "{a,}": "at character 4, found nothing, expected a name",
    "{=a}": "at character 2, found '=', expected a name",
    "{a:0}": "at character 3, found ':0' after a name",
    "{a:10000}": "at character 3, found ':10000' after a name",
    "{a**}": "at character 3, found '**' after a name",
    "{a b}": "at character 3, found ' b' after a name",
    "x{{a}}": "at character 3, found '{', expected a name",
}


@pytest.mark.parametrize(("text", "reason"), FAULTS.items(), ids=FAULTS)
def test_what_is_no_template_is_refused_with_its_place(text, reason):
    with pytest.raises(UsageError) as caught:
        UriTemplate(text)
    assert reason in str(caught.value)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("value", [object(), True, [None], b"x", {"a": []}])
def test_what_has_no_text_is_refused(value):
    with pytest.raises(UsageError, match="a must be a text, a number, or a list or mapping of these, got "):
        expand("{a}", {"a": value})


def test_no_prefix_is_taken_of_a_list():
    with pytest.raises(UsageError, match="which cannot have a prefix"):
        expand("{a:3}", {"a": ["x"]})


def test_the_variables_are_named_once_in_their_order():
    assert UriTemplate("{b}/{a}{?b,c}").names == ("b", "a", "c")
