"""The book of prices: what is in the one that comes with footfall, and what is refused in another."""

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from footfall.app.price_files import prices_with, shipped_prices
from footfall.planning.price_names import PRICE_NAMES
from footfall.planning.prices import STALE_DAYS, overridden, price_book
from footfall.values.errors import Refused

HOUSE = Path(__file__).parent.parent.parent
SHIPPED = (HOUSE / "prices" / "2026-11.yaml").read_bytes()
BOOK = shipped_prices()
TODAY = date(2026, 11, 17)
OWN = """
version: 1
dated: 2026-11-01
currency: USD
sources: {ours: {title: Our contract, address: "https://example.com/contract"}}
prices:
- {name: machine.small-month, unit: month, source: ours, usd: {eu-west-1: 4.51}, confirmed: [eu-west-1]}
"""


Change = Callable[[dict], object]


def changed(change: Change) -> bytes:
    """Return the file that comes with footfall, changed."""
    told = msgspec.yaml.decode(SHIPPED)
    change(told)
    return msgspec.yaml.encode(told)


def first_of(told: dict, name: str) -> dict:
    return next(one for one in told["prices"] if one["name"] == name)


def test_every_region_has_every_price_with_a_source() -> None:
    assert list(BOOK.regions) == ["us-east-1", "eu-west-1", "eu-central-1", "eu-north-1"]
    for region in BOOK.regions.values():
        assert set(region.prices) == set(PRICE_NAMES)
        for price in region.prices.values():
            assert price.usd > 0
            assert price.source
            assert price.address.startswith("https://")
            assert price.is_confirmed or price.note, f"{price.name} in {region.name} says neither yes nor why not"


def test_a_price_that_was_read_from_the_vendors_list_says_so() -> None:
    assert BOOK.region("eu-central-1").price("dynamodb.write-request").is_confirmed
    assert not BOOK.region("eu-north-1").price("kinesis.shard-hour").is_confirmed


def test_a_million_writes_cost_what_the_list_says() -> None:
    assert BOOK.region("us-east-1").cost("dynamodb.write-request", 1_000_000) == Decimal("0.625")
    assert BOOK.region("eu-west-1").price("dynamodb.write-request").each == Decimal("0.000000705")


def test_tiers_are_filled_one_after_the_other() -> None:
    price = BOOK.region("us-east-1").price("transfer.out-gb")
    assert price.cost(10_240) == Decimal("921.60")
    assert price.cost(10_241) == Decimal("921.60") + Decimal("0.085")
    assert price.cost(200_000) == Decimal("921.6") + 40_960 * Decimal("0.085") + 102_400 * Decimal("0.07") + Decimal(
        "0.05"
    ) * (200_000 - 153_600)


def test_what_is_free_is_taken_off_only_when_asked() -> None:
    price = BOOK.region("us-east-1").price("lambda.request")
    assert price.cost(1_500_000) == Decimal("0.30")
    assert price.cost(1_500_000, with_free=True) == Decimal("0.10")
    assert price.cost(900_000, with_free=True) == 0


def test_a_negative_quantity_is_refused() -> None:
    with pytest.raises(Refused, match="a quantity is not negative"):
        BOOK.region("us-east-1").cost("sqs.request", -1)


def test_an_unknown_region_and_an_unknown_price_are_named() -> None:
    with pytest.raises(
        Refused, match="'mars-north-1' is not in the prices of 2026-10-10; there are us-east-1, eu-west-1"
    ):
        BOOK.region("mars-north-1")
    with pytest.raises(Refused, match=r"'dynamodb\.luck' has no price in us-east-1"):
        BOOK.region("us-east-1").price("dynamodb.luck")


def test_a_stale_file_says_how_old_it_is() -> None:
    assert BOOK.staleness(BOOK.dated) is None
    assert BOOK.staleness(BOOK.dated + timedelta(days=STALE_DAYS)) is None
    told = BOOK.staleness(BOOK.dated + timedelta(days=STALE_DAYS + 1))
    assert told is not None
    assert f"{BOOK.dated}, 181 days ago" in told


def test_ones_own_file_takes_the_place_of_some_prices(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(OWN)
    book = prices_with(path, today=TODAY)
    own = book.region("eu-west-1").price("machine.small-month")
    assert (own.usd, own.source, own.is_confirmed) == (Decimal("4.51"), "Our contract", True)
    assert book.region("us-east-1").price("machine.small-month") == BOOK.region("us-east-1").price(
        "machine.small-month"
    )
    assert book.region("eu-west-1").price("sqs.request") == BOOK.region("eu-west-1").price("sqs.request")
    assert book.dated == BOOK.dated, "the oldest price says how old a bill is"


def test_a_newer_file_with_every_price_of_a_region_makes_its_bill_young_again() -> None:
    told = msgspec.yaml.decode(changed(lambda one: one.update(dated=date(2027, 8, 1))))
    told["regions"] = {name: title for name, title in told["regions"].items() if name == "eu-west-1"}
    for entry in told["prices"]:
        entry.pop("confirmed", None)
        for of in [entry, *entry.get("tiers", [])]:
            if "usd" in of:
                of["usd"] = {"eu-west-1": of["usd"]["eu-west-1"]}
    later = date(2027, 8, 2)
    book = overridden(BOOK, msgspec.yaml.encode(told), named="own.yaml", today=later)
    assert book.dated_as("eu-west-1").staleness(later) is None
    assert book.dated_as("us-east-1").staleness(later) is not None


def test_one_new_price_among_old_ones_leaves_a_bill_old() -> None:
    later = date(2027, 8, 2)
    own = OWN.replace("2026-11-01", "2027-08-01").encode()
    book = overridden(BOOK, own, named="own.yaml", today=later).dated_as("eu-west-1")
    assert book.dated == BOOK.dated
    assert book.staleness(later) is not None


def test_prices_of_a_day_to_come_are_refused() -> None:
    own = OWN.replace("2026-11-01", "2026-11-19").encode()
    with pytest.raises(Refused, match="is dated 2026-11-19, and it is 2026-11-17"):
        overridden(BOOK, own, named="own.yaml", today=TODAY)


def test_a_file_that_is_not_there_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"none\.yaml: cannot be read: No such file"):
        prices_with(tmp_path / "none.yaml", today=TODAY)


