"""Named counters as they are answered for: shards and days merged when read, and sets told from several of them.

A union is told by registers. What sets share, and what one has that another lacks, is told by Theta sketches; their
error is a share of the union, so of a small part of large sets little is known, and the bounds say so.
"""

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from footfall.flow.serve.spans import FROM_MS_MIN
from footfall.flow.store.checkpoints import load_checkpoints
from footfall.flow.store.counters import NO_SKETCHES, Counter, Sketches, days_of, load_counters, names_in, united
from footfall.flow.store.retention import known_since_ms, load_retention
from footfall.ports.table import Table
from footfall.sketches.datasketches_hll import datasketches_from_uniques
from footfall.sketches.estimation import CONFIDENCE, Estimate
from footfall.sketches.theta import (
    Theta,
    datasketches_from_theta,
    theta_difference,
    theta_estimate,
    theta_intersection,
    theta_union,
)
from footfall.sketches.uniques import estimate
from footfall.values.counter import SharesUntold, UnknownCounter, require_counter_name
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, Grain, instant_text, moment_from_text, walk, window_of

NAMES_MAX = 20  # in one question
DAYS_MAX = 800  # Days of all names of a question, of up to 40 KB each: two years of one counter.


@dataclass(frozen=True, slots=True)
class Days:
    """A span of whole days, of which those that ended before a moment may be gone."""

    from_ms: int
    to_ms: int
    count: int
    gone_until_ms: int = 0  # the end of the last day that may be gone; 0: all are there

    def gone_of(self, parts: Mapping[str, Counter]) -> int | None:
        """Return until when days of a counter are not known any more, None when all of them are."""
        since_ms = min((part.since_ms for part in parts.values() if part.since_ms is not None), default=None)
        return self.gone_until_ms if since_ms is not None and since_ms < self.gone_until_ms else None


@dataclass(frozen=True, slots=True)
class Asked:
    """A set made of counters: all that is in any of `union`, and in each of `intersect`, and in none of `minus`."""

    union: tuple[str, ...] = ()
    intersect: tuple[str, ...] = ()
    minus: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a set of nothing, and one of too many counters."""
        for field, names in (("union", self.union), ("intersect", self.intersect), ("minus", self.minus)):
            for name in names:
                require_counter_name(name, field=field)
        if not self.union and not self.intersect:
            raise Refused("union", "is missing; name counters, as in union=a&union=b, or intersect=a&intersect=b")
        count = len(self.union) + len(self.intersect) + len(self.minus)
        if count > NAMES_MAX:
            raise Refused("union", f"with intersect and minus has {count} names, at most {NAMES_MAX} are answered for")


@dataclass(frozen=True, slots=True)
class Told:
    """How many, and by which kind of sketch."""

    estimate: Estimate
    by: str
    since_ms: int | None = None
    kept_since_ms: int | None = None  # Days that ended by then are not kept any more; None: all are.
    has_upper: bool = True  # False: what is not kept may have held any number.


def kept_from_ms(table: Table, *, now_ms: int, kept_ms: int) -> int:
    """Return the moment from which on every day that ended then or later is there, by all rules that were in force."""
    history = load_retention(table)
    return known_since_ms(history, Grain.DAY, now_ms=now_ms) if history else now_ms - kept_ms


def days_between(from_text: str, to_text: str, *, zone: str, now_ms: int, kept_from_ms: int) -> Days:
    """Return the brand's whole days that two moments touch; raise Refused for ends that make no span."""
    if not from_text or not to_text:
        missing = "to" if from_text else "from"
        raise Refused(missing, "is missing; a span has both ends, as in from=2026-11-01T00:00Z&to=2026-11-15T00:00Z")
    from_ms, to_ms = moment_from_text(from_text, field="from"), moment_from_text(to_text, field="to")
    if to_ms <= from_ms:
        raise Refused("to", f"{instant_text(to_ms)} is not after from, {instant_text(from_ms)}")
    if from_ms < FROM_MS_MIN:
        raise Refused("from", f"{instant_text(from_ms)} is too long ago; begin after {instant_text(FROM_MS_MIN)}")
    today = window_of(now_ms, Grain.DAY, zone)
    if to_ms > today.to_ms:
        raise Refused("to", f"{instant_text(to_ms)} is after the end of today, {instant_text(today.to_ms)}")
    first, last = window_of(from_ms, Grain.DAY, zone), window_of(to_ms - 1, Grain.DAY, zone)
    if last.from_ms - first.from_ms > DAYS_MAX * DAY_MS:
        raise Refused("to", f"is more than {DAYS_MAX} days after from; ask for less at a time")
    ends = [day.to_ms for day in walk(Grain.DAY, from_ms=first.from_ms, to_ms=last.to_ms, zone=zone)]
    gone_until_ms = max((end_ms for end_ms in ends if end_ms < kept_from_ms), default=0)
    return Days(first.from_ms, last.to_ms, len(ends), gone_until_ms)


def told_of(table: Table, brand: str, name: str, days: Days | None = None) -> Told:
    """Return how many values a counter has met, ever or in some days; raise UnknownCounter."""
    parts = _counter(table, brand, name)
    since_ms = [part.since_ms for part in parts.values() if part.since_ms is not None]
    sketches = _sketches(table, brand, parts, days)
    gone_ms = None if days is None else days.gone_of(parts)
    return Told(estimate(sketches.uniques), "hll", min(since_ms, default=None), gone_ms, has_upper=gone_ms is None)


