"""No address and no agent of a reader is in any file, however it is packed, nor in the log."""

import ipaddress
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import apsw
import zstandard

from footfall.accounts.verdict_store import VerdictStore
from footfall.app import wiring
from footfall.app.counting import Counting
from footfall.app.digesting import DigestsOfDirectory
from footfall.app.judging import open_judging
from footfall.app.kept_blobs import open_blobs
from footfall.app.kept_settings import kept_settings
from footfall.app.set_apart import SetApart
from footfall.app.settings import Settings
from footfall.flow.stream.raw import StreamRaw
from footfall.flow.stream.records import pack_from_record
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.verdicts import State, Verdict, visitor_subject
from footfall.values.clock import SetClock, SystemClock
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain, window_of
from tests.scenarios.instance import Starter, hit

AGENTS = [f"Zyxwvut-Browser-{number}/7.3 (Quokka; rv:{number})" for number in range(5)]
ADDRESSES = [f"203.0.113.{number}" for number in range(201, 206)] + ["2001:db8:7a7a::beef"]
MARKER = "marker-that-must-be-found"


def spelled() -> list[bytes]:
    """Return every way in which an address or an agent could lie in a file."""
    texts = [text.encode() for text in (*AGENTS, *ADDRESSES, "Zyxwvut", "Quokka", "2001:db8:7a7a")]
    # Four bytes of an address may occur by chance, sixteen do not.
    return texts + [ipaddress.ip_address(text).packed for text in ADDRESSES if ":" in text]


def contents(data: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes of every file in every folder, and of every value in the databases, unpacked where packed."""
    for path in sorted(path for path in data.rglob("*") if path.is_file()):
        name = str(path.relative_to(data))
        yield name, name.encode()
        for value in (path.read_bytes(), *(values_of(path) if path.suffix == ".db" else ())):
            yield name, value
            if path.suffix != ".db" or len(value) < path.stat().st_size:
                yield from ((name, unpacked) for unpacked in unpacked_parts(value))


def unpacked_parts(value: bytes) -> Iterator[bytes]:
    """Yield what lies compressed in a value, wherever it begins."""
    start = value.find(zstandard.FRAME_HEADER)
    while start >= 0:
        with suppress(zstandard.ZstdError):  # Four bytes that only look like a beginning.
            yield zstandard.ZstdDecompressor().decompressobj().decompress(value[start:])
        start = value.find(zstandard.FRAME_HEADER, start + 1)


def values_of(path: Path) -> Iterator[bytes]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for name in names:
        for row in connection.execute(f'SELECT * FROM "{name}"'):
            yield from (value if isinstance(value, bytes) else str(value).encode() for value in row)
    connection.close()


def test_no_file_holds_an_address_or_an_agent(starter: Starter, data: Path) -> None:
    instance = starter.start(data, "--log-level", "debug")
    for number, address in enumerate(ADDRESSES):
        headers = {"User-Agent": AGENTS[number % len(AGENTS)], "X-Forwarded-For": address}
        assert instance.post(hit(MARKER, at=None, url="https://x/y"), headers).status == 202
        assert instance.post({"brand": "abc"}, headers).status == 400  # A refusal is logged with no more.
        assert instance.call("GET", "/nothing", headers=headers).status == 404
    instance.drained("abc")
    instance.terminate()
    let_a_day_pass(data)
    found = [name for name, content in contents(data) for text in spelled() if text in content]
    assert found == []
    assert not any(text in instance.log.read_bytes() for text in spelled())
    # The same look does find what is meant to be kept, in the files of screening as well.
    marked = {name for name, content in contents(data) if MARKER.encode() in content}
    assert marked >= {"stream.db", "store.db", "accounts.db"}
    for folder in ("screened", "digests"):
        assert any(name.startswith(f"blobs/objects/{folder}/abc/") for name in marked), folder
    assert any(name.startswith("blobs/objects/judging/") for name, _ in contents(data))


def let_a_day_pass(data: Path) -> None:
    """Have the hits judged, set apart and told in a digest, as it is done by the end of the next night."""
    settings = kept_settings(str(data))
    assert settings is not None
    now_ms = SystemClock().now_ms()
    clock = SetClock(now_ms)
    with (
        closing(wiring.open_stream(settings, clock, read_only=True)) as stream,
        closing(wiring.open_accounts(settings, clock)) as accounts,
    ):
        verdicts = VerdictStore(accounts.table, accounts.register.trail, clock=clock)
        packs = [pack_from_record(one.data) for one in stream.read(0, after=0) if one.group == "abc"]
        clock.advance(5 * MINUTE_MS)
        judging = open_judging(settings, clock, verdicts.find)
        while judging.step():
            pass
        judging.keep()
        clock.set(now_ms)
        blobs = open_blobs(settings)
        visitor = visitor_subject(int.from_bytes((packs[0].visitors or [b""])[0], "big"))
        span = (now_ms - HOUR_MS, now_ms + HOUR_MS)
        about = ((SubjectKind.VISITOR, visitor), (SubjectKind.ASSET, MARKER))
        held = [Verdict(kind, subject, *span, Cause.CLOCKWORK, State.HELD, now_ms) for kind, subject in about]
        verdicts.find("abc", held, since={})
        hour_ms = now_ms // HOUR_MS * HOUR_MS
        blobs.put("screened-until/abc", str(hour_ms - HOUR_MS).encode())
        clock.set(hour_ms + 2 * HOUR_MS)
        apart = SetApart(
            *(blobs, StreamRaw(stream)),
            shards=settings.stream_shards,
            brands=lambda: ["abc"],
            changes=verdicts.changes,
            clock=clock,
            keep_ms=DAY_MS,
        )
        while apart.step():
            pass
    write_digest(settings, clock)


def write_digest(settings: Settings, clock: SetClock) -> None:
    """Count until the day is over and its digest is written."""
    with (
        closing(wiring.open_stream(settings, clock, read_only=True)) as stream,
        closing(wiring.open_store(settings, clock)) as store,
    ):
        digests = DigestsOfDirectory(settings, store, clock)
        clock.set(window_of(clock.now_ms(), Grain.DAY, "UTC").to_ms + 15 * MINUTE_MS)
        counting = Counting(settings, stream, store, clock=clock, digests=digests)
        for _ in range(5):
            counting.drain()
            while counting.step():
                pass
            clock.advance(MINUTE_MS)
