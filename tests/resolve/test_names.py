"""What names mean: within a file, across imports, and the faults of those that mean nothing."""

from __future__ import annotations

import pytest
from mcp_bindgen.ir.declarations import Alias, Interface, Module
from mcp_bindgen.ir.protocol import AliasOf, ListOf, ObjectOf
from mcp_bindgen.ir.types import Keyword, Position
from mcp_bindgen.resolve.overrides import Overrides
from mcp_bindgen.resolve.protocol import resolve_protocol
from resolve.resolving import faults, field, resolve

FAULTS = {
    "a type that is nowhere": (
        "export interface A { x: Missing }",
        ["acme.ts:1:25: Missing is neither declared nor imported"],
    ),
    "a type whose name is similar to another": (
        "export interface Params {}\nexport interface A { x: Param; y: typeof Parms }",
        [
            "acme.ts:2:25: Param is neither declared nor imported; did you mean Params?",
            "acme.ts:2:35: Parms is neither declared nor imported; did you mean Params?",
        ],
    ),
    "JavaScript's own types": (
        "export interface A { x: Date; y: Set<string>; z: Map<string, A>; q: ReadonlyArray<A> }",
        [
            "acme.ts:1:25: Date is not supported; write string",
            "acme.ts:1:34: Set is not supported; write T[]",
            "acme.ts:1:50: Map is not supported; write Record<string, T>",
            "acme.ts:1:69: ReadonlyArray is not supported; write T[]",
        ],
    ),
    "JavaScript's Error is no type of ours": (
        "export interface A { x: Error }",
        ["acme.ts:1:25: Error is neither declared nor imported"],
    ),
    "a constant in place of a type": (
        "export interface A { x: CODE }\nexport const CODE = -1",
        ["acme.ts:1:25: CODE is a constant, not a type; write typeof CODE"],
    ),
    "typeof of nothing": (
        "export interface A { x: typeof Gone }",
        ["acme.ts:1:25: Gone is neither declared nor imported"],
    ),
    "typeof of a type": (
        "export interface A { x: typeof A }",
        ["acme.ts:1:25: typeof takes a constant, but A is a type"],
    ),
    "too few type arguments": (
        "export interface A { x: Omit<A>; y: Array }",
        ["acme.ts:1:25: Omit takes 2 type arguments, got 1", "acme.ts:1:37: Array takes 1 type argument, got 0"],
    ),
    "too few of them in a base": (
        "export interface A extends Omit<B> {}\nexport type C = Record<string>\nexport interface B {}",
        ["acme.ts:1:28: Omit takes 2 type arguments, got 1", "acme.ts:2:17: Record takes 2 type arguments, got 1"],
    ),
    "type arguments for a declared type": (
        "export interface A { x: B<string> }\nexport interface B {}",
        ["acme.ts:1:25: B takes no type arguments, got 1"],
    ),
    "an interface that extends itself": (
        "export interface A extends A {}",
        ["acme.ts:1:18: A contains itself: A -> A"],
    ),
    "an alias of itself": ("export type A = A", ["acme.ts:1:13: A contains itself: A -> A"]),
    "aliases of each other": (
        "export type A = B | string\nexport type B = C\nexport type C = A | number",
        ["acme.ts:1:13: A contains itself: A -> B -> C -> A"],
    ),
    "an interface that extends itself under Omit": (
        "export interface A extends B { a: string }\nexport type B = Omit<A, 'a'>",
        ["acme.ts:1:18: A contains itself: A -> B -> A"],
    ),
    "an alias of a property whose type it is": (
        "export interface X { m: B }\nexport type B = X['m']",
        ['acme.ts:2:13: B contains itself: B -> X["m"] -> B'],
    ),
    "a file that exports nothing": (
        "interface A {}\ntype B = string",
        ["acme.ts:1:11: this file exports no declaration; write `export` before the types of the protocol"],
    ),
    "all of them at once": (
        "export interface A extends A { x: Missing; y: typeof A; z: Array }\nexport type B = B",
        [
            "acme.ts:1:18: A contains itself: A -> A",
            "acme.ts:1:35: Missing is neither declared nor imported",
            "acme.ts:1:47: typeof takes a constant, but A is a type",
            "acme.ts:1:60: Array takes 1 type argument, got 0",
            "acme.ts:2:13: B contains itself: B -> B",
        ],
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_names_that_mean_nothing_are_located_faults(case):
    text, expected = FAULTS[case]
    assert faults(text) == expected


def test_what_depends_on_a_faulty_declaration_is_not_faulted_too():
    text = "export type A = A\nexport interface B extends A { x: string }\nexport type C = B & A\nexport type D = Omit<B, A>"
    assert faults(text) == ["acme.ts:1:13: A contains itself: A -> A"]


def test_a_long_cycle_is_shown_in_part():
    text = "\n".join(f"export interface T{i} extends T{(i + 1) % 30} {{}}" for i in range(30))
    assert faults(text) == ["acme.ts:1:18: T0 contains itself: T0 -> T1 -> T2 -> T3 -> T4 -> T5 -> (24 more) -> T0"]


def test_a_declared_type_goes_before_one_of_typescript():
    protocol = resolve(
        "export interface A { e: Error; r: Record }\nexport interface Error {}\nexport interface Record {}"
    )
    assert field(protocol, "A.e").type == ObjectOf("Error")
    assert field(protocol, "A.r").type == ObjectOf("Record")


def test_a_name_declared_twice_is_a_fault_where_the_reader_did_not_see_it():
    here = [Position("acme.ts", line, 1) for line in (1, 2)]
    module = Module(
        "acme.ts",
        "",
        (
            Interface("A", (), (), None, position=here[0]),
            Alias("A", Keyword("string", here[1]), position=here[1]),
        ),
    )
    with pytest.raises(Exception, match=r"^acme\.ts:2:1: A is declared twice, first at acme\.ts:1:1$"):
        resolve_protocol(module, revision="acme", overrides=Overrides())


def test_what_is_not_exported_counts_if_something_exported_leads_to_it():
    protocol = resolve(
        "interface Unused { x: Lost }\ninterface Lost {}\ntype Id = string\ninterface Used { id: Id; v: typeof V }\n"
        "const V = 'v'\nconst W = 'w'\nexport interface A { used: Used }"
    )
    assert protocol.order == ("Id", "Used", "V", "A")
    assert list(protocol.objects) == ["Used", "A"]
    assert list(protocol.aliases) == ["Id"]
    assert list(protocol.constants) == ["V"]


def test_the_order_is_that_of_the_source():
    protocol = resolve(
        "export interface Z { x: {y: string}; w: A['x'] }\nexport const C = 1\nexport type B = string\n"
        "export interface A { x: {deep: {er: B}} }"
    )
    assert protocol.order == ("Z", "C", "B", "A")
    assert list(protocol.objects) == ["Z", "Z.x", "A", "A.x", "A.x.deep"]


class TestImports:
    CORE = (
        "export interface Other { o: string }\nexport interface Base { id: Id; hidden: Hidden; v: typeof VERSION }\n"
        "export type Id = string | number\ninterface Hidden { h: string }\nexport const VERSION = '1'"
    )

    def test_an_import_brings_what_it_refers_to_and_nothing_else(self):
        protocol = resolve("import type { Base } from './core'\nexport type A = Base", imported={"./core": self.CORE})
        assert protocol.order == ("A", "Base", "Id", "Hidden", "VERSION")
        assert list(protocol.objects) == ["Base", "Hidden"]
        assert protocol.objects["Base"].position == Position("core.ts", 2, 18)

    def test_an_import_counts_though_nothing_uses_it(self):
        protocol = resolve(
            "import type { Other } from './core'\nexport type A = string", imported={"./core": self.CORE}
        )
        assert protocol.order == ("A", "Other")

    def test_a_renamed_import_is_the_original_type(self):
        protocol = resolve(
            "import type { Base as B, Id as I } from './core'\n"
            "export interface A extends B { x: B | I; y: I[]; z: {[key: string]: B}; w: B['id'] }",
            imported={"./core": self.CORE},
        )
        made = protocol.objects["A"]
        assert made.bases == ("Base",)
        assert field(protocol, "A.x").type.written == (ObjectOf("Base"), AliasOf("Id"))
        assert field(protocol, "A.w").type == AliasOf("Id")
        assert protocol.objects["A.z"].index == ObjectOf("Base")

    def test_a_renamed_import_goes_by_that_name_where_the_schema_has_the_original_itself(self):
        core = "export interface Base { id: Id; next?: Base; all: BaseList }\nexport type Id = string\n"
        core += "export type BaseList = Base[]"
        protocol = resolve(
            "import type { Base as CoreBase } from './core'\nexport interface Base extends CoreBase { mine: CoreBase }",
            imported={"./core": core},
        )
        assert protocol.order == ("Base", "CoreBase", "Id", "BaseList")
        assert protocol.objects["Base"].bases == ("CoreBase",)
        assert field(protocol, "Base.mine").type == ObjectOf("CoreBase")
        assert field(protocol, "CoreBase.next").type == ObjectOf("CoreBase")
        assert protocol.aliases["BaseList"].type == ListOf(ObjectOf("CoreBase"))

    def test_a_union_of_the_protocol_can_be_extended_under_its_own_name(self):
        core = (
            "export interface JSONRPCRequest { jsonrpc: '2.0'; id: string; method: string }\n"
            "export interface PingRequest extends JSONRPCRequest { method: 'ping' }\n"
            "export interface Result {}\nexport type EmptyResult = Result\nexport type ClientRequest = PingRequest"
        )
        protocol = resolve(
            "import type { ClientRequest as Core, JSONRPCRequest, Result, EmptyResult } from './core'\n"
            "export interface DoRequest extends JSONRPCRequest { method: 'acme/do' }\n"
            "export interface DoResult extends Result { done: boolean }\nexport type ClientRequest = Core | DoRequest",
            imported={"./core": core},
        )
        assert {name: each.sent_by for name, each in protocol.methods.items()} == {
            "ping": ("client",),
            "acme/do": ("client",),
        }

    def test_a_module_may_import_from_another(self):
        protocol = resolve(
            "import type { B } from './b'\nexport interface A extends B {}",
            imported={
                "./b": "import type { C as D } from './c'\nexport interface B extends D { b: string }",
                "./c": "export interface C { c: string }",
            },
        )
        assert protocol.order == ("A", "B", "C")
        assert [each.name for each in protocol.objects["A"].fields] == ["c", "b"]

    def test_who_imports_what_early_messages_extend_gets_the_envelope_too(self):
        core = (
            "export interface Request { method: string }\nexport interface Result {}\nexport type RequestId = string\n"
            "export interface JSONRPCRequest extends Request { jsonrpc: '2.0'; id: RequestId }"
        )
        protocol = resolve(
            "import type { Request, Result } from './core'\n"
            "export interface DoRequest extends Request { method: 'acme/do' }\nexport type DoResult = Result",
            imported={"./core": core},
        )
        assert protocol.methods["acme/do"].envelope == ("jsonrpc", "id")
        assert field(protocol, "DoRequest.id").type == AliasOf("RequestId")

    def test_who_imports_a_base_of_messages_can_read_the_answers(self):
        core = (
            "export interface JSONRPCRequest { jsonrpc: '2.0'; id: string; method: string }\n"
            "export interface JSONRPCError { jsonrpc: '2.0'; id: string; error: {code: number} }\n"
            "export interface JSONRPCResponse { jsonrpc: '2.0'; id: string; result: Result }\nexport interface Result {}"
        )
        protocol = resolve(
            "import type { JSONRPCRequest } from './core'\nexport interface A extends JSONRPCRequest { a: string }",
            imported={"./core": core},
        )
        assert protocol.order == ("A", "JSONRPCRequest", "JSONRPCError", "JSONRPCResponse", "Result")

    def test_an_imported_request_brings_its_result_and_the_capabilities(self):
        core = (
            "export interface JSONRPCRequest { jsonrpc: '2.0'; id: string; method: string }\n"
            "export interface ListThingsRequest extends JSONRPCRequest { method: 'things/list' }\n"
            "export interface PokeRequest extends JSONRPCRequest { method: 'things/poke' }\n"
            "export interface ListThingsResult { things: string[] }\nexport interface EmptyResult {}\n"
            "export interface ServerCapabilities { things?: {} }\nexport interface Unrelated {}\n"
            "export type ClientRequest = ListThingsRequest | PokeRequest"
        )
        protocol = resolve(
            "import type { ClientRequest } from './core'\nexport type A = ClientRequest", imported={"./core": core}
        )
        assert protocol.methods["things/list"].results == (ObjectOf("ListThingsResult"),)
        assert protocol.methods["things/poke"].results == (ObjectOf("EmptyResult"),)
        assert protocol.methods["things/poke"].capability == "things"
        assert "Unrelated" not in protocol.order

    FAULTS = (
        (
            "import type { A } from './gone'\nexport interface B extends A { a: A }",
            ["acme.ts:1:15: the module './gone' is unknown; known modules: ./core"],
        ),
        (
            "import type { Hidden, Nope as N } from './core'\nexport type B = N",
            ["acme.ts:1:15: './core' does not export Hidden", "acme.ts:1:23: './core' does not export Nope"],
        ),
        (
            "import type { Base } from './core'\nexport interface Hidden { mine: Base }",
            ["acme.ts:2:18: Hidden is also declared at core.ts:4:11, which is imported; rename one of them"],
        ),
        (
            "import type { Base } from './core'\nimport type { Id as I } from './other'\nexport type B = Base | I",
            ["core.ts:3:13: Id is also declared at other.ts:1:13, which is imported; rename one of them"],
        ),
        (
            "import type { Lame } from './other'\nexport type B = Lame",
            ["other.ts:1:53: Nowhere is neither declared nor imported"],
        ),
        (
            "import type { Thing } from './other'\nexport type R = Record<string, Thing>",
            ["acme.ts:2:17: Record means TypeScript's own type here, but is also declared at other.ts:2:18; rename it"],
        ),
    )

    @pytest.mark.parametrize(("text", "expected"), FAULTS)
    def test_faults_of_imports(self, text, expected):
        other = (
            "export type Id = string; export interface Lame { x: Nowhere }\n"
            "export interface Record {}\nexport interface Thing { r: Record }"
        )
        modules = {"./core": self.CORE} if "./gone" in text else {"./core": self.CORE, "./other": other}
        found = faults(text, imported=modules)
        assert [line for line in found if not line.startswith("    ")] == expected
