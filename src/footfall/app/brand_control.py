"""What an operator asks about brands and keys: of the running instance, or, when none runs, of the directory itself."""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final, cast

from msgspec import Struct

from footfall.accounts.audit import PAGE_MAX, command_line, document_of_page
from footfall.accounts.brands import Brand, UnknownBrand, require_brand_name
from footfall.accounts.documents import changed_brand, document_of_brand, document_of_key
from footfall.accounts.keys import GRACE_MS, READ, WRITE, NewKey
from footfall.accounts.register import Register
from footfall.app import wiring
from footfall.app.alert_control import ABOUT_ALERTS
from footfall.app.kept_settings import kept_settings
from footfall.app.lock import take_lock
from footfall.app.people_control import ABOUT_PEOPLE
from footfall.app.rules_control import ABOUT_LISTS, CHANGES_RULES, show_rules
from footfall.app.settings import Settings
from footfall.app.verdict_control import decide_verdicts, show_verdicts
from footfall.values.clock import Clock, SystemClock
from footfall.values.errors import Refused
from footfall.values.groups import brands_of_groups

OFFLINE_WAIT_S = 0.5
GRACE_MS_MAX = 366 * 86_400_000  # A key that is to live longer was not rotated.

Request = Mapping[str, Any]
Answer = dict[str, Any]


class Ground(Struct, frozen=True):
    """What stands around the register: the settings, and the brands that hits were taken for."""

    settings: Settings
    heard: frozenset[str]
    raw_since_ms: int = 0  # the moment before which raw hits may be gone


def is_about_brands(request: Request) -> bool:
    """Tell whether a request is about brands or keys."""
    return request.get("do") in _DOINGS


def is_only_reading(request: Request) -> bool:
    """Tell whether a request about brands or keys changes none of them."""
    return str(request.get("do")).endswith(("-list", "-show"))


def has_no_brand(request: Request) -> bool:
    """Tell whether a request is about no brand in particular."""
    return request.get("do") == "brands-list" or request.get("do") in (*ABOUT_LISTS, *ABOUT_PEOPLE)


def answer_about_brands(register: Register, request: Request, ground: Ground) -> Answer:
    """Do what a request about brands or keys asks for and return what there is to tell."""
    doing = _DOINGS[str(request["do"])]
    if not has_no_brand(request):
        require_brand_name(str(request.get("brand")))
    return doing(register.acting(command_line(request.get("user"))), request, ground)


def run_offline(settings: Settings, request: Request) -> Answer:
    """Do what is asked on a directory that no instance runs on."""
    before = os.umask(0o077)  # What is kept here is nobody else's to read.
    try:
        lock = take_lock(Path(settings.data_dir), wait_s=OFFLINE_WAIT_S)
        try:
            kept = kept_settings(settings.data_dir) or settings
            clock = SystemClock()
            with closing(wiring.open_accounts(kept, clock)) as opened:
                return answer_about_brands(opened.register, request, _ground(kept, clock))
        finally:
            os.close(lock)
    finally:
        os.umask(before)


def zone_in_use(register: Register, name: str, ground: Ground) -> str | None:
    """Return the zone that hits of the brand are, or may at this moment be, counted in; None when there are none."""
    named = ground.settings.brands.get(name)
    if named is None and name not in ground.heard:
        return None
    return register.zone_in_use(name) or (named.zone if named is not None else "UTC")


def key_told(new: NewKey) -> Answer:
    """Return a new key with its whole text, which is told this once."""
    return {**document_of_key(new.record), "key": new.text}


def _ground(settings: Settings, clock: Clock) -> Ground:
    if not (Path(settings.data_dir) / wiring.STREAM_FILE).exists():
        return Ground(settings, frozenset())
    with closing(wiring.open_stream(settings, clock, read_only=True)) as stream:
        return Ground(settings, brands_of_groups(stream.appended()), stream.kept_since_ms())


def new_brand(register: Register, name: str, zone: str, changes: Mapping[str, Any], *, ground: Ground) -> Brand:
    """Store a new brand and return it; what nobody says is as the settings have it for a brand of that name."""
    base = ground.settings.brands.get(name) or Brand(name)
    brand = Brand(name, zone=zone or base.zone, unlabelled=base.unlabelled, screening=base.screening)
    brand = changed_brand(brand, changes, retention_ms=wiring.retention_ms(ground.settings))
    register.add(brand, zone_in_use=zone_in_use(register, name, ground))
    return brand


def _add_brand(register: Register, request: Request, ground: Ground) -> Answer:
    name = str(request["brand"])
    brand = new_brand(register, name, str(request.get("zone") or ""), _changes(request), ground=ground)
    public = register.add_public_key(name)
    secret = register.add_secret_key(name, (WRITE, READ), label="first")
    return {**document_of_brand(brand), "publicKey": public.text, "secretKey": secret.text}


def _list_brands(register: Register, _request: Request, ground: Ground) -> Answer:
    stored = register.all()
    listed = [
        {**document_of_brand(one.brand), "isOpen": False, "keys": len(one.keys)}
        for one in stored.values()
        if one.brand is not None
    ]
    named = [brand for name, brand in ground.settings.brands.items() if name not in stored]
    listed += [{**document_of_brand(brand), "isOpen": True, "keys": 0} for brand in named]
    return {"brands": sorted(listed, key=lambda one: str(one["brand"]))}


