"""Numbers as they are asked for: by period and dimension, with versions, coverage, freshness and seams."""

import json
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from footfall.metrics.data import MetricData, query_from
from footfall.metrics.errors import NoSuchMetric
from footfall.metrics.resolving import Asked, dimensions_of, resolved
from footfall.values.errors import Refused
from tests.metrics.stage import BRAND, NOON_MS, Stage, hybrid, scalar

OCTOBER: dict[str, Any] = {"first": "2026-10-01", "to": "2026-11-01"}


def points(values: dict[str, float], **dimensions: str) -> list[dict[str, Any]]:
    return [{"at": day, "dimensions": dimensions, "value": value} for day, value in values.items()]


def daily(first: str, *values: float) -> dict[str, float]:
    start = date.fromisoformat(first)
    return {(start + timedelta(number)).isoformat(): value for number, value in enumerate(values)}


def test_an_answer_says_what_it_is_made_of() -> None:
    stage = Stage()
    stage.define(scalar("reads", "section", unit="reads"), scalar("people", "section", unit="users"))
    stage.define(scalar("people", "section", unit="users", title="People"), hybrid("each", "reads / people"))
    stage.push("reads", points(daily("2026-10-01", 6, 8), section="news"))
    stage.clock.advance(60_000)
    stage.push("people", points(daily("2026-10-01", 3), section="news"))
    told = stage.ask("each", first="2026-10-01", to="2026-10-03", by=["section"], where={"section": ["news"]})
    hashes = {name: stage.catalogue.newest(BRAND, name).definition.hash for name in ("each", "people", "reads")}
    assert told == {
        "metric": "each",
        "unit": "reads/users",
        "versions": {
            "each": {"version": 1, "hash": hashes["each"]},
            "people": {"version": 2, "hash": hashes["people"]},
            "reads": {"version": 1, "hash": hashes["reads"]},
        },
        "from": "2026-10-01",
        "to": "2026-10-03",
        "grain": "day",
        "by": ["section"],
        "where": {"section": ["news"]},
        "unmatched": {},
        "coverage": {
            "days": 2,
            "withData": 1,
            "metrics": {
                "people": {"days": 2, "withData": 1, "last": "2026-10-01"},
                "reads": {"days": 2, "withData": 2, "last": "2026-10-02"},
            },
        },
        "freshness": "2026-11-15T12:00Z",
        "exact": True,
        "seams": [],
        "items": [
            {"period": "2026-10-01", "dimensions": {"section": "news"}, "value": 2.0},
            {"period": "2026-10-02", "dimensions": {"section": "news"}, "value": None},
        ],
    }


def test_a_ratio_is_one_of_sums_and_not_a_sum_of_ratios() -> None:
    stage = Stage()
    stage.define(scalar("a"), scalar("b"), hybrid("r", "a / b"))
    stage.push("a", points(daily("2026-10-01", 10, 1)))
    stage.push("b", points(daily("2026-10-01", 1, 10)))
    assert stage.values("r", **OCTOBER, grain="month") == [1.0]


def test_the_last_day_of_a_period_is_the_last_that_has_data() -> None:
    stage = Stage()
    stage.define(scalar("stock", "shop", aggregationStyle="LAST_DAY_OF_PERIOD"))
    stage.push("stock", points(daily("2026-10-28", 5, 6), shop="one") + points(daily("2026-10-28", 100), shop="two"))
    # On the 29th, the last day with data, the second shop said nothing.
    assert stage.values("stock", **OCTOBER, grain="month") == [6.0]
    assert stage.values("stock", **OCTOBER, grain="month", by=["shop"]) == [6.0, None]
    assert stage.values("stock", first="2026-10-01", to="2026-10-29", grain="year") == [105.0]
    # What is asked for does not change which day is the last.
    assert stage.values("stock", **OCTOBER, grain="month", where={"shop": ["two"]}) == [None]


