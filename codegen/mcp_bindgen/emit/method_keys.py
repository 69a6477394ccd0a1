"""The view of ``methods.py``: a typed key for each request and notification."""

from __future__ import annotations

from mcp_bindgen.emit.annotations import Annotations
from mcp_bindgen.emit.docstrings import docstring, literal
from mcp_bindgen.emit.layout import LINE, Tree, exploded, guarded, lines, width
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.emit.view_model import DeclarationView, MethodKeysView
from mcp_bindgen.ir.protocol import Method, Protocol, Type


def plan_methods(protocol: Protocol, names: Names) -> MethodKeysView:
    """Return the keys in the order of the protocol's methods, and the tables of keys by wire name."""
    planner = _Planner(protocol, names)
    requests = [method for method in protocol.methods.values() if method.kind == "request"]
    notifications = [method for method in protocol.methods.values() if method.kind == "notification"]
    exported = [*sorted(names.methods.values()), "NOTIFICATIONS", "REQUESTS"]
    return MethodKeysView(
        exported=tuple(lines("__all__ = ", ("[", [literal(name) for name in sorted(exported)], "]"))),
        requests=tuple(planner.key(method) for method in requests),
        notifications=tuple(planner.key(method) for method in notifications),
        requests_table=planner.table("REQUESTS", "RequestMethod[Any, Any]", requests),
        notifications_table=planner.table("NOTIFICATIONS", "NotificationMethod[Any]", notifications),
    )


class _Planner:
    def __init__(self, protocol: Protocol, names: Names) -> None:
        self._protocol = protocol
        self._names = names
        self._annotations = Annotations(protocol, names, "types.")

    def key(self, method: Method) -> DeclarationView:
        """Return ``CALL_TOOL: Final = RequestMethod[Params, Result](…)``."""
        name = self._names.methods[method.name]
        params, result = self._of(method.params), self._of(method.result)
        parts: list[Tree] = [
            f"name={literal(method.name)}",
            f"message=types.{self._names.types[method.interface]}",
            f"params={params}",
        ]
        if method.kind == "request":
            parts.append(f"result={result}")
        sides = [literal(side) for side in method.sent_by]
        parts.append(("sent_by=(", sides, ",)" if len(sides) == 1 else ")"))
        if method.capability is not None:
            parts.append(f"capability={literal(method.capability)}")
            if method.kind == "notification" and method.capability_of == "receiver":
                parts.append('capability_of="receiver"')
        if method.embedded:
            parts.append("embedded=True")
        opening = f"{name}: Final = RequestMethod[{params}, {result}]"
        head: list[str] = []
        if method.kind == "notification":
            opening = f"{name}: Final = NotificationMethod[{params}]"
            if width(opening) >= LINE:
                # A trailing comma would make a tuple of the only type.
                head, opening = [f"{name}: Final = NotificationMethod[", f"    {params}"], "]"
        elif width(opening) >= LINE:
            *head, opening = exploded(f"{name}: Final = RequestMethod", ("[", [params, result], "]"))
        declaration = [*head, *exploded(opening, ("(", parts, ")"))]
        return DeclarationView(
            declaration=tuple(guarded(declaration)),
            doc=tuple(docstring(self._doc(method), 0)),
        )

    def _doc(self, method: Method) -> str:
        about = self._protocol.objects[method.interface].about
        sides = " and ".join(method.sent_by)
        sender = f"`{method.name}`, {'embedded in a result' if method.embedded else 'sent'} by the {sides}."
        deprecated = (
            "" if about.deprecated is None else f"\n\nDeprecated{': ' + about.deprecated if about.deprecated else '.'}"
        )
        return f"{sender}\n\n{about.doc}{deprecated}" if about.doc else f"{sender}{deprecated}"

    def _of(self, kind: Type | None) -> str:
        return "None" if kind is None else self._annotations.of(kind)

    def table(self, name: str, kind: str, methods: list[Method]) -> tuple[str, ...]:
        """Return the table of all keys of a kind by wire name."""
        items: list[Tree] = [f"{literal(method.name)}: {self._names.methods[method.name]}" for method in methods]
        return tuple(lines(f"{name}: Final[Mapping[str, {kind}]] = ", ("{", items, "}")))
