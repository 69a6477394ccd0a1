"""Command ``python -m benchmarks.scale`` in ``tests/``: prints the figures of ``docs/running-at-scale.md``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence

from benchmarks.page import Section, render
from benchmarks.scale import sessions, streams, workers

PARTS: Mapping[str, Callable[[bool], Sequence[Section]]] = {
    "sessions": lambda quick: [sessions.measure(2_000 if quick else sessions.SESSIONS)],
    "streams": lambda quick: streams.measure((100, 200) if quick else streams.NUMBERS),
    "workers": lambda quick: [workers.measure(3.0 if quick else workers.SECONDS)],
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=[*PARTS], help="measure this part (repeat for several)")
    parser.add_argument("--quick", action="store_true", help="few of everything, to try things out")
    options = parser.parse_args()
    found = [section for name in options.only or PARTS for section in PARTS[name](options.quick)]
    sys.stdout.write(render(found, {}))


if __name__ == "__main__":
    main()
