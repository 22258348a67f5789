"""An instance that has counted, and metrics of what it counted."""

import json
from typing import Any

from footfall.accounts.brands import Brand
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import wiring
from footfall.app.metric_counts import StoredCounts
from footfall.app.settings import Settings
from footfall.app.sights import Sights, board_rules
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.data import MetricData, query_from
from footfall.metrics.definition import definition_from
from footfall.metrics.points import Points
from footfall.metrics.writing import Saved
from footfall.ports.stream import Entry
from footfall.values.window import HOUR_MS
from tests.app.stage import NOON_MS, Instance

SPORT = ("sport", "article", "paid")
NEWS = ("news", "article", "free")


def asking(instance: Instance, *definitions: dict[str, Any]) -> MetricData:
    """Return what answers about metrics over an instance's counts."""
    table = SqliteTable(":memory:", clock=instance.clock)
    catalogue = MetricCatalogue(table, clock=instance.clock)
    catalogue.save_all("abc", [Saved(definition_from(one)) for one in definitions], by="ann")
    brands = wiring.brand_lookup(instance.settings, instance.clock)
    sights = Sights(instance.table, brands, board_rules(instance.settings), shards=1, clock=instance.clock)
    counts = StoredCounts(instance.table, sights, brands, clock=instance.clock)
    points = Points(table, clock=instance.clock)
    return MetricData(catalogue, points, counts=counts, zone_of=brands.zone_of, clock=instance.clock)


def told(data: MetricData, name: str, **asked: Any) -> dict[str, Any]:
    return json.loads(data.ask("abc", query_from(name, **asked)).body)


def values(answer: dict[str, Any]) -> list[float | None]:
    return [one["value"] for one in answer["items"]]


def send(instance: Instance, *labels: tuple[str, str, str]) -> None:
    now_ms = instance.clock.now_ms()
    pack = Pack(VERSION, RULES, now_ms, [(str(n), *label) for n, label in enumerate(labels)])
    instance.stream.append([Entry(0, "abc", len(labels), record_from_pack(pack), now_ms)])


def counted(zone: str = "UTC") -> Instance:
    instance = Instance(Settings(brands={"abc": Brand("abc", zone=zone)}, dev=True, stream_shards=1))
    for hours, labels in ((0, [NEWS, NEWS, SPORT]), (11, [SPORT]), (24, [NEWS]), (25, [SPORT, SPORT])):
        instance.clock.set(NOON_MS + hours * HOUR_MS)
        send(instance, *labels)
        instance.count()
    return instance


HITS: dict[str, Any] = {
    "name": "hits", "valueType": "SCALAR", "source": {"counts": "hits"},
    "relatedDimensions": ["section", "resourceType", "paidType"],
}  # fmt: skip
PAID: dict[str, Any] = {
    "name": "paid", "valueType": "SCALAR", "source": {"counts": "hits", "where": {"paidType": ["paid"]}},
    "relatedDimensions": ["section"],
}  # fmt: skip
PEOPLE: dict[str, Any] = {
    "name": "people", "valueType": "SCALAR", "source": {"counts": "visitors"}, "relatedDimensions": ["section"],
}  # fmt: skip