def test_a_file_that_is_far_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_bytes(b"#" * (5 << 20))
    with pytest.raises(Refused, match="larger than"):
        prices_with(path, today=TODAY)


def test_a_new_region_needs_every_price() -> None:
    own = OWN.replace("eu-west-1", "moon-1").replace("prices:", "regions: {moon-1: Moon}\nprices:")
    with pytest.raises(Refused, match="moon-1 is a new region and has no price for dynamodb"):
        overridden(BOOK, own.encode(), named="own.yaml", today=TODAY)


# A change is made by its test: every process that collects tests would make all of them.
WRONG: dict[str, tuple[bytes | Change, str]] = {
    "nothing": (b"", "not a file of prices"),
    "not YAML": (b"version: [1", "is not YAML"),
    "not text": (b"\xff\xfe\x00", "is not YAML"),
    "a list": (b"- 1", "not a file of prices"),
    "another version": (lambda one: one.update(version=2), "has version 2, and this footfall reads version 1"),
    "another currency": (lambda one: one.update(currency="EUR"), "only USD can be added up"),
    "a field too many": (lambda one: one.update(colour="red"), "colour"),
    "a negative price": (
        lambda one: first_of(one, "sqs.request")["usd"].update({"us-east-1": -1}),
        "sqs.request has a negative number for us-east-1",
    ),
    "a negative free part": (lambda one: first_of(one, "sqs.request").update(free=-1), "a negative number"),
    "a price that is no number": (
        lambda one: first_of(one, "sqs.request")["usd"].update({"us-east-1": "cheap"}),
        "not a file of prices",
    ),
    "a price that is not finite": (
        lambda one: first_of(one, "sqs.request")["usd"].update({"us-east-1": "NaN"}),
        "sqs.request has a price for us-east-1 that is no number",
    ),
    "for nothing": (lambda one: first_of(one, "sqs.request").update(per=0), "not a file of prices"),
    "an unknown name": (
        lambda one: first_of(one, "sqs.request").update(name="sqs.luck"),
        "'sqs.luck' is not the name of a price",
    ),
    "an unknown region": (
        lambda one: first_of(one, "sqs.request")["usd"].update({"mars-1": 1}),
        "sqs.request names the region 'mars-1'",
    ),
    "an unknown source": (
        lambda one: first_of(one, "sqs.request").update(source="hearsay"),
        "sqs.request has the source 'hearsay'",
    ),
    "a missing name": (
        lambda one: one["prices"].remove(first_of(one, "sqs.request")),
        "us-east-1 has no price for sqs.request",
    ),
    "a missing region": (
        lambda one: first_of(one, "sqs.request")["usd"].pop("eu-north-1"),
        "eu-north-1 has no price for sqs.request",
    ),
    "a name twice": (
        lambda one: one["prices"].append(first_of(one, "sqs.request")),
        "sqs.request stands twice for us-east-1",
    ),
    "neither price nor tiers": (
        lambda one: first_of(one, "sqs.request").pop("usd"),
        "either `usd` or `tiers`",
    ),
    "tiers that fall": (
        lambda one: first_of(one, "transfer.out-gb")["tiers"][1].update(up_to=5),
        "the tiers of transfer.out-gb must rise",
    ),
    "a tier without a region": (
        lambda one: first_of(one, "transfer.out-gb")["tiers"][1]["usd"].pop("eu-west-1"),
        "tier 2 of transfer.out-gb has no price for eu-west-1",
    ),
    "a tier up to what is no number": (
        lambda one: first_of(one, "transfer.out-gb")["tiers"][0].update(up_to=float("nan")),
        "tier 1 of transfer.out-gb has an `up_to` that is no number",
    ),
    "a tier without an end that says so": (
        lambda one: first_of(one, "transfer.out-gb")["tiers"][0].update(up_to=float("inf")),
        "tier 1 of transfer.out-gb has an `up_to` that is no number",
    ),
    "an end to all tiers": (
        lambda one: first_of(one, "transfer.out-gb")["tiers"][-1].update(up_to=10**9),
        "only the last has no `up_to`",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_file_that_cannot_be_used_is_refused_with_a_sentence(wrong: str) -> None:
    told_wrong, sentence = WRONG[wrong]
    text = told_wrong if isinstance(told_wrong, bytes) else changed(told_wrong)
    with pytest.raises(Refused) as told:
        price_book(text, named="own.yaml")
    assert told.value.field == "own.yaml"
    assert sentence in told.value.reason


def test_the_day_of_the_file_is_a_day() -> None:
    assert BOOK.dated == date(2026, 10, 10)
