"""What an operator asks about verdicts from the command line: which wait, one of them, and a decision on it."""

from collections.abc import Mapping
from typing import Any

from footfall.accounts.audit import COMMAND_LINE
from footfall.accounts.register import Register
from footfall.values.errors import Refused

Request = Mapping[str, Any]
Answer = dict[str, Any]


def show_verdicts(register: Register, request: Request) -> Answer:
    """Return verdicts that wait or are settled, or the one that is named."""
    # Judging stands on numpy, which brands and keys have no use for.
    from footfall.accounts.verdict_documents import PAGE_DEFAULT, WAITING, document_of_page, document_of_verdict

    brand, store = str(request["brand"]), register.verdicts
    if request.get("id"):
        one = store.verdict(brand, str(request["id"]))
        return {"brand": brand, "waiting": store.waiting(brand), "items": [document_of_verdict(one)]}
    limit = request.get("limit", PAGE_DEFAULT)
    if type(limit) is not int:
        raise Refused("limit", f"{limit!r} is not a whole number")
    state, after = str(request.get("state") or WAITING), str(request.get("after") or "")
    return document_of_page(store, brand, state=state, limit=limit, after=after)


def decide_verdict(register: Register, request: Request, *, raw_since_ms: int) -> Answer:
    """Confirm or release, and return the verdict with what becomes of the past."""
    from footfall.accounts.verdict_documents import decided, state_of_decision

    state = state_of_decision(request.get("decision"))
    brand, named = str(request["brand"]), str(request.get("id"))
    return decided(register.verdicts, brand, named, state, by=COMMAND_LINE, raw_since_ms=raw_since_ms)
