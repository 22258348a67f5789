"""The hot paths: what is done to every hit, every row, every list and every ping, each on fixed inputs of any size.

`make bench` holds the time of each against a floor, as a ratio to something else that is done in the same run; CI
holds the instructions of each against a budget (bench/instructions.py). Both run what stands here.
"""

import asyncio
from collections.abc import Sequence
from typing import NoReturn

from bench.hot_inputs import (
    NOW_MS,
    SENDER,
    HotPath,
    Step,
    append_entries,
    decoded_bodies,
    entries_of,
    new_acceptance,
    new_traffic,
    plain_bodies,
    plain_steps,
    records_of,
    records_of_readers,
    timed_bodies,
)
from bench.hot_paths_behind import BEHIND
from bench.instance import BRAND
from bench.queries import Questions
from bench.traffic import BATCH, batches
from footfall.accounts.brands import Brand, Brands
from footfall.accounts.keyring import Keyring
from footfall.accounts.nonces import Nonces
from footfall.accounts.proofs import Proofs
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.settings import Settings
from footfall.flow.collect.accept import Request
from footfall.flow.collect.parse import parse_hits
from footfall.flow.collect.plain import entries_of as joined_entries
from footfall.flow.count.placing import Placing
from footfall.flow.count.sessions import Sessions
from footfall.flow.count.tally import Rules, Tally
from footfall.flow.serve.board import Board
from footfall.flow.serve.popular import popular
from footfall.flow.serve.query import popular_query
from footfall.flow.store.columns import Columns, CountKey, columns_from_counts
from footfall.flow.store.known_keys import KnownKeys
from footfall.flow.store.merging import merge
from footfall.flow.store.summaries import Summary
from footfall.flow.stream.beats import VERSION as BEATS_VERSION
from footfall.flow.stream.beats import Beats, PlayState, record_from_beats
from footfall.ports.stream import Record
from footfall.shells.http.access import access_from
from footfall.shells.http.answers import Answers
from footfall.shells.http.lane import Connection, Exchange, Lane
from footfall.shells.http.lane_limits import LaneLimits
from footfall.shells.http.popular import POPULAR, PopularRoute
from footfall.values.clock import SetClock
from footfall.values.groups import pings_group
from footfall.values.period import DEFAULT_PERIODS, RETENTION_MS
from footfall.values.window import HOUR_MS, MINUTE_MS, Grain, Window, window_of

WINDOWS = 24
PLACING = Placing(kept_ms=RETENTION_MS, zone_of=lambda _brand: "UTC")
LIMITS = LaneLimits(
    body_bytes_max=1_000_000, pending_bytes_max=10_000_000, connections_max=10, head_s_max=1e6, body_s_max=1e6,
    idle_s_max=1e6,
)  # fmt: skip


def _read_plain(size: int) -> Step:
    bodies = plain_bodies(size)
    return Step(lambda: [parse_hits(body, lines=False, hits_max=BATCH) for body in bodies], size * BATCH)


def _read_full(size: int) -> Step:
    bodies = list(batches(new_traffic().full(size * BATCH, from_ms=NOW_MS - MINUTE_MS, to_ms=NOW_MS)))
    return Step(lambda: [parse_hits(body, lines=False, hits_max=BATCH) for body in bodies], size * BATCH)


def _read_timed(size: int) -> Step:
    bodies = timed_bodies(size)
    return Step(lambda: [parse_hits(body, lines=False, hits_max=BATCH) for body in bodies], size * BATCH)


def read_with_care(size: int) -> Step:
    """Read bodies with an escape in each hit, one hit at a time."""
    bodies = [body.replace(b"article", rb"\u0061rticle") for body in plain_bodies(size)]
    return Step(lambda: [parse_hits(body, lines=False, hits_max=BATCH) for body in bodies], size * BATCH)


