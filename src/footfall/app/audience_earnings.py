"""Closing a period: from what an accountant sends and the watch log to a statement, its corrections and its traces.

What is sent is read, the log is folded, an entry is drawn up, and then it is written, each by itself: log and
statements lie in two tables, the act is noted in a third, and a dry run ends before the last step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from footfall.accounts.audit import Act, Note
from footfall.app.earnings_log import WatchLog, require_past
from footfall.audience.earnings import Division, Fold, Line, Method, Terms, Unwatched, divided, require_terms
from footfall.audience.statement_errors import LogChanged, NotOver
from footfall.audience.statement_text import minutes, money
from footfall.audience.statements import (
    Entry,
    close,
    differences,
    entries,
    entry_of,
    lines_of,
    require_free,
    statements,
    sums_of,
    terms_of,
)
from footfall.audience.tracing import trace
from footfall.flow.serve.days import day_named
from footfall.ports.table import Table
from footfall.values.errors import Refused
from footfall.values.window import instant_text

DAYS_MAX = 400  # of a period: a year and a little
REASON_BYTES_MAX = 2_000

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
    anew: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be closed or corrected, and how."""

    terms: Terms
    is_dry: bool  # Nothing is to be written.
    reason: str = ""  # of a correction
    is_anew: bool = False  # by the log as it is now, whatever it was when the period was closed


@dataclass(frozen=True, slots=True)
class Standing:
    """How a period stands: its entries, and the terms of the last."""

    told: Sequence[Entry]
    terms: Terms


@dataclass(frozen=True, slots=True)
class Read:
    """What the log comes to, and what whoever closes should know of it."""

    fold: Fold
    warnings: Sequence[str]


@dataclass(frozen=True, slots=True)
class Drawn:
    """An entry that can be written."""

    entry: Entry
    lines: Sequence[Line]
    terms: Terms
    warnings: Sequence[str]


def asked_to_close(document: Mapping[str, Any], *, zone: str) -> Asked:
    """Return what a document asks for; days are the brand's, and `to` is the first day after the period."""
    sent = _sent(document)
    for name in ("reason", "anew"):
        if name in document:
            raise Refused(name, "belongs to a correction")
    terms = Terms(
        name=sent.name, from_ms=day_named(sent.from_, field="from", zone=zone).from_ms,
        to_ms=day_named(sent.to, field="to", zone=zone).from_ms, currency=sent.currency, digits=sent.digits,
        method=sent.method, pool=sent.pool, fees=sent.fees, unwatched=sent.unwatched, owners=sent.owners,
    )  # fmt: skip
    _require(terms)
    return Asked(terms=terms, is_dry=sent.dry_run)


def asked_to_correct(document: Mapping[str, Any], before: Terms, *, zone: str) -> Asked:
    """Return what a document asks to be corrected: what it does not name stays as it was."""
    sent = _sent(document)
    if not 0 < len(sent.reason.encode("utf-8", "replace")) <= REASON_BYTES_MAX:
        raise Refused("reason", f"is 1 to {REASON_BYTES_MAX} bytes that say what was wrong")
    for fixed in ("name", "currency", "digits"):
        if fixed in document:
            raise Refused(fixed, "is what was closed; a correction changes days, money, method and owners")
    changes = {name: getattr(sent, name) for name in _CHANGED if name in document}
    if "from" in document:
        changes["from_ms"] = day_named(sent.from_, field="from", zone=zone).from_ms
    if "to" in document:
        changes["to_ms"] = day_named(sent.to, field="to", zone=zone).from_ms
    terms = replace(before, **changes)
    _require(terms)
    return Asked(terms=terms, is_dry=sent.dry_run, reason=sent.reason, is_anew=sent.anew)


def standing(table: Table, brand: str, name: str) -> Standing:
    """Return how a period stands; raise NotClosed when it was never closed."""
    told = entries(table, brand, name)
    return Standing(told, terms_of(table, brand, told[-1]))


def read_to_close(log: WatchLog, asked: Asked, *, now_ms: int, lateness_ms: int) -> Read:
    """Return what a period comes to; raise NotOver while some may be missing, of which a dry run only warns."""
    warnings = list[str]()
    try:
        require_past(asked.terms, now_ms=now_ms, lateness_ms=lateness_ms)
        log.require_whole(asked.terms, lateness_ms=lateness_ms)
    except NotOver as error:
        if not asked.is_dry:
            raise
        warnings.append(str(error))
    return _read(log.folded(asked.terms), warnings)


def read_to_correct(log: WatchLog, asked: Asked, stands: Standing, *, now_ms: int, lateness_ms: int) -> Read:
    """Return what a period comes to; raise LogChanged when its rows are not those that it was divided by."""
    terms, before = asked.terms, stands.terms
    if (terms.from_ms, terms.to_ms) == (before.from_ms, before.to_ms):
        read = _read(log.folded(terms), ())
        seen = read.fold
    else:
        read = read_to_close(log, asked, now_ms=now_ms, lateness_ms=lateness_ms)
        seen = log.folded(before)
    if seen.log != stands.told[-1].log and not asked.is_anew:
        then_ms = sum(one.watched_ms for one in stands.told)
        raise LogChanged(
            f"the watch log of {terms.name!r} has changed since it was closed: rows have expired, or were erased. It "
            f"had {minutes(then_ms)} minutes and has {minutes(seen.watched_ms)}; to divide by what it has now say "
            '"anew": true, and "dryRun": true to see first what that gives'
        )
    return read


