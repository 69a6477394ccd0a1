"""Overrides: how they are read, what each kind does, and that none is idle."""

from __future__ import annotations

import pytest
from checkout import REVISIONS
from mcp_bindgen.errors import OverrideError
from mcp_bindgen.ir.protocol import AliasOf, Scalar, Union
from mcp_bindgen.resolve.overrides import Overrides
from resolve.resolving import bundled, field, resolve, tree

WHY = "reason = 'r'\nsource = 's'\nsince = '2026-07-28'\n"

UNREADABLE = {
    "[[floats]]\nsite = 'A.b'\n"
    + WHY: "overrides.toml: unknown override [[floats]]; use one of float, nullable, absence, raw, undecided, discriminator, capability, requested, additional_result, result",
    "[float]\nsite = 'A.b'\n"
    + WHY: "overrides.toml: unknown override [[float]]; use one of float, nullable, absence, raw, undecided, discriminator, capability, requested, additional_result, result",
    "float = [1]": "overrides.toml: [[float]], entry 1: reason is missing",
    "[[float]]\nsite = 'A.b'\nsource = 's'\nsince = '2026-07-28'": "overrides.toml: [[float]], entry 1: reason is missing",
    "[[float]]\nsite = 'A.b'\nreason = ' '\nsource = 's'\nsince = '2026-07-28'": "overrides.toml: [[float]], entry 1: reason must be str, got ' '",
    "[[float]]\n" + WHY: "overrides.toml: [[float]], entry 1: site is missing",
    "[[float]]\nsite = 1\n" + WHY: "overrides.toml: [[float]], entry 1: site must be str, got 1",
    "[[float]]\nsite = 'A.b'\nextra = 1\n"
    + WHY: "overrides.toml: [[float]], entry 1: unknown key 'extra'; use one of reason, source, since, until, site",
    "[[raw]]\nfield = 'A.b'\n"
    + WHY
    + "[[raw]]\nfield = ['A.b']\n"
    + WHY: "overrides.toml: [[raw]], entry 2: field must be str, got ['A.b']",
    "[[raw]]\nfield = 'A.b'\nreason = 'r'\nsource = 's'\nsince = []": "overrides.toml: [[raw]], entry 1: since must be str | None, got []",
    "[[raw]]\nfield = 'A.b'\nreason = 'r'\nsource = 's'\nsince = 'then'": "overrides.toml: [[raw]], entry 1: since must be the date of a revision such as '2025-06-18', got 'then'",
    "[[raw]]\nfield = 'A.b'\nuntil = '2025-06-18'\n"
    + WHY: "overrides.toml: [[raw]], entry 1: since must not be later than until, got '2026-07-28' and '2025-06-18'",
    "[[absence]]\nfield = 'A.b'\ntolerated = true\ndefault = true\n"
    + WHY: "overrides.toml: [[absence]], entry 1: default must be str | int | None, got True",
    "[[absence]]\nfield = 'A.b'\ntolerated = true\nrequired_of = 'peers'\n"
    + WHY: "overrides.toml: [[absence]], entry 1: required_of must be Receivers, got 'peers'",
    "[[absence]]\nfield = 'A.b'\ntolerated = 'yes'\n"
    + WHY: "overrides.toml: [[absence]], entry 1: tolerated must be bool, got 'yes'",
    "[[capability]]\nmethod = 'm'\ncapability = 'c'\nof = 'server'\n"
    + WHY: "overrides.toml: [[capability]], entry 1: of must be Party, got 'server'",
}


@pytest.mark.parametrize("text", UNREADABLE)
def test_an_entry_that_does_not_say_what_it_has_to_is_an_error(text):
    with pytest.raises(OverrideError) as caught:
        Overrides.parse(text)
    assert str(caught.value) == UNREADABLE[text]


def test_a_file_that_is_no_toml_is_an_error():
    with pytest.raises(OverrideError, match=r"^mine\.toml: .*line 1"):
        Overrides.parse("[[float]\n", "mine.toml")


def test_each_bundled_entry_gives_a_sentence_as_reason_and_a_place_as_source():
    for entry in Overrides.bundled().entries:
        assert entry.reason.endswith("."), entry
        assert 1 <= entry.reason.count(". ") + 1 <= 2, entry
        assert len(entry.source) > 10, entry
        assert {entry.since, entry.until} <= {None, *REVISIONS}, entry


def entry(kind: str, *lines: str) -> Overrides:
    return Overrides.parse(f"[[{kind}]]\n" + "\n".join(lines) + f"\n{WHY}")


