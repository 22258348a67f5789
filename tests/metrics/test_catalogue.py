"""The catalogue: immutable versions, changes that follow each other, and metrics that others need stay."""

from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import msgspec
import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.metrics import keys
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.checking import CircularMetric, UnknownMetric
from footfall.metrics.definition import Definition, definition_from
from footfall.metrics.errors import ChangedMeanwhile, MetricExists, MetricInUse, NoSuchMetric
from footfall.metrics.grammar import MalformedFormula
from footfall.metrics.versions import differences, document_of
from footfall.metrics.writing import Saved, in_order
from footfall.values.clock import SetClock
from footfall.values.errors import Refused
from tests.metrics.stage import BRAND, NOON_MS, Stage, hybrid, scalar


def saved(document: dict[str, Any], **more: Any) -> Saved:
    return Saved(definition_from(document), **more)


def test_every_version_keeps_its_dimensions_and_consumed_metrics() -> None:
    stage = Stage()
    stage.define(scalar("a", "section"), scalar("b", "section"), hybrid("h", "a + b"))
    stage.define(scalar("a", "section", "country"), hybrid("h", "a - b + 1"), hybrid("other", "a"))
    stage.define(hybrid("h", "b"), hybrid("other", "b"))
    stage.define(scalar("a"))  # Nobody is grouped by what it has any more.
    told = [one.definition.related_dimensions for one in stage.catalogue.versions(BRAND, "a")]
    assert told == [(), ("country", "section"), ("section",)]
    items = [stage.table.get(keys.version(BRAND, "h", number)) or {} for number in (0, 1, 2, 3)]
    assert [item["consumedMetrics"] for item in items] == [{"b"}, {"a", "b"}, {"a", "b"}, {"b"}]


def test_version_zero_is_a_copy_of_the_newest_and_one_get_reads_it() -> None:
    stage = Stage()
    for title in ("one", "two", "three"):
        stage.define(scalar("a", title=title))
    zero = dict(stage.table.get(keys.version(BRAND, "a", 0)) or {})
    assert zero.pop("latestVersion") == 3
    assert zero == stage.table.get(keys.version(BRAND, "a", 3))
    assert stage.catalogue.newest(BRAND, "a").definition.title == "three"


def test_the_tenth_version_comes_after_the_second() -> None:
    stage = Stage()
    for number in range(1, 13):
        stage.define(scalar("a", title=f"title {number}"))
    assert [one.number for one in stage.catalogue.versions(BRAND, "a")] == list(range(12, 0, -1))
    assert stage.catalogue.version(BRAND, "a", 10).definition.title == "title 10"


def test_saving_what_is_there_already_makes_no_version() -> None:
    stage = Stage()
    (first,) = stage.define(scalar("a", unit="hits"))
    revision = stage.catalogue.revision(BRAND)
    (again,) = stage.define(scalar("a", unit="hit"))
    assert (again, stage.catalogue.revision(BRAND)) == (first, revision)


def test_versions_are_found_by_hash_and_as_of_a_moment() -> None:
    stage = Stage()
    (first,) = stage.define(scalar("a", unit="hits"))
    stage.clock.advance(1_000)
    (second,) = stage.define(scalar("a", "section", unit="hits"))
    catalogue = stage.catalogue
    assert catalogue.by_hash(BRAND, "a", first.definition.hash) == first
    assert [catalogue.as_of(BRAND, "a", NOON_MS + ms) for ms in (0, 999, 1_000, 10**9)] == [first] * 2 + [second] * 2
    with pytest.raises(NoSuchMetric, match="created later"):
        catalogue.as_of(BRAND, "a", NOON_MS - 1)
    with pytest.raises(NoSuchMetric, match="no version of 'a' has the hash"):
        catalogue.by_hash(BRAND, "a", "0" * 32)
    for number in (0, 3, -1, 10**10):
        with pytest.raises(NoSuchMetric, match="versions 1 to 2"):
            catalogue.version(BRAND, "a", number)
    with pytest.raises(NoSuchMetric, match="there is no metric 'z'"):
        catalogue.newest(BRAND, "z")


