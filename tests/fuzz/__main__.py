"""``python -m fuzz`` in ``tests/``: mutate messages for so many seconds, and keep what breaks a promise as a test."""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from random import Random, SystemRandom

from fuzz.mutating import mutated, seeds
from fuzz.promises import PACKAGES, check
from fuzz.test_corpus import CORPUS


def main() -> int:
    """Run; 1 where something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(2**32), help="for the same texts again")
    options = parser.parse_args()
    random = Random(options.seed)
    sources = {revision: seeds(revision, random) for revision in PACKAGES}
    tried = taken = found = 0
    until = time.monotonic() + options.seconds
    while time.monotonic() < until:
        revision = random.choice(list(PACKAGES))
        data = mutated(next(sources[revision]), next(sources[revision]), random)
        tried += 1
        try:
            taken += check(data, revision)
        except Exception as broken:  # noqa: BLE001 - whatever is raised is what is looked for
            found += 1
            name = f"{revision}-{hashlib.sha256(data).hexdigest()[:12]}.bin"
            CORPUS.mkdir(exist_ok=True)
            (CORPUS / name).write_bytes(data)
            sys.stderr.write(f"{name}: {type(broken).__name__}: {str(broken)[:300]}\n")
    sys.stdout.write(f"seed {options.seed}: {tried} texts, {taken} of them messages, {found} that break a promise\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