def _pack(size: int) -> Step:
    parsed = [parse_hits(body, lines=False, hits_max=BATCH) for body in plain_bodies(size)]
    acceptance, request = new_acceptance(), Request(NOW_MS, SENDER, is_batch=True)
    return Step(
        lambda: joined_entries([taken for one in parsed for taken in acceptance.taken(one, request)]), size * BATCH
    )


def _append(size: int) -> Step:
    entries = append_entries(size)
    stream = SqliteStream(":memory:", clock=SetClock(NOW_MS))  # The disk's sync is not ours.
    return Step(lambda: stream.append(entries), size * BATCH)


def _count_bare(size: int) -> Step:
    records, known = records_of(append_entries(size)), KnownKeys()
    return Step(lambda: _tallied(records, known), size * BATCH)


def _count_timed(size: int) -> Step:
    records, known = records_of(entries_of(timed_bodies(size))), KnownKeys()
    return Step(lambda: _tallied(records, known), size * BATCH)


def _count_visitors(size: int) -> Step:
    records, known = records_of_readers(size), KnownKeys()
    return Step(lambda: _tallied(records, known), size * BATCH)


def _columns(size: int) -> Step:
    """Make the counts of a flush columns: one row for each key that differs from all others."""
    tally = _tallied(records_of(append_entries(size)), KnownKeys())
    (place,) = tally.places()
    counts = tally.counts_after(place, 0)
    return Step(lambda: columns_from_counts(counts), len(counts))


def _merge(size: int) -> Step:
    parts = _windows(size)
    return Step(lambda: merge(parts), sum(len(one.ident) for one in parts))


def _fresh_list(size: int) -> Step:
    board = _board()
    targets = Questions(seed=9, periods=("day",)).unheard(2 * size)
    queries = [popular_query(target.partition("?")[2], periods=DEFAULT_PERIODS) for target in targets]
    return Step(lambda: [popular(board, query) for query in queries], len(queries))


def _ready_list(size: int) -> Step:
    """Answer a list that is there as bytes: from what a socket has received to what it is to send."""
    loop = asyncio.new_event_loop()
    connection, sink = loop.run_until_complete(_connection())
    request = f"GET {POPULAR}?brand={BRAND}&period=day HTTP/1.1\r\nHost: footfall.example\r\n\r\n".encode()

    def ask() -> int:
        sink.answers = 0
        for _ in range(10 * size):
            connection.data_received(request)
        if sink.answers != 10 * size:
            raise AssertionError(f"{sink.answers} of {10 * size} requests were answered at once")
        return sink.answers

    return Step(ask, 10 * size)


def _credit(size: int) -> Step:
    """Credit the pings of players that go on: a hundred sessions, one beat of each in a record."""
    records = [_beats(turn) for turn in range(size)]

    def credited() -> Tally:
        clock = SetClock(NOW_MS)
        sessions = Sessions(
            SqliteTable(":memory:", clock=clock), 0, PLACING, clock, lambda window: window.to_ms, fresh_ms=1_000
        )
        return _tallied(records, KnownKeys(), sessions)

    return Step(credited, size * BATCH)


# Floors are some 30 % above what was measured; what they are times of stands beside them.
HOT_PATHS: Sequence[HotPath] = (
    HotPath("read a plain body", "hit", _read_plain, decoded_bodies, 0.72),
    HotPath("read a body with every field", "hit", _read_full, decoded_bodies, 9.6),
    HotPath("read a timed body", "hit", _read_timed, decoded_bodies, 1.1),
    HotPath("pack and make an entry", "hit", _pack, decoded_bodies, 0.34),
    HotPath("append, without the disk's sync", "hit", _append, decoded_bodies, 0.42),
    HotPath("count a pack", "hit", _count_bare, decoded_bodies, 0.47),
    HotPath("count a pack with visitors", "hit", _count_visitors, decoded_bodies, 1.5),
    HotPath("count a timed pack", "hit", _count_timed, decoded_bodies, 1.1),
    HotPath("columns from counts", "row", _columns, plain_steps, 5.5),
    HotPath("merge 24 windows", "row", _merge, plain_steps, 1.3),
    HotPath("make a list for a fresh filter", "list", _fresh_list, plain_steps, 1_400),
    HotPath("answer a ready list", "list", _ready_list, plain_steps, 65),
    HotPath("credit a player's ping", "ping", _credit, plain_steps, 24),
    *BEHIND,
)


