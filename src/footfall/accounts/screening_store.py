"""What operators tell the door to go by, kept beside the brands: lists for all of them, and rules of each.

Every change is in the audit trail, in one transaction with it. A list is a head, which names its version, and parts
under that version: whoever reads finds a whole list, the one before or the new one. docs/formats/screening.md draws it.
"""

import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from footfall.accounts.audit import Act, Note, Trail
from footfall.ports.items import Item
from footfall.ports.table import Action, Delete, Key, Put, Table, everything
from footfall.screening.lists import ListContent, ListKind
from footfall.screening.rules import ACTS_FROM, ADDRESSES_ACT, BrandRules, rules_from_document
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError, Refused
from footfall.values.window import instant_text

INSTANCE = "*"  # The trail of what concerns every brand; no brand has such a name.
PART_BYTES = 300_000  # An item may have 400,000.
DATA_BYTES_MAX = 64 << 20  # of a list once it is unpacked
_LISTS, _RULES = "lists", "rules"


class ListIsTorn(FootfallError):
    """A list was read while another took its place, or its parts are gone."""


class StoredList(Struct, frozen=True):
    """What is known of a list without reading it."""

    kind: str
    version: int
    entries: int
    parts: int
    digest: bytes
    changed_at_ms: int
    by: str

    def document(self) -> dict[str, object]:
        """Return it as people read it."""
        changed_at = instant_text(self.changed_at_ms)
        return {
            "list": self.kind,
            "version": self.version,
            "entries": self.entries,
            "changedAt": changed_at,
            "by": self.by,
        }


class StoredRules(Struct, frozen=True):
    """A brand's rules, with their version and whoever gave them."""

    rules: BrandRules
    version: int = 0
    changed_at_ms: int = 0
    by: str = ""

    def document(self, brand: str) -> dict[str, object]:
        """Return them as people read them, with what they can act on."""
        changed = {"changedAt": instant_text(self.changed_at_ms), "by": self.by} if self.version else {}
        told = {"brand": brand, "version": self.version, **changed, **self.rules.document()}
        return {**told, "actsOn": ACTS_FROM, "addressesNote": ADDRESSES_ACT}


class ScreeningStore:
    """The lists and rules of one instance."""

    def __init__(
        self, table: Table, trail: Trail, *, write: Callable[[Sequence[Action]], None], clock: Clock, by: str
    ) -> None:
        self._table = table
        self._trail = trail
        self._write = write  # in one transaction, and counted as a change of the accounts
        self._clock = clock
        self._by = by

    def lists(self) -> dict[ListKind, StoredList]:
        """Return what lists there are."""
        known = {kind.value: kind for kind in ListKind}
        return {
            known[found.key.sort]: _list_from_item(found.key.sort, found.item)
            for found in everything(self._table, _LISTS)
            if found.key.sort in known
        }

    def content_of(self, stored: StoredList) -> bytes:
        """Return what a list holds, or raise ListIsTorn."""
        keys = [_part_key(stored.kind, stored.version, part) for part in range(stored.parts)]
        items = [self._table.get(key) for key in keys]
        joined = b"".join(_part_bytes(item) for item in items)
        try:
            data = zlib.decompressobj().decompress(joined, DATA_BYTES_MAX)
        except zlib.error as error:
            raise _torn(stored) from error
        if _digest(data) != stored.digest:
            raise _torn(stored)
        return data

    def put_list(self, content: ListContent) -> StoredList:
        """Store a list in the place of the one before; the parts of that one stay until the next change."""
        kind = content.kind.value
        before = self.lists().get(content.kind)
        version = 1 if before is None else before.version + 1
        packed = zlib.compress(content.data, 9)
        parts = [packed[start : start + PART_BYTES] for start in range(0, len(packed), PART_BYTES)]
        for part, data in enumerate(parts):
            self._table.put(Put(_part_key(kind, version, part), {"data": data}))
        stored = StoredList(
            kind, version, content.entries, len(parts), _digest(content.data), self._clock.now_ms(), self._by
        )
        details = {"version": version, "entries": content.entries}
        note = self._trail.put_of(Note(INSTANCE, self._by, Act.LIST_UPDATED, kind, details))
        self._write([Put(Key(_LISTS, kind), _list_item(stored)), note])
        self._forget_parts(kind, before=version - 1)
        return stored

    def rules_of(self, brand: str) -> StoredRules:
        """Return a brand's rules; version 0 when nobody gave it any."""
        item = self._table.get(Key(_RULES, brand))
        return StoredRules(BrandRules()) if item is None else _rules_from_item(item)

    def all_rules(self) -> dict[str, StoredRules]:
        """Return the rules of every brand that has any."""
        return {found.key.sort: _rules_from_item(found.item) for found in everything(self._table, _RULES)}

    def put_rules(self, brand: str, rules: BrandRules) -> StoredRules:
        """Store a brand's rules in the place of those before."""
        countries = self.lists().get(ListKind.COUNTRIES) if rules.countries else None
        if rules.countries and (countries is None or not countries.entries):
            raise Refused(
                "countries",
                "cannot be told yet: there is no file of countries here; footfall lists update FILE brings one, "
                "with lines like 203.0.113.0/24,FI",
            )
        before = self.rules_of(brand)
        stored = StoredRules(rules, before.version + 1, self._clock.now_ms(), self._by)
        content = msgspec.json.encode(rules.document())
        item: Item = {
            "version": stored.version,
            "changed_at_ms": stored.changed_at_ms,
            "by": stored.by,
            "rules": content.decode(),
        }
        note = self._trail.put_of(Note(brand, self._by, Act.RULES_CHANGED, brand, _details(stored, before.rules)))
        self._write([Put(Key(_RULES, brand), item), note])
        return stored

    def _forget_parts(self, kind: str, *, before: int) -> None:
        for found in list(everything(self._table, _parts(kind), at_most=f"{before:08d}")):
            self._table.delete(Delete(found.key))


