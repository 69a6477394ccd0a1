"""Make a checkout with one revision more: ``python tests/next_revision FOLDER``.

The made-up revision is the newest one with another version constant, a request and an optional field added, and a
notification removed. ``written_by_hand`` returns all that a person must write for it; ``docs/adding-a-revision.md`` lists
those files, and ``nox -s next_revision`` runs the tests in the checkout.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPIED = (".ci", ".github", "codegen", "docs", "examples", "generated", "schema", "templates", "tests")
COPIED_FILES = (
    ".gitattributes",
    ".gitignore",
    ".pre-commit-hooks.yaml",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "action.yml",
    "hatch_build.py",
    "mkdocs.yml",
    "noxfile.py",
    "pyproject.toml",
)
NEW = "2099-01-01"

ADDED = """
/**
 * Parameters of `tools/describe`.
 *
 * @since 2099-01-01
 */
export interface DescribeToolRequestParams extends RequestParams {
  /** Name of the tool. */
  name: string;
}

/**
 * A request for the description of one tool.
 *
 * @since 2099-01-01
 */
export interface DescribeToolRequest extends JSONRPCRequest {
  method: "tools/describe";
  params: DescribeToolRequestParams;
}

/**
 * The description of one tool.
 *
 * @since 2099-01-01
 */
export interface DescribeToolResult extends Result {
  /** The tool. */
  tool: Tool;
}

/**
 * Response to `tools/describe` that reports success.
 *
 * @since 2099-01-01
 */
export interface DescribeToolResultResponse extends JSONRPCResultResponse {
  result: DescribeToolResult;
}
"""
FIELD = """  /**
   * Seconds that a call usually takes.
   *
   * @since 2099-01-01
   */
  usualSeconds?: number;
"""
REMOVED = "PromptListChangedNotification"
_RULES = "codegen/mcp_bindgen/bridge/rules.toml"
_OVERRIDES = "codegen/mcp_bindgen/resolve/overrides.toml"


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


TABLE = """# What {new} changed on the wire, and what becomes of it in either revision.
# test_between_revisions.py says how to read this.

differences = 4

[[change]]
what = "a tool says how long a call usually takes"
of = ["+ Tool.usualSeconds"]
message = '{{"name": "t", "inputSchema": {{"type": "object"}}, "usualSeconds": 3}}'
type = "Tool"
place = "$.usualSeconds"
before = "unknown"
after = "known"

[[change]]
what = "a client may ask for one tool"
of = ["+ method tools/describe"]
message = '''{{"jsonrpc": "2.0", "id": 1, "method": "tools/describe", "params": {{"name": "t", "_meta": {{
              "io.modelcontextprotocol/protocolVersion": "{new}", "io.modelcontextprotocol/clientCapabilities": {{}}}}}}}}'''
place = "$.method"
before = "generic"
after = "known"

[[change]]
what = "a response to that has a type"
of = ["+ type DescribeToolResultResponse"]
message = '{{"jsonrpc": "2.0", "id": 1, "result": {{"resultType": "complete", "tool": {{"name": "t", "inputSchema": {{"type": "object"}}}}}}}}'
type = "DescribeToolResultResponse"
place = "$"
before = "no such type"
after = "DescribeToolResultResponse"

[[change]]
what = "nobody says that the list of prompts has changed"
of = ["- method notifications/prompts/list_changed"]
message = '{{"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"}}'
place = "$.method"
before = "known"
after = "generic"
"""

BRIDGE = """
# --- {new} and {newest} ---------------------------------------------------------------------------------------

[[method]]
steps = ["{new} -> {newest}"]
subjects = ["tools/describe"]
do = "refuse"
reason = "the target lists tools, but describes no single one"
section = "server/tools"
changes = ["method_added:tools/describe"]

[[method]]
steps = ["{newest} -> {new}"]
subjects = ["notifications/prompts/list_changed"]
do = "omit"
reason = "the target does without this notification"
section = "server/prompts"
changes = ["notification_removed:notifications/prompts/list_changed"]
"""


def written_by_hand(folder: Path) -> Mapping[str, str]:
    """Return what a person writes in a checkout in order to add the revision: file to its text."""
    *_, newest = sorted(each.name for each in (folder / "schema").iterdir() if each.name[:1].isdigit())
    schema = next_schema(_read(folder, f"schema/{newest}/schema.ts"), newest)
    digest = hashlib.sha256(schema.encode()).hexdigest()
    row = f'[revisions.{NEW}]\ncommit = "{"0" * 40}"\nsha256 = "{digest}"\njson_sha256 = "{"0" * 64}"\n\n'
    step = f'[[steps]]\nold = "{newest}"\nnew = "{NEW}"\nabout = "A tool can be described."\n\n'
    whole = f'[[steps]]\nold = "2024-11-05"\nnew = "{newest}"\n'
    edits = {
        "schema/official.toml": ("# Extensions have", f"{row}# Extensions have"),
        "docs/revisions/notes.toml": (whole, step + whole.replace(newest, NEW)),
        _OVERRIDES: _ended(_read(folder, _OVERRIDES), "notifications/prompts/list_changed", newest),
        "tests/docs/specification.toml": ("[without_pages]\n", f'[without_pages]\n{NEW} = "It is made up."\n'),
    }
    return {
        f"schema/{NEW}/schema.ts": schema,
        f"tests/bindings/between_revisions/{newest}_{NEW}.toml": TABLE.format(new=NEW),
        _RULES: _read(folder, _RULES) + BRIDGE.format(new=NEW, newest=newest),
        **{name: replaced(_read(folder, name), *edit) for name, edit in edits.items()},
    }


def _ended(overrides: str, notification: str, newest: str) -> tuple[str, str]:
    """Return the entry of a notification that is removed, and the same with the last revision for which it holds."""
    entry = re.search(rf'\[\[requested\]\]\nnotification = "{notification}"\n(?:.+\n)+', overrides)
    assert entry is not None
    return entry[0], f'{entry[0]}until = "{newest}"\n'


def _read(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


def make(folder: Path) -> None:
    """Copy the checkout into an empty folder, and write there what a person writes."""
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*", "node_modules"))
    for name in COPIED_FILES:
        shutil.copy(ROOT / name, folder / name)
    for name, text in written_by_hand(folder).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
