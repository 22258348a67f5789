"""How long windows have been kept is remembered, so that what is gone is not taken for empty."""

import pytest

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.store import keys
from footfall.flow.store.retention import RULES_MAX, KeptFor, known_since_ms, load_retention, note_retention
from footfall.ports.errors import Corrupt
from footfall.ports.table import Put
from footfall.values.clock import SetClock
from footfall.values.window import DAY_MS, Grain

NOW = 1_000 * DAY_MS


def kept(days: int) -> dict[Grain, int]:
    return dict.fromkeys(Grain, days * DAY_MS)


def known_days(*rules: tuple[int, int]) -> int:
    """Return for how many days back all is known, given since which day windows were kept for how many days."""
    history = [KeptFor(since * DAY_MS, kept(days)) for since, days in rules]
    return (NOW - known_since_ms(history, Grain.HOUR, now_ms=NOW)) // DAY_MS


@pytest.mark.parametrize(
    ("rules", "days"),
    [
        ([(0, 60)], 60),
        ([(0, 60), (990, 365)], 60),  # Raised ten days ago: what was written before still goes after 60 days.
        ([(0, 60), (500, 365)], 365),  # Raised long ago.
        ([(0, 60), (800, 365)], 200),  # All that was written since is there, and nothing from before.
        ([(0, 365), (990, 60)], 60),  # Lowered: what was written again since has gone.
        ([(0, 365), (990, 5)], 5),
        ([(0, 60), (900, 10), (980, 365)], 20),
        ([(0, 5_000)], 1_000),
    ],
)
def test_what_is_known_depends_on_every_rule_since(rules: list[tuple[int, int]], days: int) -> None:
    assert known_days(*rules) == days


def test_a_rule_is_written_down_when_it_is_news() -> None:
    table = SqliteTable(":memory:", clock=SetClock(NOW))
    assert load_retention(table) == []
    for days, at_ms in ((60, 5), (60, 6), (90, 7), (90, 8)):
        note_retention(table, kept(days), now_ms=at_ms)
    assert load_retention(table) == [KeptFor(0, kept(60)), KeptFor(7, kept(90))]


def test_the_history_is_bounded() -> None:
    table = SqliteTable(":memory:", clock=SetClock(NOW))
    for number in range(RULES_MAX + 5):
        note_retention(table, kept(1 + number), now_ms=number)
    history = load_retention(table)
    assert len(history) == RULES_MAX
    assert history[-1].since_ms == RULES_MAX + 4


@pytest.mark.parametrize("rules", ["no list", [[1]], [["x", {}]]])
def test_a_history_that_is_none_is_found_out(rules: object) -> None:
    table = SqliteTable(":memory:", clock=SetClock(NOW))
    table.put(Put(keys.retention(), {"rules": rules}))  # pyright: ignore[reportArgumentType]
    with pytest.raises(Corrupt):
        load_retention(table)
