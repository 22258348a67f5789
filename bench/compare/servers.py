"""Start a peer's server as a child of its collecting process, and wait until it answers."""

import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

HOST = "127.0.0.1"
START_S_MAX = 60.0
STOP_S_MAX = 20.0


class DidNotStart(Exception):
    """A server ended before it was up, or never answered; its last words are in the message."""


class Server:
    """One server."""

    def __init__(
        self,
        command: Sequence[str],
        words: Path,
        *,
        user: str | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._words = words
        with words.open("ab") as file:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, cwd="/", user=user, env=variables
            )

    def wait_for(self, ask: Callable[[], object]) -> None:
        """Ask until it answers."""
        give_up_at = time.monotonic() + START_S_MAX
        while True:
            try:
                ask()
            except Exception as error:
                if self._process.poll() is not None or time.monotonic() > give_up_at:
                    raise DidNotStart(self._last_words() or str(error)) from error
                time.sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """Ask it to end, and end it."""
        self._process.terminate()
        try:
            self._process.wait(STOP_S_MAX)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _last_words(self) -> str:
        lines = self._words.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else ""


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as line:
        line.bind((HOST, 0))
        return int(line.getsockname()[1])
