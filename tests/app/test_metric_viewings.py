"""Playbacks, completed viewings and follows as metrics: sums by their labels, known from the first day of counting."""

from collections import Counter
from typing import Any

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.metric_counts import PLACES
from footfall.flow.count.watch_values import Beat
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import NEVER_MS, first_counted_ms, load_checkpoint
from footfall.flow.stream.beats import PlayState
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.metrics.data import MetricData
from footfall.metrics.definition import COUNTED_DIMENSIONS, Counted
from footfall.ports.stream import Entry
from footfall.ports.table import Page, Put
from footfall.shells.http.described.metric_schemas import COUNTED
from footfall.values.groups import follows_name, pings_group, unfollows_name
from footfall.values.window import DAY_MS
from tests.app.metric_stage import NEWS, SPORT, asking, counted, told, values
from tests.app.stage import NOON_MS, Instance
from tests.flow.count.playing import Named, record_of

DAYS = {"first": "2026-11-15", "to": "2026-11-18"}
SHARE = {"name": "share", "valueType": "HYBRID", "hybridFormula": "completions / playbacks"}
NET = {"name": "net", "valueType": "HYBRID", "hybridFormula": "follows - unfollows"}


def metric(counts: str, *dimensions: str, **source: Any) -> dict[str, Any]:
    """Return the definition of a metric that has the name of what it counts."""
    return {
        "name": counts,
        "valueType": "SCALAR",
        "source": {"counts": counts, **source},
        "relatedDimensions": list(dimensions),
    }


def viewing(session: str, label: tuple[str, str, str], *, at_ms: int, beats: int) -> list[Named]:
    """Return the beats of a session that watches some of an asset of 100 seconds, and its end."""
    ones = [
        (session, Beat(number, at_ms=at_ms + 10_000 * number, playhead_ms=10_000 * number, duration_ms=100_000,
                       state=int(PlayState.PLAYING), facts=(("film", *label), "", "", "")))
        for number in range(beats)
    ]  # fmt: skip
    last = Beat(beats, at_ms + 10_000 * beats, 0, int(PlayState.ENDED), (("film", *label), "", "", ""))
    return [*ones, (session, last)]


def watch(instance: Instance, *beats: Named) -> None:
    """Count beats of players."""
    now_ms = instance.clock.now_ms()
    instance.stream.append([Entry(0, pings_group("abc"), len(beats), record_of(beats, now_ms), now_ms)])
    instance.count()


def by(answer: dict[str, Any], *names: str) -> dict[tuple[str, ...], float]:
    return {tuple(one["dimensions"][name] for name in names): one["value"] for one in answer["items"]}


def test_playbacks_and_completed_viewings_are_sums_by_their_labels() -> None:
    instance = counted()
    at_ms = instance.clock.now_ms() - 600_000
    sessions = [("one", NEWS, 11), ("two", SPORT, 11), ("three", SPORT, 6), ("four", SPORT, 3)]
    watch(instance, *(one for name, label, n in sessions for one in viewing(name, label, at_ms=at_ms, beats=n)))
    labels = ("section", "resourceType", "paidType")
    data = asking(instance, metric("playbacks", *labels), metric("completions", *labels), SHARE)
    day = {"first": "2026-11-16", "to": "2026-11-17"}
    assert (values(told(data, "playbacks", **day)), values(told(data, "completions", **day))) == ([4.0], [2.0])
    assert by(told(data, "playbacks", by=["section"], **day), "section") == {("news",): 1.0, ("sport",): 3.0}
    found = by(told(data, "completions", by=["section", "paidType"], **day), "paidType", "section")
    assert found == {("free", "news"): 1.0, ("paid", "sport"): 1.0}
    assert values(told(data, "share", where={"section": ["sport"]}, **day)) == [pytest.approx(1 / 3)]
    answer = told(data, "share", **day)
    assert (answer["unit"], answer["exact"]) == ("completions/playbacks", True)
    hours = told(data, "playbacks", grain="hour", **day)
    assert Counter(value for value in values(hours) if value) == Counter([4.0])


def test_a_day_of_playbacks_on_which_none_was_completed_has_no_completed_ones_and_is_known() -> None:
    instance = counted()
    watch(instance, *viewing("half", NEWS, at_ms=instance.clock.now_ms() - 60_000, beats=6))
    data = asking(instance, metric("playbacks"), metric("completions"), SHARE)
    assert values(told(data, "completions", **DAYS)) == [None, 0.0, None]
    assert values(told(data, "share", **DAYS)) == [None, 0.0, None]


