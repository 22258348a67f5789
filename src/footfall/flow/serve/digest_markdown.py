"""A digest as people read it: Markdown, made from the document, so that both say the same."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from footfall.screening.labels import label_of

CELL_CHARACTERS_MAX = 120
_MARKS: Final = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>#|~&!"})


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
        *_refused_told(document.get("refused", {})),
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


def _refused_told(refused: Mapping[str, int]) -> list[str]:
    if not refused:
        return []
    rows = [(kind, f"{count:,}") for kind, count in refused.items()]
    return ["", "## Refused", "", "On the days of UTC that it touches.", "", *_table(("kind", "requests"), rows)]


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
