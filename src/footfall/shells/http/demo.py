"""The demo beside a server: its invented readers and viewers, its metrics, and a key that ends with the server."""

import asyncio
import contextlib
import logging
import os
import secrets
import sys
from pathlib import Path

from footfall.accounts.audit import Note
from footfall.accounts.keyring import Keyring
from footfall.accounts.keys import AUDIENCE, EDIT, READ, WRITE, new_secret_key
from footfall.app.settings import Settings
from footfall.shells.http.desk import Desk
from footfall.shells.http.metric_desk import MetricDesk
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError

DEMO_BRAND = "demo"
KEY_FILE = "demo.key"
HOURS, PAST_HITS_MAX = 23, 1_000_000  # Some 40 s of sending; at a high rate the past is shorter.

_log = logging.getLogger(__name__)


class Demo:
    """What `--demo` brings: the brand stays open, and whoever starts the server may also edit it over HTTP."""

    def __init__(self, settings: Settings, clock: Clock, *, rate: float) -> None:
        self._settings = settings
        self._clock = clock
        self._rate = rate
        self._process: asyncio.subprocess.Process | None = None
        self.has_key = False

    @property
    def key_file(self) -> Path:
        """Return where the demo's key is."""
        return Path(self._settings.data_dir) / KEY_FILE

    def lend_key(self, keyring: Keyring) -> None:
        """Make a key that works until the server stops, and put it into its file.

        It is stored nowhere else: a stored key would need a stored brand, which is closed to whoever has none.
        """
        made = new_secret_key(
            DEMO_BRAND, (WRITE, READ, EDIT, AUDIENCE), label="the demo", now_ms=self._clock.now_ms(),
            random_bytes=secrets.token_bytes, expires_at_ms=None,
        )  # fmt: skip
        try:
            # What stands there, a link or a file that others read, is not written to.
            self.key_file.unlink(missing_ok=True)
            number = os.open(self.key_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(number, "w", encoding="ascii") as file:
                file.write(f"{made.text}\n")
        except OSError as error:  # Who only looks needs none, and the readers send without it.
            _log.warning("the demo has no key: %s", error)
            return
        keyring.lend(made.record)
        self.has_key = True

    async def define(self, metrics: MetricDesk, desk: Desk) -> None:
        """Define the demo's metrics where there are none; one that cannot be is told, and stops nothing."""
        from footfall.app.demo_metrics import define_demo  # Formulas bring a parser along.

        loop = asyncio.get_running_loop()

        def write(note: Note) -> None:  # in the thread that changes metrics, which waits until it is written
            asyncio.run_coroutine_threadsafe(desk.look(lambda register: register.trail.write(note)), loop).result()

        try:
            await metrics.change(DEMO_BRAND, lambda catalogue: define_demo(catalogue, DEMO_BRAND, write))
        except FootfallError as error:
            _log.warning("the demo's metrics are not defined: %s", error)

    async def start(self, port: int) -> None:
        """Start the invented readers, who send with the demo's key, so that a brand that is stored later takes them."""
        url = f"http://{self._settings.http_host}:{port}"
        command = ["-m", "footfall.shells.cli.main", "demo", "--url", url, "--brand", DEMO_BRAND]
        hours = min(HOURS, int(PAST_HITS_MAX / self._rate / 3_600))  # So that a first look has a yesterday.
        command += ["--rate", str(self._rate), "--titles", "--backfill-hours", str(hours), "--if-empty", "--video"]
        if self.has_key:
            command += ["--secret-file", str(self.key_file)]
        self._process = await asyncio.create_subprocess_exec(sys.executable, *command)

    def stop(self) -> None:
        """Send the readers home and take the key's file away, which opens nothing any more."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):  # The signal may have reached it as well.
                self._process.terminate()
        with contextlib.suppress(OSError):
            self.key_file.unlink(missing_ok=True)
