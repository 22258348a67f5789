"""What is proven of a list: whether a hit that no row tells of could change its members, their order or a count."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.flow.serve.listing import Candidates
from footfall.flow.serve.sheets import Bounds
from footfall.flow.serve.wanted import Wanted

Listed = list[tuple[int, int]]  # assets in order, with their hits


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether the list is proven, and by how much each listed asset may be off."""

    is_exact: bool
    uncertainty: list[int]  # empty when every count is certain


CERTAIN = Proof(is_exact=True, uncertainty=[])


def proof_of(bounds: Bounds, wanted: Wanted, found: Candidates, *, listed: Listed, limit: int) -> Proof:
    """Return what is proven of a list that was drawn from these candidates."""
    if wanted.is_nothing or (not bounds.is_cut and not bounds.other):
        return CERTAIN
    per_unit = bounds.per_unit(wanted.slices)
    assets = np.array([asset for asset, _ in listed], np.uint32)
    uncertainty = bounds.uncertainty(assets, per_unit)
    # An asset that is missing everywhere, and may not even be known here, can have as many as this.
    unseen_max = bounds.other + int(per_unit.sum())
    # Whoever has so many hits belongs on the list.
    enough = listed[-1][1] if len(listed) == limit else 1
    if uncertainty.any():
        is_exact = False
    elif wanted.unseen == 0:
        is_exact = not _known_may_reach(bounds, wanted, per_unit, found, listed=assets, enough=enough)
    else:
        is_exact = unseen_max < enough and not _may_overtake(bounds, per_unit, found, enough, unseen_max)
    return Proof(is_exact=is_exact, uncertainty=uncertainty.tolist())


def _may_overtake(bounds: Bounds, per_unit: NDArray[np.int64], found: Candidates, enough: int, unseen_max: int) -> bool:
    """Tell whether a candidate that is not listed can have as many hits as the last one that is."""
    near = np.flatnonzero(found.hits >= enough - unseen_max)
    uncertainty = bounds.uncertainty(found.assets(near), per_unit)
    # The listed ones are among these, and certain; so is any other with no uncertainty, whose place is known.
    return bool(((uncertainty > 0) & (found.hits[near] + uncertainty >= enough)).any())


def _known_may_reach(
    bounds: Bounds,
    wanted: Wanted,
    per_unit: NDArray[np.int64],
    found: Candidates,
    *,
    listed: NDArray[np.uint32],
    enough: int,
) -> bool:
    """Tell the same when all assets that are asked for are known, be it without a row in the slices asked for."""
    assert wanted.assets is not None
    hits = np.zeros(len(wanted.assets), np.int64)
    seen = np.flatnonzero(found.hits)
    hits[found.assets(seen)] = found.hits[seen]
    is_other = wanted.assets.copy()
    is_other[listed] = False
    others = np.flatnonzero(is_other).astype(np.uint32)
    uncertainty = bounds.uncertainty(others, per_unit)
    return bool(((uncertainty > 0) & (hits[others] + uncertainty >= enough)).any())
