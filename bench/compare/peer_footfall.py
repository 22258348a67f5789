"""footfall as a user has it: `footfall serve` in its own processes on a directory, over loopback HTTP.

A process of its own judges hits and counts where readers came from, behind the counting and with the lowest priority.
No list waits for it; what it does is work of the load all the same, and is waited for before it is charged.
"""

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bench.client import Client, post_request
from bench.compare.floor import floor_ms
from bench.compare.processes import kill_tree
from bench.compare.protocol import Question
from bench.compare.sides import OutOfTime, PeerFailed
from bench.compare.traffic import BRANDS
from footfall.app.judging_report import GRACE_MS
from footfall.app.kept_blobs import open_blobs
from footfall.app.settings import Settings
from footfall.app.wiring import open_store
from footfall.flow.store.checkpoints import load_checkpoints
from footfall.flow.store.referrers import EVERYBODY, load_progress
from footfall.shells.http.chores import JOIN_AFTER_MS, LOOK_EVERY_MS
from footfall.values.clock import SystemClock
from footfall.values.window import MINUTE_MS

CONNECTIONS = 64  # as bench_ingest has them: 32,000 hits under way, where others gather up to 100,000
STOP_S_MAX = 30.0
IDLE_S_MAX = 2.0  # for which a connection is kept
READY_S_MAX = 15.0  # Its judging process starts three seconds after the others.
BEHIND_S_MAX = 75.0  # A minute is judged three seconds after its end, and blocks are joined after another.
REFERRED_S_MAX = 130.0  # Referrers of many assets in many hours are written every two minutes at most.
BEHIND_LOOK_S = 0.25
JOINING_MS = 2_000  # Chores come once a second.
JUDGED_BEHIND = "footfall_judging_behind_seconds "
RECOUNT_HOURS = 50  # more than the day's traffic reaches back
SETTINGS = ("count_lateness_hours=48",)  # The day's first hits are older than a day when they are sent.


class _Item(msgspec.Struct):
    assetId: str  # noqa: N815 - as the answer spells it
    hits: int


class _List(msgspec.Struct):
    items: list[_Item]


_decode = msgspec.json.Decoder(_List).decode


