"""What an operator asks about the door: a brand's rules, and the lists that all brands go by."""

import base64
import binascii
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from footfall.accounts.audit import PAGE_MAX, document_of_page
from footfall.accounts.register import Register
from footfall.accounts.screening_store import DATA_BYTES_MAX, INSTANCE
from footfall.screening.lists import ListContent, content_from_packed, empty_list, require_kind
from footfall.screening.rules import rules_from_document
from footfall.values.errors import Refused

REQUEST_BYTES_MAX = 16 << 20  # of a list on its way to a running instance; that of a whole continent has some 5 MB.

Request = Mapping[str, Any]
Answer = dict[str, Any]

LISTED: Final = ("addresses", "agents", "paths", "countries")


class ListTooLarge(Refused):
    """A list is larger than what an instance is told at once."""


def request_from_content(content: ListContent) -> dict[str, Any]:
    """Return the request that brings a list."""
    data = base64.b64encode(zlib.compress(content.data, 9)).decode("ascii")
    if len(data) > REQUEST_BYTES_MAX - 1_000:
        raise ListTooLarge(
            "list",
            f"takes {len(data):,} bytes, at most {REQUEST_BYTES_MAX:,} are taken; leave out what you do not need",
        )
    return {"do": "lists-update", "kind": content.kind.value, "data": data}


def show_rules(register: Register, request: Request) -> Answer:
    """Return a brand's rules."""
    brand = str(request["brand"])
    return register.screening.rules_of(brand).document(brand)


def set_rules(register: Register, request: Request) -> Answer:
    """Put rules in the place of those before."""
    brand = str(request["brand"])
    return register.screening.put_rules(brand, rules_from_document(_document(request))).document(brand)


def add_rules(register: Register, request: Request) -> Answer:
    """Add entries to a brand's rules, or switch them on or off."""
    return _changed(register, request, lambda before, named: [*before, *(one for one in named if one not in before)])


def remove_rules(register: Register, request: Request) -> Answer:
    """Take entries out of a brand's rules; what is not there is refused, since it is most likely misspelt."""

    def without(before: list[str], named: list[str]) -> list[str]:
        for one in named:
            if one not in before:
                raise Refused("rules", f"{one[:60]!r} is not among them; footfall rules show prints them")
        return [one for one in before if one not in named]

    return _changed(register, request, without)


def update_list(register: Register, request: Request) -> Answer:
    """Put a list in the place of the one before."""
    kind = require_kind(str(request.get("kind")))
    try:
        packed = base64.b64decode(str(request.get("data")), validate=True)
        data = zlib.decompressobj().decompress(packed, DATA_BYTES_MAX)
    except (binascii.Error, zlib.error) as error:
        raise Refused("data", f"is not a list as footfall lists update sends it: {error}") from error
    return register.screening.put_list(content_from_packed(kind, data)).document()


def remove_list(register: Register, request: Request) -> Answer:
    """Have nothing on a list: its next version is empty, and the trail tells who did it."""
    kind = require_kind(str(request.get("kind")))
    before = register.screening.lists().get(kind)
    if before is None or not before.entries:
        raise Refused("kind", f"there is no list of {kind.value}; footfall lists show tells which there are")
    return register.screening.put_list(empty_list(kind)).document()


def show_lists(register: Register, _request: Request) -> Answer:
    """Return what lists there are."""
    stored = register.screening.lists()
    return {"lists": [one.document() for _, one in sorted(stored.items())]}


def show_history(register: Register, request: Request) -> Answer:
    """Return who brought which list when, the newest first."""
    return document_of_page(register.trail, INSTANCE, limit=PAGE_MAX, after=str(request.get("after") or ""))


def _changed(register: Register, request: Request, combined: Callable[[list[str], list[str]], list[str]]) -> Answer:
    brand, named = str(request["brand"]), rules_from_document(_document(request)).document()
    before = register.screening.rules_of(brand).rules.document()
    after = {name: combined(cast("list[str]", before[name]), cast("list[str]", named[name])) for name in LISTED}
    switch = request.get("is_on")
    is_on = before["isOn"] if switch is None else switch
    return register.screening.put_rules(brand, rules_from_document({**after, "isOn": is_on})).document(brand)


def _document(request: Request) -> Mapping[str, Any]:
    document: object = request.get("rules", {})
    if not isinstance(document, Mapping):
        raise Refused("rules", "is not an object")
    return cast("Mapping[str, Any]", document)


CHANGES_RULES: Final[Mapping[str, Callable[[Register, Request], Answer]]] = {
    "rules-set": set_rules,
    "rules-add": add_rules,
    "rules-remove": remove_rules,
}
ABOUT_LISTS: Final[Mapping[str, Callable[[Register, Request], Answer]]] = {
    "lists-update": update_list,
    "lists-remove": remove_list,
    "lists-show": show_lists,
    "lists-history-show": show_history,
}