def told_of_set(table: Table, brand: str, asked: Asked, days: Days | None = None) -> Told:
    """Return how many values a set made of counters has; raise UnknownCounter or SharesUntold."""
    names = dict.fromkeys((*asked.union, *asked.intersect, *asked.minus))
    if days is not None and days.count * len(names) > DAYS_MAX:
        raise Refused("to", f"asks for {days.count} days of {len(names)} counters; at most {DAYS_MAX} are read at once")
    is_union = not asked.intersect and not asked.minus
    found: dict[str, Sketches] = {}
    gone: dict[str, int] = {}
    for name in names:
        parts = _counter(table, brand, name)
        if not is_union and days is None and not all(part.has_shares for part in parts.values()):
            raise SharesUntold(name)
        found[name] = _sketches(table, brand, parts, days)
        if days is not None and (gone_ms := days.gone_of(parts)) is not None:
            gone[name] = gone_ms
    told = _told_by_registers(asked, found) if is_union else _told_by_hashes(asked, found)
    if any(name in gone for name in asked.minus):  # What is gone might have been taken away.
        told = replace(told, estimate=replace(told.estimate, lower=0.0))
    has_upper = not any(name in gone for name in (*asked.union, *asked.intersect))
    return replace(told, kept_since_ms=max(gone.values(), default=None), has_upper=has_upper)


def _told_by_registers(asked: Asked, found: Mapping[str, Sketches]) -> Told:
    return Told(estimate(united([found[name] for name in asked.union]).uniques), "hll")


def _told_by_hashes(asked: Asked, found: Mapping[str, Sketches]) -> Told:
    # What is taken away from itself is known to be nothing, which its hashes alone could not tell.
    union = [name for name in asked.union if name not in asked.minus]
    if set(asked.intersect) & set(asked.minus) or (asked.union and not union):
        return Told(Estimate(0.0, 0.0, 0.0, CONFIDENCE), "theta")
    sets = [found[name] for name in asked.intersect]
    if union:
        sets.append(united([found[name] for name in union]))
    theta = theta_intersection([one.theta for one in sets])
    if asked.minus:
        theta = theta_difference(theta, minus=united([found[name] for name in asked.minus]).theta)
    most = min(estimate(one.uniques).upper for one in sets)
    told = theta_estimate(theta)
    # No part of a set is larger than the set, whatever is known of the others.
    count, lower, upper = (min(number, most) for number in (told.count, told.lower, told.upper))
    return Told(Estimate(count, lower, upper, told.confidence), "theta")


def exported(table: Table, brand: str, name: str, *, kind: str, days: Days | None = None) -> bytes:
    """Return a counter's sketch as Apache DataSketches writes it; raise UnknownCounter or SharesUntold."""
    parts = _counter(table, brand, name)
    if kind == "theta" and days is None and not all(part.has_shares for part in parts.values()):
        raise SharesUntold(name)
    gone_ms = None if days is None else days.gone_of(parts)
    if gone_ms is not None:
        raise Refused(
            "from", f"is before {instant_text(gone_ms)}, and a sketch cannot say that days are gone; begin there"
        )
    sketches = _sketches(table, brand, parts, days)
    return datasketches_from_theta(sketches.theta) if kind == "theta" else datasketches_from_uniques(sketches.uniques)


def is_known(table: Table, brand: str, name: str) -> bool:
    """Tell whether there is a counter of this name."""
    return bool(load_counters(table, brand, name))


def names_after(table: Table, brand: str, *, after: str, limit: int) -> list[str]:
    """Return the first so many names of a brand's counters that follow a name, in the order of their UTF-8 bytes."""
    shards = [names_in(table, brand, shard, after=after, at_once=limit) for shard in load_checkpoints(table)]
    names: dict[str, None] = {}  # One that has changed its shard is in two.
    for name in heapq.merge(*shards, key=str.encode):
        names[name] = None
        if len(names) == limit:
            break
    return list(names)


def has_other_shares(table: Table, brand: str, name: str, theta: Theta) -> bool:
    """Tell whether a counter knows by itself what it shares with others, and a Theta sketch says more than that."""
    parts = load_counters(table, brand, name)
    if not parts or not all(part.has_shares for part in parts.values()):
        return False
    known = united([part.whole for part in parts.values()]).theta
    return theta_union([known, theta]) != known  # One that is sent again says nothing new.


def estimate_fields(told: Told) -> dict[str, object]:
    """Return an estimate as answers show it, in whole numbers that keep their promise."""
    kept = {} if told.kept_since_ms is None else {"keptSince": instant_text(told.kept_since_ms)}
    return {
        **kept,
        "estimate": round(told.estimate.count),
        "lower": math.floor(told.estimate.lower),
        "upper": math.ceil(told.estimate.upper) if told.has_upper else None,
        "confidence": told.estimate.confidence,
        "by": told.by,
    }


def _counter(table: Table, brand: str, name: str) -> dict[str, Counter]:
    parts = load_counters(table, brand, require_counter_name(name))
    if not parts:
        raise UnknownCounter(name)
    return parts


def _sketches(table: Table, brand: str, parts: dict[str, Counter], days: Days | None) -> Sketches:
    if days is None:
        return united([part.whole for part in parts.values()])
    found: list[Sketches] = []
    for part, counter in parts.items():
        found.extend(days_of(table, brand, part, counter, from_ms=days.from_ms, to_ms=days.to_ms))
    return united(found or [NO_SKETCHES])


def names_of(values: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a question, each once: a set has nothing twice."""
    return tuple(dict.fromkeys(values))
