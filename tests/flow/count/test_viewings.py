"""A viewing is one playback however it is interrupted, and is completed once, by what was seen of its asset."""

from collections import Counter
from itertools import count
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from footfall.flow.count.open_credit import open_credit
from footfall.flow.count.watch_values import Beat, CreditTo, Session
from footfall.flow.count.watching import BEGUN_MAX, COMPLETED_HUNDREDTHS_MIN, Watching, hundredths, resumed
from footfall.flow.store.sessions import SessionsHead, save_head, save_sessions
from footfall.flow.store.watch_log import SessionEnd, end_before, save_ends
from footfall.flow.stream.beats import PlayState
from footfall.values.groups import completions_name, plays_name, window_names
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, Grain
from tests.flow.count.playing import GROUP, Named, beat, seen_of, send_beats, send_ticks, viewings, watched
from tests.flow.count.stage import NOON_MS, Stage, key_of
from tests.flow.count.test_watching import utc_day

ENDED = int(PlayState.ENDED)
MIDNIGHT_S = 12 * 3_600


def part(first: int, playheads_s: range, *, asset: str = "film", length_s: int = 1_000, **more: Any) -> list[Named]:
    """Return the beats of some part of an asset, ten seconds apart; its first beat is the session's `first`."""
    at_s = more.pop("at_s", None)
    return [
        ("s", beat(first + n, at_s=None if at_s is None else at_s + 10 * n, asset=asset,
                   playhead_ms=1_000 * here_s, duration_ms=1_000 * length_s, **more))
        for n, here_s in enumerate(playheads_s)
    ]  # fmt: skip


def counted(*beats: Named) -> Stage:
    """Return a stage on which a session's beats were counted, and the session is over."""
    stage = Stage()
    send_beats(stage, [*beats, ("s", beat(len(beats), state=ENDED, asset="film"))])
    stage.worker(0, stage.table).drain()
    return stage


def test_a_playback_is_counted_where_its_first_millisecond_is_credited() -> None:
    stage = counted(*part(0, range(0, 101, 10), at_s=55))
    assert watched(stage, name_of=plays_name) == {NOON_MS: Counter([key_of("film")])}


def test_a_completed_viewing_is_counted_where_the_stretch_that_completed_it_ends() -> None:
    stage = counted(*part(0, range(0, 901, 10)))
    assert watched(stage, name_of=completions_name) == {NOON_MS + 14 * MINUTE_MS: Counter([key_of("film")])}


def test_a_viewing_is_completed_with_ninety_hundredths_and_not_with_fewer() -> None:
    assert viewings(counted(*part(0, range(0, 10 * COMPLETED_HUNDREDTHS_MIN - 9, 10)))) == (Counter(["film"]), {})
    assert viewings(counted(*part(0, range(0, 10 * COMPLETED_HUNDREDTHS_MIN + 1, 10))))[1] == Counter(["film"])


def test_to_go_to_the_end_completes_nothing() -> None:
    beats = part(0, range(0, 101, 10)) + part(11, range(900, 1_001, 10))
    stage = counted(*beats)
    assert seen_of(stage, "film").seen[-1] == 1
    assert viewings(stage) == (Counter(["film"]), Counter())


def test_what_is_watched_again_in_the_same_session_is_neither_played_nor_completed_again() -> None:
    beats = part(0, range(0, 1_001, 10))
    for asset in ("ad", "film", "ad", "film"):
        beats += part(len(beats), range(0, 1_001, 10), asset=asset)
    assert viewings(counted(*beats)) == (Counter(["film", "ad"]), Counter(["film", "ad"]))


def test_a_film_between_advertisements_and_with_other_labels_is_one_playback_that_is_completed_once() -> None:
    beats = part(0, range(0, 501, 10))
    beats += part(len(beats), range(0, 31, 10), asset="ad", length_s=0)
    beats += part(len(beats), range(500, 801, 10), key=key_of("film", section="drama"))
    beats += part(len(beats), range(0, 31, 10), asset="ad", length_s=0)
    beats += part(len(beats), range(800, 1_001, 10), key=key_of("film", section="late"), member="ann")
    stage = counted(*beats)
    assert viewings(stage) == (Counter(["film", "ad"]), Counter(["film"]))
    (key,) = next(iter(watched(stage, name_of=completions_name).values()))
    assert key == key_of("film", section="late")  # the labels of the stretch that completed it


def test_what_is_watched_over_midnight_is_played_on_the_one_day_and_completed_on_the_other() -> None:
    stage = counted(*part(0, range(0, 1_001, 10), at_s=MIDNIGHT_S - 500))
    midnight_ms = NOON_MS + 1_000 * MIDNIGHT_S
    (played_ms,), (completed_ms,) = (watched(stage, name_of=name) for name in (plays_name, completions_name))
    assert played_ms < midnight_ms <= completed_ms
    assert seen_of(stage, "film").playbacks == 1


