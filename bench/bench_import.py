"""Import: lines of an access log a second, on one core, from the file to packed hits; and into a running instance.

Sketch. A combined line has 200 bytes. Cutting it at its quotes takes 0.4 us, looking up its second, request, reader and
referrer 0.1 us each when they were seen before and 1 to 5 us when not, keeping a hit 0.3 us, packing it 0.5 us: about
3 us, 300,000 lines/s. Everything is the interpreter's time, so the processor runs out long before the disk. The usual
way, one expression with named groups and a calendar call for each line, takes some 15 us.
"""

import gzip
import re
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import msgspec
import numpy as np

from bench.instance import BRAND, Instance
from bench.plan import Plan
from bench.results import Row, row
from footfall.app.importing import open_import
from footfall.app.settings import Given
from footfall.app.settings_reading import read_settings
from footfall.flow.collect.imported import ImportedHits
from footfall.flow.collect.logfile.reading import Wanted
from footfall.shells.cli.log_import import Import, LogImport, Order, Session
from footfall.values.clock import SystemClock

LINES = 300_000
ASSETS = 50_000
READERS = 40_000
PER_SECOND = 5  # A day of some 430,000 lines.
FIRST_S = (SystemClock().now_ms() // 86_400_000 - 30) * 86_400  # a month ago: no day that is not kept any more
GOAL = 150_000
ROUNDS = 3

_USUAL = re.compile(
    r'(?P<address>\S+) \S+ \S+ \[(?P<time>[^\]]+)\] "(?P<method>\S+) (?P<target>\S+) [^"]*" (?P<status>\d{3}) \S+ '
    r'"(?P<referrer>[^"]*)" "(?P<agent>[^"]*)"'
)


class Packed:
    """A session that packs what it takes, as if to send it, and lets it go."""

    def __init__(self) -> None:
        self.bytes = 0
        self.hits = 0
        self._encoder = msgspec.msgpack.Encoder()

    def position(self, file: bytes) -> int:
        """Say that no log was imported."""
        return 0

    def salt(self, day_start_ms: int) -> bytes:
        """Return a salt."""
        return day_start_ms.to_bytes(8, "big") * 4

    def take(self, file: bytes, *, begins: int, ends: int, hits: ImportedHits) -> None:
        """Pack the hits."""
        self.bytes += len(self._encoder.encode(hits))
        self.hits += len(hits.keys)

    def flush(self) -> None:
        """Have nothing to wait for."""


def run(plan: Plan) -> list[Row]:
    """Read the same log in every way."""
    lines = plan.scaled(LINES)
    log = _written(plan.directory / "access.log", _log(lines))
    packed = _written(plan.directory / "access.log.gz", gzip.compress(log.read_bytes(), 6))
    crowd = _written(plan.directory / "crowd.log", _log(lines, are_strangers=True))
    ours = _rate(lambda: _import(log), lines)
    split = _rate(lambda: _split(log), lines)
    usual = _rate(lambda: _usual(log), lines)
    stored_s, counted_s = _into_an_instance(plan.directory / "data", log)
    return [
        row("combined log, lines read, filtered, hashed and packed", ours, "lines/s of one core", at_least=GOAL),
        row("… as a share of only cutting the same lines at their quotes", ours / split, "ratio"),
        row("… against one expression and one calendar call a line", ours / usual, "ratio", at_least=2),
        row("combined log, gzip", _rate(lambda: _import(packed), lines), "lines/s of one core", at_least=GOAL),
        row("no request and no reader twice", _rate(lambda: _import(crowd), lines), "lines/s of one core"),
        row("only cutting lines at their quotes", split, "lines/s of one core"),
        row("one expression and one calendar call a line", usual, "lines/s of one core"),
        row("imported into a running instance, on disk", lines / stored_s, "lines/s"),
        row("imported into a running instance, counted", lines / counted_s, "lines/s"),
    ]


def _log(lines: int, *, are_strangers: bool = False) -> bytes:
    """Return a log in time order, a Zipf shape over pages, a fifth of it static; with strangers, all of it distinct."""
    chance = np.random.default_rng(3)
    pages = (chance.zipf(1.2, lines) % ASSETS).tolist()
    kinds = chance.integers(0, 100, lines).tolist()
    readers = chance.integers(0, READERS, lines).tolist()
    text: list[str] = []
    for place, (page, kind, reader) in enumerate(zip(pages, kinds, readers, strict=True)):
        one, who = (place, place) if are_strangers else (page, reader)
        target = f"/static/{one % 200}.css" if kind < 20 else f"/section-{one % 40}/the-story-of-the-day-{one}"
        query = f"?utm_source=letter&id={place}" if kind >= 95 else ""
        referrer = "-" if kind % 3 else f"https://www.example.com/section-{one % 40}/"
        agent = (
            f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{who % 120}.0 Safari/537.36"
        )
        moment = time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(FIRST_S + place // PER_SECOND))
        text.append(
            f"198.51.{who >> 8 & 255}.{who & 255} - - [{moment}] "
            f'"GET {target}{query} HTTP/1.1" {404 if kind == 50 else 200} {one % 9_000} "{referrer}" "{agent}"\n'
        )
    return "".join(text).encode()


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def _import(log: Path) -> int:
    session = Packed()
    _run(log, session)
    return session.hits


def _run(log: Path, session: Session) -> None:
    shared = Import(
        order=Order(logs=(), brand=BRAND, wanted=Wanted()),
        zone="UTC",
        session=session,
        clock=SystemClock(),
        stdin=log.open("rb"),
        is_stopping=lambda: False,
    )
    with shared.stdin:
        one = LogImport(str(log), shared)
        one.run()
        one.close()


def _split(log: Path) -> int:
    """Do the least that any reader of such lines does."""
    with log.open("rb") as file:
        return sum(len(line.split(b'"')) for line in file)


def _usual(log: Path) -> list[tuple[str, float, str]]:
    """Parse as most programs do."""
    hits: list[tuple[str, float, str]] = []
    with log.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            found = _USUAL.match(line)
            if found is None or found["method"] != "GET" or not found["status"].startswith("2"):
                continue
            path = urlsplit(found["target"]).path
            if path.endswith((".css", ".js", ".png")):
                continue
            moment = datetime.strptime(found["time"], "%d/%b/%Y:%H:%M:%S %z")
            hits.append((path, moment.timestamp(), found["address"] + found["agent"]))
    return hits


def _rate(step: Callable[[], object], lines: int) -> float:
    """Return lines a second of processor time, the median of some rounds."""
    rounds: list[float] = []
    for _ in range(ROUNDS):
        started = time.process_time()
        step()
        rounds.append(lines / (time.process_time() - started))
    return median(rounds)


def _into_an_instance(directory: Path, log: Path) -> Sequence[float]:
    """Return the seconds until all is on disk, and until all is counted."""
    with Instance(directory):
        settings = read_settings([Given("data_dir", str(directory), "the benchmark")], config=None, variables={})
        with open_import(settings, BRAND) as session:
            started = time.perf_counter()
            _run(log, session)
            session.flush()
            stored = time.perf_counter() - started
            session.finish()
            return stored, time.perf_counter() - started
