"""Dividing whole numbers of a currency's smallest unit, so that the parts are the whole to the last one. Pure.

The largest remainder decides who gets what is left over, and the order of the names decides between equal ones: the
same money over the same weights is the same division everywhere and for ever.
"""

from collections.abc import Mapping


def divide(amount: int, weights: Mapping[str, int]) -> dict[str, int]:
    """Return the parts of an amount by weights; nothing when there is no weight to divide it by."""
    assert amount >= 0
    assert all(weight >= 0 for weight in weights.values())
    total = sum(weights.values())
    if not total:
        return {}
    parts = {name: amount * weight // total for name, weight in weights.items()}
    left = amount - sum(parts.values())
    by_remainder = sorted(weights, key=lambda name: (-(amount * weights[name] % total), name))
    for name in by_remainder[:left]:
        parts[name] += 1
    return parts
