"""Plans and listings of metrics are the same on every ground."""

from typing import Any

import pytest

from footfall.metrics.applying import Wanted, carry_out, document_of_file, planned
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.errors import ChangedMeanwhile, MetricInUse
from footfall.metrics.listing import Listings, Sought
from footfall.metrics.writing import Saved
from footfall.values.clock import SetClock
from footfall.values.errors import Refused
from tests.contract.conftest import NewTable

CLOCK = SetClock(1_794_744_000_000)


@pytest.fixture
def catalogue(new_table: NewTable) -> MetricCatalogue:
    return MetricCatalogue(new_table(clock=CLOCK), clock=CLOCK)


def wanted(name: str, formula: str = "", **more: Any) -> Wanted:
    kind = {"valueType": "HYBRID", "hybridFormula": formula} if formula else {"valueType": "SCALAR"}
    return Wanted({"name": name, **kind, **more}, f"{name}.yaml:1")


def applied(catalogue: MetricCatalogue, *files: Wanted, prune: bool = False) -> None:
    plan = planned(catalogue, "abc", files, by="somebody", prune=prune)
    assert plan.refused == []
    carry_out(catalogue, "abc", plan, by="somebody")


def names(catalogue: MetricCatalogue, sought: Sought | None = None) -> list[str]:
    return [row.name for row in Listings(catalogue).of("abc").found(sought or Sought())]


def test_files_are_applied_in_any_order_and_a_second_time_change_nothing(catalogue: MetricCatalogue) -> None:
    files = [wanted("c", "b * 2"), wanted("b", "a + a"), wanted("a", unit="hits")]
    applied(catalogue, *files)
    assert planned(catalogue, "abc", files, by="x", prune=True).is_empty
    exported = [Wanted(document_of_file(catalogue.newest("abc", name))) for name in ("a", "b", "c")]
    assert planned(catalogue, "abc", exported, by="x", prune=True).is_empty


def test_what_no_file_has_is_removed_with_all_that_needs_it(catalogue: MetricCatalogue) -> None:
    applied(catalogue, wanted("a"), wanted("b", "a * 2"), wanted("c", "b * 2"), wanted("d"))
    applied(catalogue, wanted("d"), prune=True)
    assert names(catalogue) == ["d"]
    assert catalogue.known("abc", "a") is None


def test_what_a_file_needs_is_not_removed(catalogue: MetricCatalogue) -> None:
    applied(catalogue, wanted("a"), wanted("b", "a * 2"))
    plan = planned(catalogue, "abc", [wanted("b", "a * 2")], by="x", prune=True)
    assert [(one.name, one.more["users"]) for one in plan.refused] == [("a", ["b"])]
    new = planned(catalogue, "abc", [wanted("b", "2 * b0"), wanted("b0"), wanted("n", "a * 3")], by="x", prune=True)
    assert [(one.name, one.more["users"]) for one in new.refused] == [("a", ["n"])], "what would need it counts as well"
    with pytest.raises(Refused, match="none is written"):
        carry_out(catalogue, "abc", new, by="x")


def test_a_plan_that_somebody_was_faster_than_is_not_carried_out(catalogue: MetricCatalogue) -> None:
    applied(catalogue, wanted("a"))
    plan = planned(catalogue, "abc", [wanted("a", title="Mine")], by="x")
    applied(catalogue, wanted("a", title="Theirs"))
    with pytest.raises(ChangedMeanwhile):
        carry_out(catalogue, "abc", plan, by="x")


def test_a_rehearsal_refuses_as_the_real_thing_does_and_writes_nothing(catalogue: MetricCatalogue) -> None:
    applied(catalogue, wanted("a"), wanted("b", "a * 2"))
    revision = catalogue.revision("abc")
    rehearsal = catalogue.rehearsal()
    with pytest.raises(MetricInUse):
        rehearsal.delete("abc", "a")
    rehearsal.delete("abc", "b")
    rehearsal.delete("abc", "a")
    assert rehearsal.known("abc", "a") is None
    assert (catalogue.revision("abc"), names(catalogue)) == (revision, ["a", "b"])


def test_a_listing_follows_what_changes(catalogue: MetricCatalogue) -> None:
    listings = Listings(catalogue)
    assert list(listings.of("abc").found(Sought())) == []
    applied(
        catalogue, wanted("a", relatedDimensions=["x", "y"]), wanted("b", relatedDimensions=["y"]), wanted("c", "a / b")
    )
    listing = listings.of("abc")
    assert [row.name for row in listing.found(Sought())] == ["a", "b", "c"]
    assert listing.dimensions("c") == {"y"}
    assert [(one.row.name, one.depth) for one in listing.users("a", depth_max=20)] == [("c", 1)]
    applied(catalogue, wanted("c", "b * 2"))
    catalogue.delete("abc", "a")
    catalogue.save("abc", Saved(catalogue.newest("abc", "b").definition), by="x")
    again = listings.of("abc")
    assert again is listing, "what did not change is not read again"
    assert [row.name for row in again.found(Sought())] == ["b", "c"]
    assert (again.dimensions("c"), again.revision) == ({"y"}, catalogue.revision("abc"))
    assert [one.row.name for one in again.needed("c", depth_max=20)] == ["b"]


def test_many_changes_are_followed_by_reading_all_anew(catalogue: MetricCatalogue) -> None:
    listings = Listings(catalogue)
    listings.of("abc")
    applied(catalogue, *(wanted(f"m{number:04d}", title=f"Number {number}") for number in range(600)))
    listing = listings.of("abc")
    assert len(listing.rows) == 600
    assert [row.name for row in listing.found(Sought(words="number 59"), after="m0590")] == [
        f"m{n:04d}" for n in range(591, 600)
    ]
    assert [row.name for row in listing.found(Sought(prefix="m001"), after="m0017")] == ["m0018", "m0019"]


def test_listings_are_kept_of_the_brands_that_were_asked_for_last(catalogue: MetricCatalogue) -> None:
    listings = Listings(catalogue, rows_max=3)
    for brand in ("abc", "xyz"):
        plan = planned(catalogue, brand, [wanted("a"), wanted("b")], by="x")
        carry_out(catalogue, brand, plan, by="x")
    first = listings.of("abc")
    assert listings.of("abc") is first
    listings.of("xyz")
    assert listings.of("abc") is not first


def test_a_unit_changes_with_its_users_in_one_plan(catalogue: MetricCatalogue) -> None:
    applied(catalogue, wanted("a", unit="hits"), wanted("b", "a + 1[hits]"), wanted("c", "a / a"))
    applied(catalogue, wanted("a", unit="reads"), wanted("b", "a + 1[reads]"))
    assert [catalogue.newest("abc", name).definition.unit for name in "abc"] == ["reads", "reads", "ratio"]
    plan = planned(catalogue, "abc", [wanted("a", unit="minutes")], by="x")
    assert [(one.name, one.more) for one in plan.refused] == [("a", {"users": ["b"]})]
