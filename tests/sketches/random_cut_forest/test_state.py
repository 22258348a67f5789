"""A forest as bytes: it goes on as if nothing had happened, and bytes that are not whole are refused."""

import struct

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.sketches.errors import NotASketch, UnknownSketchVersion
from footfall.sketches.frames import FRAME_BYTES, framed
from footfall.sketches.random_cut_forest.forest import Forest
from footfall.sketches.random_cut_forest.shape import Shape
from footfall.sketches.random_cut_forest.state import MAGIC, VERSION, bytes_from_forest, forest_from_bytes

SMALL = Shape(features=2, shingle=2, trees=5, sample=16, decay_points=100)
HEAD = "<HHHHQBQQ16sQ"


def points(count: int, seed: int = 1) -> list[list[float]]:
    return np.random.default_rng(seed).normal(0, 1, (count, 2)).tolist()


def state(count: int = 100) -> bytes:
    forest = Forest(SMALL, seed=9)
    forest.judged(points(count))
    return bytes_from_forest(forest)


def changed(place: int, value: int | bytes) -> bytes:
    """Return a state whose checksum is right and whose head says something else."""
    content = state()[FRAME_BYTES:]
    head: list[int | bytes] = list(struct.unpack_from(HEAD, content))
    head[place] = value
    return framed(MAGIC, VERSION, struct.pack(HEAD, *head) + content[struct.calcsize(HEAD) :])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 80), st.integers(0, 60), st.booleans(), st.integers(0, 2**63 - 1))
def test_a_restored_forest_goes_on_as_the_one_that_was_kept(before: int, after: int, scaled: bool, seed: int) -> None:
    kept = Forest(Shape(2, shingle=2, trees=5, sample=16, decay_points=100, is_scaled=scaled), seed=seed)
    kept.judged(points(before))
    restored = forest_from_bytes(bytes_from_forest(kept))
    assert (restored.shape, restored.seed, restored.seen) == (kept.shape, kept.seed, kept.seen)
    assert restored.explained([3.0, 0.0]) == kept.explained([3.0, 0.0])
    assert restored.judged(points(after, seed=2)) == kept.judged(points(after, seed=2))
    assert bytes_from_forest(restored) == bytes_from_forest(kept)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_state_with_a_changed_byte_is_refused(data: st.DataObject) -> None:
    whole = bytearray(STATE)
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] ^= data.draw(st.integers(1, 255))
    with pytest.raises(NotASketch):
        forest_from_bytes(bytes(whole))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_state_that_is_cut_or_longer_is_refused(data: st.DataObject) -> None:
    with pytest.raises(NotASketch):
        forest_from_bytes(STATE[: data.draw(st.integers(0, len(STATE) - 1))])
    with pytest.raises(NotASketch):
        forest_from_bytes(STATE + data.draw(st.binary(min_size=1, max_size=20)))


@pytest.mark.parametrize(
    ("place", "value"),
    [(0, 3), (0, 0), (1, 3), (2, 6), (3, 17), (4, 101), (5, 2), (6, 8), (6, 2**63), (7, 99), (9, 10), (9, 2**40)],
)
def test_a_state_that_contradicts_itself_is_refused_although_its_checksum_is_right(place: int, value: int) -> None:
    with pytest.raises(NotASketch, match="learn again"):
        forest_from_bytes(changed(place, value))


def test_states_of_other_versions_say_so() -> None:
    with pytest.raises(UnknownSketchVersion, match="version 2"):
        forest_from_bytes(framed(MAGIC, 2, b"whatever"))
    with pytest.raises(UnknownSketchVersion, match=r"'krcf 9\.9'"):
        forest_from_bytes(changed(8, b"krcf 9.9"))


def test_means_that_nothing_has_are_refused() -> None:
    content = bytearray(state()[FRAME_BYTES:])
    at = struct.calcsize(HEAD)
    content[at : at + 8] = struct.pack("<d", float("nan"))
    with pytest.raises(NotASketch, match="means"):
        forest_from_bytes(framed(MAGIC, VERSION, bytes(content)))


def test_an_inside_that_is_none_is_refused() -> None:
    content = state()[FRAME_BYTES:]
    at = struct.calcsize(HEAD) + 32
    for inside in (b"", b"\x93\x01\x02\x03", b"\xc1" * 50):
        head = list(struct.unpack_from(HEAD, content))
        head[9] = len(inside)
        packed = struct.pack(HEAD, *head) + content[at - 32 : at] + zstandard.compress(inside)
        with pytest.raises(NotASketch):
            forest_from_bytes(framed(MAGIC, VERSION, packed))
    with pytest.raises(NotASketch, match="unpacked"):
        forest_from_bytes(framed(MAGIC, VERSION, content[:at] + b"no zstandard"))


STATE = state()
