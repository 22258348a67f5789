"""Proves a history: what clients asked for, were told, and when, shows nothing lost, stale, invented or refused.

Every write has a token of its own. A metric's versions are the tokens of the writes that made them, so that any reader
sees which writes it knows of, in which order. What a kill made unknown may have happened, at any time after it.
"""

import math
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

BEFORE = ("before", "metric ")  # how begins what was there before anybody looked


class Kind(StrEnum):
    ADD = "add"
    UPDATE = "update"
    DEPRECATE = "deprecate"
    RENAME = "rename"
    SET_DIMENSIONS = "dimensions"
    DELETE = "delete"
    READ = "read"


class Outcome(StrEnum):
    DONE = "done"
    ABSENT = "absent"  # There is no such metric.
    UNKNOWN = "unknown"  # Whoever was asked was killed.
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class State:
    """A metric as it was read; None where there was none."""

    tokens: tuple[str, ...]  # of its versions, in their order
    deprecated_by: str | None = None
    numbers: tuple[int, ...] | None = None
    name: str | None = None  # the token of whoever gave it; None: nobody looked
    dimensions: str | None = None  # the same


@dataclass(frozen=True, slots=True)
class Act:
    """What one client asked for, what it was told, and when it asked and was told."""

    kind: Kind
    key: str
    start: float
    end: float
    outcome: Outcome = Outcome.DONE
    token: str = ""
    version: int = 0
    state: State | None = None
    told: str = ""

    @property
    def has_happened_by(self) -> float:
        """Return when it surely had happened; never, where nobody was told so."""
        return self.end if self.outcome is Outcome.DONE else math.inf


@dataclass(slots=True)
class History:
    """What all clients did. Any thread may add to it."""

    acts: list[Act] = field(default_factory=list[Act])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, act: Act) -> None:
        with self._lock:
            self.acts.append(act)


def faults(acts: Iterable[Act]) -> list[str]:
    """Return everything in a history that may not be, in sentences; none: it is proven."""
    by_key: defaultdict[str, list[Act]] = defaultdict(list)
    found: list[str] = []
    for act in acts:
        if act.outcome is Outcome.REFUSED:
            found.append(f"refused: {act.kind} of {act.key}: {act.told}")
        by_key[act.key].append(act)
    for key, own in by_key.items():
        if key:  # A metric that was to be added, and nobody knows whether it was, has no key.
            found += [f"{key}: {fault}" for fault in _faults_of_one(_Metric(sorted(own, key=lambda act: act.start)))]
    return found


class _Metric:
    """The acts of one metric."""

    def __init__(self, acts: Sequence[Act]) -> None:
        self.acts = acts
        self.reads = [act for act in acts if act.kind is Kind.READ and act.outcome is Outcome.DONE]
        self.absences = [act for act in acts if act.outcome is Outcome.ABSENT]
        self.made = [act for act in acts if act.kind in (Kind.ADD, Kind.UPDATE)]
        self.deprecated = [act for act in acts if act.kind is Kind.DEPRECATE]
        self.named = [act for act in acts if act.kind in (Kind.ADD, Kind.RENAME)]
        self.dimensioned = [act for act in acts if act.kind is Kind.SET_DIMENSIONS]
        self.deleted = [act for act in acts if act.kind is Kind.DELETE]

    def seen(self) -> Iterator[tuple[Act, State]]:
        for read in self.reads:
            if read.state is not None:
                yield read, read.state


def _faults_of_one(metric: _Metric) -> Iterator[str]:
    yield from _out_of_order(metric)
    yield from _invented(metric)
    yield from _lost_to_others(metric)
    yield from _stale_versions(metric)
    yield from _stale_deprecations(metric)
    yield from _stale_names(metric)
    yield from _stale_dimensions(metric)
    yield from _risen(metric)


def _longest(metric: _Metric) -> tuple[str, ...]:
    return max((state.tokens for _, state in metric.seen()), key=len, default=())


def _out_of_order(metric: _Metric) -> Iterator[str]:
    """Versions never change and never go: what one read saw is how any later one begins."""
    longest = _longest(metric)
    for _, state in metric.seen():
        if state.tokens != longest[: len(state.tokens)]:
            yield f"{state.tokens} and {longest} were both read: one is not how the other begins"
        if state.numbers is not None and state.numbers != tuple(range(1, len(state.numbers) + 1)):
            yield f"versions are numbered {state.numbers}"
        if len(set(state.tokens)) < len(state.tokens):
            yield f"one write made two versions: {state.tokens}"


