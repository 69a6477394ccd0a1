"""How often something may happen: what is refused, and what is put together."""

from __future__ import annotations

from queue import Queue

import pytest
from checkout import REVISIONS
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings import v2025_11_25
from mcp_bindings_runtime.connection.context import ServerContext
from mcp_bindings_runtime.errors import ProtocolError, ResponseError, UsageError
from mcp_bindings_runtime.features.limits import LOGGER, Bucket, DroppedLogs, Limits, Throttle
from mcp_bindings_runtime.session.log_levels import LEVELS
from support.echo_server import echo_server
from support.revisions import HANDSHAKE, STATELESS, WITH_FORMS
from support.scripted_peers import PATIENCE, eventually, package, text_of

each_revision = pytest.mark.parametrize("revision", REVISIONS)


class Clock:
    """Time that stands still until it is set, and what is to happen later."""

    def __init__(self):
        self.now = 100.0
        self.later = []

    def __call__(self):
        return self.now

    def delay(self, seconds, function):
        self.later.append([self.now + seconds, function])
        return Delayed(self.later[-1], self.later)

    def go(self, seconds):
        """Lets time go by, and what is due happen."""
        self.now += seconds
        while due := [each for each in self.later if each[0] <= self.now]:
            self.later.remove(due[0])
            due[0][1]()


class Delayed:
    def __init__(self, entry, entries):
        self.entry, self.entries = entry, entries

    def start(self):
        pass

    def cancel(self):
        if self.entry in self.entries:
            self.entries.remove(self.entry)


@given(st.lists(st.floats(0, 3), max_size=60), st.floats(0.5, 20), st.floats(1, 40))
def test_a_bucket_gives_its_size_and_what_flows_in_and_no_more(pauses, rate, size):
    clock = Clock()
    bucket = Bucket(rate, size, clock)
    taken = 0
    for pause in pauses:
        clock.now += pause
        wait = bucket.acquire()
        taken += not wait
        assert taken <= size + (clock.now - 100.0) * rate + 1e-6
        if wait:
            clock.now += wait + 1e-6
            assert not bucket.acquire(), "what it says is how long it takes"
            taken += 1


@given(st.lists(st.one_of(st.integers(0, 99), st.floats(0.01, 1)), max_size=60))
def test_what_is_told_is_in_order_and_the_last_always_comes(steps):
    """Integers are offered, fractions let time go by."""
    clock = Clock()
    told = []
    dropped = []
    throttle = Throttle(Bucket(4.0, 2.0, clock), told.append, clock.delay, dropped.append)
    offered = []
    for step in steps:
        if isinstance(step, int):
            offered.append((len(offered), step))
            throttle.offer(offered[-1])
        else:
            clock.go(step)
    clock.go(10.0)
    assert told == sorted(set(told))
    assert set(told) <= set(offered)
    assert told[-1:] == offered[-1:]
    assert sorted(told + dropped) == offered
    assert not clock.later


def test_what_waits_is_told_at_the_end():
    clock = Clock()
    told = []
    throttle = Throttle(Bucket(1.0, 1.0, clock), told.append, clock.delay)
    for number in range(5):
        throttle.offer(number)
    assert told == [0]
    throttle.flush()
    assert told == [0, 4]
    clock.go(10.0)
    assert told == [0, 4]


@given(st.lists(st.one_of(st.sampled_from(LEVELS), st.floats(0.01, 1)), max_size=60))
def test_every_log_message_is_sent_or_counted_by_a_notice(steps):
    """Levels are logged, fractions let time go by."""
    clock = Clock()
    sent = []
    dropped = DroppedLogs(4.0, sent.append)
    throttle = Throttle(Bucket(4.0, 2.0, clock), dropped.send, clock.delay, dropped.drop)
    logged = []
    for step in steps:
        if isinstance(step, str):
            logged.append(v2025_11_25.LoggingMessageNotificationParams(level=step, data=len(logged), logger="app"))
            throttle.offer(logged[-1])
        else:
            clock.go(step)
    clock.go(10.0)
    place = 0
    while sent:
        message = sent.pop(0)
        if message.logger == LOGGER:
            number = int(message.data.partition(" ")[0])
            lost, place = logged[place : place + number], place + number
            assert number == len(lost) > 0
            assert message.level == max((each.level for each in lost), key=LEVELS.index)
            assert "were dropped" in message.data or number == 1
            message = sent.pop(0)
        assert message is logged[place]
        place += 1
    assert place == len(logged)


@each_revision
def test_a_client_is_told_how_many_log_messages_of_a_call_were_dropped(revision, caplog):
    caplog.set_level("INFO", logger="mcp_bindings")
    clock, heard = Clock(), []
    server = package(revision).Server("s", "1", limits=Limits(log=2, burst=1, clock=clock))

    @server.tool
    def count(context: ServerContext) -> None:
        for number in range(8):
            context.log("error" if number == 3 else "info", number)

    log = {"log_level": "debug", "on_log": lambda params: heard.append((params.level, params.data))}
    with package(revision).Client.in_memory(server, timeout=PATIENCE, **log) as client:
        client.call_tool("count")
        eventually(lambda: len(heard) == 4)
    text = "5 log messages were dropped: no more than 2 are sent in a second"
    assert heard == [("info", 0), ("info", 1), ("error", text), ("info", 7)]
    assert text in caplog.messages


@pytest.mark.parametrize("wrong", [0, -1, float("nan")])
def test_a_limit_is_above_zero(wrong):
    with pytest.raises(UsageError, match="must be a number > 0"):
        Limits(tool_calls=wrong)


