"""The binding of a revision joined with the tasks extension: it knows the messages of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from ..binding import Binding
from ..codec.record import Record, field_names
from ..codec.type_tables import Shape

TASKS = "io.modelcontextprotocol/tasks"
"""The extension that answers requests with tasks; its package is ``ext_tasks``."""
_CALL_TOOL = "tools/call"


@cache
def with_tasks(binding: Binding) -> Binding:
    """Return the binding of a revision joined with the extension ``io.modelcontextprotocol/tasks``.

    The result of ``tools/call`` may then be a ``CreateTaskResult``, the binding's ``task_result_class``. Raise
    ``UsageError`` if the package of the extension is missing.
    """
    from ..installed_revisions import extension_package

    package = extension_package("ext_tasks")
    joined = _joined(binding, package)
    joined.task_result_class = package.types.CreateTaskResult
    joined.extension = package
    return joined


def declare_tasks(capabilities: Any) -> Any:
    """Return capabilities of either side with the tasks extension added."""
    return capabilities.__replace__(extensions={**(capabilities.extensions or {}), TASKS: {}})


def declares_tasks(capabilities: Any) -> bool:
    """Return whether capabilities declare the tasks extension."""
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
        decoders={package.types.UpdateTaskRequest: _update_decoder(package)},
        result_decoders={_CALL_TOOL: _call_decoder(binding, package)},
        result_shapes=result_shapes,
    )

    # The package has the classes of the revision that the extension was written for; another one has its own.
    is_foreign = not package.converter.CODEC.knows(binding.meta_class(_CALL_TOOL))

    def is_added(kind: type) -> bool:
        return package.converter.CODEC.knows(kind) and not binding.codec.knows(kind)

    def encode(message: Any) -> bytes:
        if message.__class__ is binding.response and is_added(message.result.__class__):
            # The envelope's encoder writes results of its own revision only.
            result = _converted(message.result, binding, package) if is_foreign else message.result
            message = message.__replace__(result=codec.unstructure(result))
        elif is_foreign and is_added(message.__class__):
            message = _converted(message, binding, package)
        return codec.encode(message)

    return binding.extended(codec, encode, requests, {**package.methods.NOTIFICATIONS, **binding.notifications})


def _converted(value: Any, binding: Binding, package: Any) -> Any:
    """Return an object of the extension with objects of the revision in it replaced by those of the extension's package."""
    if value.__class__ is dict:
        return {key: _converted(each, binding, package) for key, each in value.items()}
    if not isinstance(value, Record):
        return value
    if not binding.codec.knows(value.__class__):
        members = {name: _converted(getattr(value, name), binding, package) for name in field_names(value.__class__)}
        return value.__replace__(**members)
    own: Any = getattr(package.types, value.__class__.__name__, None)
    return value if own is None else package.converter.CODEC.structure(binding.codec.unstructure(value), own)


def _call_decoder(binding: Binding, package: Any) -> Callable[[Any], Any]:
    """Return the decoder of the result of a tool call."""
    created = package.converter.CODEC.decoder(package.types.CreateTaskResult)
    plain = binding.codec.result_decoder(_CALL_TOOL)

    def read(value: Any) -> Any:
        task = value.__class__ is dict and value.get("resultType") == "task"
        return created(value) if task else plain(value)

    return read


def result_shapes(shapes: Mapping[str, Shape]) -> Mapping[str, Shape]:
    """Return the shapes of results, with a task as an alternative for a tool call."""
    plain = shapes[_CALL_TOOL]
    decision = ("kind", (("object", ("tag", "resultType", (("task", 1), ("complete", 0), ("input_required", 0)), 0)),))
    return {**shapes, _CALL_TOOL: ("union", decision, (plain, ("class", "CreateTaskResult")))}


def _update_decoder(package: Any) -> Callable[[Any], Any]:
    """Return a decoder of ``tasks/update`` that leaves the responses in it as JSON.

    Responses to unknown requests are ignored, whatever they hold (Task Update Requests).
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
