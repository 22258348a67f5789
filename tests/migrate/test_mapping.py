"""A mapping file is read, or refused with the place where it does not fit."""

from copy import deepcopy
from typing import Any

import pytest

from footfall.migrate.catalogue import CatalogueShape
from footfall.migrate.mapping import moving_from
from footfall.ports.relational import LookUp
from footfall.values.errors import Refused
from tests.migrate.documents import mapping_file


def test_the_old_catalogue_is_described_by_a_file() -> None:
    moving = moving_from(mapping_file("old_catalogue/mapping.yaml"))
    assert (moving.outline.entity, moving.outline.table, moving.outline.key) == ("metric", "metrics", "id")
    parts = {part.name: part for part in moving.outline.parts}
    assert parts["versions"].root == "id"
    assert parts["relationships"].look_ups == {"consumed_metric": LookUp("metrics", "id", "name")}
    assert isinstance(moving.target, CatalogueShape)


@pytest.mark.parametrize("path", ["old_catalogue/mapping-redesigned.yaml", "old_page_hits/mapping.yaml"])
def test_every_example_is_a_mapping(path: str) -> None:
    assert moving_from(mapping_file(path)).outline.table


MISFITS: dict[str, tuple[str, Any]] = {
    "entity: .*part of keys": ("entity", "a b"),
    "table: is missing": ("table", ...),
    r"colour: is not a field here; there are entity": ("colour", "red"),
    "zone: 'Mars' is no time zone": ("zone", "Mars"),
    "parts.versions.table: is missing": ("parts.versions.table", ...),
    "parts.versions.key: has to be a list, and is a text": ("parts.versions.key", "version"),
    "parts.versions.key: names the columns": ("parts.versions.key", []),
    "parts.versions.look_ups.chained_metric.column: is missing": ("parts.versions.look_ups.chained_metric.column", ...),
    "catalogue: a mapping has either": ("catalogue", ...),
    "catalogue.brand: is the brand": ("catalogue.brand", ""),
    "catalogue.fields.colour: is no field of a metric; there are name": ("catalogue.fields.colour", "red"),
    "catalogue.fields.name: is missing": ("catalogue.fields.name", ...),
    "catalogue.versions.part: there is no part 'v'; there are versions": ("catalogue.versions.part", "v"),
    "catalogue.dimensions.column: is missing": ("catalogue.dimensions.column", ...),
}


@pytest.mark.parametrize("told", MISFITS)
def test_what_does_not_fit_is_refused_with_its_place(told: str) -> None:
    document = deepcopy(mapping_file("old_catalogue/mapping.yaml"))
    _set(document, *MISFITS[told])
    with pytest.raises(Refused, match=told):
        moving_from(document)


ROW_MISFITS: dict[str, tuple[str, Any]] = {
    "rows.root.partition: 'abc#{id' is no template": ("rows.root.partition", "abc#{id"),
    "rows.root.sort: {id:hour} is no form": ("rows.root.sort", "{id:hour}"),
    "rows.root.attributes.sectionId: has either": ("rows.root.attributes.sectionId", {}),
    "rows.root.attributes.sectionId.as": ("rows.root.attributes.sectionId", {"column": "id", "as": "colour"}),
    "rows.root.attributes.sectionId.part: there is no part": (
        "rows.root.attributes.sectionId", {"column": "id", "part": "tags"},
    ),
    "rows.parts.tags: there is no part": ("rows.parts", {"tags": {}}),
    "rows.root: is missing": ("rows.root", ...),
}  # fmt: skip


@pytest.mark.parametrize("told", ROW_MISFITS)
def test_templates_that_do_not_fit_are_refused_with_their_place(told: str) -> None:
    document = deepcopy(mapping_file("old_page_hits/mapping.yaml"))
    _set(document, *ROW_MISFITS[told])
    with pytest.raises(Refused) as refused:
        moving_from(document)
    assert str(refused.value).startswith(told) or told in str(refused.value)


def _set(document: Any, path: str, value: Any) -> None:
    *folders, last = path.split(".")
    for folder in folders:
        document = document[folder]
    if value is ...:
        del document[last]
    else:
        document[last] = value
