"""The format of a command's output: ``--format``, its short form ``--json``, and the ending of the file of ``-o``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_bindgen import catalog

if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # has no type parameter before click 8.2

_ENDINGS = {
    ".htm": "html",
    ".html": "html",
    ".json": "json",
    ".markdown": "markdown",
    ".md": "markdown",
    ".xml": "junit",
}
"""Endings of files to the format that they stand for."""

_PLAIN = frozenset({"", ".log", ".text", ".txt"})
"""Endings of files in any format; without an option it is the default."""

REPORT_FORMS = ("text", "json", "html", "markdown", "github", "junit")
REPORT_FORMAT = (
    "Output format; html is a web page, markdown a comment for a pull request, github annotations for GitHub Actions, "
    "junit test results."
)
"""The formats of reports of differences, and their description."""

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class FormatChoice(_Choice):
    """The name of a format; the error for another word suggests the format that it resembles."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the format; raise ``click.BadParameter`` for another word."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as fault:
            form = _resembling(str(value), self.choices)
            hint = "" if form is None else f" Did you mean {form!r}?"
            self.fail(f"{fault.message}{hint}", param, ctx)


def _resembling(word: str, forms: Sequence[str]) -> str | None:
    """Return the format that is meant by a word: the ending of its files, or a misspelled name."""
    form = _ENDINGS.get(f".{word.lower()}")
    return form if form in forms else next(iter(catalog.nearest(word, forms, 1)), None)


def output_format(
    forms: Sequence[str],
    about: str = "Output format.",
    *,
    default: str = "text",
    argument: str = "form",
    by_ending: bool = False,
) -> Decorator:
    """Return the options of an output format for a command, which receives the format as ``argument``.

    With ``by_ending``, the ending of the argument ``file``, the file of ``-o``, decides without either option.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def formatted(*args: Any, as_json: bool, **values: Any) -> Any:
            form = values.pop(argument)
            if as_json and form not in {None, "json"}:
                message = f"--json and --format {form} contradict each other; pass one of them"
                raise click.UsageError(message, click.get_current_context(silent=True))
            # The file of approvals has a format of its own.
            file = values.get("file") if by_ending and not values.get("print_approvals") else None
            form = "json" if as_json else form or _form_of_file(file, forms) or default
            return function(*args, **{argument: form}, **values)

        usual = f"that of the ending of -o, else {default}" if by_ending else default
        shown = about if usual == "text" else f"{about} By default {usual}."
        named = click.option("--format", argument, type=FormatChoice(forms), help=shown)
        return named(click.option("--json", "as_json", is_flag=True, help="Short for --format json.")(formatted))

    return decorate


def _form_of_file(file: Path | None, forms: Sequence[str]) -> str | None:
    """Return the format that the ending of a file stands for; None if it stands for none."""
    ending = "" if file is None else file.suffix.lower()
    form = _ENDINGS.get(ending)
    if form not in forms and ending not in _PLAIN:
        message = f"there is no format for {file}; pass --format with one of {', '.join(forms)}, or another ending"
        raise click.UsageError(message, click.get_current_context(silent=True))
    return form


def require_ending(option: str, file: Path | None, ending: str, content: str) -> None:
    """Raise ``click.UsageError`` if the ending of a file stands for a format, and its content has another one.

    ``ending`` is that of the content, if it has one format only, whatever the options.
    """
    found = "" if file is None else file.suffix.lower()
    if found in _ENDINGS and found != ending:
        message = f"{option} writes {content}, and {file} has the ending of {_ENDINGS[found]}; write {ending}"
        raise click.UsageError(message, click.get_current_context(silent=True))


def require_text_or_json(form: str) -> None:
    """Raise ``click.UsageError`` if rules are to be listed in a format other than text and JSON."""
    if form not in {"text", "json"}:
        message = f"rules can be printed as text or json, got --format {form}"
        raise click.UsageError(message, click.get_current_context(silent=True))


text_or_json = output_format(("text", "json"))
"""The options ``--format`` and ``--json`` of commands without other formats."""