def test_missing_values_and_division_by_zero_are_missing_until_coalesce_turns_them() -> None:
    stage = Stage()
    stage.define(
        scalar("a"), scalar("b"), hybrid("sum", "a + b"), hybrid("quotient", "a / b"),
        hybrid("turned", "coalesce(a, 0) + coalesce(b, 0)"), hybrid("least", "min(a, b)"),
        hybrid("shared", "ratio(a, b, -1)"), hybrid("huge", "a * 1e300 * 1e300"),
    )  # fmt: skip
    stage.push("a", points(daily("2026-10-01", 1, 2)))
    stage.push("b", points({"2026-10-01": 0, "2026-10-03": 3}))
    span: dict[str, Any] = {"first": "2026-10-01", "to": "2026-10-05"}
    assert stage.values("sum", **span) == [1.0, None, None, None]
    assert stage.values("quotient", **span) == [None] * 4
    assert stage.values("turned", **span) == [1.0, 2.0, 3.0, 0.0]
    assert stage.values("least", **span) == [0.0, 2.0, 3.0, None]
    assert stage.values("shared", **span) == [-1.0] * 4
    assert stage.values("huge", **span) == [None] * 4


def test_a_shift_over_months_counts_every_day_once() -> None:
    stage = Stage()
    stage.define(scalar("a"), hybrid("before", "shift(a, 1 month)"))
    stage.push("a", points(daily("2026-02-20", *[1.0] * 60)))
    days = stage.values("before", first="2026-03-20", to="2026-05-01")
    assert sum(one or 0 for one in days) == 40  # from the 20th of February to the end of March
    assert stage.values("before", first="2026-03-01", to="2026-06-01", grain="month") == [9.0, 31.0, 20.0]


def test_days_before_a_cutoff_are_the_others_each_once_and_seams_are_named() -> None:
    stage = Stage()
    stage.define(
        scalar("oldest"),
        scalar("old", chainedMetric="oldest", chainCutoffDate="2026-10-05"),
        scalar("new", chainedMetric="old", chainCutoffDate="2026-10-10"),
        hybrid("double", "new * 2"),
    )
    for name, value in (("oldest", 1), ("old", 100), ("new", 10_000)):
        stage.push(name, points(daily("2026-10-01", *[value] * 31)))
    days = stage.values("new", **OCTOBER)
    assert days == [1.0] * 4 + [100.0] * 5 + [10_000.0] * 22
    month = stage.ask("new", **OCTOBER, grain="month")
    assert [one["value"] for one in month["items"]] == [sum(one or 0 for one in days)]
    assert month["coverage"]["withData"] == 31
    seams = [
        {"metric": "new", "chainedMetric": "old", "cutoffDate": "2026-10-10"},
        {"metric": "old", "chainedMetric": "oldest", "cutoffDate": "2026-10-05"},
    ]
    assert sorted(month["seams"], key=str) == sorted(seams, key=str)
    assert stage.ask("new", first="2026-10-10", to="2026-10-12")["seams"] == []
    assert [one["metric"] for one in stage.ask("new", first="2026-10-07", to="2026-10-12")["seams"]] == ["new"]
    assert stage.values("double", **OCTOBER, grain="month") == [2 * sum(one or 0 for one in days)]


def test_a_cutoff_later_than_that_of_the_metric_after_it_takes_its_days_over() -> None:
    stage = Stage()
    stage.define(
        scalar("oldest"),
        scalar("old", chainedMetric="oldest", chainCutoffDate="2026-10-20"),
        scalar("new", chainedMetric="old", chainCutoffDate="2026-10-10"),
    )
    for name, value in (("oldest", 1), ("old", 100), ("new", 10_000)):
        stage.push(name, points(daily("2026-10-01", *[value] * 31)))
    assert stage.values("new", **OCTOBER) == [1.0] * 9 + [10_000.0] * 22


