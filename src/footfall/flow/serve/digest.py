"""The digest of a brand's day: who came, why some were told apart, what was suspected, found and done; as one document.

It is put together once, when the day is over, and kept; Markdown is made from the document, so both say the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from footfall.accounts.audit import Entry, document_of_entry
from footfall.flow.store import keys
from footfall.ports.table import Absent, Put, Table
from footfall.screening.labels import label_of
from footfall.screening.verdicts import JUDGE, Change, Verdict
from footfall.values.errors import Refused
from footfall.values.window import Window, instant_text

FOUND_MAX = 50  # verdicts of a day, found and settled each
ACTS_MAX = 100
SUSPECTED_MAX = 20
CELL_CHARACTERS_MAX = 120
_MARKS: Final = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>#|~&!"})

Document = dict[str, Any]


def digest_document(
    brand: str,
    day: str,
    window: Window,
    *,
    screened: Mapping[str, Any],
    before: Mapping[str, Any],
    verdicts: Mapping[str, object],
) -> Document:
    """Return a day's digest, without its acts: from the answers about screening of that day and of the one before."""
    then = {one["label"]: one["hits"] for one in before["labels"]}
    return {
        "brand": brand,
        "day": day,
        "from": instant_text(window.from_ms),
        "to": instant_text(window.to_ms),
        "exact": screened["exact"],
        "hits": screened["hits"],
        "hitsBefore": before["hits"],
        "suspectedAreShown": screened["suspectedAreShown"],
        "labels": [
            {**one, "hitsBefore": then[one["label"]], "change": one["hits"] - then[one["label"]]}
            for one in screened["labels"]
        ],
        **_reasons(screened),
        "items": screened["items"],
        **verdicts,
    }


def _reasons(screened: Mapping[str, Any]) -> Document:
    """Return the day's reasons; nothing where they were not noted at both of its ends."""
    if "reasonsUntil" not in screened:
        return {}
    return {name: screened[name] for name in ("reasons", "reasonsSince", "reasonsUntil")}


def verdicts_of_day(changes: Iterable[Change], window: Window) -> Document:
    """Return the verdicts that were found, and those that were settled, on a day; and the last version of it."""
    found: dict[str, Verdict] = {}
    settled: dict[str, Verdict] = {}
    through = 0
    for change in changes:
        if change.at_ms >= window.to_ms:
            break
        through = change.version
        if change.at_ms < window.from_ms:
            continue
        if change.by != JUDGE:
            settled |= {one.id: one for one in change.verdicts}
        else:
            found |= {one.id: one for one in change.verdicts if one.found_at_ms >= window.from_ms}
    return {
        "found": len(found),
        "settled": len(settled),
        "foundVerdicts": [_verdict(one) for one in list(found.values())[:FOUND_MAX]],
        "settledVerdicts": [_verdict(one) for one in list(settled.values())[:FOUND_MAX]],
        "verdictsThrough": through,
    }


def acts_of_day(entries: Iterable[Entry], window: Window) -> list[Document]:
    """Return the acts of a day, the first ones first; of very many the last."""
    within = [one for one in entries if window.from_ms <= one.at_ms < window.to_ms]
    ordered = sorted(within, key=lambda one: (one.at_ms, one.act, one.subject))
    return [document_of_entry(one) for one in ordered[-ACTS_MAX:]]


def _verdict(one: Verdict) -> Document:
    return {
        "id": one.id,
        "kind": one.kind.value,
        "subject": one.subject,
        "cause": one.cause.value,
        "state": one.state.value,
        "by": one.by,
        "from": instant_text(one.from_ms),
        "to": instant_text(one.to_ms),
        "words": one.words,
    }


def store_digest(table: Table, document: Document, content: bytes, *, expires_at_ms: int) -> None:
    """Keep a digest; raise Changed when there is one of the day."""
    key = keys.digest(document["brand"], document["day"])
    table.put(Put(key, {"document": content}, expires_at_ms=expires_at_ms, expects=(Absent(),)))


