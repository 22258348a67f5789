"""Questions that a history answers, each with one query: where I was, all of a series, what I watched last."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import msgspec

from footfall.audience import history_keys as keys
from footfall.audience.history import RECENT_STEP_MS, Entry, entry_from
from footfall.audience.history_rule import State, WatchedRule
from footfall.audience.things import ID_BYTES_MAX
from footfall.ports.table import MOMENT_MS_MAX, Found, IndexKey, Key, Table, everything
from footfall.values.errors import Refused

RECENT = "recent"
RECENT_MAX = 200  # series that are asked for at once, to pick from
EPISODES_MAX = 20_000  # of one series in one answer; the longest soap operas have fewer
# Within ten minutes the index has no order: so many more are read and put in order here. Few need another query.
SAME_STEP = 10
ORDERED_MAX = 1_000  # series of one step that are put in order together; only an import tells of more
# Of how many recent series the few that go on are picked at first: most are watched to the end or left.
PICKED_FROM = 3
LOOKED_AT_MAX = 600  # series for one page of those that go on; another page goes on behind them


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Where the next page of recent series begins: behind the last one of this page."""

    at_ms: int
    series: str
    behind: str = ""  # where a step has more series than are put in order: the one behind which these lie in the index

    @property
    def text(self) -> str:
        """Return it as an address carries it."""
        return urlsafe_b64encode(msgspec.json.encode(self)).decode().rstrip("=")

    @property
    def step_ms(self) -> int:
        """Return the place in the index of whatever was watched within the same ten minutes."""
        return self.at_ms - self.at_ms % RECENT_STEP_MS


@dataclass(frozen=True, slots=True)
class Recent:
    """Series, the one that was watched last first."""

    entries: Sequence[Entry]
    after: Place | None


@dataclass(frozen=True, slots=True)
class _Row:
    """A series of a list, and behind which of its step it was read."""

    entry: Entry
    behind: str

    @property
    def place(self) -> Place:
        """Return where a page goes on behind it."""
        return Place(self.entry.at_ms, self.entry.series, self.behind)


def place_from(text: str) -> Place | None:
    """Return where to go on; None for the beginning."""
    if not text:
        return None
    try:
        place = msgspec.json.decode(urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=Place)
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        place = None
    if place is None or not (0 <= place.at_ms < MOMENT_MS_MAX and place.series and len(place.behind) <= ID_BYTES_MAX):
        raise Refused("after", f"{text[:40]!r} is not what an answer gave to go on from")
    return place


def resume_point(table: Table, brand: str, member: str, *, series: str, asset: str) -> Entry | None:
    """Return where a member is in an asset."""
    item = table.get(keys.episode(brand, member, series=series, asset=asset))
    return None if item is None else entry_from(item)


def latest_of(table: Table, brand: str, member: str, *, series: str) -> Entry | None:
    """Return the episode of a series that a member watched last."""
    item = table.get(keys.latest(brand, member, series=series))
    return None if item is None else entry_from(item)


def all_of(table: Table, brand: str, member: str, *, series: str) -> Sequence[Entry]:
    """Return all episodes of a series that a member has begun, by the bytes of their ids.

    One query holds some 3,000 of them; only a series with more takes another.
    """
    at_least, at_most = keys.episodes(series)
    found = everything(table, keys.history(brand, member), at_least=at_least, at_most=at_most)
    return _entries(islice(found, EPISODES_MAX))


def recent(table: Table, brand: str, member: str, *, limit: int, after: Place | None = None) -> Recent:
    """Return the series that a member watched last, one entry each, however long the history is."""
    rows = _rows(table, keys.history(brand, member), after=after, asked=limit + SAME_STEP)
    return _picked(rows, lambda entry: not entry.is_hidden, limit=limit)


def going_on(
    table: Table, brand: str, member: str, *, limit: int, rule: WatchedRule, after: Place | None = None
) -> Recent:
    """Return what a member may continue watching: the last episode of each recent series that is in progress.

    A page may have fewer than asked and still tell where to go on, when much is finished.
    """
    asked = min(limit * PICKED_FROM, RECENT_MAX) + SAME_STEP
    rows = _rows(table, keys.history(brand, member), after=after, asked=asked)
    return _picked(rows, lambda one: not one.is_hidden and one.state(rule) is State.IN_PROGRESS, limit=limit)


def _picked(rows: Iterator[_Row], is_wanted: Callable[[Entry], bool], *, limit: int) -> Recent:
    found: list[_Row] = []
    for looked_at, row in enumerate(rows, 1):
        if is_wanted(row.entry):
            found.append(row)
        if len(found) > limit or looked_at == LOOKED_AT_MAX:
            last = found[limit - 1] if len(found) > limit else row
            return Recent([one.entry for one in found[:limit]], last.place)
    return Recent([one.entry for one in found], None)


def _rows(table: Table, partition: str, *, after: Place | None, asked: int) -> Iterator[_Row]:
    """Yield the series behind a place, the newest first; those of one step are all read before the first is given."""
    group: list[Entry] = []
    behind = "" if after is None else after.behind
    for entry in _by_steps(table, partition, after=after, asked=asked):
        is_same_step = bool(group) and _step_of(entry) == _step_of(group[-1])
        if group and (not is_same_step or len(group) == ORDERED_MAX):
            yield from _in_order(group, behind, after)
            behind, group = (group[-1].series if is_same_step else ""), []
        group.append(entry)
    yield from _in_order(group, behind, after)


def _by_steps(table: Table, partition: str, *, after: Place | None, asked: int) -> Iterator[Entry]:
    """Yield series as the index has them, from the step, or the part of it, that a place lies in."""
    at_most = None if after is None else after.step_ms
    start: Key | None = None
    if after is not None and after.behind:
        start = IndexKey(partition, keys.latest_sort(after.behind), after.step_ms)
    while True:
        page = table.query(partition, at_most=at_most, backwards=True, limit=asked, after=start, index=RECENT)
        yield from _entries(page.items)
        if page.after is None:
            return
        start = page.after


def _in_order(group: list[Entry], behind: str, after: Place | None) -> Iterator[_Row]:
    for entry in sorted(group, key=_newest_first):
        # Of another part of the same step, all are behind the place, whatever their moments.
        is_its_part = after is not None and (_step_of(entry), behind) == (after.step_ms, after.behind)
        if after is None or not is_its_part or _newest_first(entry) > (-after.at_ms, after.series):
            yield _Row(entry, behind)


def _entries(items: Iterable[Found]) -> list[Entry]:
    return [entry for found in items if (entry := entry_from(found.item)) is not None]


def _step_of(entry: Entry) -> int:
    return entry.at_ms - entry.at_ms % RECENT_STEP_MS


def _newest_first(entry: Entry) -> tuple[int, str]:
    return -entry.at_ms, entry.series
