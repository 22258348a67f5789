"""What counting writes: the minutes with each flush, hours and days when they are built, and what goes with them.

All of it follows from how many hits a minute has, so it is worked out for a few dozen numbers of hits and read off for
each minute of a month. docs/decisions/0026-writes-that-cost-money.md says why counting writes as it does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from footfall.flow.store.summaries import (
    BLOCK_BYTES_MAX,
    INLINE_BYTES_MAX,
    PIECE_BYTES_STEP,
    PIECE_KEY_BYTES,
    PIECES_MAX,
)
from footfall.flow.store.visitors import PIECE_BYTES_MAX
from footfall.planning.site import VISITS_EACH, Site, Stack
from footfall.planning.summary_sizes import (
    WINDOW_ROWS_MAX,
    AssetsOfShard,
    Floats,
    SummarySizes,
    VisitorSizes,
    assets_of_shard,
)
from footfall.planning.workload_items import (
    checkpoint_bytes,
    head_bytes,
    ids_item_bytes,
    journal_bytes,
    read_units,
    visitors_item_bytes,
    write_units,
)
from footfall.planning.workload_stream import Carried

PHASES = (0.1, 0.3, 0.5, 0.7, 0.9)  # where in a minute a flush falls: flushes drift through it
HEARD_S = 1_200  # A checkpoint names the senders of the last 20 minutes.
KINDS = ("minutes", "hours", "days", "visitors", "journal", "checkpoints", "pending", "finishing", "ids")
ID_ROW_BYTES, ID_BLOCK_ROWS = 26, 12_000  # docs/formats/seen-ids.md
HOUR_MINUTES, DAY_MINUTES = 60, 1_440


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """Units and items by kind in each minute of what is planned for, of all brands and shards, and bytes that stay."""

    units: Mapping[str, Floats]
    writes: Mapping[str, Floats]
    reads: Floats  # read units of counting
    puts: Floats  # objects of raw hits
    kept_bytes: Mapping[str, float]  # of a day's windows by kind, as they lie in the table

    @property
    def total(self) -> Floats:
        """Return all write units of each minute."""
        return np.sum([self.units[kind] for kind in KINDS], axis=0)

    @property
    def requests(self) -> Floats:
        """Return how many items are written in each minute."""
        return np.sum([self.writes[kind] for kind in KINDS], axis=0)


@dataclass(slots=True)
class BrandInShard:
    """One brand's windows in one counting shard."""

    assets: AssetsOfShard
    visitors: float  # the share of hits that have one
    uniques: bool
    minutes: SummarySizes
    longer: SummarySizes
    people: VisitorSizes
    people_of_day: VisitorSizes

    def minute(self, hits: Floats, flush_s: Floats) -> Mapping[str, Floats]:
        """Return what minutes with so many hits cost, written with every flush that meets them."""
        found: dict[str, list[Floats]] = {}
        for phase in PHASES:
            for name, value in self._minute_at(hits, flush_s / 60, phase).items():
                found.setdefault(name, []).append(value)
        return {name: np.mean(values, axis=0) for name, values in found.items()}

    def _minute_at(self, hits: Floats, step: Floats, phase: float) -> Mapping[str, Floats]:
        """Return the same where the first flush of the minute comes after a part of the time between two."""
        out = {name: np.zeros_like(hits) for name in ("units", "writes", "reads", "visitors", "pieces", "touched")}
        first = phase * step
        for n in range(int(np.ceil(1 / max(float(step.min()), 1e-3))) + 2):
            low, high = np.clip(first + (n - 1) * step, 0, 1), np.clip(first + n * step, 0, 1)
            self._add_slice(out, hits, low, high)
        return out

    def _add_slice(self, out: Mapping[str, Floats], hits: Floats, low: Floats, high: Floats) -> None:
        met = hits * (high - low)
        comes = -np.expm1(-met)
        size = self.minutes.bytes(np.maximum(hits * high, 1.0)) + head_bytes()
        out["units"][:] += comes * write_units(size)
        out["writes"][:] += comes
        out["touched"][:] += comes
        # The first write finds nothing; each later one reads the head that it replaces.
        again = comes * -np.expm1(-hits * low)
        out["reads"][:] += again * read_units(size) + (comes - again)
        if self.uniques and self.visitors:
            pieces, units = _in_pieces(self.people.bytes(met * self.visitors))
            out["visitors"][:] += comes * units
            out["pieces"][:] += comes * pieces

    def longer_units(self, hits: Floats, *, tight_pieces: bool = True) -> tuple[Floats, Floats]:
        """Return the units of an hour or a day with so many hits, and its bytes."""
        size = self.longer.bytes(np.maximum(hits, 1.0))
        units = pieces_units(size) if tight_pieces else at_once_units(size)
        return units * (hits > 0), size * (hits > 0)

    def longer_visitors(self, hits: Floats, *, is_day: bool) -> tuple[Floats, Floats, Floats]:
        """Return units, items and bytes of the visitors of an hour or a day."""
        if not self.uniques or not self.visitors:
            return np.zeros_like(hits), np.zeros_like(hits), np.zeros_like(hits)
        size = (self.people_of_day if is_day else self.people).bytes(hits * self.visitors)
        pieces, units = _in_pieces(size)
        return units * (hits > 0), pieces * (hits > 0), size * (hits > 0)


