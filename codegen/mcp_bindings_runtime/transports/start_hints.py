"""Hints for server processes that end before they send anything: a script, a variable or a module is missing."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

_SCRIPTS: Final = (".py", ".js", ".mjs", ".ts", ".rb", ".sh")
"""Ends of the names of programs that an interpreter runs."""

_LOOKUP: Final = re.compile(r"""(?:getenv\(|environ\[|environ\.get\(|process\.env[.\[])\s*['"]?([A-Za-z_]\w*)""")
"""The place in a program, as a traceback shows it, at which it reads a variable."""
_KEY_ERROR: Final = re.compile(r"KeyError: '([A-Z][A-Z0-9_]*)'")
_VARIABLE: Final = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
"""The name of an environment variable in a message."""
_ADVICE: Final = re.compile(r"environ|variable|\bset\b|unset|missing|required|undefined|export|provide", re.IGNORECASE)
"""Words of messages about a variable that is not set."""
_NO_MODULE: Final = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")


class _Missing(NamedTuple):
    """A variable that the server does not have."""

    name: str
    certain: bool
    """Whether it is certain that the server looked for it in its environment."""


def missing_script_hint(command: Sequence[str | os.PathLike[str]], cwd: str | os.PathLike[str] | None) -> str:
    """Return that the script is missing which a command's first argument names; empty if it is not, or names none."""
    script = os.fsdecode(command[1]) if len(command) > 1 else ""
    if not script.endswith(_SCRIPTS):
        return ""
    from pathlib import Path

    folder = Path.cwd() if cwd is None else Path(cwd)
    return "" if (folder / script).exists() else f"; there is no file {script!r} in the folder {os.fspath(folder)!r}"


def environment_hint(
    variables: Collection[str], lines: Sequence[str] | None, *, inherits: bool, advice: str | None = None
) -> str:
    """Return what to do if a server failed for want of a variable or module; empty if nothing indicates that.

    ``variables`` are the names of those that it has, all of this process's if it ``inherits`` them; ``lines`` are the last
    ones of its standard error, if captured. ``advice`` says how to pass a variable, by default with the options of clients.
    """
    if lines is None:
        if advice is not None:
            return f"; if it needs an environment variable, {advice}"
        return "" if inherits else f"; if it needs variables of this environment, {_pass('NAME')} or inherit_env=True"
    module = _last(_NO_MODULE, lines)
    if module is not None:
        return _module_hint(module, variables)
    missing = next((each for each in _missing(lines) if each.name not in variables), None)
    if missing is None:
        # A variable that is not set is often None.
        unset = bool(lines) and "NoneType" in lines[-1]
        return f"; if it needs an environment variable, {advice or _pass('NAME')}" if unset else ""
    how = advice or _pass(missing.name) + (" or inherit_env=True" if missing.name in os.environ else "")
    return (
        f"; {missing.name} is not in its environment: {'' if missing.certain else 'if it reads that variable, '}{how}"
    )


def _pass(name: str) -> str:
    value = f"os.environ[{name!r}]" if name in os.environ else "'value'"
    return f"pass env={{{name!r}: {value}}}"


def _last(pattern: re.Pattern[str], lines: Sequence[str]) -> str | None:
    found = next((found for line in reversed(lines) if (found := pattern.search(line))), None)
    return None if found is None else found[1]


def _missing(lines: Sequence[str]) -> Iterator[_Missing]:
    """Yield the variables that lines of standard error are about, those of the last line first."""
    for number, line in reversed([*enumerate(lines)]):
        for found in _LOOKUP.finditer(line):
            yield _Missing(found[1], certain=True)
        key = _KEY_ERROR.search(line)
        if key is not None:
            # The mapping of variables is a class of the module os, whose frame is the last one.
            yield _Missing(key[1], certain=any("environ" in each or "<frozen os>" in each for each in lines[:number]))
        named = _VARIABLE.findall(line)
        if _ADVICE.search(line):
            yield from (_Missing(each, certain="environ" in line.lower()) for each in named)
        else:
            yield from (_Missing(each, certain=False) for each in named if each in os.environ)


def _module_hint(module: str, variables: Collection[str]) -> str:
    if "PYTHONPATH" in os.environ and "PYTHONPATH" not in variables:
        return f"; PYTHONPATH is not in its environment: if the module {module!r} is there, {_pass('PYTHONPATH')}"
    return (
        f"; its interpreter does not find the module {module!r}: name that of the environment in which it is installed"
    )
