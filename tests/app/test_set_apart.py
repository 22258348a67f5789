"""Hits that screening suspects are set apart hour by hour, each hour once, and go with their time."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
import zstandard

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.app import set_apart
from footfall.app.set_apart import DELAY_MS, SetApart, name_of
from footfall.flow.stream.archive import Archive
from footfall.flow.stream.raw import ArchiveRaw, StreamRaw
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.blobs import Blobs, everything
from footfall.ports.errors import Unavailable
from footfall.ports.stream import Entry, Record
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.verdicts import Change, State, Verdict, visitor_subject
from footfall.values.clock import SetClock
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS

NOON_MS = 1_794_744_000_000  # 2026-11-15T12:00Z
DUE_MS = NOON_MS + HOUR_MS + DELAY_MS + MINUTE_MS
CLERK, READER = bytes([1] * 8), bytes([2] * 8)


def pack(at_ms: int, *, screened: dict[int, str] | None = None, visitors: Sequence[bytes] | None = None) -> Pack:
    keys = [("one", "news", "article", "free"), ("two", "", "", ""), ("three", "", "", "")]
    return Pack(
        *(VERSION, RULES, at_ms, keys),
        screened=screened,
        visitors=None if visitors is None else list(visitors),
        urls=["https://x.example/one", "", ""],
        referrers=["https://from.example/", "", ""],
    )


def verdict(kind: SubjectKind, subject: str, state: State, *, by: str = "judge") -> Verdict:
    return Verdict(kind, subject, NOON_MS, NOON_MS + HOUR_MS, Cause.UNUSUAL_VISITOR, state, NOON_MS, by=by)


def changes_of(*told: Change) -> set_apart.Changes:
    def changes(brand: str, *, after_version: int = 0) -> Sequence[Change]:
        return [one for one in told if one.version > after_version] if brand == "abc" else []

    return changes


class Stage:
    """A stream with one brand, and objects beside it."""

    def __init__(self, folder: Path, *told: Change) -> None:
        self.folder = folder
        self.clock = SetClock(NOON_MS)
        self.stream = SqliteStream(folder / "stream.db", clock=self.clock, shards=2)
        self.blobs = FileBlobs(folder / "blobs")
        self.told = told

    def send(self, one: Pack, *, brand: str = "abc", shard: int = 0) -> None:
        arrived = one.arrived_at_ms
        self.stream.append([Entry(shard, brand, len(one.keys), record_from_pack(one), arrived)])

    def apart(self, blobs: Blobs | None = None) -> SetApart:
        return SetApart(
            blobs or self.blobs,
            StreamRaw(self.stream),
            shards=2,
            brands=lambda: ["abc"],
            changes=changes_of(*self.told),
            clock=self.clock,
            keep_ms=2 * DAY_MS,
        )

    def hits(self, hour_ms: int = NOON_MS) -> list[dict[str, object]]:
        data = self.blobs.get(name_of("abc", hour_ms))
        assert data is not None
        lines = zstandard.ZstdDecompressor().decompressobj().decompress(data).splitlines()
        return [msgspec.json.decode(line) for line in lines]


def finished(apart: SetApart) -> int:
    steps = 0
    while apart.step():
        steps += 1
    return steps


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_a_suspected_hit_lies_in_the_object_of_its_hour_of_arrival_with_all_that_is_known_of_it(stage: Stage) -> None:
    stage.send(pack(NOON_MS + 5, screened={0: "reload", 1: "bot-agent"}, visitors=[CLERK, READER, READER]))
    stage.send(pack(NOON_MS + 6, screened={0: "rate"}), brand="xyz")
    stage.send(pack(NOON_MS + HOUR_MS, screened={0: "rate"}), shard=1)
    stage.clock.set(DUE_MS)
    assert finished(stage.apart()) > 0
    assert [one.name for one in everything(stage.blobs, "screened/")] == ["screened/abc/2026-11-15/12.ndjson.zst"]
    assert stage.hits() == [
        {
            "arrived": "2026-11-15T12:00:00.005Z",
            "at": "2026-11-15T12:00:00.005Z",
            "asset": "one",
            "section": "news",
            "resourceType": "article",
            "paidType": "free",
            "label": "suspected",
            "reason": "reload",
            "visitor": CLERK.hex(),
            "url": "https://x.example/one",
            "referrer": "https://from.example/",
        }
    ]


def test_nothing_is_written_before_half_an_hour_has_passed_and_nothing_is_done_twice(stage: Stage) -> None:
    stage.send(pack(NOON_MS + 5, screened={0: "reload"}))
    stage.clock.set(DUE_MS - 1)
    apart = stage.apart()
    finished(apart)
    assert list(everything(stage.blobs, "screened/abc/2026-11-15/12")) == []
    stage.clock.set(DUE_MS + MINUTE_MS)
    finished(apart)
    assert len(stage.hits()) == 1
    assert finished(stage.apart()) == 0


@pytest.mark.parametrize(
    ("state", "by", "label", "reason"),
    [
        (State.HELD, "judge", "suspected", "verdict"),
        (State.CONFIRMED, "judge", "suspected", "verdict"),
        (State.CONFIRMED, "key-1", "blocked", "verdict-confirmed"),
    ],
)
def test_hits_that_a_verdict_covers_are_there_with_its_id(
    tmp_path: Path, state: State, by: str, label: str, reason: str
) -> None:
    found = verdict(SubjectKind.VISITOR, visitor_subject(int.from_bytes(CLERK, "big")), state, by=by)
    stage = Stage(tmp_path, Change(1, NOON_MS + 1, by, (found,)))
    stage.send(pack(NOON_MS + 5, visitors=[CLERK, READER, b""], screened={2: "bot-agent"}))
    stage.clock.set(DUE_MS)
    finished(stage.apart())
    (one,) = stage.hits()
    assert (one["asset"], one["verdict"], one["state"]) == ("one", found.id, state.value)
    assert (one["label"], one["reason"], one["cause"]) == (label, reason, "unusual-visitor")


def test_what_a_person_decided_counts_before_what_is_held_and_what_the_door_suspected(tmp_path: Path) -> None:
    held = verdict(SubjectKind.VISITOR, visitor_subject(int.from_bytes(CLERK, "big")), State.HELD)
    decided = verdict(SubjectKind.ASSET, "one", State.CONFIRMED, by="key-1")
    stage = Stage(tmp_path, Change(1, NOON_MS + 1, "judge", (held, decided)))
    stage.send(pack(NOON_MS + 5, visitors=[CLERK, CLERK, READER], screened={0: "reload", 1: "rate"}))
    stage.clock.set(DUE_MS)
    finished(stage.apart())
    assert [(one["reason"], one["label"], one["verdict"]) for one in stage.hits()] == [
        ("verdict-confirmed", "blocked", decided.id),
        ("rate", "suspected", held.id),
    ]


@pytest.mark.parametrize("state", [State.FOUND, State.RELEASED])
def test_a_verdict_that_leaves_nothing_out_sets_nothing_apart(tmp_path: Path, state: State) -> None:
    stage = Stage(tmp_path, Change(1, NOON_MS + 1, "judge", (verdict(SubjectKind.ASSET, "two", state),)))
    stage.send(pack(NOON_MS + 5))
    stage.clock.set(DUE_MS)
    finished(stage.apart())
    assert list(everything(stage.blobs, "screened/")) == []


def test_a_verdict_counts_as_it_stood_half_an_hour_after_the_hour_whenever_the_hour_is_written(tmp_path: Path) -> None:
    held, released = (verdict(SubjectKind.ASSET, "two", state) for state in (State.HELD, State.RELEASED))
    later = Change(2, NOON_MS + HOUR_MS + DELAY_MS + 1, "key-1", (released,))
    stage = Stage(tmp_path, Change(1, NOON_MS + 1, "judge", (held,)), later)
    stage.send(pack(NOON_MS + 5))
    stage.blobs.put("screened-until/abc", str(NOON_MS).encode())
    stage.clock.set(NOON_MS + 20 * HOUR_MS)
    finished(stage.apart())
    assert [one["asset"] for one in stage.hits()] == ["two"]


def test_whoever_was_killed_before_the_place_was_kept_writes_the_same_bytes_again(stage: Stage) -> None:
    class Dying(FileBlobs):
        def put(self, name: str, data: bytes) -> None:
            if name.startswith("screened-until/"):
                raise Unavailable("the power is gone")
            super().put(name, data)

    stage.send(pack(NOON_MS + 5, screened={0: "reload"}))
    stage.clock.set(DUE_MS)
    apart = stage.apart(Dying(stage.folder / "blobs"))
    with pytest.raises(Unavailable):
        finished(apart)
    first = stage.blobs.get(name_of("abc", NOON_MS))
    with pytest.raises(Unavailable):  # It tries again, and loses nothing.
        finished(apart)
    stage.blobs.put(name_of("abc", NOON_MS), b"half")
    finished(stage.apart())
    assert first is not None
    assert stage.blobs.get(name_of("abc", NOON_MS)) == first


def test_an_hour_with_much_has_several_objects(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_apart, "OBJECT_BYTES_MAX", 300)
    for number in range(4):
        stage.send(pack(NOON_MS + number, screened={0: "reload"}))
    stage.clock.set(DUE_MS)
    finished(stage.apart())
    names = [one.name for one in everything(stage.blobs, "screened/")]
    assert names == sorted(name_of("abc", NOON_MS, part) for part in range(1, 5))


def test_old_days_go_and_those_of_brands_that_are_no_more_go_too(stage: Stage) -> None:
    for brand in ("abc", "gone"):
        stage.blobs.put(name_of(brand, NOON_MS - 4 * DAY_MS), b"")
        stage.blobs.put(name_of(brand, NOON_MS - DAY_MS), b"")
        stage.blobs.put(f"screened-until/{brand}", str(NOON_MS).encode())
    stage.clock.set(DUE_MS)
    finished(stage.apart())
    names = [one.name for one in everything(stage.blobs, "screened/")]
    assert names == [name_of(brand, NOON_MS - DAY_MS) for brand in ("abc", "gone")]


def test_a_narrowed_verdict_sets_apart_the_hits_of_its_kinds_of_agent_alone() -> None:
    held = msgspec.structs.replace(verdict(SubjectKind.ASSET, "two", State.HELD), agents=(7,))
    one = pack(NOON_MS)
    records = [
        Record(1, "abc", 3, record_from_pack(msgspec.structs.replace(one, agents=agents)), NOON_MS)
        for agents in ([7, 7, 7], [7, 8, 7], None)
    ]
    assert [len(set_apart.lines_of(record, set_apart.Covering([held]))) for record in records] == [1, 0, 0]


def test_repeats_and_unreadable_records_are_left_out() -> None:
    covering = set_apart.Covering([])
    data = record_from_pack(pack(NOON_MS, screened={0: "reload", 1: "rate"}))
    assert len(set_apart.lines_of(Record(1, "abc", 3, data, NOON_MS, repeats=(0,)), covering)) == 1
    assert set_apart.lines_of(Record(1, "abc", 3, data, NOON_MS, repeated=True), covering) == []
    assert set_apart.lines_of(Record(1, "abc", 3, data, NOON_MS, dead="why"), covering) == []
    assert set_apart.lines_of(Record(1, "abc", 3, b"nothing", NOON_MS), covering) == []


def test_where_raw_hits_are_archived_an_hour_waits_until_all_of_it_is_there(stage: Stage) -> None:
    archive = Archive(stage.blobs)
    data = record_from_pack(pack(NOON_MS + 5, screened={0: "reload"}))
    archive.keep(1, [Record(7, "abc", 3, data, NOON_MS + 5)])
    passed_ms = [NOON_MS + HOUR_MS - 1]
    stage.blobs.put("screened-until/abc", str(NOON_MS).encode())
    stage.clock.set(DUE_MS)
    apart = SetApart(
        stage.blobs,
        ArchiveRaw(archive),
        shards=2,
        brands=list,
        changes=changes_of(),
        clock=stage.clock,
        keep_ms=DAY_MS,
        read_until_ms=lambda: passed_ms[0],
    )
    assert finished(apart) == 0
    passed_ms[0] += 1
    stage.clock.set(DUE_MS + MINUTE_MS)
    finished(apart)
    assert [one["asset"] for one in stage.hits()] == ["one"]
