"""An event that wakes one waiting thread and resets itself."""

from __future__ import annotations

from threading import Lock


class AutoResetEvent:
    """An event that is not set at first; a wait that succeeds clears it. It costs one lock, a ``threading.Event`` three."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = Lock()
        self._lock.acquire()

    def set(self) -> None:
        """Wake the waiting thread, or else let the next wait return at once. Thread-safe."""
        try:
            self._lock.release()
        except RuntimeError:
            # It is set already.
            return

    def wait(self, seconds: float = -1) -> bool:
        """Wait until the event is set and clear it; return False after ``seconds`` (-1: no limit)."""
        return self._lock.acquire(timeout=seconds)
