"""Invented counts, small enough that ids, labels and ties meet often."""

from collections import Counter
from collections.abc import Mapping

from hypothesis import strategies as st

from footfall.flow.store.columns import Columns, CountKey, Row, Slice, columns_from_counts, rows, screened_key

ASSETS = ["0", "7", "007", "132141398", str(2**63 - 1), str(2**63), "/news", "/nyheter/å", "x" * 17, "x" * 16 + "y"]

assets = st.sampled_from(ASSETS) | st.integers(0, 30).map(str) | st.text("ab/é", max_size=20)
persons = st.tuples(assets, st.sampled_from(["", "12", "563"]), st.sampled_from(["", "article"]), st.just("free"))
screened = st.tuples(assets, st.sampled_from(["", "12"]), st.just(""), st.just("free"), st.sampled_from(["bot", "ai"]))
keys = persons | screened
counts = st.dictionaries(keys, st.integers(1, 9) | st.integers(1, 2**40), max_size=30)
columns = counts.map(columns_from_counts)


def coarse_hash(encoded: bytes) -> int:
    """Return one of three idents, so that texts clash all the time."""
    return len(encoded) % 3


def counts_of(columns: Columns) -> Counter[CountKey]:
    """Return the columns as plain counts."""
    return Counter({_key_of(row): row.hits for row in rows(columns)})


def _key_of(row: Row) -> CountKey:
    return screened_key((row.asset, *row.slice[:3]), row.slice.label)


def plain_sum(*parts: Mapping[CountKey, int]) -> Counter[CountKey]:
    """Return the sum of counts, one key at a time."""
    total = Counter[CountKey]()
    for part in parts:
        for key, hits in part.items():
            total[key] += hits
    return total


def slice_of(section: str = "", resource_type: str = "", paid_type: str = "", label: str = "") -> Slice:
    """Return a slice with the labels given."""
    return Slice(section, resource_type, paid_type, label)
