"""Columns as bytes, and back. The format is drawn in docs/formats/summaries.md.

Equal columns give equal bytes before compression, so their checksum says whether two windows hold the same
without decoding either. Bytes that are not what was written are never turned into an answer.
"""

import struct
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray
from xxhash import xxh3_64, xxh3_64_intdigest

from footfall.flow.store.columns import SHARED_SLICES_MAX, TEXT_BIT, Columns, Cuts, Slice, Texts, shared_slices
from footfall.ports.errors import Corrupt, PortError

# The second is written for windows that were cut only: it says how many hits were left out. The third for windows in
# which not all were persons.
VERSIONS = (1, 2, 3)
CONTENT_BYTES_MAX = 1_000_000_000  # Some 50 million rows: more is a broken length, and memory is not given for it.

_MAGIC = b"ffco"
_FRAME = struct.Struct("<4sQHQQ")  # magic, check of all that follows it, version, bytes and checksum of the content
_CHECKED_FROM = 12
_COUNTS = struct.Struct("<IIIIBBBB")  # rows, texts, bytes of labels, bytes of texts, then the widths of four columns
_LEVEL, _TIGHT_LEVEL = 3, 12  # A twentieth smaller for ten times the work: some milliseconds for an hour.


class UnknownVersion(PortError):
    """The bytes are whole, but of a format that this footfall does not read."""


# Section, resource type, paid type; a label only where it is not a person's.
_Written = Annotated[tuple[str, ...], msgspec.Meta(min_length=3, max_length=4)]


class _Labels(msgspec.Struct, array_like=True, frozen=True):
    """Everything of columns that is not a long run of numbers or of text."""

    slices: tuple[_Written, ...]
    other: int
    cut_slices: tuple[tuple[_Written, int], ...]
    cut_any_asset: int
    cut_reaches_kept: bool


class _LabelsOfCut(_Labels, array_like=True, frozen=True):
    """The same of version 2."""

    left_out: tuple[tuple[_Written, int], ...]


class _LabelsOfScreened(_LabelsOfCut, array_like=True, frozen=True):
    """The same of version 3."""

    other_screened: int


_KINDS: dict[int, type[_Labels]] = {1: _Labels, 2: _LabelsOfCut, 3: _LabelsOfScreened}


def bytes_from_columns(columns: Columns, *, tight: bool = False) -> bytes:
    """Return the columns as bytes, packed as tight as pays where each kilobyte is paid for."""
    labels = packed_labels(columns)
    content = _content_with(labels.data, columns)
    packed = (_of_thread.tight if tight else _of_thread.usual).compress(content)
    version = labels.version
    head = _FRAME.pack(_MAGIC, 0, version, len(content), xxh3_64_intdigest(content))[_CHECKED_FROM:]
    del content  # Tens of megabytes, when a day is large.
    check = xxh3_64(head)
    check.update(packed)
    return b"".join([_MAGIC, struct.pack("<Q", check.intdigest()), head, packed])


def columns_from_bytes(data: bytes) -> Columns:
    """Return the columns that the bytes hold, or raise Corrupt."""
    frame = _frame_of(data)
    if xxh3_64_intdigest(memoryview(data)[_CHECKED_FROM:]) != frame.check:
        raise Corrupt(f"a summary of {len(data)} bytes does not have its checksum; count its window again")
    if frame.version not in VERSIONS:
        known = " and ".join(map(str, VERSIONS))
        raise UnknownVersion(f"a summary has format version {frame.version}, this footfall reads {known}; upgrade it")
    if frame.content_bytes > CONTENT_BYTES_MAX:
        raise Corrupt(f"a summary claims {frame.content_bytes} bytes of content, at most {CONTENT_BYTES_MAX} are read")
    try:
        content = zstandard.ZstdDecompressor().decompress(
            memoryview(data)[_FRAME.size :], max_output_size=frame.content_bytes, allow_extra_data=False
        )
    except zstandard.ZstdError as error:
        raise Corrupt(f"a summary cannot be unpacked; count its window again: {error}") from error
    if len(content) != frame.content_bytes or xxh3_64_intdigest(content) != frame.checksum:
        raise Corrupt("a summary's content does not have its checksum; count its window again")
    return _columns_from_content(content, _KINDS[frame.version])


def checksum_of(data: bytes) -> str:
    """Return the checksum of the content, which is equal for equal columns, without decoding them."""
    return f"{_frame_of(data).checksum:016x}"


@dataclass(frozen=True, slots=True)
class _Frame:
    """What stands before the packed content."""

    version: int
    content_bytes: int
    checksum: int
    check: int