def _show_brand(register: Register, request: Request, ground: Ground) -> Answer:
    name = str(request["brand"])
    stored = register.registered(name)
    brand = stored.brand or (None if stored.was_removed else ground.settings.brands.get(name))
    if brand is None:
        raise UnknownBrand("brand", f"{name!r} is not a brand here; footfall brands list shows those that are")
    keys = [document_of_key(one) for one in stored.keys]
    return {**document_of_brand(brand), "isOpen": stored.brand is None, "keys": keys}


def _change_brand(register: Register, request: Request, ground: Ground) -> Answer:
    name = str(request["brand"])
    before = register.brand(name)
    if before is None:
        raise UnknownBrand("brand", f"{name!r} is not a stored brand; footfall brands add {name} makes it one")
    brand = changed_brand(before, _changes(request), retention_ms=wiring.retention_ms(ground.settings))
    register.change(brand)
    return document_of_brand(brand)


def _remove_brand(register: Register, request: Request, _ground: Ground) -> Answer:
    register.remove(str(request["brand"]))
    return {"removed": request["brand"]}


def _add_key(register: Register, request: Request, _ground: Ground) -> Answer:
    brand, label = str(request["brand"]), str(request.get("label") or "")
    if request.get("kind") == "public":
        return key_told(register.add_public_key(brand, label=label))
    expires_at_ms = cast("int | None", request.get("expires_at_ms"))
    if request.get("kind") == "signing":
        return key_told(register.add_signing_key(brand, label=label, expires_at_ms=expires_at_ms))
    scopes = cast("Iterable[str]", request.get("scopes") or ())
    others = cast("Iterable[str]", request.get("also_reads") or ())
    new = register.add_secret_key(brand, scopes, label=label, expires_at_ms=expires_at_ms, also_reads=others)
    return key_told(new)


def _list_keys(register: Register, request: Request, ground: Ground) -> Answer:
    shown = _show_brand(register, request, ground)
    return {"brand": shown["brand"], "keys": shown["keys"]}


def _revoke_key(register: Register, request: Request, _ground: Ground) -> Answer:
    return document_of_key(register.revoke(str(request["brand"]), str(request.get("id"))))


def _rotate_key(register: Register, request: Request, _ground: Ground) -> Answer:
    grace_ms = require_grace_ms(request.get("grace_ms", GRACE_MS))
    return key_told(register.rotate(str(request["brand"]), str(request.get("id")), grace_ms=grace_ms))


def require_grace_ms(value: object) -> int:
    """Return the time that a rotated key goes on working, or raise Refused when it is none."""
    if type(value) is not int or not 0 <= value <= GRACE_MS_MAX:
        raise Refused("grace", f"{value!r} is not a time from 0 to 366 days")
    return value


def _changes(request: Request) -> Mapping[str, Any]:
    changes: object = request.get("changes", {})
    if not isinstance(changes, Mapping):
        raise Refused("changes", "is not an object")
    return cast("Mapping[str, Any]", changes)


def _list_audit(register: Register, request: Request, _ground: Ground) -> Answer:
    limit = request.get("limit", PAGE_MAX)
    if type(limit) is not int or not 1 <= limit <= PAGE_MAX:
        raise Refused("limit", f"{limit!r} is not a whole number from 1 to {PAGE_MAX:,}")
    after = str(request.get("after") or "")
    return document_of_page(register.trail, str(request["brand"]), limit=limit, after=after)


def _rules(register: Register, request: Request, ground: Ground) -> Answer:
    name = str(request["brand"])
    if name not in ground.heard:  # Whoever names a brand that nobody knows has most likely misspelt it.
        _show_brand(register, request, ground)
    return CHANGES_RULES.get(str(request["do"]), show_rules)(register, request)


def _show_verdicts(register: Register, request: Request, ground: Ground) -> Answer:
    if str(request["brand"]) not in ground.heard:
        _show_brand(register, request, ground)
    return show_verdicts(register, request)


def _decide_verdicts(register: Register, request: Request, ground: Ground) -> Answer:
    return decide_verdicts(register, request, raw_since_ms=ground.raw_since_ms)


def _lists(register: Register, request: Request, _ground: Ground) -> Answer:
    return ABOUT_LISTS[str(request["do"])](register, request)


def _people(register: Register, request: Request, ground: Ground) -> Answer:
    return ABOUT_PEOPLE[str(request["do"])](register, request, ground.settings)


def _alerts(register: Register, request: Request, ground: Ground) -> Answer:
    return ABOUT_ALERTS[str(request["do"])](register, request, ground.settings)


_DOINGS: Final[Mapping[str, Callable[[Register, Request, Ground], Answer]]] = {
    "brands-add": _add_brand,
    "brands-list": _list_brands,
    "brands-show": _show_brand,
    "brands-change": _change_brand,
    "brands-remove": _remove_brand,
    "keys-add": _add_key,
    "keys-list": _list_keys,
    "keys-revoke": _revoke_key,
    "keys-rotate": _rotate_key,
    "audit-list": _list_audit,
    "rules-show": _rules,
    "verdicts-show": _show_verdicts,
    "verdicts-decide": _decide_verdicts,
    **dict.fromkeys(CHANGES_RULES, _rules),
    **dict.fromkeys(ABOUT_LISTS, _lists),
    **dict.fromkeys(ABOUT_PEOPLE, _people),
    **dict.fromkeys(ABOUT_ALERTS, _alerts),
}
