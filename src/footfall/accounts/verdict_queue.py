"""The queue of verdicts as it is worked: found by state, kind and cause, and decided on, many at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from footfall.accounts.verdict_documents import decided, document_of_verdict
from footfall.accounts.verdict_errors import UnknownVerdict
from footfall.accounts.verdict_store import VerdictStore
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.verdicts import State, Verdict
from footfall.values.errors import Refused

DECIDED_MAX = 100  # at once: each is a transaction of its own
SETTLED, WAITING = "settled", "waiting"  # WAITING is another word for held.
STATES: Final = (State.HELD.value, State.FOUND.value, SETTLED, WAITING)
LOOKED_AT_MAX = 10_000  # verdicts for one page: what is asked for may be rare
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Sought:
    """Which verdicts are looked for."""

    state: str = State.HELD.value
    kind: str = ""  # all kinds
    cause: str = ""  # all causes

    def fits(self, verdict: Verdict) -> bool:
        """Tell whether a verdict is one of them."""
        if self.state != SETTLED and (verdict.state is State.FOUND) != (self.state == State.FOUND):
            return False
        return self.kind in ("", verdict.kind) and self.cause in ("", verdict.cause)


def sought(state: str, kind: str, cause: str) -> Sought:
    """Return what is looked for, or raise Refused when there is no such state, kind or cause."""
    for name, value, known in (
        ("state", state, STATES),
        ("kind", kind, ("", *(one.value for one in SubjectKind))),
        ("cause", cause, ("", *(one.value for one in Cause))),
    ):
        if value not in known:
            raise Refused(name, f"{value[:40]!r} is none of {', '.join(one for one in known if one)}")
    return Sought(state, kind, cause)


def queued(
    store: VerdictStore, brand: str, wanted: Sought, *, limit: int, after: str = ""
) -> tuple[list[Verdict], str]:
    """Return verdicts that are looked for, the newest first, and where to go on; a page may be short of its limit."""
    found: list[Verdict] = []
    looked_at, place = 0, after
    while True:
        more = min(_AT_ONCE, max(limit - len(found), 1)) if wanted == Sought(SETTLED) else _AT_ONCE
        page, place = store.page(brand, is_settled=wanted.state == SETTLED, limit=more, after=place)
        looked_at += len(page)
        for number, verdict in enumerate(page, 1):
            if wanted.fits(verdict):
                found.append(verdict)
            if len(found) == limit:
                return found, verdict.id if place or number < len(page) else ""
        if not place or looked_at >= LOOKED_AT_MAX:
            return found, place


def document_of_page(store: VerdictStore, brand: str, wanted: Sought, *, limit: int, after: str = "") -> dict[str, Any]:
    """Return verdicts that are looked for, the newest first, and where to go on when there are more."""
    found, place = queued(store, brand, wanted, limit=limit, after=after)
    page: dict[str, Any] = {
        "brand": brand,
        "state": wanted.state,
        "waiting": store.waiting(brand),
        "items": [document_of_verdict(one) for one in found],
    }
    return page | ({"after": place} if place else {})


def require_ids(ids: object) -> list[str]:
    """Return the verdicts that a decision is about, each once, or raise Refused."""
    try:
        named = msgspec.convert(ids, type=list[str])
    except msgspec.ValidationError as error:
        raise Refused("ids", f"must be a list of ids of verdicts: {error}") from error
    if not 1 <= len(named) <= DECIDED_MAX:
        raise Refused("ids", f"has {len(named):,} ids; from 1 to {DECIDED_MAX} are decided on at once")
    return list(dict.fromkeys(named))


def decided_on(
    store: VerdictStore, brand: str, ids: Sequence[str], state: State, *, by: str, raw_since_ms: int
) -> dict[str, Any]:
    """Decide on each verdict by itself; return what became of each, with a sentence where there is no such one."""
    items: list[dict[str, Any]] = []
    for one in ids:
        try:
            items.append(decided(store, brand, one, state, by=by, raw_since_ms=raw_since_ms))
        except UnknownVerdict as error:
            items.append({"id": one, "problem": str(error)})
    return {"brand": brand, "decided": sum("problem" not in one for one in items), "items": items}
