"""``python -m benchmarks`` in ``tests/``: measures everything, prints the page and writes it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import generation, imports
from benchmarks.page import render


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="an interpreter with mcp-types installed")
    parser.add_argument("--upstream", type=Path, help="folder with the official schema.json of each revision")
    parser.add_argument("--page", type=Path, help="file to write besides standard output")
    options = parser.parse_args()
    upstream = options.upstream if options.upstream and generation.has_judge() else None
    tables = [*generation.measure(upstream), imports.measure(sys.executable, options.peer)]
    page = render(tables)
    sys.stdout.write(page)
    if options.page:
        options.page.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
