"""The whole path in a world of disorder: what comes out is what went in, whatever happens on the way."""

from collections.abc import Callable, Mapping, Sequence

import pytest
from msgspec import structs

from footfall.adapters.embedded.database import rows
from footfall.flow.count.aside_items import write_aside
from footfall.flow.count.building import WindowKey
from footfall.flow.count.place_tally import PlaceTally
from footfall.flow.count.replayed import take_replay
from footfall.flow.count.tally import PlaceKey, Tally
from footfall.flow.count.worker import Worker
from footfall.ports.stream import Record
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS
from tests.native.without import without_native_code
from tests.simulation.checking import check_everything, check_recount
from tests.simulation.oracle import Wrong
from tests.simulation.world import World, worker_of

ACTS = 40
SEEDS = 8
SOAK_SEEDS = 2_000
MUTANT_SEEDS_MAX = 40


def live(world: World, acts: int = ACTS) -> None:
    """Let a world go on for a while, looking at it now and then."""
    try:
        for _ in range(acts):
            act(world)
        world.settle()
        check_everything(world)
        check_recount(world)
        world.settle()
        check_everything(world)
    except Exception as error:
        error.add_note(f"World(seed={world.seed})")
        raise


def act(world: World) -> None:
    """Let one thing happen."""
    match world.chance.choice("ssssssscccccttttrpxxxk"):
        case "s":
            world.send_something()
        case "c":
            world.count_a_little()
        case "t":
            world.clock.advance(time_that_passes(world))
        case "r":
            world.refresh()
        case "p":
            world.settle()
            world.replay()
        case "x":
            world.chance.choice((world.poison, world.import_something, world.import_something))()
        case _:
            world.settle()
            check_everything(world)
            if world.chance.random() < 0.3:
                check_recount(world)


def time_that_passes(world: World) -> int:
    """Return how long nothing happens: seconds mostly, sometimes days."""
    longest_ms = world.chance.choice((2_000, 2_000, MINUTE_MS, 20 * MINUTE_MS, 3 * HOUR_MS, 30 * HOUR_MS, 4 * DAY_MS))
    return world.chance.randrange(longest_ms)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_everything_that_was_taken_is_counted_once(seed: int) -> None:
    live(World(seed))


@pytest.mark.soak
@pytest.mark.parametrize("first", range(SEEDS, SOAK_SEEDS, SEEDS))
def test_everything_that_was_taken_is_counted_once_in_many_worlds(first: int) -> None:
    for seed in range(first, min(first + SEEDS, SOAK_SEEDS)):
        live(World(seed), acts=2 * ACTS)


def stored_after(world: World) -> list[tuple[object, ...]]:
    """Return all that is in the store when a world has come to its end."""
    live(world)
    return rows(world.store._connection, "SELECT * FROM items ORDER BY 1, 2")


@pytest.mark.parametrize(
    "seed", [SEEDS, *(pytest.param(SEEDS + more, marks=pytest.mark.soak) for more in range(1, 20))]
)
def test_without_native_code_the_same_bytes_are_stored(seed: int) -> None:
    by_bytes = stored_after(World(seed))
    with without_native_code():
        by_texts = stored_after(World(seed))
    assert len(by_bytes) > 10
    assert by_bytes == by_texts


class CheckpointFirst(Worker):
    """Commits its checkpoint, and then writes the summaries that it speaks of."""

    def flush(self, *, is_at_tip: bool) -> None:
        tally = self._tally
        checkpoint = self._next_checkpoint(tally, is_at_tip=is_at_tip, now_ms=self._clock.now_ms())
        for replay in tally.replays:
            take_replay(self._table, replay, tally, checkpoint, shard=self.shard)
        write_aside(self._table, tally.aside, shard=self.shard, expires_at_ms=2**50)
        self._commit(checkpoint, ())
        self.checkpoint, self._tally = checkpoint, self._new_tally()
        self.commit_touched(self._write_counts(tally, checkpoint))


class WithoutRepeats(Worker):
    """Counts whatever it reads, seen before or not."""

    def _take_in(self, limit: int) -> list[Record]:
        self.settle_doubts()
        records = self._stream.read(self.shard, after=self._tally.through or self.checkpoint.through, limit=limit)
        for record in records:
            self._tally.add(structs.replace(record, repeats=(), repeated=False))
        return records


class LateTwice(Worker):
    """Adds late hits to the windows they are late for, and adds them again."""

    def _add_late(self, key: WindowKey, places: Sequence[PlaceKey], tally: Tally, *, through: int) -> None:
        super()._add_late(key, places, tally, through=through)
        super()._add_late(key, places, tally, through=through)


class LateVisitorsLost(Worker):
    """Adds visitors to their minutes only, also when the hour was built without them."""

    def _write_visitors(
        self, met: Mapping[PlaceKey, PlaceTally], reached: Mapping[WindowKey, Sequence[PlaceKey]], *, through: int
    ) -> None:
        super()._write_visitors(met, {}, through=through)


MUTANTS: dict[str, Callable[[int], World]] = {
    "checkpoint before summaries": lambda seed: World(seed, make_worker=worker_of(CheckpointFirst)),
    "acknowledged before it was appended": lambda seed: World(seed, acknowledges_early=True),
    "repeats ignored": lambda seed: World(seed, make_worker=worker_of(WithoutRepeats)),
    "a log imported twice": lambda seed: World(seed, forgets_marks=True),
    "visitors who came late are lost": lambda seed: World(seed, make_worker=worker_of(LateVisitorsLost)),
    "late hits twice": lambda seed: World(seed, make_worker=worker_of(LateTwice)),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_checker_catches_a_path_that_breaks_its_promise(mutant: str) -> None:
    for seed in range(MUTANT_SEEDS_MAX):
        try:
            live(MUTANTS[mutant](seed))
        except Wrong:
            return
    pytest.fail(f"{MUTANT_SEEDS_MAX} worlds of {mutant!r} looked right")
