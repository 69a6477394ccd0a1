"""Stores of tokens: in memory, and in a file that processes share."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from copy import deepcopy
from errno import EACCES, EAGAIN
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import RLock
from time import monotonic, sleep
from typing import Any, Final

from ..errors import OAuthError

_LOCKED: Final = 60.0
"""Seconds for which a token store waits for a file that another process has locked. A refresh of a token locks the file
for a shorter time.
"""
_POLL: Final = 0.02
"""Seconds between attempts to lock a file."""


class TokenStore:
    """Base class of the stores of tokens and secrets. An entry is a JSON object; its key is an issuer and a resource.

    To keep tokens in another place, such as a database, derive a class: override ``get`` and ``put``, and also ``lock``
    if several processes share the store. Each user needs a separate store.
    """

    def get(self, issuer: str, resource: str) -> Mapping[str, Any] | None:
        """Return the object under a key; None if there is none."""
        raise NotImplementedError

    def put(self, issuer: str, resource: str, value: Mapping[str, Any] | None) -> None:
        """Store an object under a key; None removes it."""
        raise NotImplementedError

    def lock(self) -> AbstractContextManager[object]:
        """Return a context manager that only one process can enter at a time, to refresh a token.

        The context manager of this class locks nothing.
        """
        return nullcontext()


class MemoryTokens(TokenStore):
    """Keeps tokens in memory, as long as the process runs."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], Any] = {}

    def get(self, issuer: str, resource: str) -> Mapping[str, Any] | None:
        """See ``TokenStore.get``."""
        return deepcopy(self._values.get((issuer, resource)))

    def put(self, issuer: str, resource: str, value: Mapping[str, Any] | None) -> None:
        """See ``TokenStore.put``."""
        if value is None:
            self._values.pop((issuer, resource), None)
        else:
            self._values[issuer, resource] = deepcopy(value)

    def __repr__(self) -> str:
        return f"<MemoryTokens with {len(self._values)} entries>"


class FileTokens(TokenStore):
    """Keeps tokens in a JSON file. Threads and processes may share it.

    Only the owner of the file can read it (mode 0600). On Windows, however, the store does not set the permissions of
    the file, so choose a folder that other users cannot read.

    Each change replaces the whole file. Meanwhile a second file, whose name ends in ``.lock``, is locked. The methods
    raise ``OAuthError`` if the file cannot be read or written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._lock_path = self._path.with_name(f"{self._path.name}.lock")
        self._thread_lock = RLock()
        self._depth = 0

    def __repr__(self) -> str:
        return f"FileTokens({str(self._path)!r})"

    def get(self, issuer: str, resource: str) -> Mapping[str, Any] | None:
        """See ``TokenStore.get``. Raise ``OAuthError`` if the file cannot be read."""
        value: Mapping[str, Any] | None = self._read().get(issuer, {}).get(resource)
        return value

    def put(self, issuer: str, resource: str, value: Mapping[str, Any] | None) -> None:
        """See ``TokenStore.put``. Raise ``OAuthError`` if the file cannot be written."""
        with self.lock():
            values = self._read()
            entries = values.setdefault(issuer, {})
            if value is None:
                entries.pop(resource, None)
            else:
                entries[resource] = dict(value)
            self._write(values)

    @contextmanager
    def lock(self) -> Generator[None]:
        """See ``TokenStore.lock``. A thread may enter it again."""
        with self._thread_lock:
            if self._depth:
                yield
                return
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                descriptor = os.open(self._lock_path, os.O_RDWR | os.O_CREAT, 0o600)
            except OSError as fault:
                text = f"the token file {self._path} cannot be locked: {fault.strerror}"
                raise OAuthError(text) from fault
            try:
                ends_at = monotonic() + _LOCKED
                while not _lock_file(descriptor):
                    if monotonic() > ends_at:
                        text = f"the token file {self._path} is locked by another process for more than {_LOCKED:g} s"
                        raise OAuthError(text)
                    sleep(_POLL)
                self._depth = 1
                yield
            finally:
                self._depth = 0
                # This releases the lock.
                os.close(descriptor)

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            text = self._path.read_text(encoding="utf-8")
            values: Any = json.loads(text)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as fault:
            # The message of a JSON error does not quote the text.
            message = f"the token file {self._path} cannot be read: {fault}"
            raise OAuthError(message) from None
        if values.__class__ is not dict or not all(each.__class__ is dict for each in values.values()):
            message = f"the token file {self._path} must be a JSON object of JSON objects; delete it to begin anew"
            raise OAuthError(message)
        found: dict[str, dict[str, Any]] = values
        return found

    def _write(self, values: Mapping[str, Any]) -> None:
        temporary = ""
        try:
            # Made with mode 0600, which has no effect on Windows.
            with NamedTemporaryFile("w", encoding="utf-8", dir=self._path.parent, delete=False) as file:
                temporary = file.name
                json.dump(values, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(self._path)
        except OSError as fault:
            with suppress(OSError):
                Path(temporary).unlink()
            text = f"the token file {self._path} cannot be written: {fault.strerror}"
            raise OAuthError(text) from fault


def _lock_file(descriptor: int) -> bool:
    """Lock an open file; return False if another process has locked it. Closing the file releases the lock."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as fault:
        if fault.errno not in {EACCES, EAGAIN}:
            raise
        return False
    return True
