"""What the judge keeps of a brand comes back whole, and damage means that it learns again."""

from pathlib import Path

import pytest

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.app.judge_memory import Memories, Memory, bytes_from_memory, memory_from_bytes
from footfall.screening.judge_state import bytes_from_learned
from footfall.screening.judging import new_learned
from footfall.sketches.errors import NotASketch
from footfall.sketches.frames import framed


def memory() -> Memory:
    learned = new_learned(seed=3)
    learned.usual[5] = 12.5
    return Memory(learned, judged_ms=1_794_700_800_000, version=7)


def test_it_comes_back_as_it_was() -> None:
    back = memory_from_bytes(bytes_from_memory(memory()))
    assert (back.judged_ms, back.version) == (1_794_700_800_000, 7)
    assert bytes_from_learned(back.learned) == bytes_from_learned(memory().learned)


@pytest.mark.parametrize("data", [b"", b"ffjm", framed(b"ffjm", 1, b"x"), framed(b"ffjm", 2, b""), b"x" * 100])
def test_what_is_no_memory_is_refused(data: bytes) -> None:
    with pytest.raises(NotASketch):
        memory_from_bytes(data)


def test_damage_is_found() -> None:
    data = bytearray(bytes_from_memory(memory()))
    data[len(data) // 2] ^= 1
    with pytest.raises(NotASketch):
        memory_from_bytes(bytes(data))


def test_a_brand_that_nothing_usable_is_kept_of_begins_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    blobs = FileBlobs(tmp_path)
    memories = Memories(blobs)
    assert (memories.of("abc", version=9).version, memories.of("abc", version=9).judged_ms) == (9, 0)
    memories.keep("abc", memory())
    assert memories.of("abc", version=9).version == 7
    blobs.put("judging/abc", b"damaged")
    assert memories.of("abc", version=9).judged_ms == 0
    assert "begins anew with abc" in caplog.text