def draw_statement(table: Table, brand: str, asked: Asked, read: Read, *, by: str, now_ms: int) -> Drawn:
    """Divide a period's money; raise AlreadyClosed when it, or one of its days, was divided before."""
    division = divided(asked.terms, read.fold)
    entry = entry_of(asked.terms, division, lines=division.lines, log=read.fold.log, by=by, at_ms=now_ms)
    require_free(table, brand, entry)
    return Drawn(entry, division.lines, asked.terms, read.warnings)


def draw_correction(table: Table, brand: str, asked: Asked, read: Read, *, by: str, now_ms: int) -> Drawn:
    """Divide a period's money anew: what has to be added to what was told."""
    terms = asked.terms
    told = entries(table, brand, terms.name)
    right = divided(terms, read.fold)
    lines = differences(right.lines, sums_of([lines_of(table, brand, one) for one in told]))
    added = Division(
        lines,
        right.undivided - sum(one.undivided for one in told),
        right.watched_ms - sum(one.watched_ms for one in told),
    )
    entry = entry_of(
        terms, added, lines=lines, log=read.fold.log, by=by, at_ms=now_ms, number=len(told), reason=asked.reason
    )
    entry = replace(entry, amount=terms.amount - sum(one.amount for one in told))
    require_free(table, brand, entry)
    return Drawn(entry, lines, terms, read.warnings)


def write(table: Table, brand: str, drawn: Drawn) -> None:
    """Write an entry down for good."""
    close(table, brand, drawn.entry, lines=drawn.lines, terms=drawn.terms)


def note_of(brand: str, drawn: Drawn) -> Note:
    """Return what the audit trail says of an entry that is about to be written."""
    entry = drawn.entry
    details = {
        "from": instant_text(entry.from_ms), "to": instant_text(entry.to_ms), "method": entry.method.value,
        "amount": f"{money(entry.amount, entry.digits)} {entry.currency}", "minutes": minutes(entry.watched_ms),
    }  # fmt: skip
    if not entry.number:
        return Note(brand, entry.by, Act.PERIOD_CLOSED, entry.name, details)
    more = {"entry": entry.number, "reason": entry.reason}
    return Note(brand, entry.by, Act.PERIOD_CORRECTED, entry.name, {**details, **more})


def told_entries(table: Table, brand: str, name: str) -> list[tuple[Entry, list[Line]]]:
    """Return a period's statement and corrections with their lines."""
    return [(entry, lines_of(table, brand, entry)) for entry in entries(table, brand, name)]


def statements_document(table: Table, brand: str) -> dict[str, Any]:
    """Return the periods that were closed."""
    return {"periods": [entry_document(one) for one in statements(table, brand)]}


def drawn_document(drawn: Drawn, *, is_dry: bool) -> dict[str, Any]:
    """Return an entry as whoever closes is answered; the lines of a dry run are nowhere else."""
    document = entry_document(drawn.entry, drawn.lines if is_dry else None)
    return {**document, "dryRun": is_dry, "warnings": list(drawn.warnings)}


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


def trace_document(log: WatchLog, stands: Standing, *, asset: str, cent: int) -> dict[str, Any]:
    """Return where a minor unit of an asset's money came from; raise LogChanged when that cannot be told any more."""
    terms, fold = stands.terms, log.folded(stands.terms)
    if fold.log != stands.told[-1].log:
        raise LogChanged(
            f"the watch log of {terms.name!r} has changed since it was closed: rows have expired, or were erased"
        )
    found = trace(terms, fold, log.rows_of_asset(terms, asset), asset=asset, cent=cent)
    return {
        "name": terms.name, "asset": asset, "cent": cent, "of": found.amount, "member": found.source,
        "millisecondsEach": found.part_ms, "rows": found.rows_in_all,
        "watched": [
            {
                "session": row.session, "member": row.member, "day": instant_text(row.day_ms),
                "from": instant_text(row.from_ms), "to": instant_text(row.to_ms), "milliseconds": row.watched_ms,
            }
            for row in found.rows
        ],
    }  # fmt: skip


_CHANGED = ("method", "pool", "fees", "unwatched", "owners")


def _read(fold: Fold, warnings: Sequence[str]) -> Read:
    if fold.watched_ms:
        return Read(fold, warnings)
    return Read(fold, [*warnings, "nothing was watched on these days, so that all of the money is left undivided"])


def _require(terms: Terms) -> None:
    require_terms(terms)
    if terms.to_ms - terms.from_ms > DAYS_MAX * 86_400_000:
        raise Refused("to", f"is more than {DAYS_MAX} days after from")


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
