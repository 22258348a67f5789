"""Brands and keys as they lie in the table, and the rules by which they change.

The layout is drawn in docs/formats/accounts.md. Every change and the version that tells of it are one transaction.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import Struct

from footfall.accounts.audit import COMMAND_LINE, KEEP_MS_DEFAULT, Act, Detail, Note, Trail
from footfall.accounts.brands import Brand, UnknownBrand, require_brand_name
from footfall.accounts.documents import document_of_brand
from footfall.accounts.keys import (
    ALSO_READS_MAX,
    KEYS_MAX,
    READ,
    SIGNING_KEYS_MAX,
    KeyRecord,
    NewKey,
    RandomBytes,
    new_public_key,
    new_secret_key,
    new_signing_key,
    what_scopes_allow,
)
from footfall.accounts.people_store import People
from footfall.accounts.proof_counts import Line, store_counts, stored_counts
from footfall.accounts.screening_store import ScreeningStore, removal_of_rules
from footfall.ports.errors import Changed
from footfall.ports.items import Item
from footfall.ports.table import BATCH_ITEMS_MAX, Action, Delete, Key, Present, Put, Table, Update, everything
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError, Refused

if TYPE_CHECKING:
    from footfall.accounts.alert_store import AlertStore
    from footfall.accounts.verdict_store import VerdictStore

_BRANDS, _KEYS, _ZONES = "brands", "keys", "zones"
_VERSION = Key("about", "version")
_REMOVED_AT_ONCE_MAX = 90  # Keys in one transaction with their brand, of the hundred actions that one may have.


class AlreadyThere(FootfallError):
    """A brand of that name exists."""


class UnknownKeyId(Refused):
    """The brand has no key of that id."""


class TooManyKeys(Refused):
    """The brand has as many keys as a brand may have."""


class Registered(Struct, frozen=True):
    """All that is stored of one brand; a removed one is remembered by its name alone."""

    brand: Brand | None
    keys: Sequence[KeyRecord]
    was_removed: bool = False


class Register:
    """The brands and keys of one instance; one process writes, others may read. Every change is in the audit trail."""

    def __init__(
        self,
        table: Table,
        *,
        clock: Clock,
        random_bytes: RandomBytes,
        audit_keep_ms: int = KEEP_MS_DEFAULT,
        by: str = COMMAND_LINE,
    ) -> None:
        self.trail = Trail(table, clock=clock, keep_ms=audit_keep_ms)
        self._table = table
        self._clock = clock
        self._random_bytes = random_bytes
        self._audit_keep_ms = audit_keep_ms
        self._by = by

    def acting(self, by: str) -> "Register":
        """Return the register in the hands of somebody, whom the audit trail names."""
        return Register(
            self._table,
            clock=self._clock,
            random_bytes=self._random_bytes,
            audit_keep_ms=self._audit_keep_ms,
            by=by,
        )

    @property
    def screening(self) -> ScreeningStore:
        """Return the lists and rules that the door goes by."""
        return ScreeningStore(self._table, self.trail, write=self._write, clock=self._clock, by=self._by)

    @property
    def verdicts(self) -> "VerdictStore":
        """Return what was found about visitors and assets, and what was decided on it."""
        # When they are asked for: they bring the forests along, which a function that only takes hits does not need.
        from footfall.accounts.verdict_store import VerdictStore

        return VerdictStore(self._table, self.trail, clock=self._clock)

    @property
    def alerts(self) -> "AlertStore":
        """Return what brands want to be told of."""
        from footfall.accounts.alert_store import AlertStore  # when it is asked for, as verdicts are

        return AlertStore(self._table, self.trail, clock=self._clock, random_bytes=self._random_bytes, by=self._by)

    @property
    def people(self) -> People:
        """Return those who have accounts."""
        return People(self._table, self.trail, clock=self._clock, random_bytes=self._random_bytes, by=self._by)

    def version(self) -> int:
        """Return a number that grows with every change; 0 when there never was one."""
        item = self._table.get(_VERSION)
        return cast("int", item["n"]) if item is not None else 0

    def brand(self, name: str) -> Brand | None:
        """Return a stored brand; None when there is none, or it was removed."""
        item = self._table.get(Key(_BRANDS, name))
        return None if item is None or "removed_at_ms" in item else _brand_from_item(name, item)

    def all(self) -> dict[str, Registered]:
        """Return every brand that is stored, or was removed, with its keys."""
        keys: dict[str, list[KeyRecord]] = {}
        for found in everything(self._table, _KEYS):
            record = _key_from_item(found.item)
            keys.setdefault(record.brand, []).append(record)
        return {
            found.key.sort: _registered(found.key.sort, found.item, keys.get(found.key.sort, ()))
            for found in everything(self._table, _BRANDS)
        }

    def registered(self, name: str) -> Registered:
        """Return what is stored of one brand."""
        item = self._table.get(Key(_BRANDS, name))
        return Registered(None, ()) if item is None else _registered(name, item, self.keys(name))

    def keys(self, brand: str) -> list[KeyRecord]:
        """Return the brand's keys, the oldest first."""
        ends = (f"{brand}#", f"{brand}#~")  # Ids are small letters and digits, which all come before the tilde.
        found = [_key_from_item(one.item) for one in everything(self._table, _KEYS, at_least=ends[0], at_most=ends[1])]
        return sorted(found, key=lambda record: (record.created_at_ms, not record.is_public, record.id))

    def zone_in_use(self, name: str) -> str | None:
        """Return the zone that the brand's hits were last counted in, as far as it was noted."""
        item = self._table.get(Key(_ZONES, name))
        return str(item["zone"]) if item is not None else None

    def note_zones(self, brands: Iterable[Brand]) -> None:
        """Write down the zones in which hits of open brands are counted from now on."""
        due = [one for one in brands if self.brand(one.name) is None and self.zone_in_use(one.name) != one.zone]
        for start in range(0, len(due), BATCH_ITEMS_MAX):
            self._table.write([_zone_put(one) for one in due[start : start + BATCH_ITEMS_MAX]])

    def add(self, brand: Brand, *, zone_in_use: str | None) -> None:
        """Store a new brand, or one that was removed before; its zone must be the one its hits are counted in."""
        if self.brand(brand.name) is not None:
            raise AlreadyThere(f"{brand.name!r} is a brand already; footfall brands change {brand.name} changes it")
        if zone_in_use is not None and zone_in_use != brand.zone:
            raise Refused(
                "zone",
                f"is {brand.zone!r} and hits of {brand.name!r} were counted in {zone_in_use!r}; hours and days of two "
                f"zones cannot be added up: take {zone_in_use!r}, or another name",
            )
        self._require_can_prove(brand)
        put = Put(Key(_BRANDS, brand.name), self._item(brand))
        self._write([put, _zone_put(brand), self._noted(brand.name, Act.BRAND_ADDED, brand.name, zone=brand.zone)])

    def change(self, brand: Brand) -> None:
        """Store a brand's new rules; everything may change but name and zone."""
        before = self._require(brand.name)
        if before.zone != brand.zone:
            raise Refused(
                "zone",
                f"of {brand.name!r} is {before.zone!r} for good: its hours and days are kept as that zone cut them, "
                "and those of two zones cannot be added up; add another brand for another zone",
            )
        if (brand.requires_signature, brand.requires_token) != (before.requires_signature, before.requires_token):
            self._require_can_prove(brand)
        note = self._noted(brand.name, Act.BRAND_CHANGED, brand.name, **_changes(before, brand))
        self._write([Put(Key(_BRANDS, brand.name), self._item(brand)), note])

    def remove(self, name: str) -> None:
        """Remove a brand and its keys; its name is remembered, so that it does not become an open one."""
        self._require(name)
        self.people.forget_brand(name)
        self.alerts.forget_brand(name)
        gone: list[Action] = [Delete(_key_of(record)) for record in self.keys(name)]
        self._write(gone[_REMOVED_AT_ONCE_MAX:])  # The rest fits into one transaction with the brand.
        note = self._noted(name, Act.BRAND_REMOVED, name, keys=len(gone))
        removed = Put(Key(_BRANDS, name), {"removed_at_ms": self._clock.now_ms()})
        self._write([*gone[:_REMOVED_AT_ONCE_MAX], removed, removal_of_rules(name), note])

    def add_public_key(self, brand: str, *, label: str = "") -> NewKey:
        """Make and store a key for browsers."""
        self._require_room(brand)
        new = new_public_key(brand, label=label, now_ms=self._clock.now_ms(), random_bytes=self._random_bytes)
        return self._added(new)

    def add_secret_key(
        self,
        brand: str,
        scopes: Iterable[str],
        *,
        label: str = "",
        expires_at_ms: int | None = None,
        also_reads: Iterable[str] = (),
    ) -> NewKey:
        """Make and store a key for servers, which may read other brands' lists too; only a hash of it is stored."""
        self._require_room(brand)
        new = self._new_secret(brand, scopes, label=label, expires_at_ms=expires_at_ms)
        return self._added(_reading(new, [self._require(other).name for other in sorted({*also_reads} - {brand})]))

    def add_signing_key(self, brand: str, *, label: str = "", expires_at_ms: int | None = None) -> NewKey:
        """Make and store a key that signs; it is stored whole, for signatures are checked with it."""
        self._require_room(brand)
        self._require_room_to_sign(brand)
        return self._added(self._new_signing(brand, label=label, expires_at_ms=expires_at_ms))

    def revoke(self, brand: str, key_id: str) -> KeyRecord:
        """Remove a key, so that it works no more; return what was known of it."""
        record = self._key(brand, key_id)
        details: dict[str, Detail] = {"kind": record.kind, "label": record.label}
        self._write([Delete(_key_of(record)), self._noted(brand, Act.KEY_REVOKED, key_id, **details)])
        return record

    def rotate(self, brand: str, key_id: str, *, grace_ms: int, is_operator: bool = True) -> NewKey:
        """Make a key's successor with the same scopes; the old one works on for the grace time."""
        record = self._key(brand, key_id)
        if record.also_reads and not is_operator:
            # Or a brand's administrator would come by a key to the others.
            raise Refused("id", f"{key_id!r} reads other brands too, so the operator rotates it: footfall keys rotate")
        if record.replaced_by:
            raise Refused("id", f"{key_id!r} was rotated before; its successor is {record.replaced_by!r}")
        self._require_room(brand)
        now_ms = self._clock.now_ms()
        if record.is_public:
            new = new_public_key(brand, label=record.label, now_ms=now_ms, random_bytes=self._random_bytes)
        elif record.signing:
            self._require_room_to_sign(brand)
            new = self._new_signing(brand, label=record.label, expires_at_ms=record.expires_at_ms)
        else:
            new = self._new_secret(brand, record.scopes, label=record.label, expires_at_ms=record.expires_at_ms)
            new = _reading(new, record.also_reads)
        ends_at_ms = min(now_ms + grace_ms, record.expires_at_ms or now_ms + grace_ms)
        old = msgspec.structs.replace(record, expires_at_ms=ends_at_ms, replaced_by=new.record.id)
        details: dict[str, Detail] = {
            "kind": record.kind,
            "replacedBy": new.record.id,
            "graceSeconds": grace_ms // 1_000,
        }
        note = self._noted(brand, Act.KEY_ROTATED, key_id, **details)
        self._write([_key_put(new.record), _key_put(old), note])
        return new

    def note_uses(self, uses: Iterable[tuple[KeyRecord, int]]) -> None:
        """Write down the hour in which keys were last used; one that was revoked meanwhile stays gone."""
        with self._table.together():
            for record, used_at_ms in uses:
                # By name and on a condition: elsewhere the key may be rotated or revoked at this moment.
                with suppress(Changed):
                    self._table.update(Update(_key_of(record), set={"used_at_ms": used_at_ms}, expects=(Present(),)))

    def add_unproven(self, counts: Mapping[Line, int]) -> None:
        """Add to today's counts of requests that did not prove themselves."""
        store_counts(self._table, counts, now_ms=self._clock.now_ms())

    def unproven(self, brand: str, *, from_ms: int, to_ms: int) -> Mapping[Line, int]:
        """Return how many requests of a brand did not prove themselves, on the days of UTC from one moment to another.

        What the last minute brought may not be among them yet.
        """
        return stored_counts(self._table, brand, from_ms=from_ms, to_ms=to_ms)

    def _added(self, new: NewKey) -> NewKey:
        record = new.record
        details: dict[str, Detail] = {"kind": record.kind, "scopes": " ".join(record.scopes), "label": record.label}
        self._write([_key_put(record), self._noted(record.brand, Act.KEY_ADDED, record.id, **details)])
        return new

    def _noted(self, brand: str, act: Act, subject: str, **details: Detail) -> Put:
        return self.trail.put_of(Note(brand, self._by, act, subject, details))

    def _new_secret(self, brand: str, scopes: Iterable[str], *, label: str, expires_at_ms: int | None) -> NewKey:
        now_ms = self._clock.now_ms()
        return new_secret_key(
            brand, scopes, label=label, now_ms=now_ms, random_bytes=self._random_bytes, expires_at_ms=expires_at_ms
        )

    def _new_signing(self, brand: str, *, label: str, expires_at_ms: int | None) -> NewKey:
        now_ms = self._clock.now_ms()
        return new_signing_key(
            brand, label=label, now_ms=now_ms, random_bytes=self._random_bytes, expires_at_ms=expires_at_ms
        )

    def _require(self, name: str) -> Brand:
        require_brand_name(name)
        found = self.brand(name)
        if found is None:
            raise UnknownBrand("brand", f"{name!r} is not a stored brand; footfall brands add {name} makes it one")
        return found

    def _require_room(self, brand: str) -> None:
        self._require(brand)
        if len(self.keys(brand)) >= KEYS_MAX:
            raise TooManyKeys("keys", f"of {brand!r} are {KEYS_MAX} already; revoke those that nobody uses")

    def _require_room_to_sign(self, brand: str) -> None:
        if sum(1 for one in self.keys(brand) if one.signing) >= SIGNING_KEYS_MAX:
            raise TooManyKeys(
                "keys", f"of {brand!r} that sign are {SIGNING_KEYS_MAX} already; revoke those that nobody uses"
            )

    def _require_can_prove(self, brand: Brand) -> None:
        """Refuse a rule that nobody could follow: without a signing key every sender would be locked out."""
        asked = "requireSignature" if brand.requires_signature else "requireToken" if brand.requires_token else ""
        if asked and not any(one.signing for one in self.keys(brand.name)):
            raise Refused(
                asked, f"cannot be yet: {brand.name!r} has no signing key; footfall keys add --signing makes one"
            )

    def _key(self, brand: str, key_id: str) -> KeyRecord:
        self._require(brand)
        found = next((record for record in self.keys(brand) if record.id == key_id), None)
        if found is None:
            raise UnknownKeyId("id", f"{key_id[:40]!r} is not a key of {brand!r}; footfall keys list shows them")
        return found

    def _item(self, brand: Brand) -> Item:
        return {**_item_from_brand(brand), "changed_at_ms": self._clock.now_ms()}

    def _write(self, actions: Sequence[Action]) -> None:
        if actions:
            self._table.transact([*actions, Update(_VERSION, add={"n": 1})])


