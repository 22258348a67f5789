"""Players' pings as a publisher has them: sent, credited, listed by minutes, killed in between, and nothing lost."""

import json
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

from tests.scenarios.instance import COUNTING, Instance, Starter, footfall, until


def ping(session: str, sequence: int, *, asset: str = "episode-7", at_ms: int, **more: object) -> dict[str, Any]:
    return {
        "brand": "abc",
        "session": session,
        "sequence": sequence,
        "assetId": asset,
        "playhead": sequence * 10,
        "state": "playing",
        "at": at_ms + sequence * 10_000,
        "duration": 100,
        "sectionId": "drama",
        "series": "the-harbour",
        **more,
    }


def send(instance: Instance, pings: object, **headers: str) -> tuple[int, dict[str, Any]]:
    named = {word.replace("_", "-"): value for word, value in headers.items()}
    answer = instance.call("POST", "/v1/pings", json.dumps(pings).encode(), named)
    return answer.status, answer.json()


def drained(instance: Instance) -> dict[str, int]:
    """Wait until every ping that was accepted is in a line of the ledger, and return the lines."""

    def look() -> dict[str, int]:
        return instance.get("/v1/ledger?brand=abc").json().get("pings", {"inFlight": 1})

    return until(look, lambda lines: not lines["inFlight"], seconds=15)


def watched(instance: Instance, more: str = "") -> dict[str, int]:
    answer = instance.get(f"/v1/popular?brand=abc&period=day&by=minutes{more}")
    return {item["assetId"]: item["milliseconds"] for item in answer.json()["items"]} if answer.status == 200 else {}


def test_beats_become_minutes_in_lists_series_sections_and_the_log(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    now_ms = int(time.time() * 1_000)
    at_ms = now_ms - 200_000
    beats = [ping("one", n, at_ms=at_ms, member="m-1") for n in range(10)]
    beats += [ping("two", n, asset="film", at_ms=at_ms, series=None) for n in range(4)]
    beats.append(ping("one", 10, at_ms=at_ms, state="ended", member="m-1"))
    random.Random(3).shuffle(beats)
    assert send(instance, beats + beats[:5], idempotency_key="k1") == (202, {"accepted": 20, "duplicates": 0})
    assert send(instance, beats + beats[:5], idempotency_key="k1") == (202, {"accepted": 20, "duplicates": 20})
    lines = drained(instance)
    assert (lines["accepted"], lines["counted"], lines["duplicate"]) == (40, 20, 20)
    expected = {"episode-7": 90_000, "film": 30_000}
    until(lambda: watched(instance), lambda found: found == expected, seconds=10)
    until(lambda: watched(instance, "&of=series"), lambda found: found == {"the-harbour": 90_000}, seconds=10)
    first = instance.get("/v1/popular?brand=abc&period=day&by=minutes&limit=1").json()
    assert first["brand"] == "abc"
    assert first["exact"] is True
    assert first["items"][0]["minutes"] == 1.5
    series = instance.get("/v1/assets/episode-7/series?brand=abc&grain=day&last=2&by=minutes").json()
    assert series["milliseconds"] == 90_000
    sections = instance.get("/v1/top/sections?brand=abc&period=day&by=minutes").json()
    assert [(one["sectionId"], one["milliseconds"]) for one in sections["items"]] == [("drama", 120_000)]
    viewers = instance.get("/v1/audience/viewers?brand=abc").json()
    assert viewers["viewers"] == 1  # The other one has ended.
    assert viewers["assets"] == [{"assetId": "film", "viewers": 1}]
    day = time.strftime("%Y-%m-%d", time.gmtime(at_ms / 1_000))
    assert instance.get(f"/v1/audience/watched?brand=abc&day={day}").status == 401  # It names members.
    told = footfall("audience", "watched", "--data", str(data), "--brand", "abc", "--day", day, "--json")
    log = json.loads(told.stdout)["items"]
    assert [(row["session"], row["member"], row["seen"]) for row in log] == [("one", "m-1", 90)]
    curve = instance.get(f"/v1/audience/completion?brand=abc&asset=episode-7&from={day}").json()
    assert curve["seen"] == [1] * 90 + [0] * 10
    assert curve["milliseconds"] == 90_000
    assert instance.popular("abc") == {}  # Pings are no hits.


def test_what_was_acknowledged_is_credited_once_whatever_is_killed(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    chance = random.Random(5)
    at_ms = int(time.time() * 1_000) - 400_000
    for sequence in range(24):
        beats = [ping(f"s{n}", sequence, asset=f"a{n % 3}", at_ms=at_ms) for n in range(12)]
        chance.shuffle(beats)
        assert send(instance, beats)[0] == 202
        if sequence % 8 == 4 and (victim := instance.child(COUNTING)) is not None:
            os.kill(victim, signal.SIGKILL)
    drained(instance)
    expected = {f"a{n}": 4 * 230_000 for n in range(3)}
    until(lambda: watched(instance), lambda found: found == expected, seconds=20)


def test_bad_pings_get_a_clear_answer_and_good_ones_beside_them_are_taken(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    now_ms = int(time.time() * 1_000)
    good = ping("é—名前", 0, at_ms=now_ms, asset="фильм")
    bad: list[tuple[dict[str, Any], str]] = [
        ({**good, "duration": -5}, "duration"),
        ({**good, "playhead": -1}, "playhead"),
        ({**good, "state": "dancing"}, "state"),
        ({**good, "sequence": 1.5}, "sequence"),
        ({**good, "session": ""}, "session"),
        ({**good, "interval": 0}, "interval"),
        ({**good, "rate": 99}, "rate"),
        ({**good, "assetId": "x" * 300}, "assetId"),
        ({**good, "at": "yesterday"}, "at"),
        ({name: value for name, value in good.items() if name != "state"}, "state"),
    ]
    status, told = send(instance, [good, *(one for one, _ in bad)])
    assert (status, told["accepted"], told["refusedCount"]) == (202, 1, len(bad))
    assert [one["field"] for one in told["refused"]] == [field for _, field in bad]
    assert send(instance, bad[0][0])[0] == 400
    old = ping("old", 0, at_ms=now_ms - 10 * 365 * 86_400_000)
    ahead = ping("ahead", 0, at_ms=now_ms + 86_400_000)
    assert send(instance, [old, ahead]) == (202, {"accepted": 2, "duplicates": 0, "late": 1, "future": 1})
    lines = drained(instance)
    assert (lines["counted"], lines["late"], lines["future"], lines["accepted"]) == (1, 1, 1, 3)
    whole = instance.call("POST", "/v1/pings", b"[" + b"x" * 1_100_000, {})
    assert whole.status == 413
    assert instance.call("POST", "/v1/pings", b"[" * 200_000, {}).status == 400
    assert instance.call("GET", "/v1/pings").status == 405
