"""The digest of a brand's day: who came, why some were told apart, what was suspected, found and done; as one document.

It is put together once, when the day is over, and kept (flow/store/digests.py); digest_markdown.py shows it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from footfall.accounts.audit import Entry, document_of_entry
from footfall.screening.verdicts import JUDGE, Change, Verdict
from footfall.values.window import Window, instant_text

FOUND_MAX = 50  # verdicts of a day, found and settled each
ACTS_MAX = 100
SUSPECTED_MAX = 20

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
        "refused": screened["refused"],
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
