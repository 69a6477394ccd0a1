"""The reference names the bases of a class that readers can look up."""

from __future__ import annotations

import runpy

import pytest
from checkout import ROOT

HOOK = runpy.run_path(str(ROOT / "docs" / "public_bases.py"))


def page(*paths: str) -> str:
    bases = ", ".join(
        f'<code><autoref identifier="{path}" optional>{path.rpartition(".")[2]}</autoref></code>' for path in paths
    )
    return f'<h2>C</h2><p class="doc doc-class-bases">\n              Bases: {bases}</p><p>Text.</p>'


def bases_of(*paths: str) -> str:
    return HOOK["without_internal_bases"](page(*paths), frozenset({"mcp_bindings_x.errors", "mcp_bindings_x.a.Known"}))


@pytest.mark.parametrize(
    "path", ["Exception", "typing.NamedTuple", "mcp_bindings_x.a.Known", "mcp_bindings_x.errors.McpError"]
)
def test_a_base_that_can_be_looked_up_is_named(path: str) -> None:
    assert bases_of(path, "mcp_bindings_x.a.Internal").count("<code>") == 1
    assert f'identifier="{path}"' in bases_of(path, "mcp_bindings_x.a.Internal")


@pytest.mark.parametrize("path", ["mcp_bindings_x.a.Internal", "mcp_bindings_x.errors._Located", "typing.Generic"])
def test_a_class_with_internal_bases_alone_has_no_line_of_bases(path: str) -> None:
    assert bases_of(path) == "<h2>C</h2><p>Text.</p>"


def test_the_pages_document_the_exceptions_and_the_classes_of_the_reference() -> None:
    assert {"mcp_bindings_runtime.errors", "mcp_bindings_runtime.auth.oauth.OAuth"} <= HOOK["documented_paths"]()
