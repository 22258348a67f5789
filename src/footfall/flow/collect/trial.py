"""Rules tried on the past: the door's own code speaks once more on stored hits, and what would change is added up.

Only what is stored can be judged again: paths, referrers and visitors. What the door once said for another reason (an
address, an agent, a header) stays as it was said, since nobody can ask again.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from msgspec import Struct

from footfall.flow.collect.accept import FUTURE, LATE, UNLABELLED
from footfall.flow.collect.fields import Draft, Hit
from footfall.flow.collect.screen import Screen, ScreenLimits
from footfall.flow.collect.senders import Sender
from footfall.flow.stream.records import Pack, Unreadable, pack_from_record
from footfall.ports.stream import Record
from footfall.screening.labels import Label, Reason, label_of
from footfall.screening.lists import Lists
from footfall.screening.referrers import require_domain
from footfall.screening.rules import BrandRules, rules_from_document
from footfall.values.errors import Refused
from footfall.values.window import MINUTE_MS

ASSETS_MAX = 400_000  # that are told apart: some 100 MB; when there are more, those with the fewest hits are let go
EXAMPLES_MAX = 50_000  # assets with changes that are told apart; those that come first
SPAM_MAX = 10_000  # domains of a file; whoever has more brings a list
BY_VISITOR: Final = frozenset({Reason.RATE, Reason.RELOAD})
JUDGED_AGAIN: Final = frozenset({"", Reason.RULE_PATH, Reason.REFERRER_SPAM}) | BY_VISITOR
OF_THE_DOOR: Final = JUDGED_AGAIN | {
    Reason.AGENT_BOT, Reason.AGENT_AI, Reason.NO_AGENT, Reason.NO_BROWSER, Reason.HEADLESS, Reason.PREFETCH,
    Reason.DATA_CENTRE, Reason.IMPOSSIBLE, Reason.KEY_RATE, Reason.ONE_ADDRESS, Reason.RULE_ADDRESS, Reason.RULE_AGENT,
    Reason.RULE_COUNTRY,
}  # fmt: skip
WHY_NOT: Final[Mapping[str, str]] = {
    "addresses": "addresses are not stored, so nobody knows whom of the past it would have met",
    "countries": "countries are told from addresses, and addresses are not stored",
    "agents": "user agents are not stored",
}
_LIMITS: Final[Mapping[str, tuple[int, int]]] = {
    "repeatsMax": (0, 1_000_000),
    "repeatsMinutes": (1, 1_440),
    "visitorPerMinute": (0, 1_000_000),
}
_SPAM: Final = "referrerSpam"
_ASIDE: Final = frozenset({LATE, FUTURE, UNLABELLED})  # These are in no list, whatever rules say.
# Stored hits are judged by what is said of readers, which is how the door takes a server's word.
_STORED: Final = Sender("", "", wants_privacy=False, is_server=True)


class TriedRules(Struct, frozen=True):
    """What is tried: a brand's rules, limits of repeats and rates, and more domains of referrer spam."""

    rules: BrandRules
    limits: ScreenLimits
    spam: frozenset[str] = frozenset()

    def not_tried(self) -> list[dict[str, object]]:
        """Return the rules that the past cannot tell about, and why."""
        document = self.rules.document()
        counts = {name: len(cast("list[str]", document[name])) for name in WHY_NOT}
        return [{"rule": name, "entries": counts[name], "why": why} for name, why in WHY_NOT.items() if counts[name]]


def tried_rules_from_document(document: Mapping[str, Any], limits: ScreenLimits) -> TriedRules:
    """Return what a file wants tried, or raise Refused; limits that it does not name are those in use."""
    rules = rules_from_document({name: one for name, one in document.items() if name not in (*_LIMITS, _SPAM)})
    given = {name: _limit(name, document[name]) for name in _LIMITS if name in document}
    return TriedRules(
        rules,
        ScreenLimits(
            repeats_max=given.get("repeatsMax", limits.repeats_max),
            repeats_ms=given["repeatsMinutes"] * MINUTE_MS if "repeatsMinutes" in given else limits.repeats_ms,
            visitor_per_minute_max=given.get("visitorPerMinute", limits.visitor_per_minute_max),
            entries_max=limits.entries_max,
        ),
        _domains(document.get(_SPAM, ())),
    )


@dataclass(slots=True)
class Sums:
    """Hits of a span by reason, and by asset those that lists show."""

    reasons: Counter[str] = field(default_factory=Counter[str])
    shown: int = 0

    def labels(self) -> dict[str, int]:
        """Return the hits of every label."""
        hits = {label.value: 0 for label in Label}
        for reason, weight in self.reasons.items():
            hits[label_of(reason)] += weight
        return hits


