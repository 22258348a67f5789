"""Closing a period: from what an accountant sends and the watch log to a statement, its corrections and its traces."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from footfall.audience.earnings import (
    Division,
    Line,
    Method,
    Terms,
    Unwatched,
    Watched,
    divided,
    log_digest,
    require_terms,
)
from footfall.audience.statement_errors import LogChanged, NotOver
from footfall.audience.statement_text import minutes, money
from footfall.audience.statements import (
    Entry,
    close,
    differences,
    entries,
    entry_of,
    lines_of,
    statements,
    sums_of,
    terms_of,
)
from footfall.audience.tracing import trace
from footfall.flow.serve.days import day_named
from footfall.flow.store.watch_log import rows_of_day
from footfall.flow.store.watched_by import Erased, without_erased
from footfall.ports.table import Table
from footfall.values.errors import Refused
from footfall.values.window import Grain, instant_text, walk

DAYS_MAX = 400  # of a period: a year and a little
REASON_BYTES_MAX = 2_000
SETTLED_MS = 15 * 60_000  # A session that nobody hears of is over after ten minutes, and its row is written then.
TRACED_ROWS_MAX = 1_000  # A cent over more of them is told by the first.

_Amount = Annotated[int, Meta(ge=0)]
_Text = Annotated[str, Meta(max_length=300)]


class _Sent(Struct, rename="camel", forbid_unknown_fields=True, frozen=True):
    """What is sent to close a period, or to correct one."""

    name: _Text = ""
    from_: str = msgspec.field(default="", name="from")
    to: str = ""
    currency: _Text = ""
    digits: int = 2
    method: Method = Method.PRO_RATA
    pool: _Amount = 0
    fees: Mapping[_Text, _Amount] = {}
    unwatched: Unwatched = Unwatched.POOLED
    owners: Mapping[_Text, Mapping[_Text, int]] = {}
    reason: str = ""


def terms_from(document: Mapping[str, Any], *, zone: str) -> Terms:
    """Return the terms that a document says; days are the brand's, and `to` is the first day after the period."""
    sent = _sent(document)
    if sent.reason:
        raise Refused("reason", "belongs to a correction")
    terms = Terms(
        name=sent.name, from_ms=day_named(sent.from_, field="from", zone=zone).from_ms,
        to_ms=day_named(sent.to, field="to", zone=zone).from_ms, currency=sent.currency, digits=sent.digits,
        method=sent.method, pool=sent.pool, fees=sent.fees, unwatched=sent.unwatched, owners=sent.owners,
    )  # fmt: skip
    require_terms(terms)
    if terms.to_ms - terms.from_ms > DAYS_MAX * 86_400_000:
        raise Refused("to", f"is more than {DAYS_MAX} days after from")
    return terms


def corrected_terms(document: Mapping[str, Any], before: Terms) -> tuple[Terms, str]:
    """Return the terms of a correction and its reason: what it does not name stays as it was."""
    sent = _sent(document)
    if not 0 < len(sent.reason.encode("utf-8", "replace")) <= REASON_BYTES_MAX:
        raise Refused("reason", f"is 1 to {REASON_BYTES_MAX} bytes that say what was wrong")
    for fixed in ("name", "from", "to", "currency", "digits"):
        if fixed in document:
            raise Refused(fixed, "is what was closed; a correction changes money, method and owners")
    changes = {name: getattr(sent, name) for name in _CHANGED if name in document}
    terms = replace(before, **changes)
    require_terms(terms)
    return terms, sent.reason


def watched_in(table: Table, brand: str, terms: Terms, *, zone: str, shards: int, erased: Erased) -> list[Watched]:
    """Return the rows of the watch log that a period has, where members who were erased are not named."""
    return [
        Watched(row.session, row.member, row.asset, row.from_ms, row.to_ms, row.ms, row.day_ms, row.number)
        for day in walk(Grain.DAY, from_ms=terms.from_ms, to_ms=terms.to_ms, zone=zone)
        for row in (without_erased(one, erased) for one in rows_of_day(table, brand, day.from_ms, shards=shards))
    ]


def require_over(terms: Terms, *, now_ms: int, lateness_ms: int) -> None:
    """Raise NotOver while anything may still come that belongs to the period."""
    at_ms = terms.to_ms + lateness_ms + SETTLED_MS
    if now_ms < at_ms:
        raise NotOver(f"beats of {terms.name!r} are taken until they are late; close it after {instant_text(at_ms)}")