def test_a_change_that_is_based_on_an_old_version_is_told_what_changed() -> None:
    stage = Stage()
    stage.define(scalar("a"))
    stage.catalogue.save(BRAND, saved(scalar("a", "section"), based_on=1), by="ann")
    with pytest.raises(ChangedMeanwhile) as refused:
        stage.catalogue.save(BRAND, saved(scalar("a", "country"), based_on=1), by="bob")
    assert (refused.value.based_on, refused.value.newest) == (1, 2)
    assert refused.value.differences == [{"field": "relatedDimensions", "before": [], "after": ["section"]}]
    with pytest.raises(MetricExists):
        stage.catalogue.save(BRAND, saved(scalar("a"), based_on=0), by="bob")
    with pytest.raises(NoSuchMetric):
        stage.catalogue.save(BRAND, saved(scalar("new"), based_on=3), by="bob")


def test_versions_differ_by_field_and_not_by_who_saved_them() -> None:
    stage = Stage()
    (one,) = stage.define(scalar("a", unit="hits", title="A"))
    (other,) = stage.define(scalar("a", unit="hits", title="B"))
    assert differences(one, other) == [{"field": "title", "before": "A", "after": "B"}]
    assert document_of(other)["createdAt"] == "2026-11-15T12:00Z"


def test_names_circles_and_units_are_checked_before_anything_is_written() -> None:
    stage = Stage()
    stage.define(scalar("a", unit="hits"), scalar("m", unit="minutes"), hybrid("h", "a * 2"))
    revision = stage.catalogue.revision(BRAND)
    with pytest.raises(UnknownMetric, match=r"there is no metric 'z' \(character 5\)"):
        stage.define(hybrid("x", "a + z"))
    with pytest.raises(CircularMetric, match="b -> c -> b"):
        stage.define(hybrid("b", "c + a"), hybrid("c", "b"))
    with pytest.raises(CircularMetric, match=r"chainedMetric: .* c -> b -> c"):
        stage.define(
            hybrid("c", "b"), scalar("b", chainedMetric="c", chainCutoffDate="2026-01-01"), hybrid("d", "b + c")
        )
    stage.define(hybrid("h2", "h"))
    with pytest.raises(CircularMetric, match="h -> h2 -> h"):
        stage.define(hybrid("h", "h2 + a"))
    with pytest.raises(MalformedFormula, match="hits and minutes"):
        stage.define(hybrid("x", "a + m"))
    with pytest.raises(Refused, match="the formula gives hits/minutes"):
        stage.define(hybrid("x", "a / m", unit="hits"))
    with pytest.raises(Refused, match="chainedMetric: 'm' is in minutes"):
        stage.define(scalar("x", unit="hits", chainedMetric="m", chainCutoffDate="2026-01-01"))
    assert [row.name for row in stage.catalogue.rows(BRAND)] == ["a", "h", "h2", "m"]
    assert stage.catalogue.revision(BRAND) == revision + 1


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a + 1", r"1 is in ratio; if it is meant so, write 1\[hits\]"),
        ("1 + a", r"a is in hits; if it is meant so, write 1\[hits\]"),
        ("min(a, 10)", r"10 is in ratio; if it is meant so, write 10\[hits\]"),
        ("a + 1[minutes]", r"1\[minutes\] is in minutes \(character 5\)"),
    ],
)
def test_a_number_without_a_unit_is_refused_with_how_to_write_it(text: str, hint: str) -> None:
    stage = Stage()
    stage.define(scalar("a", unit="hits"))
    with pytest.raises(MalformedFormula, match=hint):
        stage.define(hybrid("x", text))


def test_a_unit_that_the_formula_does_not_give_is_refused_at_its_character() -> None:
    stage = Stage()
    stage.define(scalar("a", unit="hits"))
    with pytest.raises(MalformedFormula, match="unit: is said to be minutes, and the formula gives hits") as refused:
        stage.define(hybrid("x", "a", unit="minutes"))
    assert (refused.value.field, refused.value.at) == ("unit", 1)


def test_a_deep_metric_of_deep_formulas_is_checked_and_told() -> None:
    stage = Stage()
    terms = " + ".join(["1"] * 190)
    stage.define(scalar("m0"), *(hybrid(f"m{n}", f"m{n - 1} + {terms}") for n in range(1, 20)))
    stage.push("m0", [{"at": "2026-11-01", "value": 1}])
    assert stage.values("m19", first="2026-11-01", to="2026-11-02") == [1 + 19 * 190]
    with pytest.raises(Refused, match="more than 20 deep"):
        stage.define(*(hybrid(f"m{n}", f"m{n - 1}") for n in range(20, 23)))


