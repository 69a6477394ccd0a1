"""``python -m benchmarks.speakers NAME``: one client and its server, which talk when they are told to.

Lines of JSON come in on standard input and go out on standard output: ``["versions"]``, ``["call"]`` gives the text that
came back, ``["calls", seconds]`` the nanoseconds of each call. It ends with its input.
"""

from __future__ import annotations

import json
import sys

from benchmarks.speakers import load


def main() -> None:
    """Answer one line after the other."""
    speaker = load(sys.argv[1])
    try:
        for line in sys.stdin:
            what, *arguments = json.loads(line)
            answer = getattr(speaker, what)(*arguments)
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
    finally:
        speaker.close()


if __name__ == "__main__":
    main()
