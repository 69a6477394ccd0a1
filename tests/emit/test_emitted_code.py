"""Random schemas, with texts and names that do their worst, become code that is sound and says nothing of its own."""

from __future__ import annotations

import ast
import importlib
import io
import itertools
import keyword
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast, get_type_hints

import mcp_bindings_runtime
import pytest
from checkout import REVISIONS
from hypothesis import assume, example, given, settings
from mcp_bindgen import catalog
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.errors import SchemaError
from mcp_bindings_runtime import errors
from mcp_bindings_runtime.facts import Facts
from strategies.codec_agreement import Subject, check_reading_all, check_writing_all
from strategies.emitted_packages import Emitted, emit, load, unload
from strategies.schema_texts import MARK, many_members, schema_texts

CONVERSATION = (Path(__file__).parent / "nasty" / "conversation.ts").read_text(encoding="utf-8")
CONVERSATION += f"""
/** {MARK} \\"\\"\\" {{{{ {MARK} }}}} */
export interface MarkedRequest extends Request {{ method: "{MARK}"; params: MarkedRequestParams }}
export interface MarkedRequestParams {{
  /** {MARK} \\"\\"\\" {MARK} */ "a": "{MARK}"; "b"?: "\\"{MARK}" | number;
}}
"""
"""A schema with all that clients and servers need, and a request with text to do harm."""

