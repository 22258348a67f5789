"""The demo's audience: series that nobody made, and members who watch them, pause, seek and leave.

Everything follows from a seed and a moment, as with the demo's readers. So a demo that is started again invents the
same playbacks with the same sessions, and what was sent before counts once.
"""

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Final

from footfall.values.window import MINUTE_MS, SECOND_MS, instant_text

BEAT_MS = 10 * SECOND_MS
PLAYBACK_EVERY_MS = 8 * SECOND_MS  # With six minutes each, some 45 watch at a time and send five beats a second.
BEATS_MAX = 150  # of a playback, 25 minutes: whoever seeks back again and again comes to an end
MEMBERS = 240
EPISODES = 6  # of each series

_FINISHED_SHARE = 0.45
_PAUSED_SHARE, _SOUGHT_SHARE, _BUFFERED_SHARE = 0.015, 0.012, 0.008  # of all beats
_RESERVED = 12  # beats that a pause, a seek and the end may still need

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Video:
    """An invented film or episode."""

    asset_id: str
    title: str
    section: str
    duration_ms: int
    series: str = ""  # empty: a film


@dataclass(frozen=True, slots=True)
class Beat:
    """What a player says at a moment."""

    number: int
    at_ms: int
    playhead_ms: int
    state: str


@dataclass(frozen=True, slots=True)
class Playback:
    """One member in front of one video, from the first beat to the last."""

    session: str
    member: str
    device: str
    video: Video
    rate: float
    follows: bool  # Whoever likes what they see follows its series.
    beats: tuple[Beat, ...]
    unfollows: bool  # Whoever has enough of a series follows it no longer.

    @property
    def from_ms(self) -> int:
        """Return when it begins."""
        return self.beats[0].at_ms

    @property
    def ends_ms(self) -> int:
        """Return when its last beat is."""
        return self.beats[-1].at_ms

    def is_last(self, beat: Beat) -> bool:
        """Tell whether nothing comes after the beat."""
        return beat.number == len(self.beats) - 1


