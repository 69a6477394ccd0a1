"""A difference as one self-contained HTML page.

from mcp_bindgen.diff import compare, page

text = page.render(compare(old, new), old, new)
"""

from __future__ import annotations

from mcp_bindgen.diff.page.difference_page import render

__all__ = ["render"]
