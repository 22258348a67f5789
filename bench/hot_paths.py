"""The hot paths: what is done to every hit, every row, every list and every ping, each on fixed inputs of any size.

`make bench` holds the time of each against a floor, as a ratio to something else that is done in the same run; CI
holds the instructions of each against a budget (bench/instructions.py). Both run what stands here.
"""

import asyncio
from collections.abc import Sequence

from bench.hot_inputs import (
    NOW_MS,
    SENDER,
    SHARED,
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
from bench.hot_lane import BRANDS, SETTINGS, Sink, connected, new_access, new_lane
from bench.hot_paths_behind import BEHIND
from bench.hot_paths_taking import TAKING
from bench.instance import BRAND
from bench.queries import Questions
from bench.traffic import BATCH, batches
from footfall.adapters.embedded.sqlite_table import SqliteTable
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
from footfall.shells.http.answers import Answers
from footfall.shells.http.lane import Connection
from footfall.shells.http.popular import POPULAR, PopularRoute
from footfall.values.clock import SetClock
from footfall.values.groups import pings_group
from footfall.values.period import DEFAULT_PERIODS, RETENTION_MS
from footfall.values.window import HOUR_MS, MINUTE_MS, Grain, Window, window_of

WINDOWS = 24
FLUSHES = 20  # One alone is over before the processor has at hand what it needs.
PLACING = Placing(kept_ms=RETENTION_MS, zone_of=lambda _brand: "UTC")


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
        lambda: joined_entries([taken for one in parsed for taken in acceptance.taken(one, request)], keys_share=True),
        size * BATCH,
    )


def _count_bare(size: int) -> Step:
    records, known = records_of(append_entries(size)), KnownKeys()
    return Step(lambda: _tallied(records, known), size * SHARED * BATCH)


def _count_timed(size: int) -> Step:
    records, known = records_of(entries_of(timed_bodies(size * SHARED))), KnownKeys()
    return Step(lambda: _tallied(records, known), size * SHARED * BATCH)


def _count_visitors(size: int) -> Step:
    records, known = records_of_readers(size), KnownKeys()
    return Step(lambda: _tallied(records, known), size * BATCH)


def _columns(size: int) -> Step:
    """Make the counts of a flush columns: one row for each key that differs from all others."""
    tally = _tallied(records_of(entries_of(plain_bodies(size))), KnownKeys())
    (place,) = tally.places()
    counts = tally.counts_after(place, 0)
    return Step(lambda: [columns_from_counts(counts) for _ in range(FLUSHES)], FLUSHES * len(counts))


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

    asked = 0

    def ask() -> None:
        nonlocal asked
        for _ in range(10 * size):
            connection.data_received(request)
        asked += 10 * size
        sink.require(asked)

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
    HotPath("read a plain body", "hit", _read_plain, decoded_bodies, 0.56),
    HotPath("read a body with every field", "hit", _read_full, decoded_bodies, 9.0),
    HotPath("read a timed body", "hit", _read_timed, decoded_bodies, 0.68),
    HotPath("pack and make an entry", "hit", _pack, decoded_bodies, 0.28),
    *TAKING,
    HotPath("count a pack", "hit", _count_bare, decoded_bodies, 0.24),
    HotPath("count a pack with visitors", "hit", _count_visitors, decoded_bodies, 1.4),
    HotPath("count a timed pack", "hit", _count_timed, decoded_bodies, 0.31),
    HotPath("columns from counts", "row", _columns, plain_steps, 1.4),
    HotPath("merge 24 windows", "row", _merge, plain_steps, 1.2),
    HotPath("make a list for a fresh filter", "list", _fresh_list, plain_steps, 510),
    HotPath("answer a ready list", "list", _ready_list, plain_steps, 59),
    HotPath("credit a player's ping", "ping", _credit, plain_steps, 25),
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


async def _connection() -> tuple[Connection, Sink]:
    """Return a connection to a front that has the list of a day ready."""
    clock, sink = SetClock(NOW_MS), Sink(b"200")
    answers = Answers(lambda message: _answered(answers, message), bytes_max=1_000_000)
    route = PopularRoute(answers, BRANDS, SETTINGS, access=new_access(clock), clock=clock)
    return connected(new_lane(POPULAR, route, clock), sink), sink


def _answered(answers: Answers, message: list[object]) -> bool:
    """Have every list ready that is asked for."""
    told = [[canonical, 1, "", '"tag"', 30, b'{"items":[]}' * 400] for canonical in message[1]]  # pyright: ignore[reportGeneralTypeIssues]
    answers.on_message(["answers", told])
    return True


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