def _frame_of(data: bytes) -> _Frame:
    """Return the frame of the bytes."""
    if len(data) < _FRAME.size or data[: len(_MAGIC)] != _MAGIC:
        raise Corrupt(f"{len(data)} bytes that begin with {data[:4]!r} are not a summary")
    _, check, version, content_bytes, checksum = _FRAME.unpack_from(data)
    return _Frame(version=version, content_bytes=content_bytes, checksum=checksum, check=check)


def content_from_columns(columns: Columns) -> bytearray:
    """Return the columns as the bytes that are checksummed, before they are packed."""
    return _content_with(packed_labels(columns).data, columns)


def _content_with(labels: bytes, columns: Columns) -> bytearray:
    # Steps between sorted idents are small, and so are most counts: their upper bytes are nearly all alike.
    steps = columns.ident.copy()
    steps[1:] -= columns.ident[:-1]
    offsets = columns.texts.offsets
    long_runs = (steps, columns.slice_no, columns.hits, offsets[1:] - offsets[:-1])
    widths = [_width_of(numbers) for numbers in long_runs]
    blob = columns.texts.blob
    counts = _COUNTS.pack(len(columns.ident), len(long_runs[-1]), len(labels), len(blob), *widths)
    content = bytearray(counts + labels)
    # Written where they belong: a second copy of a large day would be its largest cost.
    content += bytes(sum(width * len(numbers) for numbers, width in zip(long_runs, widths, strict=True)))
    content += blob
    at = len(counts) + len(labels)
    for numbers, width in zip(long_runs, widths, strict=True):
        planes = np.frombuffer(content, np.uint8, width * len(numbers), at).reshape(width, len(numbers))
        _write_planes(planes, numbers)
        at += planes.size
    return content


@dataclass(frozen=True, slots=True)
class _PackedLabels:
    """The short part of columns as it is written, and the lowest version that can say what the columns do."""

    data: bytes
    version: int


def packed_labels(columns: Columns) -> _PackedLabels:
    """Return the short part of columns, its cuts in the order of slices."""
    cuts = columns.cuts
    slices, has_label = _of_thread.slices.of(columns.slices)
    version = 2 if cuts.left_out else 1
    if columns.other_screened or has_label or any(one.label for one in cuts.per_slice):
        version = 3
    per_slice, left_out = _written_cuts(cuts.per_slice), _written_cuts(cuts.left_out)
    short = (msgspec.Raw(slices), columns.other, per_slice, cuts.any_asset, cuts.reaches_kept)
    longer = ((), (left_out,), (left_out, columns.other_screened))[version - 1]
    return _PackedLabels(msgspec.msgpack.encode((*short, *longer)), version)


class _PackedSlices:
    """Slices as they are written, each made out once: thousands of windows have the same hundreds of them.

    They are known by which objects they are, for columns share them, and to hash four texts would take longer than to
    write them. Those that are known are held, so that nothing else can be the same object.
    """

    def __init__(self) -> None:
        self._packed: dict[int, bytes] = {}
        self._held: list[Slice] = []
        self._with_label: set[int] = set()

    def of(self, slices: Sequence[Slice]) -> tuple[bytes, bool]:
        """Return slices as an array of theirs, and whether any of them has a label."""
        known = [*map(id, slices)]
        try:
            packed = b"".join(map(self._packed.__getitem__, known))
        except KeyError:
            self._learn(slices)
            packed = b"".join(map(self._packed.__getitem__, known))
        has_label = bool(self._with_label) and not self._with_label.isdisjoint(known)
        return _array_head(len(slices)) + packed, has_label

    def _learn(self, slices: Sequence[Slice]) -> None:
        if len(self._held) >= SHARED_SLICES_MAX:
            self._packed, self._held, self._with_label = {}, [], set()
        for one in slices:
            if id(one) not in self._packed:
                self._held.append(one)
                self._packed[id(one)] = msgspec.msgpack.encode(_written(one))
                if one.label:
                    self._with_label.add(id(one))


class _OfThread(threading.local):
    """What packs, made once for each thread: to make it takes a third of the time of a minute's content."""

    def __init__(self) -> None:
        self.usual = zstandard.ZstdCompressor(level=_LEVEL)
        self.tight = zstandard.ZstdCompressor(level=_TIGHT_LEVEL)
        self.slices = _PackedSlices()


_of_thread = _OfThread()


def _array_head(size: int) -> bytes:
    """Return what stands before so many things in msgpack."""
    if size < 16:
        return bytes((0x90 | size,))
    return struct.pack(">BH", 0xDC, size) if size < 1 << 16 else struct.pack(">BI", 0xDD, size)


