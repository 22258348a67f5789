"""Questions that a history answers, each with one query: where I was, all of a series, what I watched last."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from footfall.audience import history_keys as keys
from footfall.audience.history import RECENT_STEP_MS, Entry, entry_from
from footfall.audience.history_rule import State, WatchedRule
from footfall.ports.table import Found, Table, everything
from footfall.values.errors import Refused

RECENT = "recent"
RECENT_MAX = 200  # series in one answer
EPISODES_MAX = 20_000  # of one series in one answer; the longest soap operas have fewer
# Series that a member may have watched within ten minutes, among which the index has no order.
SAME_STEP_MAX = 10
# Of how many recent series the few that go on are picked: most are watched to the end or left.
PICKED_FROM = 3


@dataclass(frozen=True, slots=True)
class Place:
    """Where the next page of recent series begins: behind the last one of this page."""

    at_ms: int
    series: str

    @property
    def text(self) -> str:
        """Return it as an address carries it."""
        return urlsafe_b64encode(f"{self.at_ms}.{self.series}".encode()).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class Recent:
    """Series, the one that was watched last first."""

    entries: Sequence[Entry]
    after: Place | None


def place_from(text: str) -> Place | None:
    """Return where to go on; None for the beginning."""
    if not text:
        return None
    try:
        moment, dot, series = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().partition(".")
    except ValueError as error:
        raise Refused("after", f"{text[:40]!r} is not what an answer gave to go on from") from error
    if not (dot and moment.isascii() and moment.isdigit() and len(moment) <= 15 and series):
        raise Refused("after", f"{text[:40]!r} is not what an answer gave to go on from")
    return Place(int(moment), series)


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
    # Within ten minutes the index has no order, so some more are read and put in order here.
    asked = limit + SAME_STEP_MAX
    at_most = None if after is None else after.at_ms - after.at_ms % RECENT_STEP_MS
    page = table.query(keys.history(brand, member), at_most=at_most, backwards=True, limit=asked, index=RECENT)
    found = sorted(_entries(page.items), key=_newest_first)
    if after is not None:
        found = [one for one in found if _newest_first(one) > (-after.at_ms, after.series)]
    told = found[:limit]
    has_more = len(found) > limit or page.after is not None
    last = found[min(limit, len(found)) - 1] if found else None
    return Recent(
        [one for one in told if not one.is_hidden],
        Place(last.at_ms, last.series) if has_more and last is not None else None,
    )


def going_on(table: Table, brand: str, member: str, *, limit: int, rule: WatchedRule) -> Sequence[Entry]:
    """Return what a member may continue watching: the last episode of each recent series that is in progress."""
    found = recent(table, brand, member, limit=min(limit * PICKED_FROM, RECENT_MAX)).entries
    return [one for one in found if one.state(rule) is State.IN_PROGRESS][:limit]


def _entries(items: Iterable[Found]) -> list[Entry]:
    return [entry for found in items if (entry := entry_from(found.item)) is not None]


def _newest_first(entry: Entry) -> tuple[int, str]:
    return -entry.at_ms, entry.series
