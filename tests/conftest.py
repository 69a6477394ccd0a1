"""Shared settings of all tests: hypothesis' profile, the official schema files, and folders that only run when named."""

from __future__ import annotations

import gc
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from checkout import MISSING, ROOT, UPSTREAM
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

ONLY_WHEN_NAMED = {"benchmarks", "differential", "interop"}
"""Folders of tests that have a nox session, and requirements, of their own."""

# How long an example takes, or its generation, says more about the machine than about the code.
untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", untimed)
# What fails on a build machine fails again wherever it is run. The examples are the same each time, so a quarter of them do.
settings.register_profile("ci", untimed, derandomize=True, print_blob=True, max_examples=25)
# For other interpreters and releases of libraries, on which not every example can differ.
settings.register_profile("again", untimed, derandomize=True, print_blob=True, max_examples=20)
settings.register_profile("thorough", untimed, max_examples=2000)
profile = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
settings.load_profile(profile)

# Hypothesis draws constants of the modules that it tests. To find them it parses all modules, those that tests have
# generated, too. In a fresh checkout that takes each process longer than the examples do.
if profile in {"ci", "again"} and hasattr(providers, "_get_local_constants"):
    providers._get_local_constants = lambda: providers._local_constants  # there is no setting for it

# A shell without job control has what it starts in the background ignore Ctrl-C, and so all that these start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if collection_path.parent != ROOT / "tests" or collection_path.name not in ONLY_WHEN_NAMED:
        return None
    named = (Path(argument.partition("::")[0]).resolve() for argument in config.args)
    return None if any(path.is_relative_to(collection_path) for path in named) else True


def pytest_collection_finish() -> None:
    """Keep what has been collected out of garbage collection: tests that collect would look through it again and again."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the reasons for which tests were skipped, each once."""
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.getreports("skipped"))
    if reasons:
        terminalreporter.section("skipped tests")
    for reason, count in sorted(reasons.items()):
        terminalreporter.line(f"{count:5}  {reason}")


@pytest.fixture(scope="session")
def upstream() -> Path:
    """Return the folder with the official ``<revision>/schema.ts`` and ``<revision>/schema.json``; skip without it."""
    if not UPSTREAM.is_dir():
        pytest.skip(MISSING)
    return UPSTREAM
