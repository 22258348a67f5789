"""What changed between two captures of a page: sentences of its text, and bands and boxes of its picture.

A band that was put in moves everything below it, so pictures are laid beside each other row by row and not at equal
heights: what was added, what was removed, and where in between pixels differ.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from footfall.archive.picture_rows import (
    PIXEL_TOLERANCE,
    TOLERANCE,
    Picture,
    PixelReader,
    Rows,
    Span,
    equal_rows,
    rows_of,
)

SENTENCES_MAX = 20_000  # of one text; what is behind is not compared
ALIGNED_MAX = 10_000  # runs of rows, or sentences, that are laid beside each other; more are told as one change
PAIRS_MAX = 4_000_000  # of equal ones among them: repeated content costs their number, some seconds here
BOXES_MAX = 200
GAP_PX = 12  # Changed pixels that are nearer to each other than this are one box.
_CHUNK_ROWS = 1_000
_SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|\n+")  # noqa: RUF001 - what ends a sentence in Chinese


class Kind(StrEnum):
    """What happened to a stretch."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class TextPart:
    """Some sentences of the older text, of the newer, or of both."""

    kind: Kind
    before: Sequence[str]
    after: Sequence[str]


@dataclass(frozen=True, slots=True)
class TextDifference:
    """A text and what became of it."""

    parts: Sequence[TextPart]
    added: int  # sentences
    removed: int
    is_exact: bool  # Otherwise there was more than is compared, and some of it is told as one change.


@dataclass(frozen=True, slots=True)
class Band:
    """Rows of the older picture and what stands in their place in the newer one."""

    kind: Kind
    before_top: int
    before_px: int
    after_top: int
    after_px: int


@dataclass(frozen=True, slots=True)
class Box:
    """Where pixels differ, in the newer picture; in the older one it stands at `before_top`."""

    left: int
    top: int
    width_px: int
    height_px: int
    before_top: int


@dataclass(frozen=True, slots=True)
class PictureDifference:
    """A picture and what became of it."""

    bands: Sequence[Band]
    boxes: Sequence[Box]
    added_px: int  # rows
    removed_px: int
    changed_px: int
    is_exact: bool


def text_difference(before: str, after: str) -> TextDifference:
    """Return what changed between two texts, sentence by sentence."""
    old, new = _sentences(before), _sentences(after)
    is_whole = max(len(old), len(new)) < SENTENCES_MAX
    blocks, is_exact = _aligned(old, new)
    parts = [
        TextPart(_kind(block, is_same=is_same), old[slice(*block[0])], new[slice(*block[1])])
        for block, is_same in blocks
    ]
    changed = [part for part in parts if part.kind is not Kind.SAME]
    return TextDifference(
        parts,
        added=sum(len(part.after) for part in changed),
        removed=sum(len(part.before) for part in changed),
        is_exact=is_exact and is_whole,
    )


def picture_difference(before: Picture, after: Picture) -> PictureDifference:
    """Return what changed between two pictures; two tiles are decoded at a time."""
    old, new = rows_of(before), rows_of(after)
    bands, is_exact = _bands(old, new)
    boxes: list[Box] = []
    readers = PixelReader(before), PixelReader(after)
    for band in bands:
        if band.kind is Kind.CHANGED and len(boxes) < BOXES_MAX:
            is_lossy = old.is_lossy[band.before_top] or new.is_lossy[band.after_top]
            boxes += _boxes(band, *readers, tolerance=PIXEL_TOLERANCE if is_lossy else 0)
    return PictureDifference(
        bands,
        boxes[:BOXES_MAX],
        added_px=sum(max(0, band.after_px - band.before_px) for band in bands),
        removed_px=sum(max(0, band.before_px - band.after_px) for band in bands),
        changed_px=sum(min(band.before_px, band.after_px) for band in bands if band.kind is Kind.CHANGED),
        is_exact=is_exact,
    )


_Block = tuple[Span, Span]


def _sentences(text: str) -> Sequence[str]:
    found = (sentence.strip() for sentence in _SENTENCE.split(text))
    return [sentence for sentence in found if sentence][:SENTENCES_MAX]


def _kind(block: _Block, *, is_same: bool = False) -> Kind:
    if is_same:
        return Kind.SAME
    if not block[0].size:
        return Kind.ADDED
    return Kind.CHANGED if block[1].size else Kind.REMOVED


def _aligned(old: Sequence[Hashable], new: Sequence[Hashable]) -> tuple[Sequence[tuple[_Block, bool]], bool]:
    head = _common(zip(old, new, strict=False))
    tail = _common(zip(reversed(old[head:]), reversed(new[head:]), strict=False))
    inner_old, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
    blocks: list[tuple[_Block, bool]] = [((Span(0, head), Span(0, head)), True)] if head else []
    is_exact = _may_align(inner_old, inner_new)
    if is_exact:
        codes = SequenceMatcher(None, inner_old, inner_new, autojunk=False).get_opcodes()
        blocks += [((Span(i + head, k + head), Span(j + head, m + head)), tag == "equal") for tag, i, k, j, m in codes]
    else:
        blocks.append(((Span(head, len(old) - tail), Span(head, len(new) - tail)), False))
    if tail:
        blocks.append(((Span(len(old) - tail, len(old)), Span(len(new) - tail, len(new))), True))
    return blocks, is_exact


