"""Trying rules on the past: raw hits of either ground, read beside whatever runs, and nothing is written."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from heapq import merge
from typing import Any

import msgspec

from footfall.app import wiring
from footfall.app.screening import screen_limits
from footfall.app.settings import HOUR_MS, MINUTE_MS, Settings
from footfall.flow.collect.trial import Sums, Trial, TriedRules, tried_rules_from_document
from footfall.flow.stream.raw import ArchiveRaw, RawHits, StreamRaw
from footfall.ports.stream import Record
from footfall.screening.labels import Label, label_of
from footfall.screening.lists import ListKind, Lists, with_list
from footfall.values.clock import Clock
from footfall.values.errors import Refused
from footfall.values.groups import is_beside
from footfall.values.window import instant_text

READ_RECORDS = 1_000  # of each shard at a time
SLACK_MS = 10 * MINUTE_MS  # Records lie in the order of arrival, but for the clocks of those at which they arrived.
TOLD_EVERY = 500  # records
LOOKED_EVERY = 20  # records: one may hold thousands of hits

OnShare = Callable[[float], None]
IsOver = Callable[[int], bool]  # with the hits that were judged so far


def _never(_hits: int) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class TryOrder:
    """What is tried on which past: a document of rules, a span of event times, one brand or all, and a mode."""

    document: Mapping[str, Any]
    from_ms: int
    to_ms: int
    brand: str = ""
    mode: str = ""  # Empty: the brand's own.
    limit: int = 10


@dataclass(frozen=True, slots=True)
class Watched:
    """Who is told how far it is, and who may end it: what was tried by then is told, as what it is."""

    on_share: OnShare
    is_over: IsOver = _never


def tried(
    settings: Settings, order: TryOrder, *, clock: Clock, on_share: OnShare, is_over: IsOver = _never
) -> dict[str, object]:
    """Return what would change for each brand if the rules were switched on; refuse what is not kept any more."""
    rules = tried_rules_from_document(order.document, screen_limits(settings))
    rules = msgspec.structs.replace(rules, spam=rules.spam | _spam_in_use(settings, clock))
    raw, heard, close = _opened(settings, clock)
    try:
        names = [order.brand] if order.brand else sorted(heard)
        if order.brand and order.brand not in heard:
            raise Refused("brand", f"{order.brand!r} has no hits here; footfall brands list shows those that have")
        reports: list[dict[str, object]] = []
        for number, name in enumerate(names):
            one = _tried_brand(
                settings,
                rules,
                replace(order, brand=name),
                raw=raw,
                clock=clock,
                watched=Watched(lambda share, number=number: on_share((number + share) / len(names)), is_over),
            )
            reports.append(one)
    finally:
        close()
    return {
        "from": instant_text(order.from_ms),
        "to": instant_text(order.to_ms),
        "notTried": rules.not_tried(),
        "brands": reports,
    }


def _tried_brand(
    settings: Settings, rules: TriedRules, order: TryOrder, *, raw: RawHits, clock: Clock, watched: Watched
) -> dict[str, object]:
    since_ms = raw.kept_since_ms(order.brand)
    if since_ms > order.from_ms:
        raise Refused("from", f"needs raw hits of then, and those of {order.brand} are kept since {_text(since_ms)}")
    brand = wiring.brand_lookup(settings, clock).brand(order.brand)
    mode = order.mode or brand.screening
    shown = (Label.PERSON.value, Label.SUSPECTED.value) if mode == "observe" else (Label.PERSON.value,)
    lateness_ms = settings.count_lateness_hours * HOUR_MS
    trial = Trial(
        order.brand,
        rules,
        from_ms=order.from_ms,
        to_ms=order.to_ms,
        lateness_ms=lateness_ms,
        shown=frozenset(shown),
    )
    # Whoever came shortly before the span is known by its beginning; and hits may come as late as they are counted.
    begin_ms = order.from_ms - max(rules.limits.repeats_ms, MINUTE_MS, settings.count_future_ms)
    end_ms = min(order.to_ms + lateness_ms, clock.now_ms() + MINUTE_MS)
    is_complete, through_ms = True, begin_ms
    for number, record in enumerate(_records(raw, order.brand, settings.stream_shards, begin_ms, end_ms)):
        if number % TOLD_EVERY == 0:
            watched.on_share(min(1.0, max(0.0, (record.arrived_at_ms - begin_ms) / max(1, end_ms - begin_ms))))
        if number % LOOKED_EVERY == 0 and watched.is_over(trial.hits):
            is_complete = False
            break
        trial.add(record)
        through_ms = record.arrived_at_ms
    watched.on_share(1.0)
    return _told(trial, order.limit, mode=mode) | (
        {"complete": True} if is_complete else {"complete": False, "arrivedUntil": instant_text(through_ms)}
    )


def _told(trial: Trial, limit: int, *, mode: str) -> dict[str, object]:
    return {
        "brand": trial.brand,
        "mode": mode,
        "hits": trial.hits,
        "changed": trial.changed,
        "withoutVisitor": trial.without_visitor,
        "unreadable": trial.unreadable,
        "exact": trial.is_exact,
        "shown": {"before": trial.before.shown, "after": trial.after.shown},
        "labels": _compared(_labels(trial.before), _labels(trial.after), name="label"),
        "reasons": _reasons(trial),
        "items": trial.top(limit),
        "examples": trial.most_changed(limit),
    }


def _records(raw: RawHits, brand: str, shards: int, begin_ms: int, end_ms: int) -> Iterator[Record]:
    """Yield a brand's records of all shards in the order of arrival: a visitor's hits lie in many."""

    def of_shard(shard: int) -> Iterator[Record]:
        after = raw.first(brand, shard, arrived_at_ms=begin_ms)
        while records := raw.read(brand, shard, after=after, limit=READ_RECORDS):
            after = records[-1].sequence
            if records[0].arrived_at_ms >= end_ms + SLACK_MS:
                return
            yield from (one for one in records if one.group == brand and begin_ms <= one.arrived_at_ms < end_ms)

    return merge(*(of_shard(shard) for shard in range(shards)), key=lambda one: one.arrived_at_ms)


def _opened(settings: Settings, clock: Clock) -> tuple[RawHits, set[str], Callable[[], None]]:
    """Return raw hits, the brands that have any, and what lets go of them."""
    if settings.ground == "aws":
        from footfall.app import aws_wiring
        from footfall.flow.store.checkpoints import load_checkpoints

        with closing(wiring.open_store(settings, clock, read_only=True)) as store:
            groups = {group for one in load_checkpoints(store).values() for group in one.lines}
        raw: RawHits = ArchiveRaw(aws_wiring.open_archive(settings, clock))
        return raw, {group for group in groups if not is_beside(group)}, lambda: None
    stream = wiring.open_stream(settings, clock, read_only=True)
    return StreamRaw(stream), {group for group in stream.appended() if not is_beside(group)}, stream.close


def _spam_in_use(settings: Settings, clock: Clock) -> frozenset[str]:
    """Return the domains of the list that the door goes by."""
    if not wiring.has_table(settings, wiring.ACCOUNTS_FILE):
        return frozenset()
    with closing(wiring.open_accounts(settings, clock, read_only=True)) as accounts:
        store = accounts.register.screening
        stored = store.lists().get(ListKind.REFERRER_SPAM)
        if stored is None:
            return frozenset()
        return with_list(Lists(), ListKind.REFERRER_SPAM, store.content_of(stored)).spam_domains


def _labels(sums: Sums) -> dict[str, int]:
    return {label or "person": hits for label, hits in sums.labels().items()}


def _reasons(trial: Trial) -> list[dict[str, object]]:
    before, after = ({reason: n for reason, n in one.reasons.items() if reason} for one in (trial.before, trial.after))
    rows = _compared(before, after, name="reason")
    return [{**row, "label": label_of(str(row["reason"])).value} for row in rows]


def _compared(before: Mapping[str, int], after: Mapping[str, int], *, name: str) -> list[dict[str, object]]:
    names = dict.fromkeys((*before, *after))
    return [{name: one, "before": before.get(one, 0), "after": after.get(one, 0)} for one in names]


def _text(moment_ms: int) -> str:
    return instant_text(moment_ms - moment_ms % MINUTE_MS)
