"""The demo's audience is the same for the same seed, and its players behave like players."""

from collections import Counter
from itertools import pairwise

import msgspec

from footfall.app.audience_history import watching_from
from footfall.app.invented_audience import (
    BEATS_MAX,
    PLAYBACK_EVERY_MS,
    Cinema,
    beats_between,
    history_of,
    ping_of,
)
from footfall.flow.collect.pings import parse_pings
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, moment_from_text

NOON_MS = moment_from_text("2026-11-16T12:00Z")


def cinema(seed: int = 7) -> Cinema:
    return Cinema(seed, brand="demo")


def test_the_same_seed_invents_the_same_playbacks_whatever_was_asked_before() -> None:
    wanderer = cinema()
    wanderer.playbacks(NOON_MS - DAY_MS, NOON_MS - DAY_MS + HOUR_MS)
    assert wanderer.playbacks(NOON_MS, NOON_MS + HOUR_MS) == cinema().playbacks(NOON_MS, NOON_MS + HOUR_MS)
    assert cinema(8).playbacks(NOON_MS, NOON_MS + HOUR_MS) != cinema().playbacks(NOON_MS, NOON_MS + HOUR_MS)


def test_spans_beside_each_other_have_every_playback_and_every_beat_once() -> None:
    whole = cinema().playbacks(NOON_MS, NOON_MS + HOUR_MS)
    assert abs(len(whole) - HOUR_MS // PLAYBACK_EVERY_MS) <= 1
    edges = [NOON_MS + part * 7_001 for part in range(HOUR_MS // 7_001)] + [NOON_MS + HOUR_MS]
    assert [one for a, b in pairwise(edges) for one in cinema().playbacks(a, b)] == whole
    beats = beats_between(whole, from_ms=NOON_MS, to_ms=NOON_MS + 2 * HOUR_MS)
    edges = [NOON_MS, NOON_MS + MINUTE_MS, NOON_MS + HOUR_MS, NOON_MS + 2 * HOUR_MS]
    assert [one for a, b in pairwise(edges) for one in beats_between(whole, from_ms=a, to_ms=b)] == beats
    assert len(beats) == sum(len(one.beats) for one in whole)


def test_players_number_their_beats_pause_seek_and_end_within_their_video() -> None:
    states: Counter[str] = Counter()
    for playback in cinema().playbacks(NOON_MS, NOON_MS + 4 * HOUR_MS):
        beats = playback.beats
        assert [beat.number for beat in beats] == list(range(len(beats)))
        assert len(beats) <= BEATS_MAX
        assert all(a.at_ms <= b.at_ms for a, b in pairwise(beats))
        assert all(0 <= beat.playhead_ms <= playback.video.duration_ms for beat in beats)
        assert (beats[0].state, beats[-1].state) == ("playing", "ended")
        assert playback.is_last(beats[-1])
        states.update(beat.state for beat in beats)
    assert states.keys() == {"playing", "paused", "seeking", "buffering", "ended"}
    assert states["playing"] > sum(states.values()) * 0.7


def test_some_finish_some_leave_and_a_few_videos_are_everybodys() -> None:
    playbacks = cinema().playbacks(NOON_MS, NOON_MS + 6 * HOUR_MS)
    finished = [one for one in playbacks if one.beats[-1].playhead_ms == one.video.duration_ms]
    assert 0.3 < len(finished) / len(playbacks) < 0.7
    seen = Counter(one.video.asset_id for one in playbacks).most_common()
    assert seen[0][1] > 4 * seen[-1][1]
    assert {one.video.section for one in playbacks} >= {"drama", "crime", "nature"}
    assert any(one.follows for one in playbacks)
    assert all(one.video.series for one in playbacks if one.follows)


def test_what_is_invented_is_taken_by_those_who_read_pings_and_histories() -> None:
    told = beats_between(cinema().playbacks(NOON_MS, NOON_MS + HOUR_MS), from_ms=NOON_MS, to_ms=NOON_MS + HOUR_MS)
    body = msgspec.json.encode([ping_of("demo", one, beat) for one, beat in told[:1_000]])
    parsed = parse_pings(body, lines=False, pings_max=1_000)
    assert len(parsed.pings) == 1_000
    assert parsed.refused == []
    for one, beat in told[:1_000]:
        watching = watching_from(history_of(one, beat), now_ms=NOON_MS + HOUR_MS)
        assert (watching.member, watching.at_ms) == (one.member, beat.at_ms)
