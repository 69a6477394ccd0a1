"""What a client can be told when it is made, of whichever revision it will be. Known to type checkers only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias, TypedDict

from ..features.limits import Limits
from ..session.log_levels import Level
from ..tasks.store import MemoryTasks
from .result_cache import ResultCache

Answer: TypeAlias = Callable[[Any, Any], Any]
"""A function that is given params and a context of the revision that was agreed on, and gives a result of it."""
Told: TypeAlias = Callable[[Any], object]
"""A function that is given params of the revision that was agreed on."""


class AnyOptions(TypedDict, total=False):
    """The options of clients of all revisions, as ``connect`` takes them; what a revision does not have, it is not given.

    See ``ClientOptions`` of a revision for what they are.
    """

    name: str
    version: str
    title: str | None
    description: str | None
    icons: Sequence[Mapping[str, Any]] | None
    website_url: str | None
    capabilities: Any
    timeout: float
    limit: float
    workers: int
    ping: float | None
    ping_failures: int
    record: str | PathLike[str] | None
    limits: Limits | bool
    tasks: MemoryTasks | bool | None
    require: Iterable[str]
    log_level: Level | None
    rounds: int
    cache: ResultCache | bool
    check_output: bool | None
    sampling: Answer
    approve_request: Callable[[Any], Any]
    approve_result: Answer
    sampling_tools: bool
    sampling_context: bool
    elicitation: Answer
    elicitation_url: Answer
    roots: Iterable[Any]
    on_log: Told
    on_resource_updated: Told
    on_tools_changed: Callable[[], object]
    on_prompts_changed: Callable[[], object]
    on_resources_changed: Callable[[], object]
