"""A revision together with an extension of it: one binding that knows the messages of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from ..binding import Binding
from ..codec.type_tables import Shape

TASKS = "io.modelcontextprotocol/tasks"
"""The extension that answers requests with tasks; its package is ``ext_tasks``."""
_CALL_TOOL = "tools/call"


@cache
def with_tasks(binding: Binding) -> Binding:
    """The binding of a revision, with the extension ``io.modelcontextprotocol/tasks``.

    ``tools/call`` may then be answered with a CreateTaskResult, which is the binding's ``created``. Raises UsageError
    where the bindings of the extension are not there.
    """
    from ..installed_revisions import extension_package

    package = extension_package("ext_tasks")
    joined = _joined(binding, package)
    joined.task_result_class = package.types.CreateTaskResult
    joined.extension = package
    return joined


def declaring(capabilities: Any) -> Any:
    """Capabilities of either side, and that the side supports tasks."""
    return capabilities.__replace__(extensions={**(capabilities.extensions or {}), TASKS: {}})


def supports(capabilities: Any) -> bool:
    """Whether capabilities declare the extension of tasks."""
    return capabilities is not None and TASKS in (capabilities.extensions or {})


def _joined(binding: Binding, package: Any) -> Binding:
    requests = {
        **{name: key for name, key in package.methods.REQUESTS.items() if not key.embedded},
        **binding.requests,
    }
    codec = binding.codec.extended(
        package.converter.CODEC,
        requests=requests,
        notifications={**package.methods.NOTIFICATIONS, **binding.notifications},
        decoders={package.types.UpdateTaskRequest: _update(package)},
        result_decoders={_CALL_TOOL: _called(binding, package)},
        result_shapes=result_shapes,
    )

    def is_added(kind: type) -> bool:
        return package.converter.CODEC.knows(kind) and not binding.codec.knows(kind)

    def encode(message: Any) -> bytes:
        if message.__class__ is binding.response and is_added(message.result.__class__):
            # The envelope's encoder writes results of its own revision only.
            message = message.__replace__(result=codec.unstructure(message.result))
        return codec.encode(message)

    return binding.extended(codec, encode, requests, {**package.methods.NOTIFICATIONS, **binding.notifications})


def _called(binding: Binding, package: Any) -> Callable[[Any], Any]:
    """Reads what a tool call is answered with."""
    created = package.converter.CODEC.decoder(package.types.CreateTaskResult)
    plain = binding.codec.result_decoder(_CALL_TOOL)

    def read(value: Any) -> Any:
        task = value.__class__ is dict and value.get("resultType") == "task"
        return created(value) if task else plain(value)

    return read


def result_shapes(shapes: Mapping[str, Shape]) -> Mapping[str, Shape]:
    """The shapes of results, with a task as an alternative for that of a tool call."""
    plain = shapes[_CALL_TOOL]
    decision = ("kind", (("object", ("tag", "resultType", (("task", 1), ("complete", 0), ("input_required", 0)), 0)),))
    return {**shapes, _CALL_TOOL: ("union", decision, (plain, ("class", "CreateTaskResult")))}


def _update(package: Any) -> Callable[[Any], Any]:
    """Reads ``tasks/update`` and leaves the answers in it as they are.

    Those to questions that nobody has asked are to be ignored, whatever they hold (Task Update Requests).
    """
    read = package.converter.CODEC.decoder(package.types.UpdateTaskRequest)

    def update(value: Any) -> Any:
        params = value.get("params")
        responses = params.get("inputResponses") if params.__class__ is dict else None
        if responses.__class__ is not dict:
            return read(value)
        message = read({**value, "params": {**params, "inputResponses": {}}})
        message.params.input_responses = responses
        return message

    return update