def close_period(table: Table, brand: str, terms: Terms, rows: Sequence[Watched], *, by: str, now_ms: int) -> Entry:
    """Divide a period's money and write it down for good."""
    division = divided(terms, rows)
    entry = entry_of(terms, division, lines=division.lines, log=log_digest(rows), by=by, at_ms=now_ms)
    close(table, brand, entry, lines=division.lines, terms=terms)
    return entry


def correct_period(  # noqa: PLR0913 - whose, what, from what, why, by whom, when
    table: Table, brand: str, terms: Terms, rows: Sequence[Watched], *, reason: str, by: str, now_ms: int
) -> Entry:
    """Divide a period's money anew and write down what has to be added to what was told."""
    told = entries(table, brand, terms.name)
    right = divided(terms, rows)
    lines = differences(right.lines, sums_of([lines_of(table, brand, one) for one in told]))
    added = Division(
        lines,
        right.undivided - sum(one.undivided for one in told),
        right.watched_ms - sum(one.watched_ms for one in told),
    )
    entry = entry_of(
        terms, added, lines=lines, log=log_digest(rows), by=by, at_ms=now_ms, number=len(told), reason=reason
    )
    entry = replace(entry, amount=terms.amount - sum(one.amount for one in told))
    close(table, brand, entry, lines=lines, terms=terms)
    return entry


def last_terms(table: Table, brand: str, name: str) -> Terms:
    """Return on which terms a period stands now: those of its last entry."""
    return terms_of(table, brand, entries(table, brand, name)[-1])


def told_entries(table: Table, brand: str, name: str) -> list[tuple[Entry, list[Line]]]:
    """Return a period's statement and corrections with their lines."""
    return [(entry, lines_of(table, brand, entry)) for entry in entries(table, brand, name)]


def statements_document(table: Table, brand: str) -> dict[str, Any]:
    """Return the periods that were closed."""
    return {"periods": [entry_document(one) for one in statements(table, brand)]}


def entry_document(entry: Entry, lines: Sequence[Line] | None = None) -> dict[str, Any]:
    """Return an entry as it is answered; amounts are whole minor units."""
    document: dict[str, Any] = {
        "name": entry.name, "entry": entry.number, "from": instant_text(entry.from_ms),
        "to": instant_text(entry.to_ms), "currency": entry.currency, "digits": entry.digits,
        "method": entry.method.value, "unwatched": entry.unwatched.value, "amount": entry.amount,
        "undivided": entry.undivided, "milliseconds": entry.watched_ms, "reason": entry.reason, "by": entry.by,
        "closedAt": instant_text(entry.at_ms), "log": entry.log, "digest": entry.digest,
    }  # fmt: skip
    return document if lines is None else {**document, "lines": [_line_document(one, entry.digits) for one in lines]}


def trace_document(
    table: Table, brand: str, name: str, rows: Sequence[Watched], *, asset: str, cent: int
) -> dict[str, Any]:
    """Return where a minor unit of an asset's money came from; raise LogChanged when that cannot be told any more."""
    last = entries(table, brand, name)[-1]
    if log_digest(rows) != last.log:
        raise LogChanged(
            f"the watch log of {name!r} has changed since it was closed: rows have expired, or were erased"
        )
    found = trace(terms_of(table, brand, last), rows, asset=asset, cent=cent)
    return {
        "name": name, "asset": asset, "cent": cent, "of": found.amount, "member": found.source,
        "millisecondsEach": found.part_ms, "rows": len(found.rows),
        "watched": [
            {
                "session": row.session, "member": row.member, "from": instant_text(row.from_ms),
                "to": instant_text(row.to_ms), "milliseconds": row.watched_ms,
            }
            for row in found.rows[:TRACED_ROWS_MAX]
        ],
    }  # fmt: skip


_CHANGED = ("method", "pool", "fees", "unwatched", "owners")


def _line_document(line: Line, digits: int) -> dict[str, Any]:
    return {
        "asset": line.asset, "owner": line.owner, "milliseconds": line.watched_ms, "minutes": minutes(line.watched_ms),
        "amount": line.amount, "shown": money(line.amount, digits),
    }  # fmt: skip


def _sent(document: Mapping[str, Any]) -> _Sent:
    try:
        return msgspec.convert(document, _Sent)
    except msgspec.ValidationError as error:
        raise Refused("body", f"cannot be taken: {error}") from error