def test_a_metric_that_others_need_is_not_removed_but_deprecated() -> None:
    stage = Stage()
    stage.define(scalar("a", unit="hits"), scalar("b", unit="hits"), hybrid("h", "a + b"))
    with pytest.raises(MetricInUse, match="'a' is used by h") as refused:
        stage.catalogue.delete(BRAND, "a")
    assert refused.value.users == ("h",)
    with pytest.raises(MetricInUse, match="its unit cannot become minutes"):
        stage.define(scalar("a", unit="minutes"))
    gone = stage.catalogue.deprecate(BRAND, "a", reason="b is better", by="ann", replacement="b")
    assert (gone.number, gone.deprecation and gone.deprecation.replacement) == (2, "b")
    assert stage.catalogue.restore(BRAND, "a", reason="", by="ann").deprecation is None
    stage.define(hybrid("h", "b * 1"))
    assert list(stage.catalogue.users(BRAND, "a")) == []
    stage.catalogue.delete(BRAND, "a")
    assert [row.name for row in stage.catalogue.rows(BRAND)] == ["b", "h"]
    with pytest.raises(NoSuchMetric):
        stage.catalogue.newest(BRAND, "a")


def test_a_deprecation_says_why_and_names_what_is_there() -> None:
    stage = Stage()
    stage.define(scalar("a"))
    with pytest.raises(Refused, match="reason: is missing"):
        stage.catalogue.deprecate(BRAND, "a", reason=" ", by="ann")
    with pytest.raises(UnknownMetric):
        stage.catalogue.deprecate(BRAND, "a", reason="old", by="ann", replacement="z")
    with pytest.raises(Refused, match="is not deprecated"):
        stage.catalogue.restore(BRAND, "a", reason="", by="ann")


def test_what_is_applied_at_once_is_saved_after_what_it_needs() -> None:
    documents = [hybrid("c", "b + a"), hybrid("b", "a"), scalar("a"), hybrid("d", "c"), scalar("alone")]
    ordered = [one.definition.name for one in in_order([saved(one) for one in documents])]
    assert all(ordered.index(below) < ordered.index(above) for below, above in ("ab", "bc", "ac", "cd"))
    stage = Stage()
    assert [one.name for one in stage.define(*documents)] == ["c", "b", "a", "d", "alone"]
    with pytest.raises(Refused, match="one name"):
        stage.define(scalar("x"), scalar("x"))


def test_many_are_applied_over_several_transactions() -> None:
    stage = Stage()
    documents = [scalar(f"m{n:03d}") for n in range(100)] + [hybrid(f"h{n}", f"m{n:03d} + m000") for n in range(50)]
    assert len(stage.define(*documents)) == 150
    names = [row.name for row in stage.catalogue.rows(BRAND)]
    assert names == sorted(names)
    assert len(names) == 150
    assert [row.name for row in stage.catalogue.rows(BRAND, after="m098")] == ["m099"]
    changed = set(stage.catalogue.changed_since(BRAND, 0))
    assert changed == set(names)
    assert list(stage.catalogue.changed_since(BRAND, stage.catalogue.revision(BRAND))) == []


