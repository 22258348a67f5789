"""Verdicts as operators see them: what, when, why, in words and by feature, and what becomes of the past."""

from collections.abc import Mapping
from typing import Any, Final

from footfall.accounts.verdict_store import VerdictStore
from footfall.screening.features import ASSET_SIDES, VISITOR_SIDES, FeatureNote, told_value
from footfall.screening.findings import SubjectKind
from footfall.screening.labels import label_of
from footfall.screening.verdicts import State, Verdict, changed_ranges, reason_of
from footfall.values.errors import Refused
from footfall.values.window import instant_text

DECISIONS: Final[Mapping[str, State]] = {"confirm": State.CONFIRMED, "release": State.RELEASED}
PAGE_DEFAULT = 100

_SIDES: Final = {SubjectKind.VISITOR: VISITOR_SIDES, SubjectKind.ASSET: ASSET_SIDES}
_SAID: Final = {
    kind: {feature.name.lower(): side.words for feature, side in sides.items()} for kind, sides in _SIDES.items()
}


def document_of_verdict(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict with its explanation."""
    return {
        "id": verdict.id,
        "kind": verdict.kind.value,
        "subject": verdict.subject,
        "from": instant_text(verdict.from_ms),
        "to": instant_text(verdict.to_ms),
        "state": verdict.state.value,
        "label": label_of(reason_of(verdict)).value or "person",
        "cause": verdict.cause.value,
        "score": verdict.score,
        "words": verdict.words,
        "narrowedTo": _narrowed_to(verdict),
        "explanation": [_document_of_note(verdict.kind, note) for note in verdict.notes],
        "foundAt": instant_text(verdict.found_at_ms),
        "changedAt": instant_text(verdict.changed_at_ms or verdict.found_at_ms),
        "by": verdict.by,
        "version": verdict.version,
    }


def _narrowed_to(verdict: Verdict) -> dict[str, int] | None:
    """Return of how many kinds of agent or visitors alone the hits are labelled; None: all of the subject's."""
    if not verdict.agents and not verdict.visitors:
        return None
    return {"agents": len(verdict.agents), "visitors": len(verdict.visitors)}


def _document_of_note(kind: SubjectKind, note: FeatureNote) -> dict[str, Any]:
    value, unit = told_value(note, _SIDES[kind])
    return {
        "feature": note.feature,
        "words": _SAID[kind].get(note.feature, note.feature),
        "value": value,
        "unit": unit,
        "attribution": note.attribution,
        "direction": note.direction,
        "strength": note.strength,
    }


def state_of_decision(decision: object) -> State:
    """Return what an operator has decided, or raise Refused."""
    state = DECISIONS.get(decision) if isinstance(decision, str) else None
    if state is None:
        raise Refused("decision", f"{str(decision)[:40]!r} is none; send {' or '.join(DECISIONS)}")
    return state


def decided(store: VerdictStore, brand: str, verdict_id: str, state: State, *, by: str, raw_since_ms: int) -> Any:
    """Decide on a verdict; return it with what becomes of the past, of which raw hits may be kept only since then."""
    before = store.verdict(brand, verdict_id)
    after = store.settle(brand, verdict_id, state, by=by, since={})
    ranges = changed_ranges(before, after)
    document = document_of_verdict(after)
    if not ranges:
        return document | {"recount": None}
    from_ms, to_ms = ranges[0][0], ranges[-1][1]
    kept_ms = max(from_ms, raw_since_ms)
    recount: dict[str, str] = {}
    if kept_ms < to_ms:
        recount = {"from": instant_text(kept_ms), "to": instant_text(to_ms)}
    if kept_ms > from_ms:
        since = instant_text(raw_since_ms)
        recount["note"] = f"raw hits are kept since {since}; what was counted of earlier hours stays as it is"
    return document | {"recount": recount}
