"""The whole path on a ground without transactions: what comes out is what went in, whoever counts it and how often."""

from collections.abc import Callable, Sequence

import pytest

from footfall.flow.count.keeping import Keeping
from footfall.flow.stream.archive import Archive
from footfall.ports.stream import Record
from footfall.values.window import DAY_MS
from tests.simulation.aws_world import AwsWorld
from tests.simulation.checking import check_everything, check_recount
from tests.simulation.grounds import Flaky
from tests.simulation.lines import LineStream
from tests.simulation.oracle import Wrong
from tests.simulation.test_path import ACTS
from tests.simulation.test_path import act as act_anywhere

SEEDS = 10
SOAK_SEEDS = 1_000
MUTANT_SEEDS_MAX = 40


@pytest.fixture(autouse=True)
def no_standstill_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ids be kept for years: worlds stand still for longer than Kinesis would keep records."""
    monkeypatch.setattr("footfall.flow.count.keeping.STANDSTILL_MS", 1_000 * DAY_MS)


def live(world: AwsWorld, acts: int = ACTS) -> None:
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
        error.add_note(f"AwsWorld(seed={world.seed})")
        raise


def act(world: AwsWorld) -> None:
    """Let one thing happen that only happens here, or one that happens everywhere."""
    match world.chance.choice("huccc" + 15 * "e"):
        case "h":
            world.send_in_part()
        case "u":
            world.reuse_key()
        case "c":
            world.deliver()
        case _:
            act_anywhere(world)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_everything_that_was_taken_is_counted_once(seed: int) -> None:
    live(AwsWorld(seed))


@pytest.mark.soak
@pytest.mark.parametrize("first", range(SEEDS, SOAK_SEEDS, SEEDS))
def test_everything_that_was_taken_is_counted_once_in_many_worlds(first: int) -> None:
    for seed in range(first, min(first + SEEDS, SOAK_SEEDS)):
        live(AwsWorld(seed), acts=2 * ACTS)


class Forgetful(Keeping):
    """Stores no ids."""

    def _store(self, ids: object, through: int) -> None:
        ids.fresh_blocks(through=through)  # pyright: ignore[reportAttributeAccessIssue]


class ArchivesLater(Keeping):
    """Has the checkpoint written first, and archives what it spoke of with the next one."""

    _owed: Sequence[Record] = ()

    def keep(self, through: int) -> bytes:
        owed, self._owed = self._owed, [one for one in self._taken.values() if one.sequence <= through]
        for record in self._owed:
            del self._taken[record.sequence]
        place = super().keep(through)
        self._archive.keep(self._shard, owed)
        return place


def mutant(kind: type[Keeping]) -> Callable[[int], AwsWorld]:
    def keeping(shard: int, stream: LineStream, table: Flaky, archive: Archive, world: AwsWorld) -> Keeping:
        return kind(shard, stream, table, archive, clock=world.clock)

    return lambda seed: AwsWorld(seed, make_keeping=keeping)


MUTANTS = {"forgets ids": mutant(Forgetful), "checkpoint before archive": mutant(ArchivesLater)}


@pytest.mark.parametrize("name", MUTANTS)
def test_the_checker_catches_a_path_that_breaks_its_promise(name: str) -> None:
    for seed in range(MUTANT_SEEDS_MAX):
        try:
            live(MUTANTS[name](seed))
        except Wrong:
            return
    pytest.fail(f"{MUTANT_SEEDS_MAX} worlds of {name!r} looked right")
