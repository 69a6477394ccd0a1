"""Figures of decoding and encoding as tables: goals, results, and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, geometric_mean
from typing import Any

from attrs import field, frozen

from benchmarks.codec import OURS, Measured, Timed
from benchmarks.corpus import REVISIONS, messages
from benchmarks.interleave import SAMPLE
from benchmarks.page import Grid, Line, Listing, Section, is_met, ratio, shortfall

SIZES = ("small", "medium", "large")
LABELS = {"fast": "orjson", "standard": "standard library"}
SPOKEN = {"fast": "orjson", "standard": "the standard library"}
"""The same labels inside a sentence."""

HOW = {
    "fast": ("these bindings, orjson installed", "`decode(data, results=…)`, `encode(message)`"),
    "standard": ("these bindings, no orjson", "the same"),
    "peer": (
        "mcp-types",
        "decoding: `jsonrpc_message_adapter.validate_json(data)`, then `parse_client_request(method, revision, "
        "params)` or a "
        "similar function; encoding: `model_dump`, then `serialize_server_result` (only for results of servers), then "
        "`model_dump_json` of the JSON-RPC envelope",
    ),
    "structs": ("msgspec", "Structs written by hand, and a `msgspec.json.Decoder` for each message"),
    "cattrs": (
        "stock cattrs",
        "our classes, `orjson.loads`, and a cattrs converter with default settings and two additions: the JSON names "
        "of fields, and functions for unions",
    ),
    "bare": ("standard library alone", "`json.loads(data)`, `json.dumps(value)`: no types"),
}
"""Name of each contender on the page, and its usage."""


@frozen
class Claim:
    """A ratio for each message: the first work's time / the second's."""

    name: str
    above: Timed
    below: Timed
    goal: str = ""
    exceptions: Mapping[str, str] = field(factory=dict[str, str])
    """Different goals by revision."""
    limit: tuple[Timed, Timed] | None = None
    """The same ratio if ours consisted of the bare parser or printer only."""
    is_worst: bool = False
    """True for the lowest ratio of all messages instead of their mean."""

    def figure(self, ratios: Sequence[float]) -> float:
        """Return the figure for several messages."""
        return min(ratios) if self.is_worst else geometric_mean(ratios)

    def line(self, measured: Measured) -> Line:
        """Return the line with a figure for each revision."""
        goals = [self.exceptions.get(revision, self.goal) for revision in REVISIONS] if self.goal else []
        return Line(self.name, _by_revision(self, measured.ratios(self.above, self.below)), goals)


FAST, STANDARD, PEER, LOADS = ("fast", "decode"), ("standard", "decode"), ("peer", "decode"), ("bare", "decode")
FAST_OUT, STANDARD_OUT, PEER_OUT, DUMPS = (
    ("fast", "encode"),
    ("standard", "encode"),
    ("peer", "encode"),
    ("bare", "dumps"),
)
PARSE, PRINT, RAW = ("fast", "parse"), ("fast", "print"), ("bare", "raw decode")
STRUCTS, CATTRS = ("structs", "decode"), ("cattrs", "decode")

CLAIMS = (
    Claim(
        "decode: mcp-types / ours, orjson",
        PEER,
        FAST,
        "at least 8",
        {"2026-07-28": "at least 6.5"},
        limit=(PEER, PARSE),
    ),
    Claim("decode: mcp-types / ours, standard library", PEER, STANDARD, "at least 4.5", limit=(PEER, RAW)),
    Claim("decode: ours, standard library / `json.loads`", STANDARD, LOADS, "at most 1.4", limit=(RAW, LOADS)),
    Claim("encode: mcp-types / ours, orjson", PEER_OUT, FAST_OUT, "at least 10", limit=(PEER_OUT, PRINT)),
    Claim(
        "encode: mcp-types / ours, standard library", PEER_OUT, STANDARD_OUT, "at least 2.5", limit=(PEER_OUT, DUMPS)
    ),
    Claim("encode: `json.dumps` of ready dicts / ours, orjson", DUMPS, FAST_OUT, "at least 1", limit=(DUMPS, PRINT)),
    Claim(
        "encode: `json.dumps` of ready dicts / ours, orjson, worst message",
        DUMPS,
        FAST_OUT,
        "at least 1",
        limit=(DUMPS, PRINT),
        is_worst=True,
    ),
    Claim("encode: `json.dumps` of ready dicts / ours, standard library", DUMPS, STANDARD_OUT, "at least 1"),
    Claim(
        "encode: `json.dumps` of ready dicts / ours, standard library, worst message",
        DUMPS,
        STANDARD_OUT,
        "at least 1",
        is_worst=True,
    ),
    Claim("decode: ours, orjson / msgspec Structs", FAST, STRUCTS, "at most 2", limit=(PARSE, STRUCTS)),
    Claim("decode: stock cattrs, orjson / ours, orjson", CATTRS, FAST, "at least 2.5", limit=(CATTRS, PARSE)),
)
ASIDES = (
    Claim("decode: ours, standard library / `JSONDecoder().raw_decode`", STANDARD, RAW),
    Claim("decode: mcp-types / `orjson.loads` alone", PEER, PARSE),
    Claim("decode: mcp-types / `raw_decode` alone", PEER, RAW),
    Claim("decode: mcp-types, without the check of the revision / ours, orjson", ("peer", "short decode"), FAST),
    Claim("decode: stock cattrs, `detailed_validation=False` / ours, orjson", ("cattrs", "terse decode"), FAST),
    Claim("encode: mcp-types / `orjson.dumps` of ready dicts", PEER_OUT, PRINT),
    Claim(
        "encode: mcp-types, with one call of `pydantic_core.to_json` / ours, orjson", ("peer", "short encode"), FAST_OUT
    ),
    Claim(
        "encode: mcp-types, with one call of `pydantic_core.to_json` / ours, standard library",
        ("peer", "short encode"),
        STANDARD_OUT,
    ),
)
"""Claims without goals: upper limits, and contenders with less work."""


def sections(measured: Measured) -> list[Section]:
    """Return the tables of the page."""
    return [_goals(measured), _asides(measured), _by_size(measured), _shares(measured), _contenders(measured)]


def _taking_part(measured: Measured, claims: Sequence[Claim]) -> list[Claim]:
    return [each for each in claims if measured.has(each.above[0], each.below[0])]


def _by_revision(claim: Claim, ratios: Mapping[tuple[str, str], float]) -> list[float]:
    return [claim.figure([value for (of, _), value in ratios.items() if of == each]) for each in REVISIONS]


def _goals(measured: Measured) -> Grid:
    claims = _taking_part(measured, CLAIMS)
    lines = [claim.line(measured) for claim in claims]
    for name, ratios in measured.cold.items():
        worst = [max(value for (of, _), value in ratios.items() if of == each) for each in REVISIONS]
        label = f"first decode of a process / later ones, {LABELS[name]}, worst message"
        lines.append(Line(label, worst, ["at most 20"] * len(REVISIONS)))
    limits = [_limits(measured, claim) for claim in claims]
    limits += [[]] * len(measured.cold)
    found = [item for line, limit in zip(lines, limits, strict=True) if (item := _missed(line, limit))]
    notes = [_worst(measured)]
    if found:
        notes.append(
            "The following goals are missed. Each item lists, for each revision that misses the goal, the measured "
            "figure and by how many percent it is below or above the goal: *20 % below 5* means that the figure is "
            "20 % below the goal, which is 5. *Bare* is the ratio that would result if this project only called its "
            "JSON library, without making or reading typed messages. In rows with *encode* and *standard library*, "
            "this "
            "project writes the JSON text itself and does not call `json.dumps`, so the figure can be better than "
            "*bare*.\n\n" + "\n".join(found)
        )
        notes.append(_bounds(measured))
    about = (
        "*Decoding* makes typed messages from bytes, and *encoding* makes bytes from typed messages. The benchmark "
        f"does both with {sum(len(messages(each)) for each in REVISIONS)} messages, {len(messages(REVISIONS[0]))} "
        f"in each of {len(REVISIONS)} revisions. The messages of {REVISIONS[-2]} are {_described()}. The messages of "
        "the other revisions are similar; in 2026-07-28, for example, *discover* (`server/discover`) takes the place "
        "of *initialize*.\n\n"
        "A *contender* is a library that is used in one particular way (see [Contenders](#contenders)). It runs in its "
        "own process. The contenders take turns. For each message, decoding and encoding are timed in "
        f"{measured.effort.rounds} samples each; with msgspec and stock cattrs, only decoding is timed. For "
        f"a sample, the contender decodes or encodes the message as often as it can in about {SAMPLE / 1e6:.0f} ms of "
        f"CPU time, but at least once. Python's garbage collector stays turned on. Environment variables make the C "
        f"library "
        "keep freed memory, so that a contender need not request it from the operating system again. The ratio of "
        "a message is the median time of the first contender in the row, divided by the median time of the second. "
        "In rows with *ready dicts*, the dicts that `json.dumps` or `orjson.dumps` encodes are made before the timing "
        "starts. Each figure is "
        "the "
        "geometric mean of the ratios "
        "of all messages of the revision; in rows with *worst message*, it is the worst of these ratios. For the "
        "rows with *first decode*, a new process decodes one message repeatedly. The time of its "
        "first decode is divided by the median time of the later ones. This is done in "
        f"{measured.effort.starts} processes, and the ratio of the message is the median of these quotients."
    )
    return Grid("Decoding and encoding", about, REVISIONS, lines, notes)


def _described() -> str:
    by_size = {size: [each.name for each in messages(REVISIONS[-2]).values() if each.size == size] for size in SIZES}
    *most, last = (f"{size} ({', '.join(names)})" for size, names in by_size.items())
    return f"{', '.join(most)} or {last}"


def _limits(measured: Measured, claim: Claim) -> list[float]:
    """Return the limit by revision; nothing if the claim has no limit."""
    return _by_revision(claim, measured.ratios(*claim.limit)) if claim.limit else []


def _missed(line: Line, limits: Sequence[float]) -> str:
    """Return a list item for the missed goals of one line, empty if there are none."""
    parts: list[str] = []
    for place, (revision, value, goal) in enumerate(zip(REVISIONS, line.values, line.goals, strict=True)):
        if not is_met(value, goal):
            bare = f" (bare: {ratio(limits[place])})" if limits else ""
            parts.append(f"{ratio(value)} in {revision}, {shortfall(value, goal)}{bare}")
    return f"- *{line.name}*: {'; '.join(parts)}" if parts else ""


def _worst(measured: Measured) -> str:
    said: list[str] = []
    for name in OURS:
        if measured.has(name, "bare"):
            (revision, message), value = min(measured.ratios(DUMPS, (name, "encode")).items(), key=lambda each: each[1])
            said.append(f"encoding with {SPOKEN[name]}: *{message}* of {revision} ({ratio(value)})")
    for name, ratios in measured.cold.items():
        (revision, message), value = max(ratios.items(), key=lambda each: each[1])
        usual = geometric_mean(ratios.values())
        said.append(
            f"the first decode with {SPOKEN[name]}: *{message}* of {revision} ({ratio(value)}; the geometric mean "
            f"of the ratios of all {len(ratios)} messages is {ratio(usual)})"
        )
    about = "For each row with *worst message*, this list names the message with the worst ratio of all revisions:"
    return "\n".join([about, "", *(f"- {each}" for each in said)])


def _bounds(measured: Measured) -> str:
    said: list[str] = []
    for name in OURS:
        if measured.has(name):
            shares = "\n".join(f"- {value:.0f} %: {part}" for part, value in _parts(measured, name, SIZES).items())
            said.append(
                f"On average over all messages, the time that this project takes to decode with {SPOKEN[name]} "
                f"consists of:\n\n{shares}"
            )
    if measured.has("fast"):
        said.append(
            f"On average over all messages, {100 * fmean(measured.ratios(PRINT, FAST_OUT).values()):.0f} % of this "
            "project's time to encode with orjson is spent in orjson. The rest is spent on making dicts and checking "
            "values."
        )
    return "\n\n".join(said)


def _asides(measured: Measured) -> Grid:
    lines = [claim.line(measured) for claim in _taking_part(measured, ASIDES)]
    for name, ratios in measured.cold.items():
        usual = [geometric_mean([value for (of, _), value in ratios.items() if of == each]) for each in REVISIONS]
        lines.append(Line(f"first decode of a process / later ones, {LABELS[name]}, mean", usual))
    about = (
        "The project has set no goals for the figures in this table. Some rows compare this project or mcp-types with "
        "a JSON library alone. In other "
        "rows, mcp-types or cattrs does less work than in the section [Decoding and encoding](#decoding-and-encoding). "
        "For example, mcp-types with `to_json` does not remove members of later "
        "revisions from messages of earlier ones. Each figure is the geometric mean of the time ratios of all messages "
        "of the column's revision."
    )
    return Grid("Further ratios, without goals", about, REVISIONS, lines)


def _by_size(measured: Measured) -> Grid:
    lines: list[Line] = []
    for claim in _taking_part(measured, CLAIMS):
        if not claim.is_worst:
            found = measured.ratios(claim.above, claim.below)
            lines.append(Line(claim.name, [claim.figure(_of_size(found, size)) for size in SIZES]))
    return Grid(
        "By size of the message",
        "The table shows ratios of the section [Decoding and encoding](#decoding-and-encoding) by the size of the "
        "message. Each figure is the geometric mean of the ratios of all messages of one size in the three revisions "
        "of that section.",
        SIZES,
        lines,
    )


def _of_size(values: Mapping[tuple[str, str], float], *sizes: str) -> list[float]:
    return [value for (revision, name), value in values.items() if messages(revision)[name].size in sizes]


def _shares(measured: Measured) -> Grid:
    lines: list[Line] = []
    for name in OURS:
        if measured.has(name):
            by_size = [_parts(measured, name, (size,)) for size in SIZES]
            lines += [
                Line(f"{LABELS[name]}: {part}", [each[part] for each in by_size], unit="%") for part in by_size[0]
            ]
            garbage = [_garbage(measured, name, size) for size in SIZES]
            lines.append(
                Line(f"{LABELS[name]}: garbage collection, which is part of the rows above", garbage, unit="%")
            )
    about = (
        "Each figure is a percentage of the decoding time, averaged over all messages of one size (small, medium or "
        "large). For *making objects*, the benchmark runs code that only makes the objects. For *looking up members*, "
        "it runs code that also looks up the members, and subtracts the time of the first code. The figure for garbage "
        "collection is the share of the time that "
        "is saved if the garbage collector is turned off; negative figures are noise."
    )
    return Grid("Where the time of decoding goes", about, SIZES, lines)


def _parts(measured: Measured, name: str, sizes: Sequence[str]) -> dict[str, float]:
    """Return the parts of decoding in percent."""
    parse, read, objects, both = (
        100 * fmean(_of_size(measured.ratios((name, work), (name, "decode")), *sizes))
        for work in ("parse", "read", "objects", "lookups")
    )
    parser = "`orjson.loads`" if name == "fast" else "`JSONDecoder().raw_decode`"
    refused = {
        "fast": "finding integers of more than 64 bits, which orjson would turn into floats",
        "standard": "refusing unpaired surrogates, which the parser accepts",
    }[name]
    return {
        f"the parser, {parser} alone": parse,
        "making objects": objects,
        "looking up members in dicts": both - objects,
        "checking values, making lists and keeping undeclared members": read - both,
        f"determining the kind of message, and {refused}": 100 - parse - read,
    }


def _garbage(measured: Measured, name: str, size: str) -> float:
    usual = measured.of((name, "decode"))
    without = measured.of((name, "decode"), collecting=False)
    return 100 * fmean(_of_size({each: 1 - without[each] / value for each, value in usual.items()}, size))


def _contenders(measured: Measured) -> Listing:
    rows = [[*HOW[name], *_proved(measured.proofs[name])] for name in HOW if measured.has(name)]
    about = (
        "Before the measurements, each contender decodes every message and encodes it again. *Members dropped* "
        "counts the members of the original message that the result lacks. *Values changed* counts the values of the "
        "result that are new or differ, such as integers that became floats. All contenders also get the same invalid "
        "messages: in each, one member is missing, or has a type or value that is not allowed. *Invalid messages "
        "refused* counts how many of these messages the contender does not accept."
    )
    columns = ["contender", "used as", "invalid messages refused", "members dropped", "values changed"]
    return Listing("Contenders", about, columns, rows)


def _proved(proof: Mapping[str, Any]) -> list[str]:
    wrong = proof["wrong"]
    refused = wrong - sum(map(len, proof["taken"].values()))
    return [f"{refused} of {wrong}", *(str(sum(proof[each].values())) for each in ("dropped", "changed"))]
