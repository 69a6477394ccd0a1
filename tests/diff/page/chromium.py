"""A headless Chromium, spoken to over a pair of pipes by the protocol of its developer tools."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
TIMEOUT = 30

START = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
"""It reads from the third file descriptor and writes to the fourth."""


def found() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    def __init__(self, program: str, profile: Path) -> None:
        theirs, self._to = os.pipe()
        self._from, ours = os.pipe()
        # Above the two that it is to have.
        ends = [os.dup(os.dup(os.dup(each))) for each in (theirs, ours)]
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe"]
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                START,
                *map(str, ends),
                program,
                *flags,
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            pass_fds=ends,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for each in (theirs, ours, *ends):
            os.close(each)
        self._text = b""
        self.events: list[dict[str, Any]] = []
        self._number = 0
        self._session: str | None = None
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def close(self) -> None:
        os.close(self._to)
        os.close(self._from)
        self._process.kill()
        self._process.wait()

    def size(self, width: int, height: int) -> None:
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, *, scheme: str = "light", kind: str = "") -> None:
        self._call(
            "Emulation.setEmulatedMedia", media=kind, features=[{"name": "prefers-color-scheme", "value": scheme}]
        )

    def scripts(self, *, on: bool) -> None:
        self._call("Emulation.setScriptExecutionDisabled", value=not on)

    def open(self, address: str) -> None:
        """Load a page anew, even where only what follows the ``#`` is another."""
        for each in ("about:blank", address):
            self.events.clear()
            self._call("Page.navigate", url=each)
            self._until(lambda: any(event["method"] == "Page.loadEventFired" for event in self.events))

    def ask(self, expression: str) -> Any:
        done = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def settle(self, expression: str) -> None:
        """Wait until something holds."""
        self._until(lambda: bool(self.ask(expression)))

    def press(self, key: str, text: str = "") -> None:
        codes = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "Tab": 9}
        text = {"Enter": "\r"}.get(key, text or (key if len(key) == 1 else ""))
        what = {"key": key, "windowsVirtualKeyCode": codes.get(key, 0), "text": text}
        self._call("Input.dispatchKeyEvent", type="keyDown", **what)
        self._call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text: str) -> None:
        self._call("Input.insertText", text=text)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._call("Page.captureScreenshot")["data"]))

    def pdf(self) -> bytes:
        return base64.b64decode(self._call("Page.printToPDF")["data"])

    def troubles(self) -> list[str]:
        """What went wrong in the page since it was opened."""
        kinds = ("Runtime.exceptionThrown", "Log.entryAdded")
        return [json.dumps(event["params"]) for event in self.events if event["method"] in kinds]

    def requests(self) -> list[str]:
        return [
            event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"
        ]

    def _until(self, holds: Any) -> None:
        end = time.monotonic() + TIMEOUT
        while not holds():
            assert time.monotonic() < end, "the browser takes too long"
            self._call("Runtime.evaluate", expression="0")
            time.sleep(0.01)

    def _call(self, method: str, **params: Any) -> Any:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            if answer.get("sessionId") == self._session and self._session is not None:
                self.events.append(answer)

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._text:
            ready, _, _ = select.select([self._from], [], [], TIMEOUT)
            assert ready, "the browser does not answer"
            part = os.read(self._from, 1 << 20)
            assert part, "the browser has gone"
            self._text += part
        text, _, self._text = self._text.partition(b"\0")
        return json.loads(text)