def test_what_ends_at_midnight_was_completed_on_the_day_before() -> None:
    stage = counted(*part(0, range(0, 1_001, 10), at_s=MIDNIGHT_S - 1_000))
    assert list(watched(stage, name_of=completions_name)) == [NOON_MS + 1_000 * MIDNIGHT_S - MINUTE_MS]


def test_a_session_that_goes_on_after_its_end_goes_on_with_its_viewings() -> None:
    for length_s in (1_000, 0):
        stage = Stage()
        for first, playheads_s in ((0, range(0, 501, 10)), (52, range(500, 1_001, 10))):
            send_beats(stage, [*part(first, playheads_s, length_s=length_s), ("s", beat(first + 51, state=ENDED))])
            stage.worker(0, stage.table).drain()
        assert viewings(stage) == (Counter(["film"]), Counter(["film"] if length_s else []))


def test_an_asset_of_unknown_length_is_played_and_never_completed() -> None:
    beats = part(0, range(0, 5_001, 10), length_s=0)
    beats += part(len(beats), range(0, 31, 10), asset="ad", length_s=30)
    beats += part(len(beats), range(5_000, 5_101, 10), length_s=0)
    stage = counted(*beats)
    assert viewings(stage) == (Counter(["film", "ad"]), Counter(["ad"]))
    assert (seen_of(stage, "film").playbacks, seen_of(stage, "ad").playbacks) == (0, 1)


def test_a_length_that_is_told_later_begins_no_other_playback() -> None:
    beats = part(0, range(0, 101, 10), length_s=0)
    beats += part(len(beats), range(0, 31, 10), asset="ad", length_s=0)
    beats += part(len(beats), range(100, 1_001, 10))
    beats += part(len(beats), range(0, 31, 10), asset="ad", length_s=30)
    assert viewings(counted(*beats)) == (Counter(["film", "ad"]), Counter(["film", "ad"]))


def test_a_beat_that_is_credited_nothing_begins_no_playback() -> None:
    assert viewings(counted(("s", beat(0)), ("s", beat(1, state=int(PlayState.PAUSED))))) == ({}, {})


def test_a_session_knows_its_last_eight_assets_with_lengths_and_eight_without() -> None:
    for length_s in (0, 30):
        beats: list[Named] = []
        for one in (*range(BEGUN_MAX), 0, BEGUN_MAX, 1):  # The first comes again in time; the second does not.
            beats += part(len(beats), range(0, 31, 10), asset=f"a{one}", length_s=length_s)
        stage = counted(*beats)
        expected = Counter({f"a{one}": 2 if one == 1 else 1 for one in range(BEGUN_MAX + 1)})
        assert viewings(stage)[0] == expected
        if length_s:
            assert Counter({asset: seen_of(stage, asset).playbacks for asset in expected}) == expected


def test_a_viewing_whose_length_became_known_is_forgotten_with_those_that_have_one() -> None:
    beats = part(0, range(0, 31, 10), length_s=0)
    for asset in ("ad", "film", *(f"a{one}" for one in range(8)), "film"):
        beats += part(len(beats), range(0, 31, 10), asset=asset, length_s=30)
    stage = counted(*beats)
    assert viewings(stage)[0]["film"] == seen_of(stage, "film").playbacks == 2


def test_hours_and_days_of_viewings_are_built_and_kept_as_those_of_hits() -> None:
    stage = Stage()
    send_beats(stage, [*part(0, range(0, 1_001, 10)), ("s", beat(101, state=ENDED))])
    stage.clock.advance(30 * HOUR_MS)
    stage.send("later")
    stage.side().count()
    for name in (plays_name("abc"), completions_name("abc")):
        assert name in window_names([GROUP])
        for grain in (Grain.HOUR, Grain.DAY):
            assert stage.counts(NOON_MS, grain, name) == Counter([key_of("film")])