def pieces_units(size: Floats) -> Floats:
    """Return the units of a window that is written in pieces, as flow/store/summaries.py lays them."""
    steps = np.ceil((np.floor(size / PIECES_MAX) + PIECE_KEY_BYTES) / PIECE_BYTES_STEP)
    block = np.minimum(steps * PIECE_BYTES_STEP - PIECE_KEY_BYTES, BLOCK_BYTES_MAX)
    blocks = np.floor((size - 1) / block)
    rest = size - blocks * block
    names = blocks * 55  # The head names its blocks.
    return blocks * np.ceil((block + PIECE_KEY_BYTES) / 1_024) + write_units(rest + names + head_bytes())


def at_once_units(size: Floats) -> Floats:
    """Return the units of a window that is written at once: inline, or in as few blocks as can be."""
    inline = write_units(size + head_bytes())
    blocks = np.ceil(size / BLOCK_BYTES_MAX)
    in_blocks = write_units(size + blocks * (PIECE_KEY_BYTES + 512)) + write_units(head_bytes() + blocks * 55)
    return np.where(size <= INLINE_BYTES_MAX, inline, in_blocks)


def _in_pieces(size: Floats) -> tuple[Floats, Floats]:
    """Return into how many pieces visitors are halved until each fits, and their units."""
    pieces = np.exp2(np.maximum(0.0, np.ceil(np.log2(np.maximum(size, 1.0) / PIECE_BYTES_MAX))))
    return pieces, pieces * write_units(size / pieces + visitors_item_bytes())


def flush_units(
    site: Site, stack: Stack, carried: Carried, touched: Floats, *, producers: Floats
) -> Mapping[str, Floats]:
    """Return what one flush of one shard costs beside its windows: journal, checkpoint, ids, and reading it first."""
    journal = write_units(journal_bytes(touched))
    checkpoint = checkpoint_bytes(brands=site.popularity.brands, producers=producers)
    rows = carried.requests * site.batch / 60 * carried.flush_s / stack.counting_shards * site.ids
    blocks = np.ceil(rows / ID_BLOCK_ROWS)
    ids = np.where(
        rows > 0,
        np.maximum(blocks, 1) * write_units(ids_item_bytes() + ID_ROW_BYTES * rows / np.maximum(blocks, 1)),
        0.0,
    )
    return {
        "journal": journal,
        "checkpoints": write_units(checkpoint),
        "ids": ids,
        "id_blocks": np.where(rows > 0, np.maximum(blocks, 1), 0.0),
        "reads": read_units(checkpoint),
    }


@dataclass(frozen=True, slots=True)
class Sizes:
    """What is drawn once for assets of one shape, however many plans ask for it."""

    assets: AssetsOfShard
    minutes: SummarySizes
    longer: SummarySizes
    people: VisitorSizes
    people_of_day: VisitorSizes


@lru_cache(maxsize=64)  # Each holds a few kilobytes beside the shares of its assets.
def sizes(assets: int, shards: int, exponent: float, sections: int, seed: int) -> Sizes:
    """Return the sizes of a brand's windows in one shard; drawing them takes longer than all the rest."""
    of_shard = assets_of_shard(assets, shards=min(shards, assets), exponent=exponent, sections=sections)
    return Sizes(
        of_shard,
        SummarySizes(of_shard, seed=seed),
        SummarySizes(of_shard, seed=seed + 1, rows_max=WINDOW_ROWS_MAX, tight=True),
        VisitorSizes(of_shard),
        VisitorSizes(of_shard, again=VISITS_EACH),
    )


def brand_in_shard(site: Site, stack: Stack, *, seed: int) -> BrandInShard:
    """Return a brand's windows in one shard."""
    popular = site.popularity
    drawn = sizes(popular.assets, stack.counting_shards, popular.exponent, site.sections, seed)
    return BrandInShard(
        drawn.assets, site.visitors, stack.uniques, drawn.minutes, drawn.longer, drawn.people, drawn.people_of_day
    )