def _may_align(old: Sequence[Hashable], new: Sequence[Hashable]) -> bool:
    if max(len(old), len(new)) > ALIGNED_MAX:
        return False
    counts = Counter(new)
    return sum(times * counts[one] for one, times in Counter(old).items()) <= PAIRS_MAX


def _common(pairs: Iterator[tuple[Hashable, Hashable]]) -> int:
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


def _bands(old: Rows, new: Rows) -> tuple[Sequence[Band], bool]:
    head, tail = _equal_ends(old, Span(0, len(old)), new, Span(0, len(new)))
    bands = [_band(Kind.SAME, Span(0, head), Span(0, head))] if head else []
    inner = Span(head, len(old) - tail), Span(head, len(new) - tail)
    old_runs, new_runs = _runs(old, inner[0]), _runs(new, inner[1])
    blocks, is_exact = _aligned([run[0] for run in old_runs], [run[0] for run in new_runs])
    for (first, second), is_same in blocks:
        before, after = _rows_between(old_runs, first, inner[0]), _rows_between(new_runs, second, inner[1])
        bands += [_band(Kind.SAME, before, after)] if is_same else _refined(old, before, new, after)
    if tail:
        bands.append(_band(Kind.SAME, Span(len(old) - tail, len(old)), Span(len(new) - tail, len(new))))
    return _joined(bands), is_exact


def _equal_ends(old: Rows, before: Span, new: Rows, after: Span) -> tuple[int, int]:
    count = min(before.size, after.size)
    begins = Span(before.start, before.start + count), Span(after.start, after.start + count)
    is_same = equal_rows(old, begins[0], new, begins[1])
    head = count if is_same.all() else int(is_same.argmin())
    count -= head
    ends = Span(before.stop - count, before.stop), Span(after.stop - count, after.stop)
    is_same = equal_rows(old, ends[0], new, ends[1])[::-1]
    tail = count if is_same.all() else int(is_same.argmin())
    return head, tail


def _runs(rows: Rows, within: Span) -> Sequence[tuple[Hashable, int]]:
    # Rows that repeat, as empty ones do, are one run: laying each beside each would cost the square of their number.
    runs: list[tuple[Hashable, int]] = []
    begin = within.start
    hashes = rows.within(within).hashes
    breaks = np.flatnonzero(hashes[1:] != hashes[:-1])
    for end in [*(within.start + 1 + int(place) for place in breaks), within.stop]:
        if begin < end:
            coarse = (rows.looks[begin] // (2 * TOLERANCE)).tobytes()
            look: Hashable = coarse if rows.is_lossy[begin] else int(rows.hashes[begin])
            runs.append(((look, end - begin), begin))
        begin = end
    return runs


def _rows_between(runs: Sequence[tuple[Hashable, int]], block: Span, within: Span) -> Span:
    begin = runs[block.start][1] if block.start < len(runs) else within.stop
    end = runs[block.stop][1] if block.stop < len(runs) else within.stop
    return Span(begin, end)


def _refined(old: Rows, before: Span, new: Rows, after: Span) -> Sequence[Band]:
    # A run that became longer, or rows that only look otherwise by a loss, are found equal here.
    head, tail = _equal_ends(old, before, new, after)
    inner = Span(before.start + head, before.stop - tail), Span(after.start + head, after.stop - tail)
    ends = Span(inner[0].stop, before.stop), Span(inner[1].stop, after.stop)
    begins = Span(before.start, inner[0].start), Span(after.start, inner[1].start)
    return [
        _band(Kind.SAME, *begins),
        _band(_kind(inner), *inner),
        _band(Kind.SAME, *ends),
    ]


def _band(kind: Kind, before: Span, after: Span) -> Band:
    return Band(kind, before.start, before.size, after.start, after.size)


def _joined(bands: Sequence[Band]) -> Sequence[Band]:
    joined: list[Band] = []
    for band in bands:
        if not band.before_px and not band.after_px:
            continue
        if joined and joined[-1].kind is band.kind:
            last = joined.pop()
            band = Band(
                band.kind,
                last.before_top,
                last.before_px + band.before_px,
                last.after_top,
                last.after_px + band.after_px,
            )
        joined.append(band)
    return joined


def _boxes(band: Band, before: PixelReader, after: PixelReader, *, tolerance: int) -> Iterator[Box]:
    rows = min(band.before_px, band.after_px)
    for begin in range(0, rows, _CHUNK_ROWS):
        end = min(rows, begin + _CHUNK_ROWS)
        old = before.between(band.before_top + begin, band.before_top + end)
        new = after.between(band.after_top + begin, band.after_top + end)
        width = min(old.shape[1], new.shape[1])
        apart = np.abs(old[:, :width].astype(np.int16) - new[:, :width].astype(np.int16)).max(axis=2) > tolerance
        for top, bottom in _stretches(apart.any(axis=1)):
            for left, right in _stretches(apart[top:bottom].any(axis=0)):
                inner = np.flatnonzero(apart[top:bottom, left:right].any(axis=1))
                first, last = top + int(inner[0]), top + int(inner[-1]) + 1
                place = band.after_top + begin + first
                yield Box(left, place, right - left, last - first, band.before_top + begin + first)


def _stretches(is_set: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    places = np.flatnonzero(is_set)
    if not len(places):
        return
    breaks = np.flatnonzero(np.diff(places) > GAP_PX)
    begins = [int(places[0]), *(int(places[at + 1]) for at in breaks)]
    ends = [*(int(places[at]) + 1 for at in breaks), int(places[-1]) + 1]
    yield from zip(begins, ends, strict=True)
