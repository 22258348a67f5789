"""What an operator puts right: a range counted again, and hits that were set aside sent once more."""

import json
import re
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.settings import Settings
from footfall.app.wiring import STORE_FILE, open_store
from footfall.flow.store import keys
from footfall.flow.store.summaries import Summaries
from footfall.values.clock import SystemClock
from footfall.values.window import HOUR_MS, MINUTE_MS, Grain, Window, instant_text, window_of
from tests.scenarios.instance import Instance, Starter, footfall, hit, raw_exchange, until

BRAND = "again"
# Nobody judges: so many hits of one visitor are a program's, and are called so where a test lasts beyond its minute.
CALM = ("--set", "screening_judging=false")
QUICK = (*CALM, "--set", "count_flush_ms=100", "--set", "serve_refresh_ms=50")
SINGLES = 2_500  # More than one step of a re-count reads, so that there is progress to show.


def now_ms() -> int:
    return int(time.time() * 1_000)


def recounted(data: Path, from_ms: int, to_ms: int) -> tuple[dict[str, int], str]:
    """Run the command; return its figures and what it said on the way."""
    times = ("--from", instant_text(from_ms), "--to", instant_text(to_ms))
    ended = footfall("recount", "--data", str(data), "--brand", BRAND, *times)
    assert ended.returncode == 0, ended.stderr
    figures = re.findall(r"(windows|changed|hits) ([\d,]+)", ended.stdout)
    return {name: int(number.replace(",", "")) for name, number in figures}, ended.stderr


def send_over_the_last_hours(instance: Instance, *, singles: int = 100) -> int:
    """Send hits of this minute and of the last three hours, some of them twice over; return how many."""
    body = json.dumps(hit(0, BRAND)).encode()
    request = b"POST /v1/hits HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    end = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    assert raw_exchange(instance.port, request * singles + end).count(b"HTTP/1.1 202 ") == singles
    sent = singles
    for ago_ms in (0, MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS, HOUR_MS):
        answer = instance.post([hit(number, BRAND, at=now_ms() - ago_ms) for number in range(20)])
        assert answer.json() == {"accepted": 20, "duplicates": 0}
        sent += 20
        instance.drained(BRAND)
    return sent


def tampered_minute(data: Path, around_ms: int) -> Window:
    """Change the counts of one minute behind the program's back."""
    clock = SystemClock()
    table = SqliteTable(data / STORE_FILE, clock=clock, durable=False)
    summaries = Summaries(table, clock)
    minutes = [window_of(around_ms + step * MINUTE_MS, Grain.MINUTE, "UTC") for step in (0, -1, 1)]
    found = [summary for one in minutes if (summary := summaries.load(BRAND, one, keys.shard_name(0))) is not None]
    summary = found[0]
    hits = summary.columns.hits.copy()
    hits[0] += np.uint64(1_000)
    changed = replace(summary.columns, hits=hits)
    summaries.save(
        BRAND, replace(summary, columns=changed), replaces=summary.through, expires_at_ms=now_ms() + 48 * HOUR_MS
    )
    table.close()
    return summary.window


def test_a_range_with_late_hits_counted_again_is_the_same(starter: Starter, data: Path) -> None:
    instance = starter.start(data, *QUICK)
    sent = send_over_the_last_hours(instance, singles=SINGLES)
    before = instance.listed(BRAND)
    figures, said = recounted(data, now_ms() - 4 * HOUR_MS, now_ms())
    assert (figures["changed"], figures["hits"]) == (0, sent)
    assert figures["windows"] >= 5
    assert re.search(r"recounting: \d+%", said)
    assert instance.listed(BRAND) == before == {str(number): 6 + SINGLES * (number == 0) for number in range(20)}
    assert instance.drained(BRAND)["counted"] == sent
    instance.terminate()
    figures, _ = recounted(data, now_ms() - 4 * HOUR_MS, now_ms())  # The same without a server.
    assert (figures["changed"], figures["hits"]) == (0, sent)


def test_a_summary_that_was_changed_is_put_right(starter: Starter, data: Path) -> None:
    instance = starter.start(data, *QUICK)
    sent = send_over_the_last_hours(instance)
    good = instance.listed(BRAND)
    instance.terminate()
    require_put_right(data, tampered_minute(data, now_ms()))
    window = tampered_minute(data, now_ms())
    again = starter.start(data, *CALM)
    wrong = until(lambda: again.popular(BRAND), lambda it: it != {}, seconds=10)
    assert sum(wrong.values()) == sent + 1_000
    require_put_right(data, window)
    assert until(lambda: again.popular(BRAND), lambda it: it == good, seconds=10) == good
    again.terminate()


def require_put_right(data: Path, window: Window) -> None:
    assert recounted(data, window.from_ms, window.to_ms)[0]["changed"] == 1
    assert recounted(data, window.from_ms, window.to_ms)[0]["changed"] == 0


