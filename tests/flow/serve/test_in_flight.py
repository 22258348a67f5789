"""How many hits are on their way, told from what was read lately."""

from footfall.flow.serve.in_flight import InFlight
from footfall.flow.store.checkpoints import Checkpoint, Lines

NOON_MS = 1_794_744_000_000
PASSED_MS = 30_000


def checkpoint(read_to_ms: int, *, number: int = 1, **counted: int) -> Checkpoint:
    lines = {brand: Lines(counted=hits) for brand, hits in counted.items()}
    return Checkpoint(number=number, passed_ms=read_to_ms - PASSED_MS, lines=lines)


def in_flight(*readings: dict[int, Checkpoint]) -> InFlight:
    made = InFlight(passed_ms=PASSED_MS)
    for reading in readings:
        made.take(reading)
    return made


def test_the_rate_of_the_last_two_readings_is_taken_to_go_on() -> None:
    made = in_flight({0: checkpoint(NOON_MS, abc=100)}, {0: checkpoint(NOON_MS + 60_000, abc=160, xyz=6)})
    assert made.of("abc", now_ms=NOON_MS + 60_000) == 0
    assert made.of("abc", now_ms=NOON_MS + 90_000) == 30
    assert made.of("xyz", now_ms=NOON_MS + 120_000) == 6
    assert made.of("other", now_ms=NOON_MS + 120_000) == 0


def test_shards_add_up() -> None:
    first = {0: checkpoint(NOON_MS, abc=0), 1: checkpoint(NOON_MS, abc=50)}
    second = {0: checkpoint(NOON_MS + 10_000, abc=10), 1: checkpoint(NOON_MS + 20_000, abc=90)}
    assert in_flight(first, second).of("abc", now_ms=NOON_MS + 30_000) == 20 + 20


def test_one_reading_says_nothing_and_a_shard_that_never_read_neither() -> None:
    assert in_flight({0: checkpoint(NOON_MS, abc=100)}).of("abc", now_ms=NOON_MS + 90_000) == 0
    assert in_flight({0: Checkpoint()}, {0: checkpoint(NOON_MS, abc=9)}).of("abc", now_ms=NOON_MS + 90_000) == 0


def test_what_is_drained_is_drained_exactly() -> None:
    made = in_flight(
        {0: checkpoint(NOON_MS, abc=100)},
        {0: checkpoint(NOON_MS + 60_000, abc=160)},
        {0: checkpoint(NOON_MS + 120_000, abc=160)},
    )
    assert made.of("abc", now_ms=NOON_MS + 300_000) == 0


def test_a_checkpoint_of_a_build_changes_nothing() -> None:
    made = in_flight(
        {0: checkpoint(NOON_MS, abc=100)},
        {0: checkpoint(NOON_MS + 60_000, abc=160, number=2)},
        {0: checkpoint(NOON_MS + 60_000, abc=160, number=3)},
    )
    assert made.of("abc", now_ms=NOON_MS + 90_000) == 30


def test_lines_that_were_taken_back_are_no_negative_rate() -> None:
    made = in_flight({0: checkpoint(NOON_MS, abc=100)}, {0: checkpoint(NOON_MS + 60_000, abc=90)})
    assert made.of("abc", now_ms=NOON_MS + 90_000) == 0


def test_every_line_counts_as_handled() -> None:
    lines = Lines(counted=1, duplicate=2, late=3, dead=4)
    lines.screened["bot"] = 5
    made = in_flight(
        {0: Checkpoint(passed_ms=NOON_MS)}, {0: Checkpoint(passed_ms=NOON_MS + 15_000, lines={"abc": lines})}
    )
    assert made.of("abc", now_ms=NOON_MS + PASSED_MS + 30_000) == 15