@pytest.mark.parametrize("behind_s", [0, 85_000])  # So late a beat may be.
def test_a_viewing_that_is_completed_before_a_pause_of_many_hours_is_counted_where_it_was(behind_s: int) -> None:
    stage = Stage()
    side, paused = stage.side(), [("s", beat(100, at_s=1_000 - behind_s, state=int(PlayState.PAUSED)))]
    send_beats(stage, [*part(0, range(0, 1_000, 10), at_s=-behind_s), *paused])
    for n in range(101, 160):  # until some hours before midnight
        at_s = 10 * n + (n - 100) * 580 - behind_s
        send_beats(stage, [("s", beat(n, at_s=at_s, state=int(PlayState.PAUSED)))])
        stage.clock.advance(590_000)
        side.count()
    assert not viewings(stage)[1]  # It may go on yet.
    stage.clock.advance(HOUR_MS)
    send_ticks(stage)
    side.count()
    at_ms = NOON_MS + 16 * MINUTE_MS - 1_000 * behind_s
    assert list(watched(stage, name_of=completions_name)) == [at_ms // MINUTE_MS * MINUTE_MS]
    stage.clock.advance(3 * DAY_MS)
    stage.send("later")
    side.count()
    for grain in (Grain.HOUR, Grain.DAY):
        assert stage.counts(at_ms, grain, completions_name("abc")) == Counter([key_of("film")])


def test_sessions_as_an_older_version_stored_them_are_read_and_go_on() -> None:
    watching, session = Watching(utc_day), Session("abc", "s", ahead={})
    for _, one in [*part(0, range(0, 101, 10)), *part(11, range(0, 31, 10), asset="ad")]:
        watching.take(session, one)
    stage = Stage()
    older = msgspec.msgpack.encode(([astuple(session)[:-1]], []))
    head = save_sessions(stage.table, 0, SessionsHead(open=1), [older], whole=True)
    save_head(stage.table, 0, head, replaces=None)
    assert open_credit(stage.table, 0, "abc", from_ms=NOON_MS - DAY_MS, to_ms=NOON_MS + DAY_MS).sessions == 1
    send_beats(stage, [*part(15, range(100, 1_001, 10)), ("s", beat(106, state=ENDED))])
    stage.worker(0, stage.table).drain()
    assert viewings(stage) == ({}, Counter(["film"]))  # What began under the older one was not counted then.


def test_the_end_of_a_session_is_read_with_and_without_what_began_in_it() -> None:
    table = Stage().table
    for begun in ((), ("live", "ad")):
        save_ends(table, [SessionEnd("abc", "s", 7, 3, begun=begun)], expires_at_ms=NOON_MS + DAY_MS)
        end = end_before(table, "abc", "s", record=4)
        assert end is not None
        assert tuple(end.begun) == begun


LENGTHS_S = {"film": 200, "ad": 30, "live": 0}
walks = st.lists(
    st.tuples(
        st.sampled_from(["go on"] * 12 + ["pause", "end", "midnight"]),
        st.sampled_from(["film", "film", "film", "ad", "live"]),
        st.sampled_from(["drama", "drama", "drama", "news"]),
        st.sampled_from([10, 10, 10, 60, -50]),  # the playhead's way, in seconds
    ),
    min_size=2,
    max_size=80,
)


def walked(steps: list[tuple[str, str, str, int]]) -> Watching:
    """Play a session that goes from one asset to another, over midnights and its own ends."""
    watching, session = Watching(utc_day), Session("abc", "s", ahead={})
    heads, at_s, numbers = dict.fromkeys(LENGTHS_S, 0), 0, count()
    for act, asset, section, way_s in steps:
        at_s += 10 if act != "midnight" else 86_400
        heads[asset] = max(0, min(heads[asset] + way_s, LENGTHS_S[asset] or 10_000))
        state = {"pause": PlayState.PAUSED, "end": ENDED}.get(act, PlayState.PLAYING)
        one: Beat = beat(
            next(numbers), at_s=at_s, playhead_ms=1_000 * heads[asset], key=key_of(asset, section),
            state=int(state), duration_ms=1_000 * LENGTHS_S[asset],
        )  # fmt: skip
        watching.take(session, one)
        watching.pass_day(session)
        if act == "end":
            watching.end(session)
            high_ms, viewed, begun = session.highest_ms, session.viewed, session.begun
            session = resumed("abc", "s", number=one.number, high_ms=high_ms, viewed=viewed, begun=begun)
        session = msgspec.msgpack.decode(msgspec.msgpack.encode(session), type=Session)  # as after a crash
    watching.end(session)
    return watching


@given(steps=walks)
def test_a_session_plays_and_completes_each_asset_once_as_a_plain_look_at_its_stretches_says(
    steps: list[tuple[str, str, str, int]],
) -> None:
    watching = walked(steps)
    played, completed, seen = dict[str, int](), dict[str, int](), dict[str, set[int]]()
    for told in watching.over:
        stretch, asset = told.stretch, told.stretch.key[0]
        played.setdefault(asset, stretch.day_ms)
        seen.setdefault(asset, set()).update(hundredths(stretch.seen_low, stretch.seen_high))
        if len(seen[asset]) >= COMPLETED_HUNDREDTHS_MIN:
            completed.setdefault(asset, (stretch.to_ms - 1) // MINUTE_MS * MINUTE_MS)
    found: dict[CreditTo, list[tuple[str, int]]] = {to: [] for to in CreditTo}
    for (_, minute_ms, to), credited in watching.credits().items():
        found[to] += [(key[0], minute_ms) for key, n in credited.counts().items() for _ in range(n)]
    assert sorted((asset, utc_day("", at_ms)[0]) for asset, at_ms in found[CreditTo.PLAYS]) == sorted(played.items())
    assert sorted(found[CreditTo.COMPLETIONS]) == sorted(completed.items())
    curves = Counter(told.stretch.key[0] for told in watching.over if told.is_first)
    assert curves == Counter(asset for asset in played if LENGTHS_S[asset])