def removal_of_rules(brand: str) -> Delete:
    """Return what removes a brand's rules, for the transaction that removes the brand."""
    return Delete(Key(_RULES, brand))


def _details(stored: StoredRules, before: BrandRules) -> dict[str, Any]:
    """Return how many rules there are now, and which came and went; the trail cuts what is too long."""
    rules = stored.rules
    changed: dict[str, str] = {}
    for kind in ("addresses", "agents", "paths", "countries"):
        old, new = (dict.fromkeys(getattr(one, kind)) for one in (before, rules))
        if came := [text for text in new if text not in old]:
            changed[f"{kind}Added"] = ", ".join(came)
        if went := [text for text in old if text not in new]:
            changed[f"{kind}Removed"] = ", ".join(went)
    return changed | {
        "version": stored.version,
        "addresses": len(rules.addresses),
        "agents": len(rules.agents),
        "paths": len(rules.paths),
        "countries": " ".join(rules.countries),
        "isOn": rules.is_on,
    }


def _list_item(stored: StoredList) -> Item:
    plain: dict[str, Any] = msgspec.to_builtins(stored, builtin_types=(bytes,))
    return {name: value for name, value in plain.items() if name != "kind"}


def _list_from_item(kind: str, item: Item) -> StoredList:
    return msgspec.convert({**item, "kind": kind}, type=StoredList, builtin_types=(bytes,))


def _rules_from_item(item: Item) -> StoredRules:
    document: Mapping[str, Any] = msgspec.json.decode(str(item["rules"]))
    plain = {name: value for name, value in item.items() if name != "rules"}
    return StoredRules(rules_from_document(document), **plain)  # pyright: ignore[reportArgumentType] - as it was stored


def _part_bytes(item: Item | None) -> bytes:
    data = None if item is None else item.get("data")
    return data if isinstance(data, bytes) else b""


def _torn(stored: StoredList) -> ListIsTorn:
    return ListIsTorn(f"{stored.kind}, version {stored.version}, is not whole; bring its file once more if it stays so")


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _parts(kind: str) -> str:
    return f"list#{kind}"


def _part_key(kind: str, version: int, part: int) -> Key:
    return Key(_parts(kind), f"{version:08d}#{part:04d}")
