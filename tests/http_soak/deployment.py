"""The server under test as processes: started, restarted, killed and watched from outside."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from support.ports import port_for_a_server
from support.redis_server import RedisServer
from support.scripted_peers import environment, eventually

FOLDER = Path(__file__).parent
DESCRIPTORS = 256
"""Descriptors that the server may open."""
STARTING = 60.0
"""Limit on the seconds in which a server starts or ends."""


class Usage(NamedTuple):
    """What the processes of a server hold: the most of any one of them."""

    memory: int
    descriptors: int
    threads: int


class Deployment:
    """One process of ``serve.http``, or gunicorn with two workers and Redis."""

    path: str
    needs: str | None = None
    """The program that has to be installed besides."""
    pool: Usage = Usage(0, 0, 0)
    """What each process keeps for good once it was used."""

    def __init__(self, folder: Path, packages: list[str]) -> None:
        self.journal = folder / "journal"
        self.port = port_for_a_server()
        self.log = folder / "server.log"
        self.journal.unlink(missing_ok=True)
        self.log.unlink(missing_ok=True)
        self._environment = environment() | {
            "HTTP_SOAK_JOURNAL": str(self.journal),
            "HTTP_SOAK_PACKAGES": " ".join(packages),
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.path}"

    def command(self) -> list[str]:
        raise NotImplementedError

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", f'ulimit -n {DESCRIPTORS} && exec "$@"', "sh", sys.executable, *self.command()],
                env=self._environment,
                cwd=FOLDER,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        eventually(self.listens, STARTING)

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def listens(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()[-2000:]
        try:
            with socket.create_connection(("127.0.0.1", self.port), 5.0) as connection:
                connection.settimeout(5.0)
                connection.sendall(b"GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                return connection.recv(16).startswith(b"HTTP/1.1 404")
        except OSError:
            return False

    def end(self, number: signal.Signals) -> None:
        self.process.send_signal(number)
        self.process.wait(STARTING)

    def restart(self) -> None:
        """End the server in order, and start it again."""
        self.end(signal.SIGTERM)
        self.start()

    def kill(self) -> None:
        """Kill a process that serves, and have it started again."""
        self.end(signal.SIGKILL)
        self.start()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.end(signal.SIGTERM)

    def processes(self) -> list[int]:
        return [self.process.pid]

    def usage(self) -> Usage | None:
        """Return the most that any process holds; None while they are being replaced."""
        with suppress(OSError, LookupError, ValueError):
            each = [_usage(pid) for pid in self.processes()]
            return Usage(*(max(values) for values in zip(*each, strict=True)))
        return None


class OneProcess(Deployment):
    """``serve.http`` with its sessions in memory."""

    path = "/mcp"

    def command(self) -> list[str]:
        return ["server_program.py", str(self.port)]


class TwoWorkers(Deployment):
    """gunicorn with two workers of 32 threads, and a Redis server."""

    path = "/"
    # Connections to Redis, and gunicorn's threads.
    pool = Usage(0, 64, 32)

    def __init__(self, folder: Path, packages: list[str]) -> None:
        super().__init__(folder, packages)
        self.redis = RedisServer(folder)
        self._environment["HTTP_SOAK_REDIS"] = self.redis.url

    @property
    def gunicorn_port(self) -> int:
        return self.port

    def command(self) -> list[str]:
        address = f"127.0.0.1:{self.gunicorn_port}"
        return ["-m", "gunicorn", "--config", "gunicorn_settings.py", "--bind", address, "server_program:make_app()"]

    def restart(self) -> None:
        """Replace both workers by new ones."""
        before = set(self.processes())
        self.process.send_signal(signal.SIGHUP)
        eventually(lambda: before & set(self.processes()) == {self.process.pid}, 2 * STARTING)
        eventually(self.listens, STARTING)

    def kill(self) -> None:
        before = self.processes()
        os.kill(before[-1], signal.SIGKILL)
        eventually(lambda: len(self.processes()) == 3 and before[-1] not in self.processes(), STARTING)
        eventually(self.listens, STARTING)

    def restart_redis(self) -> None:
        """Restart Redis, which is empty then."""
        self.redis.stop()
        time.sleep(1.0)
        self.redis.start()

    def stop(self) -> None:
        super().stop()
        self.redis.stop()

    def processes(self) -> list[int]:
        main = self.process.pid
        children = Path(f"/proc/{main}/task/{main}/children").read_text(encoding="ascii").split()
        return [main, *sorted(map(int, children))]


class BehindNginx(TwoWorkers):
    """The same behind nginx, which reads whole requests before it passes them on, and buffers responses."""

    needs = "nginx"

    def __init__(self, folder: Path, packages: list[str]) -> None:
        super().__init__(folder, packages)
        self._own_port = port_for_a_server()
        self._environment["HTTP_SOAK_PROXY"] = "127.0.0.1"
        self._folder = folder
        self._nginx: subprocess.Popen[bytes] | None = None

    @property
    def gunicorn_port(self) -> int:
        return self._own_port

    def start(self) -> None:
        if self._nginx is None:
            template = (FOLDER / "nginx.conf").read_text(encoding="utf-8")
            for name, value in {"FOLDER": self._folder, "PORT": self.port, "BEHIND": self._own_port}.items():
                template = template.replace(f"@{name}@", str(value))
            settings = self._folder / "nginx.conf"
            settings.write_text(template, encoding="utf-8")
            log = self._folder / "nginx.log"
            self._nginx = subprocess.Popen(["nginx", "-e", str(log), "-c", str(settings)], stdin=subprocess.DEVNULL)
        super().start()

    def stop(self) -> None:
        super().stop()
        if self._nginx is not None:
            self._nginx.terminate()
            self._nginx.wait(STARTING)


def _usage(pid: int) -> Usage:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    values = dict(line.split(":", 1) for line in status.splitlines())
    memory = int(values["VmRSS"].split()[0]) * 1024
    return Usage(memory, sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()), int(values["Threads"]))
