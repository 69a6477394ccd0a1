"""Entry points of the validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from mcp_bindgen import catalog
from mcp_bindgen.validate import bindings, packages, source_reader
from mcp_bindgen.validate.checker import Checker, Tally
from mcp_bindgen.validate.entries import Read
from mcp_bindgen.validate.findings import Finding
from mcp_bindgen.validate.limits import Limits
from mcp_bindgen.validate.options import AUTO, Options
from mcp_bindgen.validate.report import Report
from mcp_bindgen.validate.sources import Form, InputError, Source, find

Watch = Callable[[Source, int], None]
"""Callback that receives the current source and the number of bytes read from it."""


def validate(
    *paths: str | Path,
    version: str = AUTO,
    package: ModuleType | None = None,
    type: str | None = None,  # noqa: A002 - what the protocol calls it
    rules: bool = False,
    complete: bool = False,
    form: Form | None = None,
    limits: Limits | None = None,
    watch: Watch | None = None,
) -> Report:
    """Check the recordings in files and folders; ``"-"`` is standard input.

    ``version`` is a bundled revision, or ``"auto"``: each conversation is then checked against the revision that it
    names in its handshake or its ``_meta``, and one that names none against all. ``package`` is a generated package of
    your own schema, against which everything is checked; ``version`` is then its label. With ``type``, each JSON value
    is checked as a value of that type and not as a message. ``rules`` adds findings of the level ``"rule"``:
    requirements that the specification states in prose. With ``complete``, each recording is treated as one whole
    session from its first message on, so that missing messages are reported. ``form`` is the format of sources whose
    names do not show it.

    Sources are read lazily, when the report is used. Raise `BindgenError` at once for an unknown version or type, and
    its subclass `InputError` for a missing path. Sources that later prove to be unreadable, or larger than ``limits``
    allows, are listed in ``failures`` of the report; the others are checked all the same.
    """
    version = version if package is None else _added(package, version)
    options = _options(version, limits, rules=rules, complete=complete)
    kind = None if type is None else _known_type(type, version)
    is_type = bindings.is_type if package is None else partial(bindings.is_type, revisions=(version,))
    sources = list(find([Path(path) if str(path) != "-" else "-" for path in paths], form, is_type))
    return run(sources, options, kind, watch)


def validate_messages(
    messages: Iterable[Any],
    *,
    version: str = AUTO,
    package: ModuleType | None = None,
    rules: bool = False,
    complete: bool = False,
    name: str = "<messages>",
    limits: Limits | None = None,
) -> Report:
    """Check the messages of one conversation, in order; each is a JSON text or a Python value.

    A message may be wrapped as in a log, ``{"from": "client", "message": {…}}``, to name its sender. The line of a
    finding is the number of its message, from 1. The other arguments are those of `validate`.
    """
    version = version if package is None else _added(package, version)
    options = _options(version, limits, rules=rules, complete=complete)
    source = Source(name, None, "lines")
    tally = Tally()
    reader = source_reader.Reader(source, options.limits, None, source_reader.ignore_progress)
    reads = reader.messages(messages)
    return Report(Checker(options, tally).findings(reads), tally, [])


def run(sources: list[Source], options: Options, kind: str | None, watch: Watch | None) -> Report:
    """Return the report on these sources."""
    tally, failures = Tally(), list[str]()
    return Report(_findings(sources, options, kind, watch, tally, failures), tally, failures)


def _findings(
    sources: list[Source],
    options: Options,
    kind: str | None,
    watch: Watch | None,
    tally: Tally,
    failures: list[str],
) -> Iterator[Finding]:
    for source in sources:
        reads = source_reader.read(source, options.limits, kind, None if watch is None else _progress_of(watch, source))
        yield from Checker(options, tally).findings(_readable(reads, failures))


def _progress_of(watch: Watch, source: Source) -> source_reader.Progress:
    return lambda size: watch(source, size)


def _readable(reads: Iterator[Read], failures: list[str]) -> Iterator[Read]:
    try:
        yield from reads
    except InputError as problem:
        failures.append(str(problem))


def _options(version: str, limits: Limits | None, *, rules: bool, complete: bool) -> Options:
    if version != AUTO:
        packages.find(version)
    return Options(version, rules, complete, limits or Limits())


def _added(package: ModuleType, label: str) -> str:
    return packages.add(package, package.__name__.rpartition(".")[2] if label == AUTO else label)


def _known_type(name: str, version: str) -> str:
    revisions = catalog.revisions() if version == AUTO else (version,)
    having = [revision for revision in revisions if name in bindings.load(revision).types]
    if not having:
        # The error message suggests names of the newest revision.
        bindings.load(revisions[-1]).shape(name)
    return name