TEXT = """
export interface A { id: string; n: number; r: B; t: T; u: U }
export interface B extends A { u: 'a' }
export interface C extends Omit<B, 'n'> { id: string }
export type T = string
export type U = P | Q
export interface P { x: string }
export interface Q { x: string }
export type N = number[]
"""
KINDS = {
    "float": ["site = 'A.n'"],
    "nullable": ["field = 'A.id'"],
    "absence": ["field = 'A.t'", "tolerated = true", "default = 'd'"],
    "raw": ["field = 'A.r'"],
    "undecided": ["union = 'U'", "look_at = 'the stars'"],
    "discriminator": ["member = 'Q'", "key = 'x'", "value = 'q'", "otherwise = 'p'"],
}
DECIDED = TEXT.replace("Q { x: string }", "Q { x: string; y: string }")


class TestKinds:
    def test_float(self):
        protocol = resolve(DECIDED, overrides=entry("float", "site = 'A.n'"))
        assert field(protocol, "A.n").type == Scalar("float", "number")
        assert field(protocol, "B.n").constraints.number == "float"
        protocol = resolve(DECIDED, overrides=entry("float", "site = 'N'"))
        assert protocol.aliases["N"].type.element == Scalar("float", "number")

    def test_nullable_is_inherited_but_not_by_an_override_of_the_property(self):
        protocol = resolve(DECIDED, overrides=entry("nullable", "field = 'A.id'"))
        for path in ("A.id", "B.id"):
            kind = field(protocol, path).type
            assert isinstance(kind, Union)
            assert tree(kind) == "{string: string, null: null}"
            assert field(protocol, path).null_tolerated
        assert field(protocol, "C.id").type == Scalar("string", "string")
        assert not field(protocol, "C.id").null_tolerated

    def test_absence_is_inherited_until_a_nearer_entry(self):
        overrides = Overrides(
            entry("absence", "field = 'A.t'", "tolerated = true", "default = 'd'").entries
            + entry("absence", "field = 'B.t'", "tolerated = false", "default = 'b'").entries
        )
        protocol = resolve(DECIDED, overrides=overrides)
        found = {
            path: (field(protocol, path).absence_tolerated, field(protocol, path).default)
            for path in ("A.t", "B.t", "C.t")
        }
        assert found == {"A.t": (True, "d"), "B.t": (False, "b"), "C.t": (False, "b")}

    def test_raw_is_of_the_text_that_is_meant(self):
        protocol = resolve(DECIDED, overrides=entry("raw", "field = 'A.u'"))
        assert field(protocol, "A.u").raw
        assert not field(protocol, "B.u").raw
        protocol = resolve(DECIDED, overrides=entry("raw", "field = 'A.r'"))
        assert field(protocol, "C.r").raw

    def test_undecided(self):
        protocol = resolve(TEXT, overrides=entry("undecided", "union = 'U'", "look_at = 'the stars'"))
        assert tree(protocol.aliases["U"].type) == "undecidable: the stars"

    def test_discriminator(self):
        overrides = entry("discriminator", "member = 'Q'", "key = 'x'", "value = 'q'", "otherwise = 'p'")
        assert tree(resolve(TEXT, overrides=overrides).aliases["U"].type) == "{object: x(p: P, q: Q, absent: P)}"
        three = TEXT.replace("U = P | Q", "U = Q | P | R") + "export interface R { x: string; z: string }"
        assert tree(resolve(three, overrides=overrides).aliases["U"].type) == (
            "{object: x(p: [z? R : P], q: Q, absent: [z? R : P])}"
        )

    def test_capability_applies_where_it_is_declared(self):
        text = (
            "export interface GoRequest { method: 'go' }\nexport type ClientRequest = GoRequest\nexport interface GoResult {}\n"
            "export interface ServerCapabilities { moves?: { fast?: object } }"
        )
        lines = ["method = 'go'", "of = 'receiver'"]
        found = resolve(text, overrides=entry("capability", *lines, "capability = 'moves.fast'")).methods["go"]
        assert (found.capability, found.capability_of) == ("moves.fast", "receiver")
        found = resolve(text, overrides=entry("capability", *lines, "capability = 'moves.slow'")).methods["go"]
        assert found.capability is None


@pytest.mark.parametrize("kind", KINDS)
def test_an_entry_that_matches_nothing_in_a_bundled_revision_it_lists_is_an_error(kind):
    overrides = entry(kind, *KINDS[kind])
    name = KINDS[kind][0].split("'")[1]
    with pytest.raises(OverrideError) as caught:
        resolve("export interface Z { z: string }", revision="2026-07-28", overrides=overrides)
    assert (
        str(caught.value) == "overrides.toml: these entries match nothing in 2026-07-28; "
        f"set `until` to the last revision for which each holds:\n    [[{kind}]] {name}"
    )