def _invented(metric: _Metric) -> Iterator[str]:
    asked = {act.token: act for act in metric.made}
    for read, state in metric.seen():
        for token in state.tokens:
            if token not in asked and not token.startswith(BEFORE):
                yield f"nobody wrote {token}, and it was read"
            elif token in asked and asked[token].start > read.end:
                yield f"{token} was read before it was written"


def _lost_to_others(metric: _Metric) -> Iterator[str]:
    longest = _longest(metric)
    numbered: defaultdict[int, set[str]] = defaultdict(set)
    for act in metric.made:
        if act.outcome is Outcome.DONE:
            numbered[act.version].add(act.token)
            if len(longest) >= act.version and longest[act.version - 1] != act.token:
                yield f"lost: {act.token} was told to be version {act.version}, which is {longest[act.version - 1]}"
    for number, tokens in numbered.items():
        if len(tokens) > 1:
            yield f"lost: {sorted(tokens)} were all told to be version {number}"


def _stale_versions(metric: _Metric) -> Iterator[str]:
    """Whoever asks after something was told to anybody must be told at least as much."""
    known = [(act.end, act.version) for act in metric.made if act.outcome is Outcome.DONE]
    known += [(read.end, len(state.tokens)) for read, state in metric.seen()]
    later = [(read.start, len(state.tokens), "read") for read, state in metric.seen()]
    later += [(act.start, act.version - 1, "written upon") for act in metric.made if act.outcome is Outcome.DONE]
    known.sort()
    at, highest = 0, 0
    for start, versions, how in sorted(later):
        while at < len(known) and known[at][0] < start:
            highest = max(highest, known[at][1])
            at += 1
        if versions < highest:
            yield f"stale: {versions} versions were {how} after {highest} had been told of"


def _stale_deprecations(metric: _Metric) -> Iterator[str]:
    shown = [(read, state.deprecated_by or "before") for read, state in metric.seen()]
    return _stale_values("deprecated", metric.deprecated, shown)


def _stale_names(metric: _Metric) -> Iterator[str]:
    shown = [(read, state.name) for read, state in metric.seen() if state.name is not None]
    return _stale_values("named", metric.named, shown)


def _stale_dimensions(metric: _Metric) -> Iterator[str]:
    shown = [(read, state.dimensions) for read, state in metric.seen() if state.dimensions is not None]
    return _stale_values("given dimensions", metric.dimensioned, shown)


def _stale_values(what: str, writes: Sequence[Act], shown: Sequence[tuple[Act, str]]) -> Iterator[str]:
    """The last write stands: none that was over before another began is read after that one was."""
    first: defaultdict[str, float] = defaultdict(lambda: math.inf)
    for read, token in shown:
        first[token] = min(first[token], read.end)
    known = {act.token: _known_by(act, first[act.token]) for act in writes}
    for read, token in shown:
        over = [act for act in known.values() if act.has_happened_by < read.start]
        if token.startswith(BEFORE):
            if over:
                yield f"lost: {what} by {over[0].token}, and it was read as if not"
        elif token not in known:
            yield f"nobody wrote {token}, and it was read"
        else:
            for act in over:
                if known[token].has_happened_by < act.start:
                    yield f"stale: {what} by {token} was read after {act.token} had taken its place"


def _known_by(act: Act, first_read: float) -> Act:
    """Return a write as one that had happened when anybody first read it."""
    if first_read >= act.has_happened_by:
        return act
    return replace(act, outcome=Outcome.DONE, end=first_read)


def _risen(metric: _Metric) -> Iterator[str]:
    """What is gone stays gone, and nothing goes that nobody removed."""
    gone = [act.end for act in metric.deleted if act.outcome is Outcome.DONE] + [act.end for act in metric.absences]
    first_gone = min(gone, default=math.inf)
    for act in metric.acts:
        if act.outcome is Outcome.DONE and act.start > first_gone:
            yield f"risen: {act.kind} of what was gone before it was asked for"
    asked = min((act.start for act in metric.deleted), default=math.inf)
    if any(act.end < asked for act in metric.absences):
        yield "lost: it was not there, and nobody had removed it"
    if sum(act.outcome is Outcome.DONE for act in metric.deleted) > 1:
        yield "lost: it was removed twice"
