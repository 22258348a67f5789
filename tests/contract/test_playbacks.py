"""Playback limits on both grounds: one write for a place, one update for a beat, and a record of all that ended."""

import pytest

from footfall.audience.playbacks import Ask, PlaybackOver, Policy, TooManyPlaying, Why
from footfall.audience.playbacks_ended import ended_of, ended_on
from footfall.audience.playbacks_kept import admit, beat, end, held, sweep
from footfall.values.clock import SetClock
from footfall.values.errors import Refused
from footfall.values.window import instant_text
from tests.audience.history_stage import INDEXES, NOON_MS, CountedTable, ask, means
from tests.contract.conftest import NewTable

BEAT_MS = 30_000
DAY = instant_text(NOON_MS)[:10]


@pytest.fixture
def counted(new_table: NewTable, clock: SetClock) -> CountedTable:
    return CountedTable(new_table(clock=clock, indexes=INDEXES))


def at(later_ms: int) -> str:
    return instant_text(NOON_MS + later_ms)


def give(table: CountedTable, wanted: Ask, now_ms: int = NOON_MS) -> list[str]:
    """Give a place and return who plays then."""
    given = admit(table, "blog", "ann", wanted, now_ms=now_ms, means=means())
    return [lease.session for lease in given.leases]


def test_a_place_is_a_read_and_a_write_and_a_beat_is_one_update(counted: CountedTable) -> None:
    assert give(counted, ask("a")) == ["a"]
    assert counted.taken_calls() == ["get", "put"]
    after = beat(counted, "blog", "ann", "a", now_ms=NOON_MS + BEAT_MS)
    assert counted.taken_calls() == ["update"]
    assert after.leases[0].expires_ms == NOON_MS + 3 * BEAT_MS


def test_the_oldest_is_stopped_and_told_by_whom_at_its_next_beat(counted: CountedTable) -> None:
    give(counted, ask("a"))
    give(counted, ask("b"), NOON_MS + 1)
    assert give(counted, ask("c"), NOON_MS + 2) == ["b", "c"]
    counted.taken_calls()
    with pytest.raises(PlaybackOver) as over:
        beat(counted, "blog", "ann", "a", now_ms=NOON_MS + 3)
    assert counted.taken_calls() == ["update", "query"]
    assert over.value.more == {
        "session": "a", "device": "device of a", "deviceId": "id-a", "asset": "film", "startedAt": at(0),
        "lastBeatAt": at(0), "endedAt": at(2), "why": "stopped", "by": "device of c", "bySession": "c",
    }  # fmt: skip
    assert "device of c" in str(over.value)
    with pytest.raises(PlaybackOver) as unknown:
        beat(counted, "blog", "ann", "never", now_ms=NOON_MS + 3)
    assert unknown.value.more["why"] == "unknown"


def test_the_newest_is_refused_and_told_which_devices_play(counted: CountedTable) -> None:
    give(counted, ask("a"))
    give(counted, ask("b"))
    with pytest.raises(TooManyPlaying) as refused:
        give(counted, ask("c", policy=Policy.REFUSE_NEWEST))
    assert [lease.device for lease in refused.value.playing] == ["device of a", "device of b"]
    assert refused.value.more["limit"] == 2
    chosen = Ask("c", "phone", "p", "film", 2, Policy.REFUSE_NEWEST, stop=frozenset({"a"}))
    assert give(counted, chosen) == ["b", "c"]


def test_a_lost_device_frees_its_place_after_two_beats_and_not_before(counted: CountedTable) -> None:
    give(counted, ask("a", limit=1))
    with pytest.raises(TooManyPlaying):
        give(counted, ask("b", limit=1, policy=Policy.REFUSE_NEWEST), NOON_MS + 2 * BEAT_MS - 1)
    assert give(counted, ask("b", limit=1, policy=Policy.REFUSE_NEWEST), NOON_MS + 2 * BEAT_MS) == ["b"]
    with pytest.raises(PlaybackOver) as over:
        beat(counted, "blog", "ann", "a", now_ms=NOON_MS + 2 * BEAT_MS + 1)
    assert over.value.more["why"] == "expired"
    # One that slept while nobody wanted its place goes on.
    assert beat(counted, "blog", "ann", "b", now_ms=NOON_MS + 90 * BEAT_MS).leases[0].session == "b"


def test_the_reload_of_a_device_takes_its_own_place_and_asking_again_changes_nothing(counted: CountedTable) -> None:
    give(counted, ask("a", device_id="tv"))
    give(counted, ask("b"), NOON_MS + 1)
    assert give(counted, ask("a2", device_id="tv", policy=Policy.REFUSE_NEWEST), NOON_MS + 2) == ["b", "a2"]
    assert give(counted, ask("a2", device_id="tv"), NOON_MS + 3) == ["b", "a2"]
    assert [ending.why for _, ending in ended_of(counted, "blog", "ann", limit=9).endings] == [Why.RELOADED]


def test_whatever_ended_is_listed_by_member_and_by_day(counted: CountedTable) -> None:
    for number in range(20):
        give(counted, ask(f"s{number}", limit=1), NOON_MS + number)
    end(counted, "blog", "ann", "s19", now_ms=NOON_MS + 30, means=means())
    admit(counted, "blog", "b#b", ask("other"), now_ms=NOON_MS, means=means())
    end(counted, "blog", "b#b", "other", now_ms=NOON_MS + 40, means=means(), why=Why.STOPPED, by="the desk")
    counted.taken_calls()
    first = ended_of(counted, "blog", "ann", limit=15)
    assert counted.taken_calls() == ["query"]
    rest = ended_of(counted, "blog", "ann", limit=15, after=first.after or "")
    told = [ending.lease.session for _, ending in (*first.endings, *rest.endings)]
    assert told == [f"s{number}" for number in reversed(range(20))]
    found, after = list[tuple[str, str]](), ""
    while True:
        page = ended_on(counted, "blog", DAY, limit=2, after=after)
        assert counted.taken_calls()[-1:] == ["query recent"]
        found += [(member, ending.lease.session) for member, ending in page.endings]
        if page.after is None:
            break
        after = page.after
    assert sorted(found) == sorted([("b#b", "other"), *(("ann", f"s{number}") for number in range(20))])
    for nonsense in ("x", "Wzk5XQ", "[99]"):
        with pytest.raises(Refused, match="after"):
            ended_on(counted, "blog", DAY, limit=2, after=nonsense)


def test_what_expired_is_written_down_by_a_sweep_once(counted: CountedTable) -> None:
    give(counted, ask("a"))
    later = NOON_MS + 3 * BEAT_MS
    assert sweep(counted, "blog", "ann", now_ms=later, means=means()) == []
    assert sweep(counted, "blog", "ann", now_ms=later, means=means()) == []
    (told,) = ended_of(counted, "blog", "ann", limit=9).endings
    assert (told[1].why, told[1].at_ms) == (Why.EXPIRED, NOON_MS + 2 * BEAT_MS)
    assert held(counted, "blog", "ann").leases == ()
    with pytest.raises(PlaybackOver):
        end(counted, "blog", "ann", "a", now_ms=later, means=means())