def test_a_store_that_is_lost_is_counted_anew_from_raw_hits(starter: Starter, data: Path) -> None:
    instance = starter.start(data, *QUICK)
    sent = send_over_the_last_hours(instance)
    good = instance.listed(BRAND)
    instance.terminate()
    for path in data.glob("store.db*"):
        path.unlink()
    again = starter.start(data, *CALM)
    assert again.drained(BRAND)["counted"] == sent
    assert again.listed(BRAND) == good
    again.terminate()


def test_a_range_that_cannot_be_counted_again_is_refused(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    assert instance.post(hit(1, BRAND)).status == 202
    for times, words in (
        (("2026-01-02T00:00Z", "2026-01-01T00:00Z"), "is not before"),
        (("2090-01-01T00:00Z", "2090-01-02T00:00Z"), "future"),
        (("yesterday", "today"), "yesterday"),
    ):
        ended = footfall("recount", "--data", str(data), "--brand", BRAND, "--from", times[0], "--to", times[1])
        assert ended.returncode != 0
        assert words in ended.stderr, ended.stderr
        assert "Traceback" not in ended.stderr
    instance.terminate()


def aside(data: Path, kind: str) -> list[dict[str, object]]:
    listed = footfall("dead-letters", "list", "--data", str(data), "--brand", BRAND, "--kind", kind, "--json")
    assert listed.returncode == 0, listed.stderr
    return json.loads(listed.stdout)["items"]


def are_built(data: Path, *moments: int) -> bool:
    """Tell whether the hours and days of old hits are there: they are made some seconds after the last of those."""
    with closing(open_store(Settings(data_dir=str(data)), SystemClock(), read_only=True)) as table:
        summaries = Summaries(table, SystemClock())
        windows = [window_of(at_ms, grain, "UTC") for at_ms in moments for grain in (Grain.HOUR, Grain.DAY)]
        return all(summaries.heads(BRAND, one) for one in windows)


def test_late_hits_are_listed_shown_and_replayed_once(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    at_ms = now_ms() - 30 * HOUR_MS
    assert instance.post([hit("old", BRAND, at=at_ms)] * 3 + [hit("new", BRAND)]).status == 202
    assert instance.post([hit("older", BRAND, at=at_ms - HOUR_MS)]).status == 202
    assert instance.drained(BRAND)["late"] == 4
    places = aside(data, "late")
    assert [place["hits"] for place in places] == [3, 1]
    at = ("--data", str(data), "--brand", BRAND, "--kind", "late")
    shown = json.loads(footfall("dead-letters", "show", str(places[0]["position"]), *at).stdout)
    assert [(one["assetId"], one["at"]) for one in shown["hits"]] == [("old", instant_text(at_ms))] * 3
    one = footfall("dead-letters", "replay", str(places[1]["position"]), *at)
    assert one.returncode == 0, one.stderr
    until(lambda: instance.drained(BRAND), lambda book: book["late"] == 3, seconds=10)
    assert footfall("dead-letters", "replay", "--all", *at).returncode == 0
    book = until(lambda: instance.drained(BRAND), lambda book: book["late"] == 0, seconds=10)
    assert (book["accepted"], book["counted"]) == (5, 5)
    assert aside(data, "late") == []
    again = footfall("dead-letters", "replay", str(places[0]["position"]), *at)
    assert (again.returncode, "Traceback" in again.stderr) == (4, False) or again.returncode == 1
    assert instance.drained(BRAND)["counted"] == 5
    until(lambda: are_built(data, at_ms - HOUR_MS, at_ms), bool, seconds=10)
    figures, _ = recounted(data, at_ms - 2 * HOUR_MS, at_ms + HOUR_MS)
    assert (figures["changed"], figures["hits"]) == (0, 4)
    instance.terminate()


def test_hits_set_aside_can_be_replayed_while_no_server_runs(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    ahead, late = hit("ahead", BRAND, at=now_ms() + 10 * MINUTE_MS), hit("late", BRAND, at=now_ms() - 30 * HOUR_MS)
    assert instance.post([ahead, late]).status == 202
    assert instance.drained(BRAND)["future"] == 1
    instance.terminate()
    at = ("--data", str(data), "--brand", BRAND, "--kind")
    assert footfall("dead-letters", "replay", "--all", *at, "late").returncode == 0
    assert aside(data, "late") == []
    assert "whose time has not come yet" in footfall("dead-letters", "replay", "--all", *at, "future").stdout
    assert len(aside(data, "future")) == 1  # Its time has not come yet.
    instance = starter.start(data)
    book = instance.drained(BRAND)
    assert (book["counted"], book["late"], book["future"]) == (1, 0, 1)
    instance.terminate()
