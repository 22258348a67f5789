"""The old catalogue becomes just what footfall's own catalogue would have written."""

from dataclasses import replace
from typing import Any

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.metrics import keys
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.definition import definition_from
from footfall.metrics.writing import Saved
from footfall.migrate.mapping import moving_from
from footfall.migrate.moved import Items
from footfall.ports.relational import Document
from footfall.ports.table import everything
from footfall.values.clock import SetClock
from footfall.values.errors import Refused
from tests.migrate.documents import document, hybrid, mapping_file, metric, old_catalogue, primitive, single, version

TARGET = old_catalogue().target


def items(found: Document) -> Items:
    return TARGET.items("1", found)


def test_items_are_those_that_the_catalogue_itself_writes() -> None:
    clock = SetClock(0)
    table = SqliteTable(":memory:", clock=clock)
    catalogue = MetricCatalogue(table, clock=clock)
    for name in ("reads", "users"):
        catalogue.save("abc", Saved(definition_from({"name": name, "valueType": "SCALAR"})), by="ann")
    formulas = ["reads/users", "reads / users * 2", "reads/users"]
    rows = [version(n, value_type="HYBRID", hybrid_formula=one) for n, one in enumerate(formulas, 1)]
    for row in rows:
        clock.set(1_546_344_000_000 + (int(str(row["version"])) - 1) * 86_400_000)
        made = {"name": "rate", "valueType": "HYBRID", "hybridFormula": row["hybrid_formula"]}
        catalogue.save("abc", Saved(definition_from(made)), by=str(row["updated_by"]))
    root = metric("rate", created_at="2019-01-01 12:00:00", created_by="editor 1")
    moved = items(document(root, rows, consumed=["reads", "users"]))
    partitions = {key.partition for key in moved}
    written = {one.key: one.item for partition in partitions for one in everything(table, partition)}
    assert dict(moved) == {key: item for key, item in written.items() if key.sort not in ("reads", "users")}


def test_every_version_has_who_and_when_and_the_first_ones_creator() -> None:
    found = items(primitive(versions=3, name="reads"))
    second = found[keys.version("abc", "reads", 2)]
    assert (second["updatedBy"], second["updatedAt"]) == ("editor 2", 1_546_430_400_000)
    assert (second["createdBy"], second["createdAt"]) == ("ann", 1_518_719_025_123)
    assert second["relatedDimensions"] == {"section", "country"}, "the old schema has them of the metric as a whole"
    newest = found[keys.version("abc", "reads", keys.NEWEST)]
    assert newest == {**found[keys.version("abc", "reads", 3)], "latestVersion": 3}


def test_a_deprecation_of_the_metric_is_one_of_the_newest_version() -> None:
    gone: dict[str, Any] = {
        "deprecated_at": "2022-05-17 09:35:15+02",
        "deprecated_by": "bob",
        "deprecated_reason": "old",
    }
    found = items(document(metric("reads", **gone), [version(1), version(2)]))
    assert found[keys.version("abc", "reads", 2)]["deprecatedAt"] == 1_652_772_915_000
    assert "deprecatedAt" not in found[keys.version("abc", "reads", 1)]
    assert found[keys.row("abc", "reads")]["isDeprecated"] is True


def test_a_number_of_a_percentile_may_have_zeros_behind_it() -> None:
    made: dict[str, Any] = {
        "value_type": "percentile",
        "aggregation_style": "percentile",
        "aggregation_param": "95.5000",
    }
    found = items(single("p", **made))
    assert found[keys.version("abc", "p", 1)]["aggregationParam"] == 95.5


def test_a_chain_has_the_name_of_the_metric_and_a_day() -> None:
    chain: dict[str, Any] = {
        "chained_metric": 7,
        "chained_metric.name": "old reads",
        "chain_cutoff_date": "2020-02-01 00:00:00",
    }
    found = items(document(metric("reads"), [version(1, **chain)]))
    assert found[keys.version("abc", "reads", 1)]["chainCutoffDate"] == "2020-02-01"
    assert keys.user("abc", "old reads", "reads") in found


def refusals() -> dict[str, tuple[Document, str]]:
    kind: Any = {"value_type": "HYBRID"}
    two = document(metric(), [version(1), version(1)])
    return {
        "consumedMetrics: .*lacks users": (replace_consumed(hybrid(), ["reads"]), "a relationship is missing"),
        "consumedMetrics: .*has more": (replace_consumed(hybrid(), ["reads", "users", "more"]), "one is too many"),
        "hybridFormula: .*version 1": (document(metric(), [version(1, hybrid_formula="a +", **kind)]), "no formula"),
        "valueType: .*SCALAR": (single(value_type="BLOB"), "no such type"),
        "name:": (single(" reads"), "no such name"),
        "version: two": (two, "two of one number"),
        "version: versions are counted": (document(metric(), [version(0)]), "zero is the copy's"),
        "chainCutoffDate: .*within a day": (single(chain_cutoff_date="2020-02-01 10:00:00"), "an hour"),
        "createdAt: .*not a moment": (document(metric(created_at="yesterday"), [version(1)]), "no moment"),
        "createdAt: is not told": (
            document(metric(created_at=None), [version(1, updated_at=None)]),
            "no moment at all",
        ),
        "aggregationParam: .*not a number": (single(aggregation_param="many"), "no number"),
    }


def replace_consumed(found: Document, names: list[str]) -> Document:
    other = document(found.root, consumed=names)
    return replace(found, parts={**found.parts, "relationships": other.parts["relationships"]})


@pytest.mark.parametrize("told", refusals())
def test_what_the_catalogue_would_refuse_is_refused_with_its_field(told: str) -> None:
    with pytest.raises(Refused, match=told):
        items(refusals()[told][0])


def test_a_formula_with_units_of_its_own_needs_a_column_of_units() -> None:
    made = single("m", value_type="HYBRID", hybrid_formula="reads * 2[EUR]", consumed=["reads"])
    with pytest.raises(Refused, match="unit: the formula gives EUR"):
        items(made)


def test_a_column_that_the_database_does_not_have_is_named() -> None:
    with pytest.raises(Refused, match="there is no column 'created_at'"):
        items(document({name: cell for name, cell in metric().items() if name != "created_at"}, [version(1)]))


def test_a_metric_without_versions_is_refused_unless_its_own_row_says_all_of_it() -> None:
    with pytest.raises(Refused, match="valueType: is missing"):
        items(document(metric("reads")))
    mapped = mapping_file("old_catalogue/mapping.yaml")
    mapped["catalogue"]["fields"]["valueType"] = "kind"
    found = moving_from(mapped).target.items("1", document(metric("reads", kind="SCALAR")))
    assert found[keys.version("abc", "reads", 1)]["updatedBy"] == "ann"