some = settings(max_examples=settings.default.max_examples * 2 // 5)


def emitted(text: str) -> Emitted:
    """What becomes of a schema text.

    The only faults that it may have are names that clash or are too long, and index signatures that forbid each other.
    """
    try:
        return emit(text)
    except SchemaError as error:
        allowed = re.compile(
            r"would have the same Python name|cannot be converted to a Python name|the name .* has \d+ characters|must include the other"
        )
        if not all(allowed.search(fault.message) for fault in error.faults):
            raise
        assume(False)
        raise


def code_of(made: Emitted) -> Iterator[tuple[str, ast.Module]]:
    for path, code in made.files.items():
        yield path, ast.parse(code)


@some
@given(schema_texts())
@example("")
@example('export const ONLY = "a constant";')
@example('export type Types = "a" | "b"; export interface X { t: Types }')
@example('export type Unset = "a" | "b"; export interface X { t?: Unset; u?: null }')
@example('export type ATOMS = "a" | "b"; export interface X { t?: ATOMS; u?: unknown }')
@example('export type Raw = "a" | string[]; export interface X { a: Raw }')
@example(
    'export interface A { k: "a" } export interface B { k: "b" } export type Values = A | B; export interface C { d: Values }'
)
@example('export interface X { a_b: { c: "a" | "b" } } export interface XA { bC: "a" | "b" | "c" }')
@example('export interface RequestsRequest { method: "a" } export interface RequestsResult {}')
@example(CONVERSATION)
def test_every_import_is_used_and_every_name_bound_once(text: str) -> None:
    for path, module in code_of(emitted(text)):
        bound = list(_bound(module))
        assert len(bound) == len(set(bound)), (path, sorted(name for name in bound if bound.count(name) > 1))
        if path != "__init__.py":
            used = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
            imported = {name for name, node in _imported(module)}
            assert imported <= used, (path, imported - used)


def _bound(module: ast.Module) -> Iterator[str]:
    """Names that the module binds at its top; overloads and what is assigned twice on purpose apart."""
    for node in module.body:
        match node:
            case ast.FunctionDef() if any(
                isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list
            ):
                pass
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield name
            case _:
                pass
    yield from (name for name, node in _imported(module) if node in module.body)


def _imported(module: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            yield from ((alias.asname or alias.name, node) for alias in node.names if alias.name != "*")


def reached(module: ModuleType, names: Iterable[str]) -> Iterator[FunctionType]:
    """The functions that can be called by way of these tables."""
    seen: list[object] = []
    waiting: list[Any] = [getattr(module, name) for name in names]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting += cast("dict[object, object]", each).values()
        elif isinstance(each, FunctionType) and each not in seen:
            seen.append(each)
            yield each
            codes = [each.__code__]
            for code in codes:
                codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
                waiting += [vars(module)[name] for name in code.co_names if name in vars(module)]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    ("name", "tables"), [("_decoders", ["TYPES", "RESULTS"]), ("_encoders", ["VALUES"]), ("_json_writers", ["TEXTS"])]
)
def test_every_function_can_be_called(revision: str, name: str, tables: list[str]) -> None:
    module = importlib.import_module(f"mcp_bindings.{catalog.package_name(revision)}.{name}")
    functions = (each for each in vars(module).values() if isinstance(each, FunctionType))
    own = {each.__name__ for each in functions if each.__module__ == module.__name__}
    assert own - {each.__name__ for each in reached(module, tables)} == set()


_RUNTIME = Path(mcp_bindings_runtime.__file__).parent
MODULES = frozenset(
    part for path in _RUNTIME.rglob("*.py") for part in path.relative_to(_RUNTIME).with_suffix("").parts
)
"""Names of the runtime's packages and modules, which emitted code imports."""
VOCABULARY = MODULES | frozenset(errors.__all__) | frozenset(Facts._fields) | frozenset("""
    annotations cls ignore named path replay hasattr values ALIASES ATOMS Aliases Any BATCHES ByClass Callable ClassVar Codec Converter Decoders Envelopes Final HANDSHAKE
    EXTENSION_ID Extension Invalid Json JsonObject ModuleType extension extensions Lenient Literal Mapping Message NOTIFICATIONS NoneType NotificationMethod OBJECTS
    Objects R REQUESTS RESULTS REVISION Record RequestMethod Results SCHEMA_SHA256 Shapes Side Single T TYPES
    TEXTS TYPE_CHECKING Tables TypeAlias TypeVar UNSET Undecidable Union Unset VALUES CODEC __all__ _texts _json_writers anything array escape escape_long finish join map members t texts __class__
    __future__ drift tools_lock __init__ __new__ __slots__ _alias_names _decoders _encoders _result_shapes _type_tables abc alias_names
    batches bool boolean bytes capability cattrs cattrs_hooks check checks codec collections converter d data decode
    decode_result attrs_for_type_checkers dict e embedded encode envelopes error errors expect extra first_match fits float
    frozenset get_converter getattr id init int integer is_array is_integer is_number is_object is_string items k
    key keys kind knows len list make_converter mapping message methods mode n name new notification notifications
    null number o object opaque overload params record request requests response result result_shapes results
    revision revisions runtime self sender sent_by shapes slots str string structure structure_raw tables type types typing
    undeclared unset unstructure raw update v v_first v_inner v_tag value
    missing_name __name__ BINDING Binding Context Generic Handler Iterator P Registration RuntimeClient RuntimeServer
    HandshakeClient HandshakeServer ServerContext StatelessClient StatelessContext StatelessServer __call__ __dir__ __getattr__ all_items ask asking at
    binding client context meta_entries function globals handler handshake meta make_meta methods module on_progress page r
    server stateless_client stateless_server super boolean_capabilities timeout extra_with_meta none_if_empty
    ClientContext ClientOptions Iterable peer property PathLike RuntimeContext Self Sequence ServerCapability Stderr Transport TypedDict Unpack
    child classmethod command cwd env existing explain_stdio in_memory inherit_env limit log_level memory opening options os over ping
    Audio Auth RetryPolicy retries retry F Image Keywords LogHandler SSLContext ToolError ToolFailed  auth bound connect_timeout
    endpoint headers http keywords logbridge max_message media names pool proxy proxy_headers ssl tls url
    Application EndpointOptions HttpServerOptions host port run_http runnable serve wsgi wsgi_app
    Level Limits features limits open_transport ping_failures record require rounds discover restart start stderr stdio transport transports workers
    ServerOptions caller Caller MemoryTasks taskstore Task taskcontext title description icons website_url instructions logging grace page_size cursor_key redact tasks state_key state_lifetime versions ttl_ms cache_scope
    AnyFunction AsyncFunction Decorator PlainFunction decorator_types deprecated repr typing_extensions
    facts Facts FACTS codec_of converter emitted_codec encoders decoders method_readers existing meta_classes result_meta task_methods
    """.split())


@some
@given(schema_texts())
@example(CONVERSATION)
def test_no_text_of_the_schema_becomes_code(text: str) -> None:
    made = emitted(text)
    words = _words_of_names(made)
    for path, code in made.files.items():
        assert code.isprintable() or all(char.isprintable() or char == "\n" for char in code), path
        for number, token in enumerate(tokenize.generate_tokens(io.StringIO(code).readline)):
            if token.type == tokenize.COMMENT:
                assert number < 4 or token.string in {"# fmt: skip", "# fmt: off", "# fmt: on"}, (path, token)
            elif token.type == tokenize.NAME and not keyword.iskeyword(token.string):
                assert MARK not in token.string.lower(), (path, token)
                assert token.string in VOCABULARY or _split(token.string) <= words, (path, token)


def _words_of_names(made: Emitted) -> set[str]:
    """The words of everything that the schema names, and of what the emitter adds to make names of its own."""
    names = Names(made.protocol)
    members = itertools.chain.from_iterable(fields.values() for fields in names.fields.values())
    given = [
        *names.types.values(),
        *names.functions.values(),
        *names.constants.values(),
        *names.methods.values(),
        *members,
    ]
    own = {
        "",
        "v",
        "first",
        "inner",
        "tag",
        "structure",
        "unstructure",
        "write",
        "keys",
        "item",
        "extra",
        "result",
        "text",
        "page",
        *map(str, range(200)),
    }
    return own.union(*map(_split, given))


def _split(name: str) -> set[str]:
    return set(name.lower().split("_"))


@some
@given(schema_texts())
def test_documentation_and_values_arrive_unchanged(text: str) -> None:
    made = emitted(text)
    names = Names(made.protocol)
    package = load(made)
    types: Any = package.types
    docs = _documented(ast.parse(made.files["types.py"]))
    for path, declared in made.protocol.objects.items():
        if declared.is_map and declared.kind == "inline":
            continue
        name = names.types[path]
        assert _flat(declared.about.doc or "") in _flat(docs[name])
        if not declared.is_map:
            for member in declared.fields:
                said = docs[f"{name}.{names.fields[path][member.name]}"]
                for part in (member.about.doc, member.about.deprecated, member.about.since):
                    assert _flat(part or "") in _flat(said)
    for path, alias in made.protocol.aliases.items():
        assert _flat(alias.about.doc or "") in _flat(docs[names.types[path]])
    for path, constant in made.protocol.constants.items():
        value = getattr(types, names.constants[path])
        assert (value, type(value)) == (constant.value, type(constant.value))
        assert _flat(constant.about.doc or "") in _flat(docs[names.constants[path]])
    unload(package)


def _documented(module: ast.Module) -> dict[str, str]:
    """The docstrings of a module's classes, their attributes, and its other names."""
    found: dict[str, str] = {}
    scopes: list[tuple[str, list[ast.stmt]]] = [("", module.body)]
    for prefix, body in scopes:
        for node, after in itertools.pairwise(body):
            if isinstance(node, ast.ClassDef):
                found[node.name] = ast.get_docstring(node) or ""
                scopes.append((f"{node.name}.", node.body))
            match node, after:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(doc))):
                    found[prefix + name] = doc
                case _:
                    pass
        if isinstance(body[-1], ast.ClassDef):
            found[body[-1].name] = ast.get_docstring(body[-1]) or ""
            scopes.append((f"{body[-1].name}.", body[-1].body))
    return found


