"""Every worked example of a vendor's documentation that we have found gives the vendor's own figure."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from footfall.app.price_files import shipped_prices
from footfall.planning import simulated_limits, simulated_table
from footfall.planning.prices import Price, Tier
from footfall.planning.units_compute import (
    fargate_hours,
    lambda_gb_seconds,
    lambda_provisioned_gb_seconds,
    standard_transitions,
)
from footfall.planning.units_dynamodb import (
    IndexShape,
    TableShape,
    item_bytes,
    paged,
    refused,
    stored_bytes,
    written,
)
from footfall.planning.units_kinesis import billed_on_demand_bytes, put_units, shards_needed
from footfall.ports.capacity import get_units, write_units
from footfall.ports.items import Item

STORED = yaml.safe_load(Path(__file__).with_name("vendor_examples.yaml").read_text(encoding="utf-8"))
REGION = shipped_prices().region("us-east-1")
SHAPE = TableShape(("pk", "sk"), (IndexShape("by author", ("author",)),))

Given = Mapping[str, Any]


def sizes_of(given: Given) -> list[int]:
    return given["bytes"] if "bytes" in given else [given["bytes_each"]] * given["items"]


def how(given: Given, *names: str) -> dict[str, bool]:
    return {name: given[name] for name in names if name in given}


def price_of(given: Given, name: str) -> Price:
    price = REGION.price(name)
    if "usd" not in given:
        return price
    usd = Decimal(given["usd"])
    return replace(price, usd=usd, tiers=(Tier(usd, None),))


def item_of(size: int | None) -> Item | None:
    return None if size is None else {"a": "x" * (size - 1)}


def function_usd(given: Given) -> Decimal:
    used = lambda_gb_seconds(given["invocations"], duration_ms=given["duration_ms"], memory_mb=given["memory_mb"])
    return price_of(given, "lambda.gb-second").cost(used, with_free=given["with_free"])


def provisioned_usd(given: Given) -> Decimal:
    used = lambda_provisioned_gb_seconds(given["concurrency"], seconds=given["seconds"], memory_mb=given["memory_mb"])
    return REGION.cost("lambda.provisioned-gb-second", used)


def container_usd(given: Given) -> Decimal:
    hours = fargate_hours(given["tasks"], seconds=given["seconds"])
    return REGION.cost(given["name"], hours * Decimal(given["each"]))


def usd(given: Given) -> Decimal:
    return price_of(given, given["name"]).cost(given["quantity"], with_free=given.get("with_free", False))


def index_units(given: Given) -> int:
    units = written(SHAPE, before=given.get("before"), after=given.get("after"))
    return units.indexes.get("by author", 0)


KINDS: dict[str, Callable[[Given], Decimal | float]] = {
    "read units": lambda given: sum(
        get_units(size, **how(given, "consistent", "transaction")) for size in sizes_of(given)
    ),
    "page units": lambda given: paged(sizes_of(given), **how(given, "consistent")),
    "write units": lambda given: sum(write_units(size, **how(given, "transaction")) for size in sizes_of(given)),
    "refused units": lambda given: refused(before=item_of(given.get("bytes")), wanted=item_of(given.get("bytes"))),
    "item bytes": lambda given: item_bytes(given["item"]),
    "overhead bytes": lambda given: stored_bytes(SHAPE, given["item"]) / 2 - item_bytes(given["item"]),
    "index units": index_units,
    "fetched units": lambda given: paged(given["entries"]) + sum(get_units(size) for size in given["items"]),
    "limit": lambda given: getattr(simulated_limits, given["name"]),
    "table limit": lambda given: getattr(simulated_table, given["name"]),
    "put units": lambda given: put_units(given["bytes"]),
    "on-demand bytes": lambda given: billed_on_demand_bytes(given["bytes"]),
    "shards": lambda given: shards_needed(
        records_per_s=given["records_per_s"],
        in_bytes_per_s=given["records_per_s"] * given["bytes_each"],
        consumers=given.get("consumers", 1),
    ),
    "function compute usd": function_usd,
    "provisioned usd": provisioned_usd,
    "container usd": container_usd,
    "usd": usd,
    "transitions": lambda given: standard_transitions(
        given["executions"], steps=given["steps"], retries=given["retries"]
    ),
}


@pytest.mark.parametrize("example", STORED["examples"], ids=lambda one: one["title"])
def test_the_example_gives_the_figure_of_the_vendor(example: Mapping[str, Any]) -> None:
    found = KINDS[example["of"]](example.get("given", {}))
    expected = example["expected"]
    if isinstance(expected, str):  # Money, as exact as the vendor tells it.
        found = Decimal(found).quantize(Decimal(expected), rounding=ROUND_HALF_UP)
        expected = Decimal(expected)
    assert found == expected


def test_every_example_has_a_source_with_an_address_and_a_title_of_its_own() -> None:
    titles = [one["title"] for one in STORED["examples"]]
    assert len(titles) == len(set(titles))
    assert {one["source"] for one in STORED["examples"]} == set(STORED["sources"])
    for source in STORED["sources"].values():
        assert source["title"]
        assert source["address"].startswith("https://")