@each_revision
def test_a_tool_that_is_called_too_often_says_so_in_its_result(revision):
    clock = Clock()
    server, seen = echo_server(revision, limits=Limits(tool_calls=2, burst=2, clock=clock))
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client:
        results = [client.call_tool("echo", {"n": number}) for number in range(5)]
        assert [bool(each.is_error) for each in results] == [False] * 4 + [True]
        assert text_of(results[4]) == "more than 2 tools/call in a second; wait 0.500 s"
        assert seen.begun == 4
        clock.now += 0.5
        assert not client.call_tool("echo", {}).is_error
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as another:
        assert not another.call_tool("echo", {}).is_error, "each client has its own"


@each_revision
def test_without_limits_nothing_is_refused(revision):
    server, _ = echo_server(revision, limits=Limits(tool_calls=None))
    with package(revision).Client.in_memory(server, timeout=PATIENCE, limits=False) as client:
        assert client.limits is None
        assert not any(client.call_tool("echo", {}).is_error for _ in range(10))
    assert server.limits.rates["completion/complete"] == 100.0


@each_revision
def test_completions_that_come_too_often_are_refused(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1", limits=Limits(completions=1, burst=2, clock=Clock()))
    empty = mcp.types.CompleteResult(completion=mcp.types.CompleteResultCompletion(values=[]))
    server.handler(mcp.methods.COMPLETE)(lambda params, context: empty)
    reference = mcp.types.PromptReference(name="p")
    argument = mcp.types.CompleteRequestParamsArgument(name="a", value="")
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        client.complete(reference, argument)
        client.complete(reference, argument)
        with pytest.raises(ResponseError) as caught:
            client.complete(reference, argument)
    assert caught.value.code == -32603
    assert caught.value.data == {
        "reason": "more than 1 completion/complete in a second; wait 1.000 s",
        "retryAfter": 1.0,
    }


def test_requests_about_tasks_that_come_too_often_are_refused():
    mcp = package("2025-11-25")
    clock = Clock()
    server = mcp.Server("s", "1", tasks=mcp.MemoryTasks(), limits=Limits(tasks=2, burst=2, clock=clock))
    codes = []
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        for ask in [client.get_task, client.cancel_task, *[client.get_task] * 3]:
            with pytest.raises(ResponseError) as caught:
                ask("made-up")
            codes.append(caught.value.code)
        assert codes == [*[-32602] * 4, -32603]
        assert caught.value.data == {"reason": "more than 2 tasks in a second; wait 0.500 s", "retryAfter": 0.5}
        clock.now += 0.5
        with pytest.raises(ResponseError) as caught:
            client.get_task("made-up")
        assert caught.value.code == -32602


@each_revision
def test_a_server_that_asks_for_messages_too_often_is_refused(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    codes = []

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        for _ in range(5):
            try:
                context.sample("hi")
            except ResponseError as error:
                codes.append(error.code)
        return mcp.types.CallToolResult(content=[])

    def sample(params, context):
        content = mcp.types.TextContent(text="x")
        return mcp.types.CreateMessageResult(role="assistant", model="m", content=content)

    limits = Limits(sampling=2, burst=2, clock=Clock())
    with mcp.Client.in_memory(server, timeout=PATIENCE, sampling=sample, limits=limits) as client:
        if revision in STATELESS:
            with pytest.raises(ProtocolError, match="more than 2 sampling/createMessage in a second"):
                client.call_tool("x")
        else:
            client.call_tool("x")
            assert codes == [-1]


@pytest.mark.parametrize("revision", WITH_FORMS)
def test_a_server_that_asks_users_too_often_is_refused(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    types = vars(mcp.types)
    schema = types.get("ElicitRequestFormParamsRequestedSchema") or types["ElicitRequestParamsRequestedSchema"]
    codes = []

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        for number in range(3):
            try:
                context.elicit(f"Really, {number}?", schema(properties={}))
            except ResponseError as error:
                codes.append(error.code)
        return mcp.types.CallToolResult(content=[])

    def decline(params, context):
        return mcp.types.ElicitResult(action="decline")

    limits = Limits(elicitation=1, burst=2, clock=Clock())
    with mcp.Client.in_memory(server, timeout=PATIENCE, elicitation=decline, limits=limits) as client:
        if revision in STATELESS:
            with pytest.raises(ProtocolError, match="more than 1 elicitation/create in a second"):
                client.call_tool("x")
        else:
            client.call_tool("x")
            assert codes == [-32603]


@each_revision
def test_progress_and_logs_that_come_too_fast_are_put_together(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1", limits=Limits(progress=1, log=1, burst=2, clock=Clock()))

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        for number in range(9):
            context.progress(number)
            context.log("info", number)
        return mcp.types.CallToolResult(content=[])

    seen, heard = [], Queue()
    options = {"log_level": "debug", "on_log": lambda params: heard.put(params.data)}
    with mcp.Client.in_memory(server, timeout=PATIENCE, **options) as client:
        client.call_tool("x", on_progress=lambda params: seen.append(params.progress))
        assert seen == [0, 1, 8]
        told = [heard.get(timeout=PATIENCE) for _ in range(4)]
        assert (told[:2], told[3]) == ([0, 1], 8)
        assert told[2].startswith("6 log messages were dropped")
    assert heard.empty()


@pytest.mark.parametrize("revision", HANDSHAKE[-1:])
def test_what_waits_comes_although_the_handler_goes_on(revision):
    server, seen = echo_server(revision, limits=Limits(progress=100, burst=1))
    heard = Queue()

    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client:
        arguments = {"progress": 500, "hold": True}

        def progressed(params):
            heard.put(params.progress)
            if params.progress == 500:
                seen.go.set()

        client.call_tool("echo", arguments, on_progress=progressed)
    assert list(heard.queue)[-1] == 500
