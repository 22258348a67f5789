"""Statements as people take them: a table for spreadsheets, and a page to print. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from html import escape

from footfall.audience.earnings import Line, Method
from footfall.audience.statements import Entry, sums_of
from footfall.flow.serve.tables import csv_lines
from footfall.values.window import instant_text, zone_named

MINUTE_MS = 60_000
# New ones go to the end: some read columns by their numbers.
COLUMNS = (
    "period", "entry", "line", "asset", "owner", "minutes", "amount", "currency", "reason", "firstDay", "lastDay",
    "zone",
)  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_METHODS = {
    Method.PRO_RATA: "by everybody's minutes",
    Method.MEMBER_CENTRIC: "each member's fee by that member's minutes",
}
_STYLE = """
body{font:11pt/1.4 system-ui,sans-serif;margin:2rem auto;max-width:50rem;color:#111;background:#fff}
h1{font-size:16pt}table{border-collapse:collapse;width:100%;margin:1rem 0}
th,td{text-align:left;padding:.2rem .6rem .2rem 0;border-bottom:1px solid #ccc;overflow-wrap:anywhere}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
tfoot td{border-top:2px solid #111;border-bottom:0;font-weight:600}small{color:#555;overflow-wrap:anywhere}
@media print{body{margin:0;max-width:none}thead{display:table-header-group}tr{break-inside:avoid}}
"""


def money(amount: int, digits: int) -> str:
    """Return minor units as an amount is written: 1234 with two digits is 12.34."""
    sign, text = "-" if amount < 0 else "", f"{abs(amount):0{digits + 1}d}"
    return f"{sign}{text[:-digits]}.{text[-digits:]}" if digits else sign + text


def minutes(watched_ms: int) -> str:
    """Return watched time in minutes, to the thousandth."""
    sign, thousandths = "-" if watched_ms < 0 else "", abs(watched_ms) * 1_000 // MINUTE_MS
    return f"{sign}{thousandths // 1_000}.{thousandths % 1_000:03d}"


def statement_csv(told: Iterable[tuple[Entry, Sequence[Line]]], *, zone: str) -> Iterator[bytes]:
    """Yield a period's entries as CSV, a row for each asset and owner of each, and one for what is left undivided.

    So the amounts of a table add up to all that was there to be divided. The zone is the brand's, whose days they are.
    """
    return csv_lines(COLUMNS, (row for entry, lines in told for row in _csv_rows(entry, lines, zone)))


def statement_page(brand: str, told: Sequence[tuple[Entry, Sequence[Line]]], *, zone: str) -> str:
    """Return a period's entries as a page that stands by itself, to be printed or kept."""
    first = told[0][0]
    parts = [_entry_part(entry, lines, zone) for entry, lines in told]
    if len(told) > 1:
        undivided = sum(entry.undivided for entry, _ in told)
        together = _table(first, sums_of([lines for _, lines in told]), undivided=undivided)
        parts.append("<h2>With all corrections</h2>" + together)
    title = f"Earnings of {escape(brand)}, {escape(first.name)}"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        f"<h1>{title}</h1>{''.join(parts)}</html>"
    )


def _csv_rows(entry: Entry, lines: Sequence[Line], zone: str) -> Iterator[dict[str, object]]:
    # An asset may be called anything, so what a row is stands in a column of its own. Numbers are numbers: as a text, a
    # spreadsheet would not add a negative one.
    first, last = _days(entry, zone)
    same: dict[str, object] = {
        "period": entry.name, "entry": _called(entry), "currency": entry.currency, "reason": entry.reason,
        "firstDay": first, "lastDay": last, "zone": zone,
    }  # fmt: skip
    for line in lines:
        yield {
            **same, "line": "earned", "asset": line.asset, "owner": line.owner,
            "minutes": Decimal(minutes(line.watched_ms)), "amount": Decimal(money(line.amount, entry.digits)),
        }  # fmt: skip
    if entry.undivided or not lines:
        yield {**same, "line": "undivided", "amount": Decimal(money(entry.undivided, entry.digits))}


def _entry_part(entry: Entry, lines: Sequence[Line], zone: str) -> str:
    reason = f"<p>{escape(entry.reason)}</p>" if entry.reason else ""
    first, last = _days(entry, zone)
    days = _day_text(first) if first == last else f"{_day_text(first)} to {_day_text(last)}"
    span = f"{days} ({escape(zone)}), divided {_METHODS[entry.method]}."
    closed = f"Closed {instant_text(entry.at_ms // 1_000 * 1_000)} by {escape(entry.by)}."
    # An auditor compares with other books by moments, whatever a zone's rules were on those days.
    moments = f"From {instant_text(entry.from_ms)} until {instant_text(entry.to_ms)}"
    proof = f"<p><small>{moments}<br>Watch log {entry.log}<br>Lines {entry.digest}</small></p>"
    table = _table(entry, lines, undivided=entry.undivided)
    return f"<h2>{_called(entry).capitalize()}</h2><p>{span}</p>{reason}<p>{closed}</p>{table}{proof}"


def _table(entry: Entry, lines: Sequence[Line], *, undivided: int) -> str:
    rows = "".join(
        f"<tr><td>{escape(one.asset)}<td>{escape(one.owner) or 'nobody named'}"
        f'<td class="n">{minutes(one.watched_ms)}<td class="n">{money(one.amount, entry.digits)}'
        for one in lines
    )
    if undivided:
        rows += f'<tr><td>Undivided<td><td class="n"><td class="n">{money(undivided, entry.digits)}'
    watched, amount = sum(one.watched_ms for one in lines), undivided + sum(one.amount for one in lines)
    head = f'<thead><tr><th>Asset<th>Owner<th class="n">Minutes<th class="n">{escape(entry.currency)}</thead>'
    foot = f'<tfoot><tr><td>All<td><td class="n">{minutes(watched)}<td class="n">{money(amount, entry.digits)}</tfoot>'
    return f"<table>{head}<tbody>{rows}</tbody>{foot}</table>"


def _called(entry: Entry) -> str:
    return f"correction {entry.number}" if entry.number else "statement"


def _days(entry: Entry, zone: str) -> tuple[date, date]:
    """Return the first and the last of an entry's days, as the brand has them."""
    rules = zone_named(zone)
    first, last = (datetime.fromtimestamp(at_ms // 1_000, rules).date() for at_ms in (entry.from_ms, entry.to_ms - 1))
    return first, last


def _day_text(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