def test_percentiles_and_averages_across_a_seam_are_of_all_rows_together() -> None:
    stage = Stage()
    percentile = {"valueType": "PERCENTILE", "aggregationStyle": "PERCENTILE", "aggregationParam": 50}
    chain = {"chainCutoffDate": "2026-10-02"}
    stage.define(
        {"name": "p1", **percentile}, {"name": "p2", **percentile, **chain, "chainedMetric": "p1"},
        {"name": "w1", "valueType": "WEIGHTED_AVERAGE"},
        {"name": "w2", "valueType": "WEIGHTED_AVERAGE", **chain, "chainedMetric": "w1"},
    )  # fmt: skip
    stage.push("p1", [{"at": "2026-10-01", "values": [1, 2, 3]}, {"at": "2026-10-02", "values": [99] * 50}])
    stage.push("p2", [{"at": "2026-10-02", "values": [7, 8]}])
    assert stage.values("p2", **OCTOBER, grain="month") == [3.0]
    stage.push("w1", [{"at": "2026-10-01", "value": 1, "weight": 3}])
    stage.push("w2", [{"at": "2026-10-02", "value": 5, "weight": 1}])
    assert stage.values("w2", **OCTOBER, grain="month") == [2.0]


def test_a_share_has_no_value_in_a_period_across_its_own_cutoff() -> None:
    stage = Stage()
    stage.define(
        scalar("a"), scalar("b"), scalar("c"), hybrid("old share", "a / b"), hybrid("old sum", "a + b"),
        hybrid("share", "a / c", chainedMetric="old share", chainCutoffDate="2026-10-03"),
        hybrid("sum", "a + c", chainedMetric="old sum", chainCutoffDate="2026-10-03"),
        hybrid("last", "a / c", aggregationStyle="LAST_DAY_OF_PERIOD", chainedMetric="old last",
               chainCutoffDate="2026-10-03"),
        hybrid("old last", "a / b", aggregationStyle="LAST_DAY_OF_PERIOD"),
    )  # fmt: skip
    for name, value in (("a", 6), ("b", 3), ("c", 2)):
        stage.push(name, points(daily("2026-10-01", *[value] * 4)))
    assert stage.values("share", first="2026-10-01", to="2026-10-05") == [2.0, 2.0, 3.0, 3.0]
    told = stage.ask("share", **OCTOBER, grain="month")
    assert [one["value"] for one in told["items"]] == [None]
    seam = {"metric": "share", "chainedMetric": "old share", "cutoffDate": "2026-10-03", "missing": ["2026-10-01"]}
    assert told["seams"] == [seam]
    assert stage.values("sum", **OCTOBER, grain="month") == [9.0 * 2 + 8.0 * 2]
    assert stage.values("last", **OCTOBER, grain="month") == [3.0]


def test_a_hybrid_is_grouped_by_what_all_its_operands_have() -> None:
    stage = Stage()
    stage.define(scalar("a", "section", "country"), scalar("b", "section"), hybrid("h", "a + b"), hybrid("hh", "h * 2"))
    stage.push("a", points(daily("2026-10-01", 1), section="news", country="fi"))
    stage.push("b", points(daily("2026-10-01", 5), section="sport"))
    assert stage.values("hh", **OCTOBER, grain="month", by=["section"]) == [None, None]
    for name in ("by", "where"):
        asked: dict[str, Any] = {"by": ["country"]} if name == "by" else {"where": {"country": ["fi"]}}
        said = "'country' is not a dimension of 'b', which 'hh' needs; it has section"
        with pytest.raises(Refused, match=f"{name}: {said}"):
            stage.ask("hh", **OCTOBER, **asked)
    assert dimensions_of(resolved(stage.catalogue, BRAND, Asked("hh"))) == ("section",)


def test_every_group_is_told_in_every_period() -> None:
    stage = Stage()
    stage.define(scalar("a", "section"), hybrid("z", "coalesce(a, 0)"))
    stage.push("a", points({"2026-10-01": 1}, section="x") + points({"2026-10-02": 2}, section="y"))
    asked: dict[str, Any] = {"first": "2026-10-01", "to": "2026-10-03", "by": ["section"]}
    assert stage.values("a", **asked) == [1.0, None, None, 2.0]
    assert stage.values("z", **asked) == [1.0, 0.0, 0.0, 2.0]
    assert stage.values("a", first="2026-09-01", to="2026-09-02", by=["section"]) == []
    assert stage.values("a", first="2026-09-01", to="2026-09-02") == [None]


