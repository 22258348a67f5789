"""How an entity of more items than one transaction holds is written in several."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from footfall.ports.table import Action, Check, Condition, Delete, Key, Put, item_bytes

STEP_ACTIONS_MAX = 90  # of one transaction of at most 100, with room for the move item and what tells others
STEP_BYTES_MAX = 3_000_000  # of 4 MB, with room for the move item, which has 400 KB at most


@dataclass(frozen=True, slots=True)
class Steps:
    """The actions of each transaction; those of the last are what readers look at first."""

    all: tuple[tuple[Put | Delete, ...], ...]

    @property
    def last(self) -> Sequence[Action]:
        """Return what is written with the move item."""
        return self.all[-1] if self.all else ()

    def before(self, key: Key, is_ours: Condition) -> Iterator[list[Action]]:
        """Yield the transactions before the last, each on a condition on the move item."""
        for step in self.all[:-1]:
            yield [*step, Check(key, (is_ours,))]


def steps_of(puts: Sequence[Put], deletes: Sequence[Delete]) -> Steps:
    """Return the actions in steps that fit; items are written in their order, after those that go."""
    steps: list[tuple[Put | Delete, ...]] = []
    step: list[Put | Delete] = []
    size = 0
    # From the end, so that the last step is as full as it can be and what belongs together at the end stays together.
    for action in reversed([*deletes, *puts]):
        more = item_bytes(action.key, action.item) if isinstance(action, Put) else 0
        if step and (len(step) == STEP_ACTIONS_MAX or size + more > STEP_BYTES_MAX):
            steps.append(tuple(reversed(step)))
            step, size = [], 0
        step.append(action)
        size += more
    if step:
        steps.append(tuple(reversed(step)))
    return Steps(tuple(reversed(steps)))