def _tallied(records: Sequence[Record], known: KnownKeys, sessions: Sessions | None = None) -> Tally:
    tally = Tally(Rules(), placing=PLACING, through_of=lambda _place: 0, known=known, sessions=sessions)
    for record in records:
        tally.add(record)
    return tally


def _windows(size: int) -> list[Columns]:
    traffic = new_traffic()
    made: list[Columns] = []
    for _ in range(WINDOWS):
        parsed = parse_hits(b"[" + b",".join(traffic.lean(size * BATCH)) + b"]", lines=False, hits_max=size * BATCH)
        counts = dict[CountKey, int]()
        for key in parsed.drafts[0].keys:
            counts[key] = counts.get(key, 0) + 1
        made.append(columns_from_counts(counts))
    return made


def _board() -> Board:
    board = Board(BRAND, zone="UTC", periods=DEFAULT_PERIODS)
    windows = [window_of(NOW_MS - hour * HOUR_MS, Grain.HOUR, "UTC") for hour in range(1, WINDOWS + 1)]
    parts = dict(zip(windows, _windows(10), strict=True))

    def read(window: Window) -> list[Summary]:
        return [Summary(window, "s00", 1, {}, parts[window], final=False, rules=1)] if window in parts else []

    board.refresh(read, now_ms=NOW_MS, closed_until_ms=NOW_MS - MINUTE_MS, changed=())
    return board


class _Sink(asyncio.Transport):
    """The other end of a connection, which only counts what is sent to it."""

    answers = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Take an answer."""
        self.answers += bytes(data[9:12]) == b"200"


async def _connection() -> tuple[Connection, _Sink]:
    """Return a connection to a front that has the list of a day ready."""
    clock, settings, keyring = SetClock(NOW_MS), Settings(brands={BRAND: Brand(BRAND)}), Keyring()
    brands = Brands(settings.brands, any_brand=False)
    proofs = Proofs(keyring, Nonces(lambda: SqliteTable(":memory:", clock=clock)), clock=clock)
    access = access_from(settings, brands, keyring, proofs=proofs, clock=clock, people=_nobody)
    answers = Answers(lambda message: _answered(answers, message), bytes_max=1_000_000)
    route = PopularRoute(answers, brands, settings, access=access, clock=clock)
    lane = Lane({POPULAR.encode(): route}, _nowhere, limits=LIMITS, clock=clock)
    connection, sink = lane(), _Sink()
    connection.connection_made(sink)
    return connection, sink


def _answered(answers: Answers, message: list[object]) -> bool:
    """Have every list ready that is asked for."""
    told = [[canonical, 1, "", '"tag"', 30, b'{"items":[]}' * 400] for canonical in message[1]]  # pyright: ignore[reportGeneralTypeIssues]
    answers.on_message(["answers", told])
    return True


def _nobody() -> NoReturn:
    raise AssertionError("nobody signs in here")


def _nowhere(_exchange: Exchange) -> None:
    raise AssertionError("all that is asked for has a route")


def _beats(turn: int) -> Record:
    ones = range(BATCH)
    at_ms = NOW_MS + 10_000 * turn
    beats = Beats(
        "ffpg",
        BEATS_VERSION,
        at_ms,
        keys=[(f"film-{one % 20}", "drama", "video", "paid") for one in ones],
        sessions=[f"playback-{one}" for one in ones],
        numbers=[turn] * BATCH,
        at_ms=[at_ms] * BATCH,
        playheads_ms=[10_000 * turn] * BATCH,
        states=bytes([int(PlayState.PLAYING)] * BATCH),
    )
    return Record(turn + 1, pings_group(BRAND), BATCH, record_from_beats(beats), at_ms)
