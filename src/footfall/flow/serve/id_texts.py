"""The ids of assets that are not numbers, each kept once, in one run of bytes."""

import numpy as np
from numpy.typing import NDArray

from footfall.flow.serve.growing import Growing
from footfall.flow.store.columns import Texts

WORD = 8
PIECES_AT_ONCE = 20_000
PADDED_BYTES_MAX = 48  # Of a text that is laid beside others of its length.


class IdTexts:
    """One text per asset in the order of asset numbers; an asset whose id is a number has an empty one."""

    def __init__(self) -> None:
        self._bytes = Growing(np.zeros(WORD, np.uint8))  # Room before the first text to read a whole word.
        self._end = Growing(np.zeros(1, np.int64))  # Asset n's text lies between end n and end n + 1.

    @property
    def size(self) -> int:
        """Return the bytes of all texts together."""
        return len(self._bytes) - WORD

    @property
    def run(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return where each text ends, after a zero, and the bytes of all of them."""
        return self._end.values, self._bytes.values[WORD:]

    def text(self, asset: int) -> bytes:
        """Return the asset's text."""
        start, end = self._end.values[asset : asset + 2].tolist()
        return self._bytes.values[WORD + start : WORD + end].tobytes()

    def order(self, assets: NDArray[np.uint32]) -> NDArray[np.intp] | None:
        """Return the order of assets by the bytes of their texts; None when some are too long to be laid side by side.

        A column at a time, because a million texts as objects would take ten times their bytes. They are padded with
        NUL, so of two that only differ in NULs at the end the shorter has to come first beforehand.
        """
        starts = self._end.values[assets]
        lengths = self._end.values[assets.astype(np.int64) + 1] - starts
        width = int(lengths.max(initial=0))
        if not 0 < width <= PADDED_BYTES_MAX:
            return None
        by_length = np.argsort(lengths, kind="stable")
        padded = np.zeros((len(assets), width), np.uint8)
        for first in range(0, len(assets), PIECES_AT_ONCE):
            some = by_length[first : first + PIECES_AT_ONCE]
            self._lay(padded[first : first + PIECES_AT_ONCE], starts[some], lengths[some])
        del starts, lengths
        return by_length[np.argsort(padded.view(f"S{width}").ravel(), kind="stable")]

    def _lay(self, padded: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        """Write texts into rows of zeros, each from its beginning."""
        for column in range(padded.shape[1]):
            is_longer = lengths > column
            padded[is_longer, column] = self._bytes.values[WORD + column + starts[is_longer]]

    def extend(self, texts: Texts, text_no: NDArray[np.intp]) -> None:
        """Add one text for each new asset: the one with the number given, or an empty one for -1."""
        chosen = np.maximum(text_no, 0)
        starts = np.where(text_no < 0, 0, texts.offsets[chosen].astype(np.int64))
        ends = texts.offsets[np.minimum(chosen + 1, len(texts.offsets) - 1)]
        lengths = np.where(text_no < 0, 0, ends - starts)
        self._end.extend(self._end.values[-1] + np.cumsum(lengths))
        self._bytes.extend(_pieces(np.frombuffer(texts.blob, np.uint8), starts, lengths))

    def are_equal(self, assets: NDArray[np.uint32], texts: Texts, text_no: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return for each asset whether its text is the same as the one with the number beside it; those rise."""
        if not len(assets):
            return np.empty(0, np.bool_)
        starts, ends = self._end.values[assets], self._end.values[assets.astype(np.int64) + 1]
        first, last = int(texts.offsets[text_no[0]]), int(texts.offsets[text_no[-1] + 1])
        their_ends = texts.offsets[text_no + 1].astype(np.int64) - first
        lengths = ends - starts
        are_equal = lengths == their_ends + first - texts.offsets[text_no]
        theirs = _words(np.frombuffer(bytes(WORD) + texts.blob[first:last], np.uint8))
        ours = _words(self._bytes.values)
        # Eight bytes of every text at a time, from the end, where ids differ if they do.
        going, done = np.flatnonzero(are_equal & (lengths > 0)), 0
        while len(going):
            rest = lengths[going] - done
            differ = ours[ends[going] - done] ^ theirs[their_ends[going] - done]
            differ >>= (8 * np.maximum(WORD - rest, 0)).astype(np.uint64)
            are_equal[going[differ != 0]] = False
            going, done = going[(differ == 0) & (rest > WORD)], done + WORD
        return are_equal

    def kept(self, is_kept: NDArray[np.bool_]) -> "IdTexts":
        """Return the texts of the assets that are kept."""
        starts = self._end.values[:-1][is_kept]
        lengths = self._end.values[1:][is_kept] - starts
        rest = IdTexts()
        rest._bytes.extend(_pieces(self._bytes.values, WORD + starts, lengths))
        rest._end.extend(np.cumsum(lengths))
        return rest


def _pieces(data: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return pieces of the data, one after the other."""
    ends = np.cumsum(lengths)
    gathered = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    shifts = starts - (ends - lengths)
    # Some at a time: every byte needs a place of eight.
    for first in range(0, len(starts), PIECES_AT_ONCE):
        some = slice(first, first + PIECES_AT_ONCE)
        begin, end = int(ends[first] - lengths[first]), int(ends[some][-1])
        gathered[begin:end] = data[np.repeat(shifts[some], lengths[some]) + np.arange(begin, end)]
    return gathered


def _words(data: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the eight bytes from each place on as one number, the last of them its highest part."""
    return np.ndarray(len(data) - WORD + 1, dtype="<u8", buffer=data.data, strides=(1,))
