"""What an operator asks about verdicts from the command line: which wait, one of them, and decisions on them."""

from collections.abc import Mapping
from typing import Any

from footfall.accounts.audit import command_line
from footfall.accounts.register import Register
from footfall.values.errors import Refused

Request = Mapping[str, Any]
Answer = dict[str, Any]


def show_verdicts(register: Register, request: Request) -> Answer:
    """Return verdicts that are held, only found, or settled, or the one that is named."""
    # Judging stands on numpy, which brands and keys have no use for.
    from footfall.accounts.verdict_documents import PAGE_DEFAULT, document_of_verdict
    from footfall.accounts.verdict_queue import document_of_page

    brand, store = str(request["brand"]), register.verdicts
    if request.get("id"):
        one = store.verdict(brand, str(request["id"]))
        return {"brand": brand, "waiting": store.waiting(brand), "items": [document_of_verdict(one)]}
    limit = request.get("limit", PAGE_DEFAULT)
    if type(limit) is not int:
        raise Refused("limit", f"{limit!r} is not a whole number")
    return document_of_page(store, brand, _sought(request), limit=limit, after=str(request.get("after") or ""))


def decide_verdicts(register: Register, request: Request, *, raw_since_ms: int) -> Answer:
    """Confirm or release those that are named, or the next of all that are held; return what became of each."""
    from footfall.accounts.verdict_documents import state_of_decision
    from footfall.accounts.verdict_queue import DECIDED_MAX, decided_on, queued, require_ids

    state = state_of_decision(request.get("decision"))
    brand, store = str(request["brand"]), register.verdicts
    more: Answer = {}
    if request.get("all"):
        found, place = queued(store, brand, _sought(request), limit=DECIDED_MAX, after=str(request.get("after") or ""))
        ids = [one.id for one in found]
        more = {"after": place} if place else {}
    else:
        ids = require_ids(request.get("ids"))
    by = command_line(request.get("user"))
    return decided_on(store, brand, ids, state, by=by, raw_since_ms=raw_since_ms) | more


def _sought(request: Request) -> Any:
    from footfall.accounts.verdict_queue import sought

    state, kind, cause = (str(request.get(name) or "") for name in ("state", "kind", "cause"))
    return sought(state or "held", kind, cause)
