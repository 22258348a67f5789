"""Registers as if so many distinct values had been added, drawn from their exact distribution without the values."""

import numpy as np
from numpy.typing import NDArray


def drawn_registers(chance: np.random.Generator, distinct: int, *, lg_k: int, sketches: int) -> NDArray[np.uint8]:
    """Return a row of registers for each sketch: values fall into registers evenly, and the highest of each counts."""
    size = 1 << lg_k
    met = chance.multinomial(distinct, np.full(size, 1 / size), size=sketches)
    with np.errstate(divide="ignore"):
        highest = np.ceil(-np.log2(-np.expm1(np.log(chance.random(met.shape)) / met)))
    return np.where(met > 0, np.clip(highest, 1, 63), 0).astype(np.uint8)