class Footfall:
    """One instance with five brands, which is sent bodies with keys or without."""

    group_bodies = 1  # It gathers by itself what comes while the disk is busy.
    behind: tuple[str, ...] = ("counting", "judging")

    def __init__(self, folder: Path, *, key: str = "") -> None:
        self._folder, self._key, self._marks = folder, key, 0
        self._process: subprocess.Popen[str] | None = None
        self._client: Client | None = None
        self._used_at_s = 0.0
        self._fed_at_ms = 0
        self.pid, self._port, self.ends_at_s = 0, 0, float("inf")

    def start(self) -> None:
        """Start it and wait until it says where it is."""
        command = [
            sys.executable,
            "-m",
            "footfall.shells.cli.main",
            "serve",
            "--port",
            "0",
            "--data",
            str(self._folder),
        ]
        command += [word for brand in BRANDS for word in ("--brand", brand)] + ["--log-level", "error"]
        command += [word for one in SETTINGS for word in ("--set", one)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.pid = self._process.pid
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        if not said.startswith("footfall is on "):
            raise PeerFailed(f"footfall did not start: {said or 'no word'}")
        self._port = int(said.strip().rstrip("/").rpartition(":")[2])
        self._connected()

    def get_ready(self) -> None:
        """Wait until its judging process has judged the minute before, which is nobody's."""
        if not self._is_soon(lambda: self._judged_behind_s() is not None, within_s=READY_S_MAX):
            raise PeerFailed(f"it judged nothing within {READY_S_MAX:.0f} s of its start")

    def feed_arguments(self) -> tuple[list[str], list[int]]:
        """Name the port, and how keys begin if bodies bear any."""
        return ["--port", str(self._port), "--connections", str(CONNECTIONS), "--key", self._key], []

    def end_feeding(self) -> None:
        """Note the moment: every body has its own answer."""
        self._fed_at_ms = int(time.time() * 1_000)

    def mark(self, body: bytes) -> None:
        """Send one body, which is another one than the last, whatever it holds."""
        self._marks += 1
        key = f"{self._key}-mark-{self._marks}" if self._key else ""
        answer = self._connected().exchange(post_request(body, key=key))
        if answer.status != 202:
            raise PeerFailed(f"a body got {answer.status}: {answer.body[:200]!r}")

    def settle(self) -> None:
        """Wait until every accepted hit is counted, and the lists show as many."""
        while any(self._ledger(brand)["inFlight"] for brand in BRANDS):
            if time.monotonic() > self.ends_at_s:
                raise OutOfTime("hits were still in flight when its time was over")
            time.sleep(0.02)

    def ask(self, questions: Sequence[Question]) -> tuple[list[list[tuple[int, int]]], list[float]]:
        """Ask over HTTP, on one connection."""
        client = self._connected()
        lists: list[list[tuple[int, int]]] = []
        took_ms: list[float] = []
        for question in questions:
            target, started = _target(question), time.perf_counter()
            answer = client.get(target)
            if answer.status != 200:
                raise PeerFailed(f"{target} got {answer.status}: {answer.body[:200]!r}")
            lists.append([(int(item.assetId), item.hits) for item in _decode(answer.body).items])
            took_ms.append(1e3 * (time.perf_counter() - started))  # Others' clients decode, too.
        return lists, took_ms

    def floor_ms(self) -> list[float]:
        """Return how long the same client takes for the bytes of a plain list from a server that does nothing else."""
        target = _target(Question(BRANDS[0], None))
        return floor_ms(self._connected().get(target).body, target, _decode)

    def catch_up(self) -> str:
        """Wait until the load's last minute is judged, its referrers are written and its blocks may be joined."""
        within_s = min(BEHIND_S_MAX, self.ends_at_s - time.monotonic())
        if not self._is_soon(self._is_judged, within_s=within_s):
            return "judging had not caught up in its time"
        left_s = min(REFERRED_S_MAX, self.ends_at_s - time.monotonic())
        if not self._is_soon(self._is_referred, within_s=left_s):
            return "referrers had not caught up in their time"
        left_s = min(BEHIND_S_MAX, self.ends_at_s - time.monotonic())
        return "" if self._is_soon(self._is_joined, within_s=left_s) else "blocks were not joined in their time"

    def count_again(self) -> str:
        """Have every brand's windows counted again from raw hits."""
        now_s = int(time.time())
        from_s, to_s = now_s // 3_600 * 3_600 - RECOUNT_HOURS * 3_600, now_s // 3_600 * 3_600 + 3_600
        for brand in BRANDS:
            command = [sys.executable, "-m", "footfall.shells.cli.main", "recount", "--data", str(self._folder)]
            span = ["--brand", brand, "--from", _text(1_000 * from_s), "--to", _text(1_000 * to_s)]
            left_s = None if self.ends_at_s == float("inf") else max(1.0, self.ends_at_s - time.monotonic())
            try:
                done = subprocess.run([*command, *span], capture_output=True, text=True, check=False, timeout=left_s)
            except subprocess.TimeoutExpired as error:
                raise OutOfTime("it was not counted again when its time was over") from error
            if done.returncode != 0:
                raise PeerFailed(f"recount said {done.stderr.strip()[-300:]}")
        return ""

    def total(self) -> int:
        """Add the brands' hours up, as their windows have them: what the ledger says is a count of its own."""
        return sum(self._in_windows(brand) for brand in BRANDS)

    def kill(self) -> None:
        """Kill all its processes at once."""
        if self._process is not None:
            kill_tree(self.pid)
            self._process.wait()
            self._forget()

    def stop(self) -> None:
        """Let it finish and end."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_S_MAX)
        except subprocess.TimeoutExpired:
            kill_tree(self.pid)
            self._process.wait()
        self._forget()

    def _forget(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None
        if self._client is not None:
            self._client.close()
            self._client = None

    def _connected(self) -> Client:
        """Return a connection that was used just now: one that is idle for long is closed by the server."""
        now_s = time.monotonic()
        if self._client is not None and now_s - self._used_at_s > IDLE_S_MAX:
            self._client.close()
            self._client = None
        self._client, self._used_at_s = self._client or Client(self._port), now_s
        return self._client

    def _in_windows(self, brand: str) -> int:
        target = f"/v1/series?brand={brand}&grain=hour&last={RECOUNT_HOURS}"
        answer = self._connected().get(target)
        if answer.status != 200:
            raise PeerFailed(f"{target} got {answer.status}: {answer.body[:200]!r}")
        return sum(point["hits"] for point in answer.json()["points"])

    def _is_soon(self, is_so: Callable[[], bool], *, within_s: float) -> bool:
        give_up_at_s = time.monotonic() + within_s
        while not is_so():
            if time.monotonic() > give_up_at_s:
                return False
            time.sleep(BEHIND_LOOK_S)
        return True

    def _is_judged(self) -> bool:
        """Tell whether the minute of the last hit is judged: it is due, and nothing that is due is not."""
        due_ms = self._fed_at_ms - self._fed_at_ms % MINUTE_MS + MINUTE_MS + GRACE_MS
        return time.time() * 1_000 > due_ms and self._judged_behind_s() == 0

    def _judged_behind_s(self) -> float | None:
        lines = self._connected().get("/metrics").body.decode("utf-8").splitlines()
        return next((float(line.split()[1]) for line in lines if line.startswith(JUDGED_BEHIND)), None)

    def _is_referred(self) -> bool:
        """Tell whether the note of how far referrers are written has come to where the counting is."""
        settings = Settings(data_dir=str(self._folder))
        told = load_progress(open_blobs(settings), EVERYBODY)
        with contextlib.closing(open_store(settings, SystemClock(), read_only=True)) as store:
            counted = load_checkpoints(store)
        return told is not None and all(told.through.get(n, 0) >= one.through for n, one in counted.items())

    def _is_joined(self) -> bool:
        """Tell whether small blocks of the load had the time to be joined; whether they are is seen by its rest.

        Less than a megabyte of each shard waits longer than that: what does not fill a block.
        """
        return time.time() * 1_000 > self._fed_at_ms + JOIN_AFTER_MS + LOOK_EVERY_MS + JOINING_MS

    def _ledger(self, brand: str) -> dict[str, int]:
        return self._connected().get(f"/v1/ledger?brand={brand}").json()


def _target(question: Question) -> str:
    section = "" if question.section is None else f"&section={question.section}"
    span = "&period=day"
    if question.from_ms is not None and question.to_ms is not None:
        span = f"&from={_text(question.from_ms)}&to={_text(question.to_ms)}"
    return f"/v1/popular?brand={question.brand}{span}{section}&limit={question.limit}"


def _text(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1_000, UTC).strftime("%Y-%m-%dT%H:%MZ")
