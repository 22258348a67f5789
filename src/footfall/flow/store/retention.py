"""How long windows have been kept over time, so that a reader can tell an hour without hits from one that is gone.

A window's expiry is written with it, from the settings of that day. When an operator later keeps windows for longer,
those written before still go at their old time; what was in force since when is therefore kept beside them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footfall.flow.store import keys
from footfall.ports.errors import Corrupt
from footfall.ports.table import Put, Table, Value
from footfall.values.window import Grain

RULE_KNOWN_AFTER_MS = 600_000  # Readers look at the rules so often, and nothing goes by a new one before.
RULES_MAX = 100  # Settings change seldom; the oldest go, and the next one then counts for their time, too.


@dataclass(frozen=True, slots=True)
class KeptFor:
    """How long windows of each grain were kept that were written from a moment on."""

    since_ms: int
    kept_ms: Mapping[Grain, int]


def note_retention(table: Table, kept_ms: Mapping[Grain, int], *, now_ms: int) -> None:
    """Write down for how long windows are kept from now on, if that is news."""
    history = load_retention(table)
    if history and history[-1].kept_ms == kept_ms:
        return
    history = [*history, KeptFor(now_ms if history else 0, kept_ms)][-RULES_MAX:]
    rules: list[Value] = [[one.since_ms, {str(grain): ms for grain, ms in one.kept_ms.items()}] for one in history]
    table.put(Put(keys.retention(), {"rules": rules}))


def load_retention(table: Table) -> list[KeptFor]:
    """Return for how long windows were kept, the oldest rule first; none when it was never written down."""
    item = table.get(keys.retention())
    rules: Value = list[Value]() if item is None else item.get("rules")
    if not isinstance(rules, Sequence) or isinstance(rules, str | bytes):
        raise Corrupt("the retention's history is no list; restore the store or begin a new one")
    return [_kept_for(one) for one in rules]


def note_forgotten(table: Table, *, rule_since_ms: int) -> None:
    """Write down that nothing is left that earlier rules would have kept for longer than this one."""
    table.put(Put(keys.forgotten(), {"rule": rule_since_ms}))


def load_forgotten(table: Table) -> int:
    """Return since when the rule is in force that windows were last looked through for; -1 when they never were."""
    item = table.get(keys.forgotten())
    rule = None if item is None else item.get("rule")
    return rule if isinstance(rule, int) else -1


def known_since_ms(history: Sequence[KeptFor], grain: Grain, *, now_ms: int) -> int:
    """Return the moment from which on every window of the grain that ended then or later is still there."""
    least_ms: int | None = None
    since_ms = now_ms
    for rule in reversed(history):
        # What is written late, in a backfill or a re-count, has the expiry of a later rule.
        least_ms = rule.kept_ms[grain] if least_ms is None else min(least_ms, rule.kept_ms[grain])
        if now_ms - least_ms >= since_ms:
            break
        since_ms = max(rule.since_ms, now_ms - least_ms)
        if since_ms > rule.since_ms:
            break
    return since_ms


def _kept_for(value: Value) -> KeptFor:
    match value:
        case [int(since_ms), Mapping() as kept]:
            return KeptFor(since_ms, {Grain(grain): ms for grain, ms in kept.items() if isinstance(ms, int)})
        case _:
            raise Corrupt(f"the retention's history has a rule {value!r}; restore the store or begin a new one")