class Cinema:
    """One brand's invented videos and members."""

    def __init__(self, seed: int, *, brand: str) -> None:
        self._seed = seed
        self._brand = brand
        self.videos = _videos(self._chance("videos"))
        # A few are everybody's, as Zipf found words to share a text.
        self._cumulative = list(accumulate(1 / (rank + 2) for rank in range(len(self.videos))))

    def playbacks(self, from_ms: int, to_ms: int) -> list[Playback]:
        """Return the playbacks that begin in the span, oldest first."""
        numbers = range(from_ms // PLAYBACK_EVERY_MS, to_ms // PLAYBACK_EVERY_MS + 1)
        found = (self._playback(number) for number in numbers)
        return [one for one in found if from_ms <= one.from_ms < to_ms]

    def _playback(self, number: int) -> Playback:
        chance = self._chance("playback", number)
        video = chance.choices(self.videos, cum_weights=self._cumulative)[0]
        rate = 1.25 if chance.random() < 0.06 else 1.0
        from_ms = number * PLAYBACK_EVERY_MS + chance.randrange(PLAYBACK_EVERY_MS)
        return Playback(
            session=f"demo-{self._seed}-{number}",
            member=f"m-{chance.randrange(MEMBERS):03}",
            device=chance.choice(_DEVICES),
            video=video,
            rate=rate,
            follows=bool(video.series) and chance.random() < 0.3,
            beats=_beats(chance, video, from_ms, rate),
            unfollows=bool(video.series) and chance.random() < 0.4,
        )

    def _chance(self, *what: object) -> random.Random:
        return random.Random(f"{self._seed}/{self._brand}/audience/{'/'.join(map(str, what))}")  # noqa: S311 - a demo


def beats_between(playbacks: Iterable[Playback], *, from_ms: int, to_ms: int) -> list[tuple[Playback, Beat]]:
    """Return what players say in a span, in the order of time."""
    told = [(one, beat) for one in playbacks for beat in one.beats if from_ms <= beat.at_ms < to_ms]
    return sorted(told, key=lambda pair: pair[1].at_ms)  # A player's own beats keep their order.


def ping_of(brand: str, playback: Playback, beat: Beat) -> Document:
    """Return a beat as `POST /v1/pings` takes it."""
    video = playback.video
    return {
        "brand": brand,
        "session": playback.session,
        "sequence": beat.number,
        "assetId": video.asset_id,
        "sectionId": video.section,
        "resourceType": "video",
        "playhead": beat.playhead_ms / SECOND_MS,
        "duration": video.duration_ms / SECOND_MS,
        "interval": BEAT_MS // SECOND_MS,
        "state": beat.state,
        "rate": playback.rate,
        "at": beat.at_ms,
        "member": playback.member,
        "device": playback.device,
        **({"series": video.series} if video.series else {}),
    }


def history_of(playback: Playback, beat: Beat) -> Document:
    """Return where a member is, as `POST /v1/audience/history` takes it."""
    video = playback.video
    return {
        "member": playback.member,
        "asset": video.asset_id,
        "positionMs": beat.playhead_ms,
        "durationMs": video.duration_ms,
        "ended": beat.state == "ended" and beat.playhead_ms >= video.duration_ms,
        "at": instant_text(beat.at_ms),
        "sequence": beat.number,
        "device": playback.device,
        **({"series": video.series} if video.series else {}),
    }


@dataclass(slots=True)
class _Player:
    """A player that goes on and says what it does."""

    at_ms: int
    rate: float
    playhead_ms: int = 0
    beats: list[Beat] = field(default_factory=list[Beat])

    def tell(self, state: str) -> None:
        self.beats.append(Beat(len(self.beats), self.at_ms, self.playhead_ms, state))

    def play(self, until_ms: int) -> None:
        """Play up to the next beat, or to where the member leaves."""
        way_ms = min(int(BEAT_MS * self.rate), until_ms - self.playhead_ms)
        self.playhead_ms += way_ms
        self.at_ms += int(way_ms / self.rate)
        self.tell("playing")

    def rest(self, state: str, beats: int) -> None:
        """Stand still for so many beats, then play on."""
        for _ in range(beats):
            self.tell(state)
            self.at_ms += BEAT_MS
        self.tell("playing")

    def seek(self, playhead_ms: int) -> None:
        self.tell("seeking")
        self.at_ms += SECOND_MS
        self.playhead_ms = playhead_ms
        self.tell("playing")


def _beats(chance: random.Random, video: Video, from_ms: int, rate: float) -> tuple[Beat, ...]:
    is_finished = chance.random() < _FINISHED_SHARE
    leaves_ms = video.duration_ms if is_finished else int(video.duration_ms * chance.uniform(0.04, 0.96))
    player = _Player(from_ms, rate)
    player.tell("playing")
    while player.playhead_ms < leaves_ms and len(player.beats) < BEATS_MAX - _RESERVED:
        player.play(leaves_ms)
        what = chance.random()
        if what < _PAUSED_SHARE:
            player.rest("paused", chance.randrange(1, 7))
        elif what < _PAUSED_SHARE + _SOUGHT_SHARE:
            player.seek(min(leaves_ms, max(0, player.playhead_ms + chance.choice((-30, -10, 30, 60)) * SECOND_MS)))
        elif what < _PAUSED_SHARE + _SOUGHT_SHARE + _BUFFERED_SHARE:
            player.rest("buffering", 1)
    player.tell("ended")
    return tuple(player.beats)


def _videos(chance: random.Random) -> tuple[Video, ...]:
    """Return all videos in the order of their fame."""
    videos = [
        Video(_slug(title), title, section, chance.randrange(10, 20) * MINUTE_MS // 2) for title, section in _FILMS
    ]
    for title, section in _SERIES:
        series = _slug(title)
        videos += [
            Video(
                f"{series}-{number}",
                f"{title}, {number}: {chance.choice(_PARTS)}",
                section,
                chance.randrange(6, 17) * MINUTE_MS // 2,
                series,
            )
            for number in range(1, EPISODES + 1)
        ]
    chance.shuffle(videos)
    return tuple(videos)


def _slug(title: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))


_DEVICES: Final = ("Living room", "Phone", "Tablet", "Laptop", "Kitchen radio")
_SERIES: Final = (
    ("The Harbour", "drama"),
    ("Night Ferry", "drama"),
    ("Old Quarry", "crime"),
    ("The Tarn Valley", "nature"),
    ("Bread and Salt", "food"),
    ("Second Half", "sports"),
)
_FILMS: Final = (
    ("The Last Bus to Windle", "drama"),
    ("A Stubborn Elk", "nature"),
    ("The Lost Violin", "crime"),
    ("First Snow", "children"),
)
_PARTS: Final = (
    *("Low Water", "The Letter", "A Guest", "What Was Said", "North Wind", "The Key", "Two Chairs", "Home"),
    *("A Long Evening", "The Return", "Fog", "Nobody Asked"),
)
