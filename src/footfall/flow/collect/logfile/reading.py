"""Lines of a log become columns of hits; what is left out or not understood is counted by its reason.

A line takes two or three microseconds here, so that what many lines share (a second, a request, a reader) is looked
up in bounded dictionaries that work a thing out when it is asked for the first time.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from footfall.flow.collect.logfile.formats import Format
from footfall.flow.collect.logfile.line import HeaderLine, NotUnderstood
from footfall.flow.collect.logfile.moments import Moments
from footfall.flow.collect.logfile.pages import PageRules, Pages, cleaned
from footfall.flow.collect.logfile.people import HEALTH_CHECK, PROGRAMS, ROBOT, Day, Days
from footfall.flow.stream.records import HitKey
from footfall.values.hit import ADDRESS_BYTES_MAX

ERROR, REDIRECT, HEADER, BLANK = "error", "redirect", "header", "blank"
SAMPLES_MAX = 5
QUOTES_WITH_AGENT = 6  # around request, referrer and agent
REASONS_MAX = 200  # Reasons are sentences of ours, but one may hold a number of columns or a field's name.
REFERRERS_MAX = 50_000  # Some 10 MB.
NOT_MODIFIED = 304  # No redirect: the reader's browser had the page already and shows it.


@dataclass(frozen=True, slots=True)
class Sample:
    """A line that was not understood: where it is and why; never its text, which may hold an address."""

    log: str
    number: int
    reason: str


@dataclass(slots=True)
class Tally:
    """What became of the lines so far."""

    lines: int = 0
    counted: int = 0
    robots: int = 0  # among the counted
    left_out: Counter[str] = field(default_factory=Counter[str])
    misread: Counter[str] = field(default_factory=Counter[str])
    samples: list[Sample] = field(default_factory=list[Sample])
    formats: Counter[str] = field(default_factory=Counter[str])


@dataclass(frozen=True, slots=True)
class LogHits:
    """Hits as columns of equal length."""

    keys: list[HitKey] = field(default_factory=list[HitKey])
    at_ms: list[int] = field(default_factory=list[int])
    visitors: list[bytes] = field(default_factory=list[bytes])
    urls: list[str] = field(default_factory=list[str])
    referrers: list[str] = field(default_factory=list[str])
    screened: dict[int, str] = field(default_factory=dict[int, str])  # place -> reason, of programs
    agents: list[int] = field(default_factory=list[int])


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which lines are hits."""

    pages: PageRules = field(default_factory=PageRules)
    counts_errors: bool = False
    counts_redirects: bool = False
    counts_health_checks: bool = False
    counts_robots: bool = True


