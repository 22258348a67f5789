"""Which minutes a shard has written, so that an hour is built of those and nobody is asked for the others.

A worker remembers the minutes that it wrote. One that starts anew finds them in the journal, which names what every
checkpoint touched: an hour that is still to be built says from which checkpoint on. Where the journal does not reach
back that far, or is not whole, the answer is that nobody knows, and every minute is asked for.
"""

from collections.abc import Iterable

from footfall.flow.store.checkpoints import load_checkpoint
from footfall.flow.store.journal import Touched, read_journal
from footfall.ports.table import Table
from footfall.values.window import Grain

Minute = tuple[str, int]  # brand, where it begins


def minutes_of(touched: Iterable[Touched]) -> set[Minute]:
    """Return the minutes among windows."""
    return {(one.brand, one.window.from_ms) for one in touched if one.window.grain is Grain.MINUTE}


def minutes_written(table: Table, shard: int, *, since: int) -> set[Minute] | None:
    """Return the minutes that the shard wrote from a checkpoint on, or None when that is not known any more."""
    checkpoint = load_checkpoint(table, shard)
    number = 0 if checkpoint is None else checkpoint.number
    news = read_journal(table, shard, after=min(since - 1, number), now_number=number)
    return minutes_of(news.touched) if news.is_whole else None