def stored_digest(table: Table, brand: str, day: str) -> bytes | None:
    """Return the digest of a day as JSON; None when there is none."""
    item = table.get(keys.digest(brand, day))
    content = None if item is None else item.get("document")
    return content if isinstance(content, bytes) else None


def newest_digest(table: Table, brand: str) -> bytes | None:
    """Return the digest of the last day that has one; None when no day has."""
    found = table.query(keys.digests(brand), backwards=True, limit=1).items
    content = found[0].item.get("document") if found else None
    return content if isinstance(content, bytes) else None


def require_day(text: str) -> str:
    """Return the name of a day, or raise Refused."""
    parts = text.split("-")
    if [len(part) for part in parts] != [4, 2, 2] or not all(part.isascii() and part.isdigit() for part in parts):
        raise Refused("day", f"{text[:40]!r} is no day like 2026-11-15")
    return text


def digest_markdown(document: Mapping[str, Any]) -> str:
    """Return a digest as people read it, and as it can be mailed."""
    lines = [
        f"# {_cell(document['brand'])}, {document['day']}",
        "",
        f"{document['hits']:,} hits from {document['from']} to {document['to']}, "
        f"{document['hits'] - document['hitsBefore']:+,} to the day before."
        + ("" if document["exact"] else " Not every count is proven."),
        "",
        *_table(
            ("label", "hits", "share", "change"),
            [
                (one["label"], f"{one['hits']:,}", f"{one['share']:.2%}", f"{one['change']:+,}")
                for one in document["labels"]
            ],
        ),
        *_reasons_told(document),
        *_suspected_told(document["items"]),
        *_verdicts_told("Found", document["found"], document["foundVerdicts"]),
        *_verdicts_told("Settled", document["settled"], document["settledVerdicts"]),
        *_acts_told(document.get("acts", ())),
    ]
    return "\n".join(lines) + "\n"


def _reasons_told(document: Mapping[str, Any]) -> list[str]:
    reasons: Mapping[str, int] = document.get("reasons", {})
    if not reasons:
        return []
    rows = [(reason, label_of(reason).value or "person", f"{hits:,}") for reason, hits in reasons.items()]
    return ["", "## Reasons", "", *_table(("reason", "label", "hits"), rows)]


def _suspected_told(items: Sequence[Mapping[str, Any]]) -> list[str]:
    if not items:
        return []
    rows = [
        (one["assetId"], f"{one['suspected']:,}", f"{one['persons']:,}", f"{one['share']:.0%}", one.get("title", ""))
        for one in items
    ]
    return ["", "## Most suspected", "", *_table(("asset", "suspected", "persons", "share", "title"), rows)]


def _verdicts_told(title: str, count: int, verdicts: Sequence[Mapping[str, Any]]) -> list[str]:
    if not count:
        return []
    rows = [(one["kind"], one["subject"], one["cause"], one["state"], one["by"], one["words"]) for one in verdicts]
    more = [] if count <= len(verdicts) else ["", f"And {count - len(verdicts):,} more."]
    told = _table(("kind", "subject", "cause", "state", "by", "why"), rows)
    return ["", f"## {title}: {count:,}", "", *told, *more]


def _acts_told(acts: Sequence[Mapping[str, Any]]) -> list[str]:
    if not acts:
        return []
    rows = [(one["at"], one["by"], one["act"], one["subject"]) for one in acts]
    return ["", "## Done by people", "", *_table(("at", "by", "act", "subject"), rows)]


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    ruled = ["---" for _ in head]
    return [f"| {' | '.join(row)} |" for row in (head, ruled, *([_cell(cell) for cell in row] for row in rows))]


def _cell(value: object) -> str:
    """Return a value that cannot break out of its cell, whoever sent it."""
    text = "".join(character if character.isprintable() else " " for character in str(value))
    return (text if len(text) <= CELL_CHARACTERS_MAX else f"{text[: CELL_CHARACTERS_MAX - 1]}…").translate(_MARKS)