def together(path: Path, count: int, work: Callable[[MetricCatalogue, int], None]) -> list[BaseException]:
    """Do something in several threads at once, each with a table of its own on one file."""
    barrier, failed = Barrier(count), list[BaseException]()

    def one(number: int) -> None:
        table = SqliteTable(path, clock=SetClock(NOON_MS), durable=False)
        try:
            barrier.wait()
            work(MetricCatalogue(table, clock=SetClock(NOON_MS)), number)
        except BaseException as error:  # noqa: BLE001 - the test looks at what happened
            failed.append(error)
        finally:
            table.close()

    threads = [Thread(target=one, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed


def test_of_several_who_save_at_once_on_one_version_one_wins(tmp_path: Path) -> None:
    stage = Stage(table=SqliteTable(tmp_path / "m.db", clock=SetClock(NOON_MS), durable=False))
    stage.define(scalar("a"))
    failed = together(
        tmp_path / "m.db",
        4,
        lambda catalogue, n: catalogue.save(BRAND, saved(scalar("a", f"d{n}"), based_on=1), by="x") and None,
    )
    assert len(failed) == 3
    assert all(isinstance(one, ChangedMeanwhile) for one in failed), failed
    assert stage.catalogue.newest(BRAND, "a").number == 2


def test_savers_of_different_metrics_all_succeed(tmp_path: Path) -> None:
    stage = Stage(table=SqliteTable(tmp_path / "m.db", clock=SetClock(NOON_MS), durable=False))

    def work(catalogue: MetricCatalogue, number: int) -> None:
        for at in range(5):
            catalogue.save(BRAND, saved(scalar(f"m{number}-{at}")), by="x")

    assert together(tmp_path / "m.db", 3, work) == []
    assert len(list(stage.catalogue.rows(BRAND))) == 15
    assert stage.catalogue.revision(BRAND) == 15


def test_a_metric_is_not_removed_while_somebody_begins_to_need_it(tmp_path: Path) -> None:
    for round_ in range(5):
        path = tmp_path / f"m{round_}.db"
        stage = Stage(table=SqliteTable(path, clock=SetClock(NOON_MS), durable=False))
        stage.define(scalar("a"))

        def work(catalogue: MetricCatalogue, number: int) -> None:
            if number:
                catalogue.delete(BRAND, "a")
            else:
                catalogue.save(BRAND, saved(hybrid("h", "a")), by="x")

        failed = together(path, 2, work)
        assert len(failed) == 1, failed
        assert isinstance(failed[0], MetricInUse | UnknownMetric)
        names = [row.name for row in stage.catalogue.rows(BRAND)]
        assert names in ([], ["a", "h"])


def test_a_definition_is_not_changed_by_being_stored() -> None:
    stage = Stage()
    documents: list[dict[str, Any]] = [
        scalar("a", "section", "country", unit="EUR", title="T", description="D", owner="O"),
        {**scalar("hits", "section"), "source": {"counts": "hits", "where": {"section": ["a", "b"]}}},
        {"name": "p", "valueType": "PERCENTILE", "aggregationStyle": "PERCENTILE", "aggregationParam": 99.5},
        hybrid("h", "a / hits", chainedMetric="a2", chainCutoffDate="2026-01-01"),
        hybrid("a2", "a / hits"),
    ]
    for one in stage.define(*documents):
        stored = stage.catalogue.newest(BRAND, one.name)
        assert stored == one
        assert isinstance(stored.definition, Definition)
        assert stored.definition.hash == one.definition.hash


@pytest.mark.parametrize(
    "formula",
    [
        " * ".join(["a"] * 10),
        "1 / (" + " * ".join(["a"] * 10) + ")",
        " * ".join(f"b{n}" for n in range(9)),
        "c * d * e",
    ],
)
def test_a_unit_that_could_not_be_read_again_is_refused_when_it_is_defined(formula: str) -> None:
    stage = Stage()
    long = {name: name * 39 for name in "cde"}
    stage.define(scalar("a", unit="hits"), *(scalar(f"b{n}", unit=f"u{n}") for n in range(9)))
    stage.define(*(scalar(name, unit=f"{unit}*{unit}x") for name, unit in long.items()))
    with pytest.raises(MalformedFormula, match="gives a unit with more than 8 bases, an exponent above 9") as refused:
        stage.define(hybrid("h", formula))
    assert formula[refused.value.at - 1] in "*/"
    assert stage.catalogue.known(BRAND, "h") is None


def test_whatever_unit_a_formula_gives_can_be_used_and_saved_again() -> None:
    stage = Stage()
    stage.define(scalar("a", unit="hits"))
    stage.define(hybrid("h", "*".join(["a"] * 9)), hybrid("down", "*".join(["a"] * 12) + "/ (a * a * a)"))
    assert stage.define(hybrid("back", "h / a / down"))[0].definition.unit == "1/hits"
    for name in ("h", "down"):
        newest = stage.catalogue.newest(BRAND, name)
        assert newest.definition.unit == "hits^9"
        assert stage.define(definition_from(msgspec.to_builtins(newest.definition)))[0] == newest