def _written(one: Slice) -> _Written:
    return one if one.label else one[:3]


def _written_cuts(cuts: Mapping[Slice, int]) -> tuple[tuple[_Written, int], ...]:
    return tuple((_written(one), hits) for one, hits in sorted(cuts.items()))


def _read_cuts(written: tuple[tuple[_Written, int], ...]) -> dict[Slice, int]:
    return dict(zip(shared_slices(one for one, _ in written), (hits for _, hits in written), strict=True))


_Run = NDArray[np.uint64] | NDArray[np.uint32] | NDArray[np.uint16]


def _width_of(numbers: _Run) -> int:
    """Return how many bytes the highest number needs."""
    return (int(numbers.max(initial=0)).bit_length() + 7) // 8


def _write_planes(planes: NDArray[np.uint8], numbers: _Run) -> None:
    """Write the lowest byte of every number, then the next of every number, and so on: like lies beside like."""
    size = numbers.itemsize
    as_bytes = np.ascontiguousarray(numbers, f"<u{size}").view(np.uint8).reshape(len(numbers), size)
    planes[:] = as_bytes[:, : len(planes)].T


def _columns_from_content(content: bytes, kind: type[_Labels]) -> Columns:
    """Return the columns of a content that has its checksum."""
    if len(content) < _COUNTS.size:
        raise Corrupt(f"a summary's content has {len(content)} bytes, too few for any; count its window again")
    rows, text_count, label_bytes, blob_bytes, *widths = _COUNTS.unpack_from(content)
    sizes = [width * size for width, size in zip(widths, (rows, rows, rows, text_count), strict=True)]
    ends = np.cumsum([_COUNTS.size, label_bytes, *sizes, blob_bytes]).tolist()
    if ends[-1] != len(content) or max(widths) > 8:
        raise Corrupt(f"a summary's content has {len(content)} bytes where its counts need {ends[-1]}")
    try:
        labels = msgspec.msgpack.decode(content[ends[0] : ends[1]], type=kind)
    except msgspec.MsgspecError as error:
        raise Corrupt(f"a summary's labels cannot be read: {error}") from error
    ident = np.cumsum(_numbers_from(content, ends[1], rows, widths[0]), dtype=np.uint64)
    offsets = np.zeros(text_count + 1, np.uint32)
    offsets[1:] = np.cumsum(_numbers_from(content, ends[4], text_count, widths[3]))
    slice_no = _numbers_from(content, ends[2], rows, widths[1])
    if offsets[-1] != blob_bytes or slice_no.max(initial=0) >= max(len(labels.slices), 1):
        raise Corrupt("a summary's rows do not fit its slices and texts; count its window again")
    return Columns(
        slices=shared_slices(labels.slices),
        ident=ident,
        slice_no=slice_no.astype(np.uint16),
        hits=_numbers_from(content, ends[3], rows, widths[2]),
        text_ident=_text_idents_of(ident, text_count),
        texts=Texts(blob=content[ends[5] :], offsets=offsets),
        other=labels.other,
        other_screened=labels.other_screened if isinstance(labels, _LabelsOfScreened) else 0,
        cuts=_cuts_from(labels),
    )


def _cuts_from(labels: _Labels) -> Cuts:
    """Return the cuts among the labels."""
    return Cuts(
        per_slice=_read_cuts(labels.cut_slices),
        any_asset=labels.cut_any_asset,
        reaches_kept=labels.cut_reaches_kept,
        left_out=_read_cuts(labels.left_out) if isinstance(labels, _LabelsOfCut) else {},
    )


def _numbers_from(content: bytes, start: int, count: int, width: int) -> NDArray[np.uint64]:
    """Return the numbers whose planes begin there."""
    planes = np.frombuffer(content, np.uint8, count * width, start).reshape(width, count)
    as_bytes = np.zeros((count, 8), np.uint8)
    as_bytes[:, :width] = planes.T
    return as_bytes.view("<u8").reshape(count).astype(np.uint64, copy=False)


def _text_idents_of(ident: NDArray[np.uint64], text_count: int) -> NDArray[np.uint64]:
    """Return the idents of the texts, which are not stored: rows have them all."""
    with_text = ident[np.searchsorted(ident, np.uint64(TEXT_BIT)) :]
    is_first = np.ones(len(with_text), np.bool_)
    is_first[1:] = with_text[1:] != with_text[:-1]
    text_ident = with_text[is_first]
    if len(text_ident) != text_count:
        raise Corrupt(f"a summary has {text_count} texts for {len(text_ident)} assets; count its window again")
    return text_ident
