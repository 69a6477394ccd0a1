"""Completion in the shells.

Values after an option and ``=`` are completed as those after a space. The command of a server, which follows ``--``, is
left to the shell: its words are completed as names of files.
"""

from __future__ import annotations

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)


class _ServerCommands(ShellComplete):
    """Completion that leaves the words after ``--`` to the shell."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return the completions of the incomplete word."""
        if "--" in args:
            return [CompletionItem(incomplete, type="file")]
        return super().get_completions(args, incomplete)


class _Bash(_ServerCommands, BashComplete):
    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the incomplete one, and that; Bash makes a word of each ``=``."""
        words, incomplete = super().get_completion_args()
        return [word for word in words if word != "="], "" if incomplete == "=" else incomplete


class _WholeWords(_ServerCommands):
    """Completion for a shell that replaces a whole word such as ``--version=20``."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return what the shell puts in the place of the incomplete word."""
        option, equals, value = incomplete.partition("=")
        if not equals or not option.startswith("-"):
            return super().get_completions(args, incomplete)
        items = super().get_completions([*args, option], value)
        for item in items:
            item.value = f"{option}={item.value}"
        return items


class _Zsh(_WholeWords, ZshComplete):
    pass


class _Fish(_WholeWords, FishComplete):
    pass


def register_shells() -> None:
    """Use these classes instead of those of click."""
    for cls in (_Bash, _Zsh, _Fish):
        add_completion_class(cls)