def _flat(text: str) -> str:
    """The text without its layout, which a docstring does not keep."""
    return " ".join(text.split())


@some
@given(schema_texts())
def test_values_of_every_type_are_read_and_written(text: str) -> None:
    made = emitted(text)
    package = load(made)
    subject = Subject(package, made.protocol)
    check_reading_all(subject, Random(0), 2)
    check_writing_all(subject, Random(0), 2)
    unload(package)


@some
@given(schema_texts())
def test_attrs_knows_the_fields_and_their_types(text: str) -> None:
    import attrs

    package = load(emitted(text))
    types: Any = package.types
    for cls in [each for each in vars(types).values() if isinstance(each, type) and each.__module__ == types.__name__]:
        fields = attrs.fields(cls)
        assert [each.name for each in fields] == list(cls.__slots__)
    unload(package)


def test_unions_of_very_many_members_are_read_and_written() -> None:
    package: Any = load(emit(many_members(2_000)))
    value = {"u": {"method": "17"}, "w": ["a"], "l": f"{MARK} 4", "more": {"method": "5"}}
    made = package.converter.structure(value, package.X)
    assert (made.u, made.w, made.extra) == (package.M17Request(), ["a"], {"more": package.M5Request()})
    assert package.converter.unstructure(made) == value
    assert get_type_hints(package.X)["u"] == package.U
    unload(package)