class Reading:
    """Reads the lines of one log."""

    def __init__(self, one: Format, wanted: Wanted, *, days: Days, pages: Pages, tally: Tally) -> None:
        self.tally = tally
        self._format = one
        self._split = one.splitter()
        self._moments = Moments(now_ms=0)
        self._pages = pages
        self._days = days
        self._statuses = _statuses(wanted)
        self._unwanted = _unwanted_kinds(wanted)
        self._referrers = _Referrers()
        self._has_agents = one.has_agents

    def learn(self, lines: Sequence[bytes]) -> None:
        """Take note of what the lines say of the log itself, and count nothing."""
        for line in lines:
            try:
                self._split(line)
            except (HeaderLine, NotUnderstood, ValueError):
                continue

    def understands(self, line: bytes, *, now_ms: int) -> bool:
        """Tell whether a line that does not end yet has all that lines of the format have."""
        self._moments.tell(now_ms)
        try:
            _, status, time, *_ = self._split(line)
            quotes = line.replace(b'\\"', b"").count(b'"')
            is_whole = quotes % 2 == 0 and (quotes >= QUOTES_WITH_AGENT or not self._has_agents)
            return is_whole and self._moments[time] > 0 and status in self._statuses
        except (HeaderLine, NotUnderstood, ValueError):
            return False

    def read(self, lines: Sequence[bytes], *, log: str, number: int, now_ms: int) -> LogHits:
        """Return the hits among the lines, the first of which has this number."""
        self._moments.tell(now_ms)
        self._days.tell(now_ms)
        hits = LogHits()
        self._read(lines, hits, _Place(log, number))
        tally = self.tally
        tally.lines += len(lines)
        tally.counted += len(hits.keys)
        tally.formats[self._format.name] += len(lines)
        return hits

    def _read(self, lines: Sequence[bytes], hits: LogHits, place: "_Place") -> None:
        split, moments, statuses, pages = self._split, self._moments, self._statuses, self._pages
        add_key, add_time, add_visitor = hits.keys.append, hits.at_ms.append, hits.visitors.append
        add_url, add_referrer, add_agent = hits.urls.append, hits.referrers.append, hits.agents.append
        day: Day | None = None
        from_ms = to_ms = 0
        for index, line in enumerate(lines):
            try:
                request, status, time, address, agent, referrer, host = split(line)
                at_ms = moments[time]
                reason = statuses[status]
                reason, key, url = (reason, None, "") if reason else pages[request, host]
            except (NotUnderstood, HeaderLine, ValueError, KeyError) as error:
                self._misread(line, place, index, error)
                continue
            if reason or key is None:
                self.tally.left_out[reason] += 1
                continue
            if day is None or not from_ms <= at_ms < to_ms:
                day = self._days.day_of(at_ms)
                from_ms, to_ms = day.from_ms, day.to_ms
            visitor, kind, code = day[address, agent]
            if kind:
                if self._is_left_out(kind):
                    continue
                hits.screened[len(hits.keys)] = kind
            add_key(key)
            add_time(at_ms)
            add_visitor(visitor)
            add_url(url)
            add_referrer(self._referrers[referrer])
            add_agent(code)

    def _is_left_out(self, kind: str) -> bool:
        if kind in self._unwanted:
            self.tally.left_out[HEALTH_CHECK if kind == HEALTH_CHECK else ROBOT] += 1
            return True
        self.tally.robots += kind != HEALTH_CHECK
        return False

    def _misread(self, line: bytes, place: "_Place", index: int, error: Exception) -> None:
        tally = self.tally
        if isinstance(error, HeaderLine) or not line.strip():
            tally.left_out[BLANK if not line.strip() else HEADER] += 1
            return
        match error:
            case NotUnderstood():
                reason = str(error)
            case KeyError():
                reason = "its status is none of HTTP"
            case _:
                reason = f"it is not a line of the {self._format.name} format"
        if reason in tally.misread or len(tally.misread) < REASONS_MAX:
            tally.misread[reason] += 1
        else:
            tally.misread["other reasons"] += 1
        if len(tally.samples) < SAMPLES_MAX:
            tally.samples.append(Sample(place.log, place.number + index, reason))


@dataclass(frozen=True, slots=True)
class _Place:
    log: str
    number: int


class _Referrers(dict[bytes, str]):
    """Referrers as text, nothing for a dash or one that is too long."""

    def __missing__(self, raw: bytes) -> str:
        text = "" if raw == b"-" else cleaned(raw)
        if len(text) * 4 > ADDRESS_BYTES_MAX and len(text.encode()) > ADDRESS_BYTES_MAX:
            text = ""
        if len(self) >= REFERRERS_MAX:
            self.clear()
        self[raw] = text
        return text


def _statuses(wanted: Wanted) -> dict[bytes, str]:
    """Return, for each status, why a line with it is no hit."""
    redirect, error = "" if wanted.counts_redirects else REDIRECT, "" if wanted.counts_errors else ERROR
    reasons = {b"%d" % status: "" if status < 300 else redirect for status in range(100, 400)}
    reasons |= {b"%d" % status: error for status in range(400, 1_000)}
    # A request that got no answer, as some servers write it.
    return reasons | {b"%d" % NOT_MODIFIED: "", b"000": error, b"0": error}


def _unwanted_kinds(wanted: Wanted) -> frozenset[str]:
    kinds = dict.fromkeys(PROGRAMS.values(), wanted.counts_robots) | {HEALTH_CHECK: wanted.counts_health_checks}
    return frozenset(kind for kind, counts in kinds.items() if not counts)
