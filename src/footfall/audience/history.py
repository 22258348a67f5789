"""A member's history: where they are in each asset, and what they watched last of each series.

A write is two updates without a read, each on the condition that what is there is older. So it does not matter in
which order writes arrive, nor how often: the last by event time stays, and by its device's sequence at one time.
"""

from dataclasses import dataclass

from footfall.audience import history_keys as keys
from footfall.audience.history_rule import USUAL_RULE, Progress, State, WatchedRule, state_of
from footfall.ports.errors import Changed
from footfall.ports.items import Item, Value
from footfall.ports.table import Below, Equals, Table, Update

RECENT_STEP_MS = 600_000  # A series keeps its place in the index for ten minutes of beats.
SEQUENCE_MAX = 999_999  # The last six digits of an order; the moment is before them.
KEPT_MS = 10 * 365 * 86_400_000  # What nobody has touched for ten years goes by itself.
DURATION, CREDITS, COUNTED, TIMES, WATCHED_AT = "duration_ms", "credits_ms", "counted", "times", "watched_ms"


@dataclass(frozen=True, slots=True)
class Watching:
    """Where somebody was in an asset at a moment, by the device that told it."""

    member: str
    asset: str
    series: str  # the asset itself when it belongs to none
    progress: Progress
    at_ms: int
    sequence: int = 0
    device: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What came of telling where somebody was."""

    state: State
    is_newest: bool  # False: something newer is known already, and nothing was changed
    at_ms: int


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of somebody and an asset: facts, and how often it was watched before them."""

    series: str
    asset: str
    progress: Progress
    at_ms: int
    device: str
    times: int = 0  # full watches that were counted
    is_counted: bool = False  # whether the one that the facts tell of is among them
    watched_ms: int | None = None  # when it was last known to be watched
    hidden_ms: int | None = None

    @property
    def is_hidden(self) -> bool:
        """Tell whether lists leave it out: it was hidden and not watched since."""
        return self.hidden_ms is not None and self.at_ms <= self.hidden_ms

    def state(self, rule: WatchedRule) -> State:
        """Return how far somebody is, by a rule."""
        return state_of(self.progress, rule)

    def times_watched(self, rule: WatchedRule) -> int:
        """Return how often it was watched to its end; the last time is judged by the rule, whatever was counted."""
        return self.times - self.is_counted + (self.state(rule) is State.WATCHED)

    def last_watched_ms(self, rule: WatchedRule) -> int | None:
        """Return when it was last watched to its end."""
        if self.state(rule) is State.WATCHED:
            return self.at_ms
        return self.watched_ms if self.times_watched(rule) else None


def record(table: Table, brand: str, told: Watching, *, now_ms: int, rule: WatchedRule = USUAL_RULE) -> Recorded:
    """Keep where somebody was, unless something newer is known or it was hardly begun."""
    # A clock that is ahead would win against every right one until its time has come.
    at_ms = min(told.at_ms, now_ms)
    state = state_of(told.progress, rule)
    if state is State.IGNORED:
        return Recorded(state, is_newest=False, at_ms=at_ms)
    facts = _facts(told, at_ms)
    with table.together():
        is_newest = _record_episode(table, brand, told, facts, state=state, now_ms=now_ms)
        # Another episode of the series may be newer while this one is the newest of its own, and the other way round.
        _record_series(table, brand, told, facts, now_ms=now_ms)
    return Recorded(state, is_newest=is_newest, at_ms=at_ms)


def order_of(at_ms: int, sequence: int) -> int:
    """Return the number by which the later of two writes is known."""
    return at_ms * (SEQUENCE_MAX + 1) + min(sequence, SEQUENCE_MAX)


def entry_from(item: Item) -> Entry | None:
    """Return what an item of a history tells; None for what was removed."""
    if "gone" in item:
        return None
    position, duration, credits = item["position_ms"], item.get(DURATION), item.get(CREDITS)
    progress = Progress(
        whole(position), None if duration is None else whole(duration), None if credits is None else whole(credits),
        item.get("ended") is True,
    )  # fmt: skip
    watched, hidden = item.get(WATCHED_AT), item.get("hidden_ms")
    return Entry(
        series=str(item["series"]),
        asset=str(item["asset"]),
        progress=progress,
        at_ms=whole(item["at_ms"]),
        device=str(item.get("device", "")),
        times=whole(item.get(TIMES, 0)),
        is_counted=item.get(COUNTED) is True,
        watched_ms=None if watched is None else whole(watched),
        hidden_ms=None if hidden is None else whole(hidden),
    )


def whole(value: Value) -> int:
    """Return a stored number."""
    assert isinstance(value, int), "histories hold whole numbers"
    return value


def _facts(told: Watching, at_ms: int) -> dict[str, Value]:
    progress = told.progress
    facts: dict[str, Value] = {
        "order": order_of(at_ms, told.sequence),
        "series": told.series,
        "asset": told.asset,
        "at_ms": at_ms,
        "position_ms": progress.position_ms,
        "ended": progress.is_ended,
        "device": told.device,
        DURATION: progress.duration_ms,
        CREDITS: progress.credits_ms,
    }
    return facts


def _record_episode(
    table: Table, brand: str, told: Watching, facts: dict[str, Value], *, state: State, now_ms: int
) -> bool:
    key = keys.episode(brand, told.member, series=told.series, asset=told.asset)
    gone = frozenset({"gone"} if state is State.WATCHED else {"gone", COUNTED})
    is_older = Below("order", order_of(whole(facts["at_ms"]), told.sequence))
    # A watch goes on after it was counted, to the end of the credits: what was watched last is told by its last moment.
    told_now = {**facts, WATCHED_AT: facts["at_ms"]} if state is State.WATCHED else facts
    update = Update(key, set=told_now, remove=gone, expires_at_ms=now_ms + KEPT_MS, expects=(is_older,))
    try:
        after = table.update(update)
    except Changed:
        return False
    if state is State.WATCHED and COUNTED not in after:
        _count_watch(table, update)
    return True


def _count_watch(table: Table, update: Update) -> None:
    """Count a full watch once: whatever comes of it before it is begun again is the same one."""
    # Where it was removed meanwhile, nothing is left to count at.
    expects = (Equals("asset", update.set["asset"]), Equals(COUNTED, None))
    counted = Update(update.key, set={COUNTED: True}, add={TIMES: 1}, expects=expects)
    try:
        table.update(counted)
    except Changed:  # Another has counted it, or removed it.
        return


def _record_series(table: Table, brand: str, told: Watching, facts: dict[str, Value], *, now_ms: int) -> None:
    at_ms = whole(facts["at_ms"])
    order = order_of(at_ms, told.sequence)
    place: dict[str, Value] = {
        "viewer": keys.history(brand, told.member),
        "recent_ms": at_ms - at_ms % RECENT_STEP_MS,
    }
    update = Update(
        keys.latest(brand, told.member, series=told.series),
        set={**facts, **place},
        remove=frozenset({"gone"}),
        expires_at_ms=now_ms + KEPT_MS,
        # An asset that was removed does not come back by what a device tells late, whatever is the last one now.
        expects=(Below("order", order), Below(keys.removal(told.asset), order)),
    )
    try:
        table.update(update)
    except Changed:
        return