@pytest.mark.parametrize("revision", ["2025-11-25", "draft", "acme"])
def test_elsewhere_it_is_no_error(revision):
    text = "export interface Z { z: string }"
    plain = resolve(text, revision=revision)
    for kind, lines in KINDS.items():
        assert resolve(text, revision=revision, overrides=entry(kind, *lines)) == plain, kind


def test_an_entry_does_not_act_in_a_bundled_revision_it_does_not_list():
    overrides = entry("float", "site = 'A.n'")
    numbers = {
        revision: field(resolve(DECIDED, revision=revision, overrides=overrides), "A.n").constraints.number
        for revision in [*REVISIONS, "draft"]
    }
    assert {revision for revision, number in numbers.items() if number == "float"} == {
        *(each for each in REVISIONS if each >= "2026-07-28"),
        "draft",
    }


@pytest.mark.parametrize("revision", REVISIONS)
def test_bundled_entries_that_name_what_is_gone_are_errors(revision):
    listed = [each for each in Overrides.bundled().entries if revision in each.revisions]
    with pytest.raises(OverrideError) as caught:
        resolve("export interface Z { z: string }", revision=revision, overrides=Overrides.bundled())
    assert len(str(caught.value).splitlines()) == 1 + len(listed)


class TestBundled:
    def test_the_id_of_an_error_may_be_null_and_early_ones_may_lack_it(self):
        for revision in REVISIONS:
            name = "JSONRPCError" if revision < "2025-11" else "JSONRPCErrorResponse"
            made = field(bundled(revision), f"{name}.id")
            assert made.type.written == (AliasOf("RequestId"), Scalar("null", "null"))
            assert made.null_tolerated
            assert (made.optional, made.absence_tolerated) == ((False, True) if revision < "2025-11" else (True, False))
            # The text of 2024-11-05 says nothing of it, later ones let servers leave it out over HTTP.
            asked = ("client",) if "2025-03" < revision < "2025-11" else ()
            assert made.absence_required_of == asked
        for name in ("HeaderMismatchError", "UnsupportedProtocolVersionError", "MissingRequiredClientCapabilityError"):
            assert field(bundled("2026-07-28"), f"{name}.id").null_tolerated
        assert field(bundled("2025-11-25"), "URLElicitationRequiredError.id").null_tolerated

    def test_the_result_of_a_response_is_raw_unless_the_response_says_more(self):
        for revision in REVISIONS:
            raw = {
                f"{path}.{each.name}"
                for path, made in bundled(revision).objects.items()
                for each in made.fields
                if each.raw
            }
            assert raw == {"JSONRPCResponse.result" if revision < "2025-11" else "JSONRPCResultResponse.result"}

    def test_an_absent_result_type_is_complete_except_where_it_asks_for_input(self):
        found = {
            path: (each.default, each.absence_tolerated, each.optional)
            for path, made in bundled("2026-07-28").objects.items()
            for each in made.fields
            if each.name == "resultType"
        }
        assert found.pop("InputRequiredResult") == ("input_required", False, False)
        assert set(found.values()) == {("complete", True, False)}
        heirs = {path for path, made in bundled("2026-07-28").objects.items() if "Result" in (path, *made.bases)}
        assert set(found) == heirs - {"InputRequiredResult"}

    def test_a_notification_is_requested_only_where_the_schema_has_the_request(self):
        entries = entry("requested", "notification = 'notifications/a'", "by = 'ask'", "when = 'only after `ask`'")
        told = "export interface A { method: 'notifications/a' }\nexport type ServerNotification = A\n"
        ask = "export interface AskRequest { method: 'ask' }\nexport type ClientRequest = AskRequest\n"
        result = "export interface AskResult { a: string }\nexport type ServerResult = AskResult\n"
        assert (
            resolve(told + ask + result, overrides=entries).methods["notifications/a"].requested == "only after `ask`"
        )
        assert resolve(told, overrides=entries).methods["notifications/a"].requested is None

    def test_absent_caching_hints_are_tolerated_wherever_a_result_has_them(self):
        objects = bundled("2026-07-28").objects
        found = {
            (path, each.name): (each.default, each.absence_tolerated, each.optional)
            for path, made in objects.items()
            for each in made.fields
            if each.name in {"ttlMs", "cacheScope"}
        }
        heirs = [path for path, made in objects.items() if "CacheableResult" in (path, *made.bases)]
        assert found == {
            **{(path, "ttlMs"): (0, True, False) for path in heirs},
            **{(path, "cacheScope"): ("private", True, False) for path in heirs},
        }

    def test_nothing_else_is_tolerated_in_any_revision(self):
        for revision in REVISIONS:
            for path, made in bundled(revision).objects.items():
                for each in made.fields:
                    if each.default is not None or each.absence_tolerated:
                        known = each.name in {"resultType", "ttlMs", "cacheScope"} or path == "JSONRPCError"
                        assert known, (revision, path, each.name)
