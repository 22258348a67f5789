"""Playbacks and completed viewings as a brand has them: pings in, metrics out, as a plain recount of the pings says."""

import json
import os
import random
import signal
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.scenarios.instance import COUNTING, Instance, Starter, footfall, until

LENGTH_S = 200
Ping = dict[str, Any]


class Player:
    """One session of a player that tells where it is every ten seconds."""

    def __init__(self, session: str, section: str, *, at_ms: int) -> None:
        self.session = session
        self.section = section
        self.at_ms = at_ms
        self.sent: list[Ping] = []

    def play(self, first_s: int, to_s: int, *, asset: str = "film", length_s: int | None = LENGTH_S) -> "Player":
        """Play from one place of an asset to another."""
        for playhead_s in range(first_s, to_s + 1, 10):
            self._tell("playing", playhead_s, asset, length_s)
        return self

    def end(self, asset: str = "film") -> "Player":
        self._tell("ended", 0, asset, None)
        return self

    def _tell(self, state: str, playhead_s: int, asset: str, length_s: int | None) -> None:
        told = {"brand": "abc", "session": self.session, "sequence": len(self.sent), "assetId": asset, "state": state}
        at_ms = self.at_ms + 10_000 * len(self.sent)
        more = {} if length_s is None else {"duration": length_s}
        self.sent.append({**told, "sectionId": self.section, "playhead": playhead_s, "at": at_ms, **more})


def recounted(players: list[Player]) -> tuple[Counter[str], Counter[str]]:
    """Return playbacks and completed viewings by section, from what each player told one after the other."""
    played, completed = Counter[str](), Counter[str]()
    for player in players:
        seen: dict[str, set[int]] = {}
        for before, ping in zip(player.sent, player.sent[1:], strict=False):
            way_s = ping["playhead"] - before["playhead"]
            same = before["assetId"] == ping["assetId"]
            if not (before["state"] == ping["state"] == "playing") or not same or way_s <= 0:
                continue
            hundredths = seen.setdefault(ping["assetId"], set())
            if "duration" in ping:  # What is credited of a jump lies right before where it ends.
                first_s = max(before["playhead"], ping["playhead"] - 10)
                hundredths.update(
                    100 * tenth // (10 * LENGTH_S) for tenth in range(10 * first_s, 10 * ping["playhead"])
                )
        played[player.section] += len(seen)
        completed[player.section] += sum(len(hundredths) >= 90 for hundredths in seen.values())
    return +played, +completed


class Place:
    """A running instance with one brand and a key for everything."""

    def __init__(self, instance: Instance, key: str) -> None:
        self.instance = instance
        self._key = {"Authorization": f"Bearer {key}"}

    def call(self, method: str, path: str, document: object = None) -> Any:
        body = None if document is None else json.dumps(document).encode()
        answer = self.instance.call(method, path, body, self._key)
        assert answer.status in (200, 201, 202), answer.body
        return answer.json()

    def send(self, pings: list[Ping], *, chance: random.Random) -> None:
        """Send pings in no order, some of them twice, and wait until they are counted.

        An end comes last: one that came before others would be seen when its session has been silent for ten minutes.
        """
        mixed = [*pings, *chance.sample(pings, 10)]
        mixed.sort(key=lambda ping: ping["sequence"] + (3 if ping["state"] == "ended" else chance.uniform(0, 3)))
        for start in range(0, len(mixed), 40):
            self.call("POST", "/v1/pings", mixed[start : start + 40])
        until(lambda: self.call("GET", "/v1/ledger?brand=abc"), lambda it: not it["pings"]["inFlight"], seconds=20)

    def numbers(self, metric: str) -> Counter[str]:
        """Return a metric's numbers of these days by section."""
        day = datetime.now(UTC).date()
        span = f"from={day - timedelta(2)}&to={day + timedelta(2)}&by=section"
        items = self.call("GET", f"/v1/metrics/{metric}/data?brand=abc&{span}")["items"]
        found = Counter[str]()
        for one in items:
            found[one["dimensions"]["section"]] += int(one["value"] or 0)
        return +found


def test_playbacks_and_completed_viewings_are_metrics_that_equal_a_plain_recount(starter: Starter, data: Path) -> None:
    assert footfall("brands", "add", "abc", "--data", str(data)).returncode == 0
    made = footfall("keys", "add", "--brand", "abc", "--scope", "admin", "--data", str(data), "--json")
    place = Place(starter.start(data), str(json.loads(made.stdout)["key"]))
    at_ms = int(time.time() * 1_000) - 3_600_000
    whole, half, seeks, resumes, unknown, parts = players = [
        Player(name, section, at_ms=at_ms)
        for name, section in (
            ("whole", "drama"), ("half", "drama"), ("seeks", "news"), ("resumes", "sport"), ("unknown", "news"),
            ("parts", "drama"),
        )
    ]  # fmt: skip
    whole.play(0, LENGTH_S).end()
    half.play(0, LENGTH_S // 2).end()
    seeks.play(0, 20).play(LENGTH_S - 10, LENGTH_S).end()
    resumes.play(0, 100).end()
    unknown.play(0, LENGTH_S, length_s=None).play(0, 30, asset="advert", length_s=None).play(200, 300, length_s=None)
    unknown.end()
    parts.play(0, 90).play(0, 50, asset="advert", length_s=LENGTH_S).play(90, LENGTH_S).end()
    for counts in ("playbacks", "completions"):
        document = {"name": counts, "valueType": "SCALAR", "source": {"counts": counts}}
        place.call("POST", "/v1/metrics?brand=abc", {**document, "relatedDimensions": ["section"]})
    chance = random.Random(8)
    place.send([ping for player in players for ping in player.sent], chance=chance)
    if (victim := place.instance.child(COUNTING)) is not None:
        os.kill(victim, signal.SIGKILL)
    begun = len(resumes.sent)
    resumes.play(100, LENGTH_S).end()
    place.send(resumes.sent[begun - 5 :], chance=chance)
    expected = recounted(players)
    assert expected == (Counter({"drama": 4, "news": 3, "sport": 1}), Counter({"drama": 2, "sport": 1}))
    for metric, numbers in zip(("playbacks", "completions"), expected, strict=True):
        until(lambda metric=metric: place.numbers(metric), lambda it, numbers=numbers: it == numbers, seconds=20)
    day = datetime.now(UTC).date()
    span = ["--from", str(day - timedelta(2)), "--to", str(day + timedelta(2)), "--brand", "abc", "--data", str(data)]
    told = footfall("metrics", "get-data", "playbacks", *span, "--json")
    assert sum(one["value"] or 0 for one in json.loads(told.stdout)["items"]) == expected[0].total(), told.stderr
    curve = place.call("GET", f"/v1/audience/completion?brand=abc&asset=film&from={day - timedelta(2)}")
    assert curve["playbacks"] == expected[0].total() - 3  # One has no length, and neither has an advertisement.
