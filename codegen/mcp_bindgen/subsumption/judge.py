"""The judge of single values: the library ``jsonschema``, bounded, and without patterns that may run for ever.

It reads the schemas as their documents have them, so that it is independent of everything that is computed here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from mcp_bindgen.errors import BindgenError
from mcp_bindgen.subsumption.conjunction import Document, Part
from mcp_bindgen.subsumption.patterns import Patterns, UnsupportedPattern
from mcp_bindgen.syntax.jsonschema.pointers import is_object

_MAX_STEPS = 20_000
"""Maximum number of keywords that are evaluated for one value."""


class Undecidable(Exception):
    """The library cannot judge a value; ``str()`` is the reason."""


class Judge:
    """Judges values. Raise ``BindgenError`` if the extra ``schema`` is not installed."""

    def __init__(self) -> None:
        try:
            # Not by `import`: the library has no types.
            self._library: Any = import_module("jsonschema")
            self._registry: Any = import_module("referencing.jsonschema").EMPTY_REGISTRY
        except ImportError as problem:
            message = "comparing tools needs the extra `schema`; run: pip install 'mcp-bindings[schema]'"
            raise BindgenError(message) from problem
        self.patterns = Patterns()
        """Automata, shared with the proofs."""
        self.effort = 0
        """Keywords that have been evaluated so far."""
        self._steps = 0
        self._classes: dict[Any, Any] = {}
        self._roots: dict[int, tuple[Document, Any]] = {}
        self._validators: dict[tuple[int, str], Any] = {}

    def accepts(self, part: Part, value: Any) -> bool:
        """Return whether a value satisfies a schema; raise ``Undecidable`` if that cannot be found out."""
        self._steps = 0
        try:
            return bool(self._validator(part).is_valid(value))
        except UnsupportedPattern as problem:
            raise Undecidable(str(problem)) from problem
        except RecursionError as problem:
            message = "the schema refers to itself without an end"
            raise Undecidable(message) from problem
        except Undecidable:
            raise
        except Exception as problem:
            # Whatever else the library raises, it is about this schema.
            raise Undecidable(str(problem)) from problem

    def _validator(self, part: Part) -> Any:
        key = (id(part.document), part.schema.pointer)
        if key not in self._validators:
            root = self._root(part.document)
            self._validators[key] = root if not part.schema.pointer else root.evolve(schema=part.written())
        return self._validators[key]

    def _root(self, document: Document) -> Any:
        # The document is kept, so that its id stays its own.
        if id(document) not in self._roots:
            schema = document.value
            dialect = self._dialect(schema.get("$schema") if is_object(schema) else None)
            self._roots[id(document)] = (document, dialect(schema, registry=self._registry))
        return self._roots[id(document)][1]

    def _dialect(self, named: Any) -> Any:
        found: Any = self._library.Draft202012Validator
        if isinstance(named, str):
            found = self._library.validators.validator_for({"$schema": named}, default=found)
        if found not in self._classes:
            self._classes[found] = self._bounded(found)
        return self._classes[found]

    def _bounded(self, dialect: Any) -> Any:
        """Return the validator class of a dialect with a limit on its steps and with bounded patterns."""

        def counted(check: Any) -> Any:
            def checked(validator: Any, keyword: Any, value: Any, schema: Any) -> Any:
                self._steps += 1
                self.effort += 1
                if self._steps > _MAX_STEPS:
                    message = "the schema needs too many steps"
                    raise Undecidable(message)
                return check(validator, keyword, value, schema)

            return checked

        def pattern(validator: Any, keyword: Any, value: Any, schema: Any) -> Any:
            if isinstance(value, str) and isinstance(keyword, str) and not self.patterns.matches(keyword, value):
                yield self._library.ValidationError(f"{value!r} does not match {keyword!r}")

        def pattern_properties(validator: Any, keyword: Any, value: Any, schema: Any) -> Any:
            if is_object(value) and is_object(keyword):
                for each, inner in keyword.items():
                    for name, member in value.items():
                        if self.patterns.matches(each, name):
                            yield from validator.descend(member, inner, path=name, schema_path=each)

        def additional_properties(validator: Any, keyword: Any, value: Any, schema: Any) -> Any:
            if not is_object(value):
                return
            for name, member in value.items():
                declared = name in schema.get("properties", {}) or any(
                    self.patterns.matches(each, name) for each in schema.get("patternProperties", {})
                )
                if not declared:
                    yield from validator.descend(member, keyword, path=name)

        own = {
            "pattern": pattern,
            "patternProperties": pattern_properties,
            "additionalProperties": additional_properties,
        }
        checks = {**dialect.VALIDATORS, **{name: own[name] for name in own if name in dialect.VALIDATORS}}
        return self._library.validators.extend(dialect, {name: counted(check) for name, check in checks.items()})