def follow(instance: Instance, name: str, day: int, counts: dict[tuple[str, str, str], int]) -> None:
    """Count follows of a day: what is in the place of the asset, the kind of what is followed, and of who follows."""
    now_ms, hits = instance.clock.now_ms(), [(*key, "") for key, n in counts.items() for _ in range(n)]
    at_ms = [NOON_MS + day * DAY_MS] * len(hits)
    pack = Pack(version=VERSION, rules=RULES, arrived_at_ms=now_ms, keys=hits, at_ms=at_ms, trusted=True)
    instance.stream.append([Entry(0, name, len(hits), record_from_pack(pack), now_ms)])
    instance.count()


def test_follows_and_unfollows_are_sums_by_the_kinds_of_both_and_their_difference_is_the_net() -> None:
    instance = counted()
    ann, dark, wire = ("author", "author", "member"), ("series", "series", "member"), ("series", "series", "studio")
    follow(instance, follows_name("abc"), 0, {ann: 3, dark: 5, wire: 2})
    follow(instance, follows_name("abc"), 1, {dark: 1})
    follow(instance, unfollows_name("abc"), 1, {dark: 4, ann: 1})
    kinds = ("kind", "followerKind")
    of_series = {**metric("follows", where={"kind": ["series"]}), "name": "of_series"}
    data = asking(instance, metric("follows", *kinds), metric("unfollows", *kinds), NET, of_series)
    assert values(told(data, "follows", **DAYS)) == [10.0, 1.0, None]
    assert values(told(data, "unfollows", **DAYS)) == [0.0, 5.0, None]  # They are counted since the first follow.
    assert values(told(data, "net", **DAYS)) == [10.0, -4.0, None]
    assert values(told(data, "of_series", **DAYS)) == [7.0, 1.0, None]
    span = {**DAYS, "grain": "month"}
    assert by(told(data, "follows", by=["kind"], **span), "kind") == {("author",): 3.0, ("series",): 8.0}
    found = by(told(data, "follows", by=["kind", "followerKind"], **span), *kinds)
    assert found == {("author", "member"): 3.0, ("series", "member"): 6.0, ("series", "studio"): 2.0}
    assert values(told(data, "follows", where={"followerKind": ["studio"]}, **span)) == [2.0]
    assert told(data, "net", **span)["unit"] == "follows"


def reads_of(instance: Instance, data: MetricData, name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, list[Any]]:
    """Return how often the store is read for a question, and what is told."""
    asked: list[str] = []
    whole = SqliteTable.query

    def query(self: SqliteTable, partition: str, **how: Any) -> Page:
        asked.extend([partition] if self is instance.table else [])
        return whole(self, partition, **how)

    with monkeypatch.context() as patched:
        patched.setattr(SqliteTable, "query", query)
        found = values(told(data, name, **DAYS))
    return len(asked), found


def test_the_first_day_of_a_count_is_found_with_few_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = counted()
    never = asking(instance, metric("follows"))
    reads, found = reads_of(instance, never, "follows", monkeypatch)
    assert found == [None, None, None]
    assert reads <= 10
    follow(instance, follows_name("abc"), 1, {("series", "series", "member"): 2})
    reads, found = reads_of(instance, asking(instance, metric("follows")), "follows", monkeypatch)
    assert found == [None, 2.0, None]
    assert reads <= 150  # minutes of a day that is not built among them, and not one of the 762 days that are kept


def test_a_store_that_took_no_note_of_first_days_is_looked_through_and_new_names_are_noted() -> None:
    instance = counted()
    watch(instance, *viewing("half", NEWS, at_ms=instance.clock.now_ms() - 60_000, beats=6))
    key = keys.checkpoint(0)
    item = dict(instance.table.get(key) or {})
    del item["firsts"]
    instance.table.put(Put(key, item))
    stored = load_checkpoint(instance.table, 0)
    assert stored is not None
    assert [first_counted_ms([stored], one) for one in ("abc", "abc~plays", "abc~follows")] == [None, None, NEVER_MS]
    data = asking(instance, metric("playbacks"), metric("follows"))
    assert values(told(data, "playbacks", **DAYS)) == [None, 1.0, None]
    assert values(told(data, "follows", **DAYS)) == [None, None, None]


def test_whatever_is_counted_is_described_and_has_places_for_its_dimensions() -> None:
    assert [one.value for one in Counted] == COUNTED
    assert {one for some in COUNTED_DIMENSIONS.values() for one in some} == set(PLACES)