class Trial:
    """One brand's stored hits, judged again in the order of their arrival."""

    def __init__(
        self, brand: str, tried: TriedRules, *, from_ms: int, to_ms: int, lateness_ms: int, shown: frozenset[str]
    ) -> None:
        """Begin; `shown` are the labels that lists show, by the mode that is tried."""
        self.brand, self._tried = brand, tried
        self._from_ms, self._to_ms, self._lateness_ms = from_ms, to_ms, lateness_ms
        self._shown = shown
        self._screen = Screen(tried.limits, secret=bytes(32))  # Visitors are hashes already; nothing is kept of it.
        self._screen.take_rules({brand: tried.rules})
        self._screen.take_lists(Lists(spam_domains=tried.spam))
        self._assets: dict[str, list[int]] = {}  # shown before, and after
        self._changed: Counter[str] = Counter()  # hits of assets that have another reason, whether shown or not
        self.before, self.after = Sums(), Sums()
        self.hits = self.changed = self.without_visitor = self.unreadable = 0
        self.is_exact = True  # no asset was let go

    def add(self, record: Record) -> None:
        """Judge a record's hits again; those before the span only fill the counts of repeats and rates."""
        if record.repeated or record.dead:
            return
        try:
            pack = pack_from_record(record.data)
        except Unreadable:
            self.unreadable += record.weight
            return
        frozen = pack.screened or {}
        now = frozen if self._is_left(pack) else self._judged(pack, frozen)
        repeats = frozenset(record.repeats)
        for place in range(len(pack.keys)):
            at_ms = pack.at_ms[place] if pack.at_ms else pack.arrived_at_ms
            if self._from_ms <= at_ms < self._to_ms and place not in repeats and frozen.get(place) not in _ASIDE:
                self._count(pack, place, frozen.get(place, ""), now.get(place, ""))

    def top(self, limit: int) -> list[dict[str, object]]:
        """Return what leads the list before or after: ranks, and hits, then and now."""
        then = _ranks((asset, hits[0]) for asset, hits in self._assets.items())
        now = _ranks((asset, hits[1]) for asset, hits in self._assets.items())
        led = [asset for asset in now if now[asset] <= limit]
        led += [asset for asset in then if then[asset] <= limit and now.get(asset, limit + 1) > limit]
        return [
            {
                "assetId": asset,
                "rank": now.get(asset),
                "rankBefore": then.get(asset),
                "hits": self._assets[asset][1],
                "hitsBefore": self._assets[asset][0],
            }
            for asset in led
        ]

    def most_changed(self, limit: int) -> list[dict[str, object]]:
        """Return the assets with the most hits that would have another reason."""
        ordered = sorted(self._changed.items(), key=lambda one: (-one[1], one[0]))
        return [{"assetId": asset, "hits": hits} for asset, hits in ordered[:limit]]

    def _is_left(self, pack: Pack) -> bool:
        """Tell whether the door would not have judged it: hits of old logs, and those that come again as they were."""
        if pack.replays is not None:
            return True
        return bool(pack.at_ms) and any(
            pack.arrived_at_ms - at_ms > self._lateness_ms and (pack.screened or {}).get(place) != LATE
            for place, at_ms in enumerate(pack.at_ms or ())
        )

    def _judged(self, pack: Pack, frozen: Mapping[int, str]) -> dict[int, str]:
        if not self._tried.rules.is_on:
            return {place: reason for place, reason in frozen.items() if reason not in OF_THE_DOOR}
        again = [place for place in range(len(pack.keys)) if frozen.get(place, "") in (*JUDGED_AGAIN, UNLABELLED)]
        visitors = [pack.visitors[place] if pack.visitors else b"" for place in again]
        hits = [
            Hit(
                self.brand,
                pack.keys[place],
                visitor="stored" if visitor else "",
                url=pack.urls[place] if pack.urls else "",
                referrer=pack.referrers[place] if pack.referrers else "",
            )
            for place, visitor in zip(again, visitors, strict=True)
        ]
        draft = Draft(self.brand, [hit.key for hit in hits], range(len(hits)), hits=hits)
        found = self._screen.of_draft(self.brand, draft, _STORED, visitors=visitors, now_ms=pack.arrived_at_ms)
        # Who is not stored cannot be counted again: what was said of how often they came stays, but for rules.
        unknown = {place for place, visitor in zip(again, visitors, strict=True) if not visitor}
        kept = {
            place: reason
            for place, reason in frozen.items()
            if reason not in JUDGED_AGAIN or (reason in BY_VISITOR and place in unknown)
        }
        return kept | {again[place]: reason for place, reason in found.items()}

    def _count(self, pack: Pack, place: int, before: str, after: str) -> None:
        weight = pack.weights[place] if pack.weights else 1
        self.hits += weight
        if before != after:
            self.changed += weight
            asset = pack.keys[place][0]
            if asset in self._changed or len(self._changed) < EXAMPLES_MAX:
                self._changed[asset] += weight
        if not (pack.visitors and pack.visitors[place]) and before in JUDGED_AGAIN:
            self.without_visitor += weight
        self.before.reasons[before] += weight
        self.after.reasons[after] += weight
        was_shown, is_shown = label_of(before) in self._shown, label_of(after) in self._shown
        if was_shown or is_shown:
            asset = pack.keys[place][0]
            counts = self._assets.get(asset) or self._new(asset)
            counts[0] += weight if was_shown else 0
            counts[1] += weight if is_shown else 0
            self.before.shown += weight if was_shown else 0
            self.after.shown += weight if is_shown else 0

    def _new(self, asset: str) -> list[int]:
        least = 1
        while len(self._assets) >= ASSETS_MAX:
            self._assets = {name: hits for name, hits in self._assets.items() if max(hits) > least}
            least, self.is_exact = least * 2, False
        counts = self._assets[asset] = [0, 0]
        return counts


def _ranks(hits: Any) -> dict[str, int]:
    ordered = sorted(((asset, count) for asset, count in hits if count), key=lambda one: (-one[1], one[0]))
    return {asset: rank for rank, (asset, _) in enumerate(ordered, start=1)}


def _limit(name: str, value: object) -> int:
    lowest, highest = _LIMITS[name]
    if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
        raise Refused(name, f"is {str(value)[:40]!r}, it must be a whole number from {lowest:,} to {highest:,}")
    return value


def _domains(value: object) -> frozenset[str]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise Refused(_SPAM, "must be an array of domains")
    texts = cast("Sequence[object]", value)
    if len(texts) > SPAM_MAX:
        raise Refused(_SPAM, f"has {len(texts):,} domains, at most {SPAM_MAX:,} are tried; bring a list instead")
    return frozenset(require_domain(str(text)) for text in texts)