def test_versions_are_asked_for_by_number_hash_and_moment() -> None:
    stage = Stage()
    stage.define(scalar("a"), hybrid("h", "a * 2"))
    stage.clock.advance(1_000)
    stage.define(scalar("a", "section"), hybrid("h", "a * 3"))
    stage.push("a", points(daily("2026-10-01", 1)))
    span: dict[str, Any] = {"first": "2026-10-01", "to": "2026-10-02"}
    first = stage.catalogue.version(BRAND, "h", 1).definition.hash
    assert stage.values("h", **span) == [3.0]
    assert stage.values("h", **span, version=1) == stage.values("h", **span, digest=first) == [2.0]
    told = stage.ask("h", **span, as_of_ms=NOON_MS)
    assert [one["value"] for one in told["items"]] == [2.0]
    assert {name: one["version"] for name, one in told["versions"].items()} == {"a": 1, "h": 1}
    assert stage.ask("h", **span, version=1)["versions"] == told["versions"]
    for asked in ({"version": 9}, {"digest": "0" * 32}, {"as_of_ms": NOON_MS - 1}):
        with pytest.raises(NoSuchMetric):
            stage.ask("h", **span, **asked)
    with pytest.raises(Refused, match="give one of version, hash and asOf"):
        stage.ask("h", **span, version=1, as_of_ms=NOON_MS)


def asked_of(stage: Stage, name: str, **asked: Any) -> Any:
    return stage.data.ask(BRAND, query_from(name, **asked))


def test_an_answer_is_kept_until_anything_it_is_made_of_changes() -> None:
    stage = Stage()
    stage.define(scalar("a"), scalar("b"), scalar("other"), hybrid("h", "a + b"))
    stage.push("a", points(daily("2026-10-01", 1)))
    stage.push("b", points(daily("2026-10-01", 1)))
    first = asked_of(stage, "h", **OCTOBER)
    stage.push("other", points(daily("2026-10-01", 1)))
    stage.define(scalar("another"))
    assert asked_of(stage, "h", **OCTOBER) is first
    stage.push("b", points(daily("2026-10-01", 5)))
    second = asked_of(stage, "h", **OCTOBER)
    assert second.answer.items[0].value == 6.0
    stage.define(scalar("a", title="A"))
    third = asked_of(stage, "h", **OCTOBER)
    assert third.answer.versions["a"].version == 2
    stage.zone = "America/New_York"
    assert asked_of(stage, "h", **OCTOBER) is not third


def test_an_answer_is_ready_for_another_reader_until_anything_it_is_made_of_changes() -> None:
    stage = Stage()
    stage.define(scalar("a"), hybrid("h", "a * 2"))
    looks = Stage(clock=stage.clock, table=stage.table)
    query = query_from("h", **OCTOBER)

    def is_ready() -> bool:
        return looks.data.ready(BRAND, query) is not None

    changes: list[Callable[[], object]] = [
        lambda: stage.push("a", points(daily("2026-10-01", 1))),
        lambda: stage.define(scalar("b")),
        lambda: stage.define(hybrid("h", "a * 3")),
        lambda: stage.data.forget_points(BRAND, "a"),
    ]
    assert not is_ready()
    for change in changes:
        made = stage.data.make(BRAND, query)
        looks.data.take(made)
        ready = looks.data.ready(BRAND, query)
        assert ready is made.told
        change()
        assert not is_ready()


def test_an_answer_that_was_overtaken_is_not_ready() -> None:
    stage = Stage()
    stage.define(scalar("a"))
    looks, query = Stage(clock=stage.clock, table=stage.table), query_from("a", **OCTOBER)
    old = stage.data.make(BRAND, query)
    stage.push("a", points(daily("2026-10-01", 1)))
    looks.data.take(old)
    assert looks.data.ready(BRAND, query) is None
    looks.data.take(stage.data.make(BRAND, query))
    looks.data.take(old)
    ready = looks.data.ready(BRAND, query)
    assert ready is not None
    assert ready.answer.items[0].value == 1


