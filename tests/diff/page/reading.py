"""Reads a page back strictly: every element closed in its turn, no id twice."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

VOID = {"br", "input", "meta", "wbr"}


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = text
        self.stack: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.ids: dict[str, str] = {}
        self.links: list[str] = []
        self.verbatim: dict[str, list[tuple[dict[str, str | None], str]]] = {"script": [], "style": []}
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.stack

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert len(found) == len(attrs), f"an attribute is there twice: {attrs}"
        self.elements.append((tag, found))
        identity = found.get("id")
        if identity is not None:
            assert identity not in self.ids, f"an id is there twice: {identity}"
            self.ids[identity] = tag
        if tag == "a":
            self.links.append(found["href"] or "")
        if tag in self.verbatim:
            self.verbatim[tag].append((found, ""))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack, f"</{tag}> without a start"
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        inside = self.stack[-1] if self.stack else ""
        if inside in self.verbatim:
            attributes, text = self.verbatim[inside][-1]
            self.verbatim[inside][-1] = attributes, text + data
        else:
            self.words.append(data)

    def handle_comment(self, data: str) -> None:
        message = f"a comment: {data}"
        raise AssertionError(message)

    @property
    def policy(self) -> dict[str, list[str]]:
        found = next(each for tag, each in self.elements if tag == "meta" and "http-equiv" in each)
        assert found["http-equiv"] == "Content-Security-Policy"
        parts = (found["content"] or "").split(";")
        return {name: values for name, *values in map(str.split, parts)}

    @property
    def index(self) -> Any:
        return json.loads(next(text for found, text in self.verbatim["script"] if found.get("id") == "index"))

    def hashes(self, tag: str) -> list[str]:
        """Of what is run, or applied."""
        texts = [text for found, text in self.verbatim[tag] if found.get("type") != "application/json"]
        digests = [hashlib.sha256(text.encode()).digest() for text in texts]
        return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]

    def references(self) -> list[str]:
        """All that a browser might fetch."""
        names = ("src", "href", "srcset", "action", "formaction", "poster", "data", "background", "ping", "manifest")
        found = [value or "" for _, each in self.elements for name, value in each.items() if name in names]
        styles = "".join(text for _, text in self.verbatim["style"])
        return [*found, *re.findall(r"url\(([^)]*)\)|@import", styles)]
