"""Make a checkout with one revision more: ``python tests/next_revision FOLDER``.

The made-up revision is the newest one with another version constant, a request and an optional field added, and a
notification removed. ``HAND_EDITS`` are the edits besides ``schema/`` that a person must make; the generator needs none.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("codegen", "docs", "examples", "generated", "schema", "templates", "tests", "noxfile.py", "pyproject.toml")
COPIED_TEXTS = ("README.md", "CHANGELOG.md", "LICENSE", "mkdocs.yml")
NEW = "2099-01-01"

ADDED = """
/** Parameters of `tools/describe`. */
export interface DescribeToolRequestParams extends RequestParams {
  /** Name of the tool. */
  name: string;
}

/** A request for the description of one tool. */
export interface DescribeToolRequest extends JSONRPCRequest {
  method: "tools/describe";
  params: DescribeToolRequestParams;
}

/** One tool. */
export interface DescribeToolResult extends Result {
  /** The tool. */
  tool: Tool;
}

/** Response to `tools/describe` that reports success. */
export interface DescribeToolResultResponse extends JSONRPCResultResponse {
  result: DescribeToolResult;
}
"""
FIELD = """  /** Seconds that a call usually takes. */
  usualSeconds?: number;
"""
REMOVED = "PromptListChangedNotification"


def next_schema(text: str, revision: str) -> str:
    """Return the schema of the made-up revision, made from that of ``revision``."""
    text = replaced(text, f'LATEST_PROTOCOL_VERSION = "{revision}"', f'LATEST_PROTOCOL_VERSION = "{NEW}"')
    text = replaced(text, "\n/* Tools */\n", f"\n/* Tools */\n{ADDED}")
    text = replaced(text, "\n  | CallToolRequest\n", "\n  | CallToolRequest\n  | DescribeToolRequest\n")
    text = replaced(text, "\n  | CallToolResult\n", "\n  | CallToolResult\n  | DescribeToolResult\n")
    head = "export interface Tool extends BaseMetadata, Icons {\n"
    text = replaced(text, head, head + FIELD)
    text = replaced(text, f"\n  | {REMOVED}", "")
    declared = re.compile(rf"/\*\*(?:(?!\*/).)*\*/\nexport interface {REMOVED} .*?\n}}\n", re.DOTALL)
    text, count = declared.subn("", text)
    assert count == 1, count
    return text


def replaced(text: str, old: str, new: str) -> str:
    """Replace a text that must occur once."""
    assert text.count(old) == 1, (text.count(old), old)
    return text.replace(old, new)


HAND_EDITS: Mapping[str, tuple[tuple[str, str], ...]] = {}
"""File to the replacements in it."""


def make(folder: Path) -> None:
    """Copy the checkout into an empty folder, and add the revision."""
    for name in (*COPIED, *COPIED_TEXTS):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*", "node_modules"))
        elif source.is_file():
            shutil.copy(source, folder / name)
    schema = folder / "schema"
    newest = max(each.name for each in schema.iterdir() if each.name[:1].isdigit())
    text = next_schema((schema / newest / "schema.ts").read_text(encoding="utf-8"), newest)
    (schema / NEW).mkdir()
    (schema / NEW / "schema.ts").write_text(text, encoding="utf-8")
    digest = hashlib.sha256(text.encode()).hexdigest()
    row = f'[revisions.{NEW}]\ncommit = "{"0" * 40}"\nsha256 = "{digest}"\njson_sha256 = "{"0" * 64}"\n\n'
    edits = {"schema/manifest.toml": (("# Extensions have", f"{row}# Extensions have"),), **HAND_EDITS}
    for name, replacements in edits.items():
        file = folder / name
        edited = file.read_text(encoding="utf-8")
        for old, new in replacements:
            edited = replaced(edited, old, new)
        file.write_text(edited, encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
