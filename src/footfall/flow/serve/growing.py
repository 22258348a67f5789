"""An array that grows at its end: numbers are added in batches, and read as one plain array."""

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)

_ROOM_MIN = 1_024


class Growing(Generic[Number]):
    """Values of one kind in one block of memory, with an eighth of room to spare when it has to move."""

    def __init__(self, values: NDArray[Number]) -> None:
        self._block = values
        self._size = len(values)

    def __len__(self) -> int:
        return self._size

    @property
    def values(self) -> NDArray[Number]:
        """Return the values; what is written into them stays, until the next growth moves the block."""
        return self._block[: self._size]

    def extend(self, values: NDArray[Number]) -> None:
        """Add values at the end."""
        size = self._size + len(values)
        if size > len(self._block):
            block = np.zeros(max(_ROOM_MIN, size + size // 8), dtype=self._block.dtype)
            block[: self._size] = self.values
            self._block = block
        self._block[self._size : size] = values
        self._size = size

    def stretch(self, size: int) -> None:
        """Add zeros until there are so many values."""
        if size > self._size:
            self.extend(np.zeros(size - self._size, dtype=self._block.dtype))
