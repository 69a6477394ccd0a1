"""Command ``python -m benchmarks`` in ``tests/``: runs all benchmarks, prints the page and writes it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import (
    authorization,
    bridging,
    claims,
    codec,
    comparison,
    contracts,
    conversation,
    features,
    generation,
    growth,
    imports,
    over_http,
    performance,
)
from benchmarks.page import Section, render

PARTS = (
    "codec",
    "conversation",
    "http",
    "bridging",
    "growth",
    "features",
    "authorization",
    "generation",
    "contracts",
    "comparison",
    "imports",
)


def main() -> None:
    """Run all benchmarks, print the page and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=PARTS, help="measure this part (repeat for several)")
    parser.add_argument("--quick", action="store_true", help="few rounds, to try things out")
    parser.add_argument("--fast", help="an interpreter with attrs, cattrs, orjson, urllib3 and cheroot")
    parser.add_argument("--standard", help="the same without orjson")
    parser.add_argument("--peer", help="an interpreter with mcp and uvicorn")
    parser.add_argument("--proxy", help="an interpreter with mcp-proxy; without it the bridge process is not compared")
    parser.add_argument("--structs", help="an interpreter with msgspec")
    parser.add_argument("--upstream", type=Path, help="folder with the official schema.json of each revision")
    parser.add_argument("--page", type=Path, help="file to write besides standard output; needs all parts, not quick")
    options = parser.parse_args()
    if options.page and (options.only or options.quick):
        parser.error("--page is for a whole run: leave out --only and --quick, or --page")
    parts = options.only or PARTS
    if {"codec", "conversation", "http"} & set(parts) and not (options.fast or options.standard):
        parser.error(
            "codec, conversation and http need --fast or --standard; for the rest alone: --only bridging --only growth --only features --only authorization --only generation --only contracts --only comparison --only imports"
        )
    sections: list[Section] = []
    versions: dict[str, str] = {}
    if "codec" in parts:
        interpreters = {
            "fast": options.fast,
            "standard": options.standard,
            "bare": options.standard or options.fast,
            "peer": options.peer,
            "structs": options.structs,
            "cattrs": options.fast,
        }
        present = {name: python for name, python in interpreters.items() if python}
        measured = codec.measure(present, codec.QUICK if options.quick else codec.FULL)
        sections += claims.sections(measured)
        versions |= measured.versions
    if "conversation" in parts:
        effort = conversation.QUICK if options.quick else conversation.FULL
        speakers = conversation.speakers(fast=options.fast, standard=options.standard, peer=options.peer)
        talked = conversation.measure(speakers, effort)
        sections.append(conversation.table(talked, effort))
        versions |= talked.versions
    if "http" in parts:
        pace = over_http.QUICK if options.quick else over_http.FULL
        callers = over_http.callers(fast=options.fast, standard=options.standard, peer=options.peer)
        called = over_http.measure(callers, pace)
        sections.append(over_http.table(called, pace))
        versions |= called.versions
    if "bridging" in parts:
        work = bridging.QUICK if options.quick else bridging.FULL
        sections.append(bridging.measure(work, options.proxy))
        versions |= bridging.proxy_version(options.proxy) if options.proxy else {}
    sections += _measure_ours(parts, options)
    page = render(sections, versions)
    sys.stdout.write(page)
    if options.page:
        options.page.write_text(page, encoding="utf-8")
        performance.main()


def _measure_ours(parts: Sequence[str], options: argparse.Namespace) -> list[Section]:
    """Measure the parts that need no other environments."""
    sections: list[Section] = []
    if "growth" in parts:
        sections.append(growth.measure(growth.QUICK if options.quick else growth.FULL))
    if "features" in parts:
        sections.append(features.measure(features.QUICK if options.quick else features.FULL))
    if "authorization" in parts:
        sections.append(authorization.measure(authorization.QUICK if options.quick else authorization.FULL))
    if "generation" in parts:
        upstream = options.upstream if options.upstream and generation.has_judge() else None
        sections += generation.measure(upstream)
    if "contracts" in parts:
        sections.append(contracts.measure())
    if "comparison" in parts:
        sections.append(comparison.measure(comparison.QUICK if options.quick else comparison.RUNS))
    if "imports" in parts:
        sections.append(imports.measure(sys.executable, options.peer))
    return sections


if __name__ == "__main__":
    main()