def test_points_that_are_pushed_again_after_they_were_removed_are_seen() -> None:
    stage = Stage()
    stage.define(scalar("a"))
    for value in (1, 2, 3):
        stage.push("a", points(daily("2026-10-01", value)))
        assert stage.values("a", **OCTOBER)[0] == value
        stage.data.forget_points(BRAND, "a")
        assert stage.values("a", **OCTOBER)[0] is None


def test_answers_are_kept_within_so_many_bytes() -> None:
    stage = Stage()
    stage.define(scalar("a"))
    data = MetricData(
        stage.catalogue, stage.points, counts=None, zone_of=lambda _: "UTC", clock=stage.clock, cache_bytes_max=60_000
    )
    for month in range(1, 13):
        data.ask(BRAND, query_from("a", first=f"2025-{month:02d}-01", to="2026-01-01"))
        assert 0 <= data.kept_bytes <= 60_000
    assert data.kept_bytes > 0
    data.forget_answers()
    assert data.kept_bytes == 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"first": "2026-10-01", "to": "2026-10-01"}, "to: must be after from"),
        ({"first": "x", "to": "2026-10-01"}, "from: 'x' is not a day"),
        ({**OCTOBER, "grain": "decade"}, "grain: 'decade' is not one of hour, day"),
        ({**OCTOBER, "grain": "hour"}, "grain: hours are kept of footfall's own counts; 'a' has points of days"),
        ({**OCTOBER, "by": ["section", "section"]}, "by: names a dimension twice"),
        ({**OCTOBER, "by": ["planet"]}, "by: 'planet' is not a dimension of 'a'; it has section"),
        ({**OCTOBER, "where": {"section": []}}, "where: section has 0 values"),
        ({"first": "1980-01-01", "to": "2026-10-01"}, "grain: gives more than 10,000 periods"),
    ],
)
def test_what_cannot_be_answered_is_refused(asked: dict[str, Any], said: str) -> None:
    stage = Stage()
    stage.define(scalar("a", "section"))
    with pytest.raises(Refused, match=said):
        stage.ask("a", **asked)


def test_an_answer_of_too_many_numbers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footfall.metrics.leaves.CELLS_MAX", 10)
    stage = Stage()
    stage.define(scalar("a", "section"))
    stage.push("a", [{"at": "2026-10-01", "dimensions": {"section": str(n)}, "value": n} for n in range(5)])
    with pytest.raises(Refused, match="by: the answer would have 155 values, at most 10 are given"):
        stage.ask("a", **OCTOBER, by=["section"])
    assert len(stage.values("a", first="2026-10-01", to="2026-10-03", by=["section"])) == 10


def test_a_span_of_too_many_points_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footfall.metrics.gathering.ROWS_MAX", 2)
    stage = Stage()
    stage.define(scalar("a"))
    stage.push("a", points(daily("2026-10-01", 1, 2, 3)))
    with pytest.raises(Refused, match="more than 2 points of one metric"):
        stage.ask("a", **OCTOBER)


def test_names_in_any_script_are_asked_for_by_many_dimensions() -> None:
    stage = Stage()
    name = "lukijat #1 / 日本 'x'"
    stage.define(scalar(name, "a", "b", "c", "d"))
    rows = [{"at": "2026-10-01", "dimensions": {"a": "ä", "b": str(n), "d": "🙂"}, "value": n} for n in range(3)]
    stage.push(name, rows)
    told = stage.ask(name, first="2026-10-01", to="2026-10-02", by=["d", "c", "b", "a"])
    assert [one["dimensions"] for one in told["items"]] == [
        {"d": "🙂", "c": "", "b": str(n), "a": "ä"} for n in range(3)
    ]
    assert json.dumps(told["items"][0]["value"]) == "0.0"
