"""MurmurHash3 of many values at once, with the seed that Apache DataSketches uses, so that sketches of both agree.

A step of the hash is done for all values of a chunk before the next step. Chunks are small enough for the
processor's cache; that, and never touching a value by itself, is what makes it fast.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.sketches.errors import ValueTooLong

Words = NDArray[np.uint64]

SEED = 9001  # DataSketches' default; another one would make other registers of the same values.
VALUE_BYTES_MAX = 8_192  # A chunk costs as many rounds as its longest value has blocks of 16 bytes.
CHUNK = 16_384  # Values at a time: their words and the intermediate ones stay in the second-level cache.

_C1, _C2 = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
_ADD1, _ADD2 = np.uint64(0x52DCE729), np.uint64(0x38495AB5)
_FIVE = np.uint64(5)
_MIX1, _MIX2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_WORD = 8
_BLOCK, _BLOCK_LG = 16, 4
_SEED_OF_WORD = np.uint64(SEED ^ _WORD)  # Either half of the hash of a value of one word, before the word.
_END = bytes(1 + _BLOCK)  # After the last value: its separator, and room for reading its tail as a whole block.
# What is kept of the two words of a tail, by the bytes that it has.
_KEEP_FIRST = np.array([(1 << 8 * min(left, _WORD)) - 1 for left in range(_BLOCK)], np.uint64)
_KEEP_SECOND = np.array([(1 << 8 * max(left - _WORD, 0)) - 1 for left in range(_BLOCK)], np.uint64)


@dataclass(frozen=True, slots=True)
class Hashes:
    """The two halves of the 128-bit hashes of some values, in the order of the values."""

    first: Words
    second: Words


def hashes_of_texts(texts: Sequence[str]) -> Iterator[Hashes]:
    """Yield the hashes of texts as UTF-8, by chunks; empty ones are left out, as DataSketches leaves them out."""
    for at in range(0, len(texts), CHUNK):
        yield _hashes_of_texts(texts[at : at + CHUNK] if len(texts) > CHUNK else texts)


def hashes_of_bytes(values: Sequence[bytes]) -> Iterator[Hashes]:
    """Yield the hashes of byte strings, by chunks; empty ones are left out, as DataSketches leaves them out."""
    for at in range(0, len(values), CHUNK):
        yield _hashes_of_bytes(values[at : at + CHUNK] if len(values) > CHUNK else values)


def hashes_of_numbers(numbers: NDArray[np.uint64] | NDArray[np.int64]) -> Iterator[Hashes]:
    """Yield the hashes of 64-bit numbers, each taken as its eight bytes, by chunks."""
    words = np.ascontiguousarray(numbers).view(np.uint64)
    for at in range(0, len(words), CHUNK):
        yield _hashes_of_words(words[at : at + CHUNK])


def _hashes_of_words(words: Words) -> Hashes:
    """Return the hashes of values that are one word each: a tail, and no block before it."""
    first = words * _C1
    _rotate(first, 31)
    first *= _C2
    first ^= _SEED_OF_WORD
    first += _SEED_OF_WORD
    second = first + _SEED_OF_WORD
    return _finished(first, second)


def _hashes_of_texts(texts: Sequence[str]) -> Hashes:
    data = "\0".join(texts).encode() + _END
    ends = _ends_of(data)
    if len(ends) == len(texts):
        return _hashes_of_run(data, ends)
    return _hashes_of_bytes([text.encode() for text in texts])


def _hashes_of_bytes(values: Sequence[bytes]) -> Hashes:
    # The separators tell the lengths; asking every value for its own takes longer than all of the joining.
    data = b"\0".join(values) + _END
    ends = _ends_of(data)
    if len(ends) != len(values):  # Some value has a zero byte inside.
        ends = np.cumsum(np.fromiter(map(len, values), np.int64, len(values)) + 1) - 1
    return _hashes_of_run(data, ends)


def _ends_of(data: bytes) -> NDArray[np.int64]:
    """Return where the zero bytes are that are not padding."""
    return np.flatnonzero(np.frombuffer(data, np.uint8, len(data) - len(_END) + 1) == 0)


def _hashes_of_run(data: bytes, ends: NDArray[np.int64]) -> Hashes:
    """Return the hashes of values that lie in one run, a byte after each and the padding after all."""
    starts = np.empty_like(ends)
    starts[:1] = 0
    np.add(ends[:-1], 1, out=starts[1:])
    lengths = ends - starts
    shortest, longest = int(lengths.min(initial=1)), int(lengths.max(initial=0))
    if longest > VALUE_BYTES_MAX:
        raise ValueTooLong(f"a value has {longest} bytes, at most {VALUE_BYTES_MAX} are counted; send a digest of it")
    if shortest == 0:
        starts, lengths = starts[lengths > 0], lengths[lengths > 0]
    if shortest // _BLOCK == longest // _BLOCK:
        return _hashes_of_sorted(data, starts, lengths, [len(starts)] * (longest // _BLOCK))
    # Most blocks first: those that still have a block are then always the first so many.
    blocks = (lengths >> _BLOCK_LG).astype(np.int16)
    order = np.argsort(-blocks, kind="stable")
    having = len(blocks) - np.cumsum(np.bincount(blocks))[:-1]
    hashes = _hashes_of_sorted(data, starts[order], lengths[order], having.tolist())
    first, second = np.empty_like(hashes.first), np.empty_like(hashes.second)
    first[order], second[order] = hashes.first, hashes.second
    return Hashes(first, second)


def _hashes_of_sorted(
    data: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64], having: Sequence[int]
) -> Hashes:
    """Return the hashes of values whose numbers of blocks never rise; `having` tells how many have each block."""
    # Blocks at every byte, not at every sixteenth: values begin anywhere.
    anywhere = np.ndarray((len(data) - _BLOCK + 1,), np.dtype(f"V{_BLOCK}"), data, 0, (1,))
    first = np.full(len(starts), SEED, np.uint64)
    second = first.copy()
    at, left = starts.copy(), lengths & (_BLOCK - 1)
    for count in having:
        _take_block(first[:count], second[:count], *_words(anywhere, at[:count]))
        at[:count] += _BLOCK
    word1, word2 = _words(anywhere, at)
    word1 &= _KEEP_FIRST[left]
    word2 &= _KEEP_SECOND[left]
    first ^= _scrambled(word1, _C1, _C2, 31)
    second ^= _scrambled(word2, _C2, _C1, 33)
    first ^= lengths.view(np.uint64)
    second ^= lengths.view(np.uint64)
    first += second
    second += first
    return _finished(first, second)


def _words(anywhere: NDArray[np.void], at: NDArray[np.int64]) -> tuple[Words, Words]:
    """Return the two words of the blocks at these places."""
    words = anywhere[at].view("<u8")  # Fetching sixteen bytes at once costs what eight do.
    return words[0::2].astype(np.uint64), words[1::2].astype(np.uint64)


def _take_block(first: Words, second: Words, word1: Words, word2: Words) -> None:
    """Mix a block of each value into its hash, in place."""
    first ^= _scrambled(word1, _C1, _C2, 31)
    _rotate(first, 27)
    first += second
    first *= _FIVE
    first += _ADD1
    second ^= _scrambled(word2, _C2, _C1, 33)
    _rotate(second, 31)
    second += first
    second *= _FIVE
    second += _ADD2


def _scrambled(words: Words, before: np.uint64, after: np.uint64, turn: int) -> Words:
    """Scramble the words in place and return them."""
    words *= before
    _rotate(words, turn)
    words *= after
    return words


def _rotate(words: Words, turn: int) -> None:
    low = words >> np.uint64(64 - turn)
    words <<= np.uint64(turn)
    words |= low


def _finished(first: Words, second: Words) -> Hashes:
    """Let every bit of what was taken reach every bit of the hashes, in place, and return them."""
    _mix(first)
    _mix(second)
    first += second
    second += first
    return Hashes(first, second)


def _mix(words: Words) -> None:
    for factor in (_MIX1, _MIX2):
        words ^= words >> np.uint64(33)
        words *= factor
    words ^= words >> np.uint64(33)
