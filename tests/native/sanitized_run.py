"""Feed native code that was built with sanitizers: `sanitized_run.py FOLDER SEED INPUTS`; one JSON object is printed.

It is started with the sanitizers' library before all others and with an allocator that they can see. Inputs lie in
memory of just their size: a byte read beyond the end of one ends the process with the sanitizer's words.
"""

import contextlib
import ctypes
import json
import sys
from array import array
from collections.abc import Iterable
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from random import Random
from typing import Any

from msgspec.structs import replace

from footfall.flow.count.going_on import columns_of
from footfall.flow.count.watch_values import Beat, Session, Stretch
from tests.native.hostile import hostile_body, hostile_pack, mutated
from tests.native.hostile_beats import BRAND, NAME, beats_of, odd_step

TABLE_PACKS = 50  # that one table takes: it grows, and is let go with all that it holds
VARIANTS = 12  # of each input, with other bytes changed: under a sanitizer a new one takes a hundred times as long


def loaded(folder: Path, name: str) -> Any:
    """Return a module of native code as it was built into a folder."""
    loader = ExtensionFileLoader(name, str(folder / f"{name}.so"))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def alone(data: bytes) -> Any:
    """Return bytes with nothing behind them, not even the zero that an object of bytes ends with."""
    return (ctypes.c_ubyte * len(data)).from_buffer_copy(data)


def feed_bodies(hit_bodies: Any, chance: Random, inputs: int) -> int:
    """Read bodies and the times in them, and return how many were answered."""
    answered = 0
    for _ in range(inputs):
        body, lines = hostile_body(chance)
        found = hit_bodies.keys_of_body(alone(body), lines)
        answered += found is not None
        for brand, _, _, hits, moments, *span in found or ():
            if not isinstance(brand, str):
                raise TypeError(f"the brand {brand!r} is no text")
            if moments and hit_bodies.span_of_moments(alone(moments)) != (hits, *span):
                raise ValueError("a pack of moments is not told as it was made")
            for _ in range(VARIANTS):
                hit_bodies.span_of_moments(alone(mutated(moments, chance)))
        for _ in range(VARIANTS):
            hit_bodies.keys_of_body(alone(mutated(body, chance)), lines)
    return answered


def feed_packs(new_table: Any, chance: Random, inputs: int) -> int:
    """Count packs, look at all that tables hold, and return how many packs were counted."""
    counted = 0
    for _ in range(0, inputs, TABLE_PACKS):
        table = new_table(secret=chance.getrandbits(64))
        for _ in range(TABLE_PACKS):
            pack, hits = hostile_pack(chance)
            counted += table.count(alone(pack), hits)
            for _ in range(VARIANTS):
                table.numbers(alone(mutated(pack, chance)), hits)
            table.keys(chance.randrange(len(table) + 2))
            table.text_bytes(chance.randrange(len(table) + 2))
        assert len(table.keys(0)) * 8 == len(table.counts())
        pour_twice(table, chance)
    return counted


def pour_twice(table: Any, chance: Random) -> None:
    """Add what a table has to groups with some room, as hits of one source and of another."""
    groups: dict[str, dict[int, int]] = {}
    other: dict[str, int] = {}
    for source in (0, 2**40):
        hits, _, unplaced = table.pour(
            groups, other, source, chance.choice((0, 9, 10**6)), *chance.choices((1, 9), k=2)
        )
        if hits != sum(memoryview(table.counts()).cast("q")) or unplaced < 0:
            raise TypeError("what was poured is no sum")


def feed_beats(new_going_on: Any, chance: Random, inputs: int) -> int:
    """Settle beats of sessions in every state, and return how many were settled."""
    done, going_on = 0, new_going_on(Session, Beat, Stretch)
    for _ in range(inputs * (VARIANTS + 1)):
        session, beat = odd_step(chance)
        again = (NAME, replace(beat, number=beat.number + 1)) if beat.number < 2**64 - 1 else (NAME, beat)
        columns = columns_of(beats_of([(NAME, beat), again], 7), 7)
        watched: dict[tuple[str, int], list[tuple[object, ...]]] = {}
        done += going_on.settle(BRAND, {NAME: session}, {}, watched, columns, 0)
        if repr(session).count(NAME) != 1 or any(len(one) != 4 for some in watched.values() for one in some):
            raise TypeError("what was settled is no text, or no credit")
    return done


def feed_lists(list_rows: Any, chance: Random, inputs: int) -> int:
    """Write lists of numbers that mostly mean something, and return how many were written."""
    written = 0
    for _ in range(inputs):
        # So many slices that their bytes lie by themselves: some few lie within their object, with room behind them.
        entries, assets, slices = chance.randrange(6), chance.randrange(1, 5), chance.randrange(17, 24)
        ends = sorted(chance.randrange(40) for _ in range(assets + 1 - (chance.random() < 0.1)))
        texts = alone(chance.choice((b"a", b'"', "\u00e4".encode())) * chance.randrange(20, 60))
        columns = [
            numbers("I", (chance.randrange(assets + (chance.random() < 0.1)) for _ in range(entries))),
            numbers("Q", (chance.getrandbits(chance.choice((3, 64))) for _ in range(entries))),
            numbers("I", (chance.randrange(slices + 3 * (chance.random() < 0.1)) for _ in range(entries))),
            numbers("I", (chance.randrange(assets) for _ in range(chance.randrange(4)))),
            numbers("Q", (chance.choice((7, 2**63 - 1, 2**63)) for _ in range(assets))),
            numbers("q", ends),
            texts,
            [b"}" * chance.randrange(300) for _ in range(slices)],
        ]
        with contextlib.suppress(IndexError):
            list_rows.first(columns[2], alone(bytes(chance.choices((0, 1), k=slices))), chance.randrange(-1, 7))
            written += list_rows.items(*columns) is not None
    return written


def numbers(kind: str, values: Iterable[int]) -> Any:
    """Return numbers with nothing behind them."""
    return alone(array(kind, values).tobytes())


def main() -> None:
    """Feed all modules."""
    folder, seed, inputs = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    chance = Random(seed)
    answered = feed_bodies(loaded(folder, "hit_bodies"), chance, inputs)
    counted = feed_packs(loaded(folder, "key_table").KeyTable, chance, inputs)
    settled = feed_beats(loaded(folder, "beats").GoingOn, chance, inputs)
    written = feed_lists(loaded(folder, "list_rows"), chance, inputs)
    print(json.dumps({"answered": answered, "counted": counted, "settled": settled, "written": written}))


if __name__ == "__main__":
    main()
