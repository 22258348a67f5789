"""Every figure of the sources that can be computed again: what they say, what we find, and why it differs.

docs/source-figures.md is written from it (scripts/source_figures.py); nothing on that page is typed by hand.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain

from footfall.planning.compared_tables import THESIS_EXPIRIES, THESIS_QUESTIONS, hash_keys
from footfall.planning.prices import PriceBook, Region
from footfall.planning.reproduced import Reproduced, Section
from footfall.planning.source_figures_archive import ARK, archive_figures
from footfall.planning.source_figures_compute import COMPUTE, compute_figures
from footfall.planning.source_figures_machine import MACHINE, MACHINE_COLUMNS, machine_figures
from footfall.planning.source_figures_tables import (
    DATABASES,
    PACKED,
    WAYS,
    Measured,
    capacity_figures,
    database_figures,
    packed_figures,
    today_figures,
    way_figures,
)

_OTHERS = "Smaller sums of the sources, all checked."


def sections(book: PriceBook, measured: Measured) -> list[Section]:
    """Return all figures, with today's prices of us-east-1 where today is spoken of."""
    region = book.region("us-east-1")
    made: Mapping[str, tuple[str, Callable[[], Iterator[Reproduced]]]] = {
        "Functions against containers": (COMPUTE, lambda: compute_figures(region)),
        "DynamoDB against Aurora": (
            DATABASES,
            lambda: chain(database_figures(), today_figures(region), capacity_figures()),
        ),
        "On demand, provisioned, reserved": (WAYS, lambda: way_figures(region)),
        "Rows against packed windows": (PACKED, lambda: packed_figures(region, measured)),
        "Ark's cost model": (ARK, lambda: archive_figures(region)),
        "Other figures": (_OTHERS, lambda: _others(region)),
    }
    found = [Section(title, says, tuple(figures())) for title, (says, figures) in made.items()]
    machine = Section("One rented machine against AWS", MACHINE, tuple(machine_figures(region)), MACHINE_COLUMNS)
    return [*found[:-1], machine, found[-1]]


def _others(region: Region) -> Iterator[Reproduced]:
    yield Reproduced(
        "hash keys of a row for three attributes", "thesis, formula 6.1", "8", f"{hash_keys(3)}", "the same"
    )
    shares = sum(THESIS_QUESTIONS.values())
    yield Reproduced(
        "sum of the shares of questions",
        "thesis, table 4.1",
        "100 %",
        f"{shares} %",
        "rounded shares; a tenth is missing",
    )
    yield from _expiries()
    price = region.price("dynamodb.wcu-hour").usd / region.price("dynamodb.rcu-hour").usd
    yield Reproduced(
        "writes cost at least so many times what reads cost",
        "talk",
        "5",
        f"{price:f}",
        (
            "the same, by the unit; a read unit has four times the bytes, so a byte costs 20 times as much to "
            "write as to read consistently"
        ),
    )
    yield Reproduced(
        "writes a second behind 3,000 in the console",
        "talk",
        "10",
        f"{3_000 // 300}",
        "the same: a sum over five minutes",
    )
    yield Reproduced(
        "questions for one moment with a random token",
        "talk",
        "10,000",
        f"{len(range(9_999)):,}",
        "its loop ends one before",
    )


def _expiries() -> Iterator[Reproduced]:
    for row in THESIS_EXPIRIES:
        yield Reproduced(
            f"when a row of {row.grain} expires",
            "thesis, 6.2, table 6.1",
            _moment(row.printed_at_s),
            _moment(row.by_the_text_s()),
            "ten minutes after the window, in its table; by its text ten minutes after it has left the last list",
        )


def _moment(at_s: int) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%d %H:%M")