def _changes(before: Brand, after: Brand) -> dict[str, Detail]:
    """Return what is different now, as people read it."""
    then, now = document_of_brand(before), document_of_brand(after)
    changed = {name: value for name, value in now.items() if value != then[name]}
    return {
        name: value if isinstance(value, bool | str) else msgspec.json.encode(value).decode()
        for name, value in changed.items()
    }


def _registered(name: str, item: Item, keys: Sequence[KeyRecord]) -> Registered:
    if "removed_at_ms" in item:
        return Registered(None, (), was_removed=True)
    return Registered(_brand_from_item(name, item), keys)


def _item_from_brand(brand: Brand) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(replace(brand))
    del plain["name"]
    plain["limits"] = {name: value for name, value in plain["limits"].items() if value is not None}
    return plain


def _brand_from_item(name: str, item: Item) -> Brand:
    plain = {key: value for key, value in item.items() if key != "changed_at_ms"}
    return msgspec.convert({**plain, "name": name}, type=Brand)


def _zone_put(brand: Brand) -> Put:
    return Put(Key(_ZONES, brand.name), {"zone": brand.zone})


def _key_of(record: KeyRecord) -> Key:
    return Key(_KEYS, f"{record.brand}#{record.id}")


def _reading(new: NewKey, others: Sequence[str]) -> NewKey:
    """Return a new key that reads the lists of other brands as well, or raise Refused unless it reads at all."""
    if others and READ not in what_scopes_allow(new.record.scopes):
        raise Refused("scopes", "do not have read, so the key reads no other brand either; add it")
    if len(others) > ALSO_READS_MAX:
        raise Refused("also-reads", f"names {len(others)} brands; a key reads {ALSO_READS_MAX} beside its own at most")
    return NewKey(msgspec.structs.replace(new.record, also_reads=tuple(others)), new.text)


def _key_put(record: KeyRecord) -> Put:
    item: dict[str, Any] = {**msgspec.to_builtins(record, builtin_types=(bytes,)), "scopes": list(record.scopes)}
    return Put(_key_of(record), item, expires_at_ms=record.expires_at_ms)


def _key_from_item(item: Item) -> KeyRecord:
    return msgspec.convert(dict(item), type=KeyRecord, builtin_types=(bytes,))
