"""A ledger adds up, or is not shown."""

import msgspec
import pytest

from footfall.flow.serve.ledger import Unbalanced, estimated_ledger, ledger, ledger_json
from footfall.ports.errors import Corrupt

SHARDS = {
    "s00": {"counted": 90, "duplicate": 3, "late": 1, "screened": {"known bot": 4, "rate": 1}},
    "s01": {"counted": 10, "future": 1, "unlabelled": 5, "dead": 6, "screened": {"rate": 2}},
}


def test_the_lines_of_all_shards_and_what_is_in_flight_add_up_to_what_was_accepted() -> None:
    book = ledger("abc", SHARDS, appended=130)
    assert book.counted == 100
    assert book.screened == {"known bot": 4, "rate": 3}
    assert book.in_flight == 7
    parts = book.counted + book.duplicate + book.late + book.future + book.unlabelled + book.dead
    assert parts + sum(book.screened.values()) + book.in_flight == book.accepted == 130


def test_a_brand_without_hits_has_a_ledger_of_zeros() -> None:
    book = ledger("abc", {}, appended=0)
    assert (book.accepted, book.counted, book.in_flight, book.screened) == (0, 0, 0, {})


def test_a_ledger_that_counts_more_than_was_accepted_is_not_shown() -> None:
    with pytest.raises(Unbalanced, match="123 hits, but only 122"):
        ledger("abc", SHARDS, appended=122)


@pytest.mark.parametrize("item", [{"counted": "9"}, {"counted": 1.5}, {"screened": 3}, {"lost": 1}])
def test_a_ledger_that_cannot_be_read_names_its_shard(item: dict[str, object]) -> None:
    with pytest.raises(Corrupt, match="s07"):
        ledger("abc", {"s07": item}, appended=10)


def test_the_api_shows_every_line() -> None:
    assert msgspec.json.decode(ledger_json(ledger("abc", SHARDS, appended=130))) == {
        "brand": "abc",
        "accepted": 130,
        "counted": 100,
        "duplicate": 3,
        "screened": {"known bot": 4, "rate": 3},
        "late": 1,
        "future": 1,
        "unlabelled": 5,
        "dead": 6,
        "inFlight": 7,
    }


def test_an_estimate_is_marked_and_adds_up_all_the_same() -> None:
    book = estimated_ledger("abc", SHARDS, in_flight=7)
    assert (book.accepted, book.in_flight, book.is_estimate) == (130, 7, True)
    shown = msgspec.json.decode(ledger_json(book))
    assert shown["inFlightIsEstimate"] is True
    assert "inFlightIsEstimate" not in msgspec.json.decode(ledger_json(ledger("abc", SHARDS, appended=132)))
