"""Methods of clients and contexts that do more than send one request: those whose messages a schema has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import frozen
from mcp_bindings_runtime.features.client_methods import ELICIT, PAGE_DONE, ROOTS, SAMPLE

from mcp_bindgen.ir.protocol import Protocol, Side

_DOCSTRING = re.compile(r'""".*?"""', re.DOTALL)


@frozen
class _Convenience:
    name: str
    side: Side
    methods: tuple[str, ...]
    """What a schema needs to have."""
    types: tuple[str, ...]
    """What it needs to declare."""
    code: str


_TASK = '''
    @property
    def task(self) -> Task | None:
        """The task that the tool call is executed as, to say how far it is; None for none."""
        return None
'''

_EVERY: Sequence[_Convenience] = (
    _Convenience(
        "set_roots",
        "client",
        (ROOTS,),
        ("Root",),
        '''
    def set_roots(self, roots: Iterable[types.Root | str | PathLike[str]]) -> None:
        """Offers these roots from now on, in the place of those before; the server is told.

        A root is a path, a ``file://`` URI or a ``Root``. One that cannot be read any more
        when the server asks is left out. Raises UsageError for one that is not there, is no
        file, or leads out of itself by ``..``, and for a client that has connected without
        any: an empty list is enough to have them later.
        """
        from ..runtime.features.roots import share

        share(self, roots)
''',
    ),
    _Convenience(
        "roots",
        "server",
        (ROOTS,),
        ("Root",),
        '''
    def roots(self) -> list[types.Root]:
        """The client's roots: where it would have the server work.

        They are asked for once and kept until the client says that they have changed, if it
        says so at all. Raises as ``request`` does.
        """
        from ..runtime.features.roots import roots_of

        return roots_of(self)
''',
    ),
    _Convenience(
        "within_roots",
        "server",
        (ROOTS,),
        ("Root",),
        '''
    def within_roots(self, path: str | PathLike[str]) -> bool:
        """Whether a path or ``file://`` URI is one of the client's roots, or below one.

        It is judged by where it leads, after ``..`` and symbolic links; open what it leads
        to, as links may change afterwards. Raises as ``request`` does.
        """
        from ..runtime.features.roots import is_within

        return is_within(path, self.roots())
''',
    ),
    _Convenience(
        "sample",
        "server",
        (SAMPLE,),
        ("SamplingMessage", "TextContent", "ModelHint", "ModelPreferences"),
        '''
    def sample(
        self,
        prompt: str | list[types.SamplingMessage],
        *,
        max_tokens: int = 1000,
        system_prompt: str | None = None,
        temperature: float | None = None,
        hints: Sequence[str] = (),
    ) -> str:
        """What the client's language model answers, as text.

        ``prompt`` is what the user is to have said, or a whole conversation. ``hints`` are
        names or families of models, the best first. `create_message` has all the options,
        and gives all of the message. Raises as `create_message`, and ProtocolError for a
        message without text.
        """
        from ..runtime.features.sampling import sample

        return sample(
            self,
            prompt,
            max_tokens=max_tokens,
            system_prompt=system_prompt,
            temperature=temperature,
            hints=hints,
        )
''',
    ),
    _Convenience(
        "elicit_form",
        "server",
        (ELICIT,),
        ("ElicitResult", "StringSchema"),
        '''
    def elicit_form(
        self, message: str, form: type[R]
    ) -> Accepted[R] | Declined | Cancelled:
        """Has the user fill in a form, which is a class; the answer has an object of it.

        ``form`` is an attrs class, a dataclass or a TypedDict of text, numbers, bools and
        choices (a ``Literal`` or ``Enum`` of strings). Never ask for secrets: what is typed
        into a form goes through the client. Raises as `elicit`, UsageError for what is no
        form, and ProtocolError for an answer that does not fit it.
        """
        from ..runtime.features.forms import ask

        return ask(self, message, form)
''',
    ),
    _Convenience(
        "elicit_page",
        "server",
        (ELICIT, PAGE_DONE),
        ("ElicitRequestURLParams",),
        '''
    def elicit_page(
        self, message: str, url: str, elicitation_id: str | None = None
    ) -> Accepted[str] | Declined | Cancelled:
        """Asks the user to visit a page; Accepted has the id, and means that they agreed to.

        The id is a new one unless given. Nothing is known of what happens on the page; that
        is between it and the server, which says `page_done` when it is done with. Raises as
        `elicit_url`, and UsageError for what is no absolute URL.
        """
        from ..runtime.features.elicitation import visit

        return visit(self, message, url, elicitation_id)

    def page_done(self, elicitation_id: str) -> None:
        """Tells the client that a page that its user was asked to visit is done with."""
        from ..runtime.features.elicitation import tell_done

        tell_done(self, elicitation_id)
''',
    ),
    _Convenience(
        "wait_for_page",
        "client",
        (ELICIT, PAGE_DONE),
        ("ElicitRequestURLParams",),
        '''
    def wait_for_page(self, elicitation_id: str, timeout: float | None = None) -> None:
        """Waits until the server says that a page the user was asked to visit is done with.

        ``timeout`` is in seconds, that of the client unless given; servers need not say
        anything, so let the user go on by hand, too. Raises RequestTimeout, and UsageError
        for a page that the server has not asked for.
        """
        from ..runtime.features.elicitation import pages_of

        patience = self.timeout if timeout is None else timeout
        pages_of(self.connection.session).wait(elicitation_id, patience)
''',
    ),
    _Convenience(
        "task",
        "server",
        ("tasks/result", "tools/call"),
        (),
        _TASK,
    ),
    _Convenience(
        "task",
        "server",
        ("tools/call",),
        ("InputRequiredResult",),
        _TASK,
    ),
    _Convenience(
        "call_tool_as_task",
        "client",
        ("tasks/result", "tools/call"),
        (),
        '''
    def call_tool_as_task(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        *,
        ttl: float | None = None,
        meta: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        on_progress: Callable[[types.ProgressNotificationParams], object] | None = None,
    ) -> TaskHandle[types.CallToolResult]:
        """Has the server run one of its tools as a task, and does not wait for the result.

        ``ttl`` is for how many seconds it should be kept; the server decides. Of the task
        progress is told as long as it lasts. Raises as ``request`` does.
        """
        from ..runtime.tasks.task_handle import start_task

        params = types.CallToolRequestParams(
            name=name,
            arguments=arguments,
            meta=method_support.meta_of(types.RequestParamsMeta, meta),
        )
        return start_task(
            self,
            methods.CALL_TOOL,
            params,
            ttl=ttl,
            timeout=timeout,
            on_progress=on_progress,
        )
''',
    ),
    _Convenience(
        "call_tool_as_task",
        "client",
        ("tools/call",),
        ("InputRequiredResult",),
        '''
    def call_tool_as_task(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        *,
        meta: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        on_progress: Callable[[types.ProgressNotificationParams], object] | None = None,
    ) -> PolledTask[types.CallToolResult]:
        """Has the server run one of its tools, and does not wait where it makes a task of it.

        That takes a client made with ``tasks=True``. Whether there is a task, the server
        decides: ``id`` of what is given says. Raises as ``request`` does.
        """
        params = types.CallToolRequestParams(
            meta=self.meta(meta), name=name, arguments=arguments
        )
        answer = self.rounds(
            methods.CALL_TOOL, params, timeout=timeout, on_progress=on_progress
        )
        return self.task(methods.CALL_TOOL, answer, params)
''',
    ),
)


def convenience_methods(protocol: Protocol, side: Side, runtime: str) -> list[str]:
    """The lines of a side's convenience_methods: those of the client's class, or of the context of a server's handlers."""
    return [
        line.replace("..runtime", runtime) for each in _of(protocol, side) for line in each.code.rstrip().splitlines()
    ]


def code_of(written: Sequence[str]) -> list[str]:
    """The lines that are no docstrings."""
    return _DOCSTRING.sub("", "\n".join(written)).splitlines()


def _of(protocol: Protocol, side: Side) -> Iterator[_Convenience]:
    for each in _EVERY:
        known = {*protocol.methods, *protocol.objects, *protocol.aliases}
        if each.side == side and known.issuperset((*each.methods, *each.types)):
            yield each
