"""Examples in HTML: in a page, and in the Markdown of the page on the official schema."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp_bindgen.validate import validate
from mcp_bindgen.validate.fences import parts
from mcp_bindgen.validate.html_examples import in_lines, in_page

REFERENCE = """\
---
title: Types
---

<div id="types" />

## Lists

<div class="type">

### `Widget`

<div class="signature"><span>interface</span> <span>Widget</span> <span>&#x7B;</span><br/>name<span>:</span> <span>&quot;a&quot;</span></div> <details> <summary>Example: &lt;small&gt;</summary><pre id="one"><code class="json"><span class="hl-0">&#x7B;</span><br/><span class="hl-0">  </span><span class="hl-1">&quot;&#x5F;name&quot;</span><span class="hl-0">: </span><span class="hl-2">&quot;a &amp; b&#39;s&quot;</span><br/><span class="hl-0">}</span> </code><button type="button">Copy</button></pre> </details>
</div>

<pre><code class="ts">type A = "json"</code></pre>
"""
"""In the form of that page: everything on a line, with tags around each piece, and references for what Markdown knows."""


def of(text: str) -> list[tuple[str, str | None, int]]:
    blocks = in_lines(part for part in parts(text) if not hasattr(part, "language"))
    return [(block.text, block.type, block.line) for block in blocks if block.language == "json"]


def pages(text: str) -> list[tuple[str, str | None, int]]:
    return [(block.text, block.type, block.line) for block in in_page(text) if block.language == "json"]


def test_an_example_of_the_reference_is_its_text_below_the_type() -> None:
    assert of(REFERENCE) == [('{\n  "_name": "a & b\'s"\n} ', "Widget", 13)]


def test_a_page_has_headings_of_its_own() -> None:
    text = (
        "<html><head><script>const a = '<pre><code class=\"json\">{}</code></pre>'</script></head><body>\n"
        '<h2 id="x"><a href="#x">\u200b</a><code>Tool</code></h2>\n<!-- <pre><code class="json">1</code></pre> -->\n'
        "<pre class='language-json'>\n{&quot;a&quot;:\n 1}</pre>\n<h3>Example</h3><PRE><CODE CLASS='x language-json'>[]</CODE></PRE>"
        "<h2>Other</h2><pre language=json>2</pre><p>{}</p><pre>3</pre><code class='json'>4</code>"
    )
    assert pages(text) == [('\n{"a":\n 1}', "Tool", 4), ("[]", "Tool", 7), ("2", "Other", 7)]


def test_a_finding_is_where_it_is_in_the_document(tmp_path: Path) -> None:
    page = tmp_path / "page.mdx"
    page.write_text(REFERENCE.replace("&quot;a &amp; b&#39;s&quot;", "&quot;a&quot;,,"), encoding="utf-8")
    (finding,) = validate(page, version="2025-06-18")
    column = page.read_text(encoding="utf-8").splitlines()[12].index(",,") + 2
    assert (finding.code, finding.place.line) == ("json", 13)
    assert finding.message.endswith(f"(column {column})")


@pytest.mark.parametrize("name", ["page.md", "page.html", "page.htm", "2025-06-18.md"])
def test_its_values_are_checked_as_those_of_markdown(tmp_path: Path, name: str) -> None:
    page = tmp_path / name
    heading = "## Tool\n\n" if name.endswith("md") else "<h2>Tool</h2>\n\n"
    page.write_text(f'{heading}<pre><code class="json">{{&quot;name&quot;: 1}}</code></pre>\n', encoding="utf-8")
    found = [(each.place.line, each.path) for each in validate(page, version="2025-06-18")]
    assert found == [(3, "$.name"), (3, "$.inputSchema")]


def test_fenced_blocks_and_code_spans_are_no_html() -> None:
    fenced = '```html\n<pre><code class="json">1</code></pre>\n```\n'
    hidden = '{/*\n<pre><code class="json">1</code></pre>\n*/}\n'
    span = 'Write `<pre><code class="json">` or `</pre>`.\n'
    assert of(f'{fenced}{hidden}{span}<pre><code class="json">2</code></pre>\n') == [("2", None, 8)]


def test_a_heading_between_lines_of_a_block_is_text() -> None:
    assert of('# Tool\n<pre><code class="json">\n# Root\n1</code></pre>\n') == [("\n# Root\n1", "Tool", 2)]


def test_a_block_that_is_never_closed_says_so(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('<pre><code class="json">{"a": \n', encoding="utf-8")
    (finding,) = validate(page, version="2025-06-18")
    assert "in a block without closing fence" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "<" * 300_000,
        "<a " * 100_000,
        '<a b="' * 50_000,
        "<!--" * 100_000,
        "<script>" * 50_000,
        "&#" * 150_000,
        f"<pre {'a' * 300_000}>",
        f"<pre class={' ' * 300_000}>",
        f"# a{' ' * 300_000}b",
        f"## {'[' * 300_000}",
        "`<pre" * 60_000,
        '<pre><code class="json">' * 10_000,
    ],
    ids=range(12),
)
def test_a_text_of_any_kind_comes_to_an_end(text: str) -> None:
    """In linear time: what looks at a part of it again and again would take minutes."""
    assert all(value == "" or value for value, _, _ in [*pages(f"<pre>{text}"), *of(f"<pre>\n{text}\n")])
