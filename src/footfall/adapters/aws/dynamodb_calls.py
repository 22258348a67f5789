"""The calls to DynamoDB that we make: paced, counted, and made again where that changes nothing twice."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from secrets import token_bytes
from typing import Any, Protocol

from footfall.adapters.aws.backoff import Backoff
from footfall.adapters.aws.counting_calls import CountedCalls, Spent
from footfall.adapters.aws.dynamodb_errors import (
    ConditionFailed,
    ConditionsFailed,
    Doubtful,
    Met,
    Unreached,
    in_our_words,
)
from footfall.adapters.aws.pace import Pace
from footfall.ports.errors import Throttled
from footfall.values.clock import Clock

Asked = Mapping[str, Any]
Answered = dict[str, Any]


class DynamoDbClient(Protocol):
    """What we use of the vendor's client."""

    def get_item(self, **asked: Any) -> Answered:
        """Return one item."""
        ...

    def put_item(self, **asked: Any) -> Answered:
        """Write one item whole."""
        ...

    def update_item(self, **asked: Any) -> Answered:
        """Change attributes of one item."""
        ...

    def delete_item(self, **asked: Any) -> Answered:
        """Remove one item."""
        ...

    def batch_write_item(self, **asked: Any) -> Answered:
        """Write up to 25 items, some of which may be left over."""
        ...

    def transact_write_items(self, **asked: Any) -> Answered:
        """Write up to 100 items, all or none."""
        ...

    def query(self, **asked: Any) -> Answered:
        """Return one page of a partition."""
        ...

    def describe_table(self, **asked: Any) -> Answered:
        """Return the table's keys, indexes and state."""
        ...

    def create_table(self, **asked: Any) -> Answered:
        """Begin to make a table."""
        ...

    def describe_time_to_live(self, **asked: Any) -> Answered:
        """Return which attribute makes items expire."""
        ...

    def update_time_to_live(self, **asked: Any) -> Answered:
        """Say which attribute makes items expire."""
        ...

    def close(self) -> None:
        """Close its connections."""
        ...


@dataclass(frozen=True, slots=True)
class Patience:
    """How a call waits and when it gives up."""

    backoff: Backoff = field(default_factory=Backoff)
    throttled_ms: int = 60_000  # Then the caller has to know; Lambda's own limit is near.


@dataclass(frozen=True, slots=True)
class Load:
    """What a write costs and whose partition it is, or what each of several costs in its own."""

    partition: str
    units: float
    items: int = 1
    shares: Sequence[tuple[str, float]] = ()

    @property
    def by_partition(self) -> Sequence[tuple[str, float]]:
        """Return the units of each partition."""
        return self.shares or ((self.partition, self.units),)


class DoubtedCondition(Doubtful):
    """A condition failed after an attempt that may itself have changed the item."""

    def __init__(self, message: str, failed: ConditionFailed | ConditionsFailed) -> None:
        super().__init__(message)
        self.failed = failed


class Calls:
    """Makes one table's calls, one at a time."""

    def __init__(
        self,
        client: DynamoDbClient,
        *,
        clock: Clock,
        chance: Random,
        pause: Callable[[float], None],
        patience: Patience,
        counted: CountedCalls,
    ) -> None:
        self.client = client
        self.counted = counted
        self.pace = Pace(clock)
        self._clock = clock
        self._chance = chance
        self._pause = pause
        self._patience = patience

    def token(self, size: int) -> bytes:
        """Return bytes that no other write has."""
        # Not from our chance: two writers with one seed would take each other's writes for their own.
        return token_bytes(size)

    def read(self, call: Callable[..., Answered], asked: Asked, *, partition: str) -> Answered:
        """Return the answer, asking again after everything that passes."""
        waits = self._waits()
        while True:
            self.counted.asked()
            try:
                answer = self._once(call, asked)
            except (Throttled, Unreached, Doubtful) as error:
                if isinstance(error, Throttled):
                    self.counted.add(partition, Spent(refused=1))
                self._wait_or_raise(waits, error)
            else:
                return answer

    def write(self, call: Callable[..., Answered], asked: Asked, load: Load, *, may_repeat: bool) -> Answered:
        """Return the answer to a write; after a doubtful attempt it is made again only if it may be repeated."""
        waits, doubted = self._waits(), False
        began_at_ms = self._clock.now_ms()
        while True:
            self.take_turn(load.units)
            self.counted.attempted(load.items)
            try:
                answer = self._once(call, asked)
            except Throttled as error:
                self._rest_or_raise(error, load, began_at_ms)
            except Unreached as error:
                self._wait_or_raise(waits, error)
            except Doubtful as error:
                doubted = True
                self._wait_or_raise(waits if may_repeat else iter(()), error)
            except (ConditionFailed, ConditionsFailed) as error:
                raise _doubted(error) if doubted else error from error.__cause__
            else:
                self.took(load)
                return answer

    def send_batch(self, asked: Asked, load: Load) -> Answered | None:
        """Return what a batch was answered, None when it was refused whole; said again after every doubt."""
        waits = self._waits()
        while True:
            self.counted.attempted(load.items)
            try:
                return self._once(self.client.batch_write_item, asked)
            except Throttled:
                self.refused(load)
                return None
            except (Unreached, Doubtful) as error:
                self._wait_or_raise(waits, error)

    def take_turn(self, units: float) -> None:
        """Wait until so many units may be written."""
        wait_ms = self.pace.wait_ms(units)
        if wait_ms > 0:
            self._pause(wait_ms / 1_000)

    def took(self, load: Load) -> None:
        """Note units that the table has written."""
        self.pace.took(load.units)
        for partition, units in load.by_partition:
            self.counted.add(partition, Spent(written=units))

    def refused(self, load: Load) -> None:
        """Note units that the table has refused."""
        self.pace.refused()
        for partition, units in load.by_partition:
            self.counted.add(partition, Spent(refused=units))

    def rest(self) -> None:
        """Wait a little before what was refused is sent again, so that writers do not march in step."""
        # How long the next attempt waits in all is decided by the pace.
        self._pause(self._chance.uniform(0, self._patience.backoff.first_ms) / 1_000)

    def is_patient(self, since_ms: int) -> bool:
        """Tell whether a write that began then is still worth waiting for."""
        return self._clock.now_ms() - since_ms < self._patience.throttled_ms

    def now_ms(self) -> int:
        """Return the present moment."""
        return self._clock.now_ms()

    def _once(self, call: Callable[..., Answered], asked: Asked) -> Answered:
        try:
            return call(**asked)
        except Exception as error:  # Whatever botocore raises is told in our words; the rest is raised as it is.
            name = getattr(call, "__name__", "a call")
            told = in_our_words(error, where=f"{name} of {asked.get('TableName', 'the table')}")
            if told is None:
                raise
            raise told from error

    def _waits(self) -> Iterator[float]:
        return self._patience.backoff.waits_ms(self._chance)

    def _wait_or_raise(self, waits: Iterator[float], error: Exception) -> None:
        wait_ms = next(waits, None)
        if wait_ms is None:
            raise error
        self._pause(wait_ms / 1_000)

    def _rest_or_raise(self, error: Throttled, load: Load, began_at_ms: int) -> None:
        if not isinstance(error, Met):
            self.refused(load)
        if not self.is_patient(began_at_ms):
            raise error
        self.rest()


def _doubted(error: ConditionFailed | ConditionsFailed) -> DoubtedCondition:
    return DoubtedCondition(f"{error}; an earlier attempt may have changed it", error)
