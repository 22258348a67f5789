"""Watches: pages that are kept by themselves, on a schedule, when they changed, or because they are read most.

Pure: what a watch is, what a document may say of it, when it is due, and which page of a list is asked for how.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

from msgspec import Struct, structs

from footfall.archive.captures import Capture
from footfall.values.errors import Refused
from footfall.values.hit import LABEL_BYTES_MAX
from footfall.values.window import DAY_MS, MINUTE_MS

WATCHES_MAX = 50  # of a brand: each is looked at several times a minute
NAME_BYTES_MAX = 100
URL_BYTES_MAX = 2_000
ALERTS_MAX = 5  # that one watch tells: each has up to 15 places
TOP_MAX = 50  # pages of a list: a browser takes some seconds for each
EVERY_MINUTES_MIN, EVERY_MINUTES_MAX = 5, 44_640  # a month
OLD_MS = DAY_MS  # A page that is read most is kept once a day, even if it did not change.
SAYS_CHARACTERS_MAX = 300

PAGE, POPULAR = KINDS = ("page", "popular")
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    PAGE: ("kind", "url", "everyMinutes", "onlyChanged"),
    POPULAR: ("kind", "period", "top", "section", "everyMinutes"),
}

RequireAddress = Callable[[str], object]  # Raises Refused for what could never be archived.


class UnknownWatch(Refused):
    """The brand has no watch of that id."""


class PageRule(Struct, frozen=True, tag=PAGE, tag_field="kind"):
    """One page, again and again."""

    url: str
    every_minutes: int
    only_changed: bool = False


class PopularRule(Struct, frozen=True, tag=POPULAR, tag_field="kind"):
    """What is read most, in the whole brand or in a section."""

    period: str
    top: int
    every_minutes: int
    section: str = ""


Rule = PageRule | PopularRule


class Watch(Struct, frozen=True, kw_only=True):
    """What a brand wants kept by itself, and who is told when it changed."""

    id: str
    brand: str
    name: str
    rule: Rule
    created_at_ms: int
    version: int = 1  # grows with every change
    by: str = ""
    is_on: bool = True
    alerts: tuple[str, ...] = ()  # of the brand, whose places are told of changes


class Turn(Struct, frozen=True, kw_only=True):
    """How far a watch has come."""

    version: int = 0  # grows with every turn; 0 before the first
    last_at_ms: int | None = None
    next_at_ms: int = 0  # 0: at once
    says: str = ""  # what the last turn came to, in a sentence
    waiting: tuple[str, ...] = ()  # requests of which nobody was told yet what came of them


class Sought(Struct, frozen=True):
    """A page that a turn asks for, and whether it is kept only when its text differs."""

    url: str
    if_changed: bool = False


def is_due(watch: Watch, turn: Turn, *, now_ms: int) -> bool:
    """Tell whether it is the watch's turn."""
    return watch.is_on and now_ms >= turn.next_at_ms


def next_turn(watch: Watch, turn: Turn, *, now_ms: int) -> Turn:
    """Return how far a watch is after a turn; those that nobody took while nothing ran are not made up for."""
    every_ms = watch.rule.every_minutes * MINUTE_MS
    due_ms = turn.next_at_ms or now_ms
    # From when it was due and not from when it was taken, or fifteen minutes would become sixteen.
    missed = max(0, now_ms - due_ms) // every_ms
    return structs.replace(
        turn, version=turn.version + 1, last_at_ms=now_ms, next_at_ms=due_ms + (missed + 1) * every_ms
    )


def sought_of_list(url: str, latest: Capture | None, *, now_ms: int) -> Sought:
    """Return how a page that is read most is asked for: always once a day, in between if its text changed."""
    is_fresh = latest is not None and now_ms - latest.at_us // 1_000 < OLD_MS
    return Sought(url, if_changed=is_fresh)


def has_address(address: str) -> bool:
    """Tell whether what the catalogue knows of an asset leads somewhere: it may be empty, or a path alone."""
    return address.startswith(("https://", "http://"))


def watch_with(
    watch: Watch, document: Mapping[str, Any], *, require_address: RequireAddress, periods: Sequence[str]
) -> Watch:
    """Return the watch as a document changes it, or raise Refused; what it leaves out stays."""
    for name in document:
        if name not in ("name", "rule", "isOn", "alert"):
            raise Refused(name[:64] or "body", "is no field of a watch; those are name, rule, isOn and alert")
    rule = watch.rule
    if "rule" in document:
        rule = _rule(document["rule"], require_address=require_address, periods=periods)
    name = _name(document["name"]) if "name" in document else watch.name or _named(rule)
    is_on = _truth("isOn", document.get("isOn", watch.is_on))
    alerts = _alerts(document["alert"]) if "alert" in document else watch.alerts
    return structs.replace(watch, name=name, rule=rule, is_on=is_on, alerts=alerts)


def document_of_rule(rule: Rule) -> dict[str, Any]:
    """Return a rule as people read it."""
    if isinstance(rule, PageRule):
        told = {"url": rule.url, "everyMinutes": rule.every_minutes, "onlyChanged": rule.only_changed}
        return {"kind": PAGE, **told}
    told = {"period": rule.period, "top": rule.top, "section": rule.section or None}
    return {"kind": POPULAR, **told, "everyMinutes": rule.every_minutes}


def _rule(value: object, *, require_address: RequireAddress, periods: Sequence[str]) -> Rule:
    if not isinstance(value, Mapping):
        raise Refused("rule", "is missing or not an object; it has a kind, page or popular")
    document = cast("Mapping[str, Any]", value)
    kind = document.get("kind")
    if kind not in KINDS:
        raise Refused("rule.kind", f"is none of {', '.join(KINDS)}")
    for name in document:
        if name not in _FIELDS[kind]:
            raise Refused(f"rule.{name[:64]}", f"is no field of {kind}; those are {', '.join(_FIELDS[kind])}")
    every = _whole(document, "everyMinutes", EVERY_MINUTES_MIN, EVERY_MINUTES_MAX)
    if kind == PAGE:
        url = _text(document, "url", URL_BYTES_MAX)
        require_address(url)
        return PageRule(url, every, _truth("rule.onlyChanged", document.get("onlyChanged", False)))
    period = document.get("period", "")
    if period not in periods:
        raise Refused("rule.period", f"is none of {', '.join(periods)}")
    section = document.get("section")
    named = "" if section is None else _text(document, "section", LABEL_BYTES_MAX)
    return PopularRule(str(period), _whole(document, "top", 1, TOP_MAX), every, named)


def _named(rule: Rule) -> str:
    """Return what a watch is called that nobody named."""
    if isinstance(rule, PopularRule):
        return f"Top {rule.top} of {rule.section or rule.period}"
    return rule.url.encode()[: NAME_BYTES_MAX - 3].decode("utf-8", "ignore")


def _name(value: object) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if not text or len(text.encode("utf-8", "replace")) > NAME_BYTES_MAX or not text.isprintable():
        raise Refused("name", f"is not a text of one line of 1 to {NAME_BYTES_MAX} bytes")
    return text


def _alerts(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    places: object = cast("Mapping[str, object]", value).get("places") if isinstance(value, Mapping) else None
    if not isinstance(places, list) or not all(isinstance(one, str) for one in cast("list[object]", places)):
        raise Refused("alert.places", "is not a list of ids of the brand's alerts, as in {places: [al_…]}")
    found = tuple(dict.fromkeys(cast("list[str]", places)))
    if len(found) > ALERTS_MAX:
        raise Refused("alert.places", f"has {len(found)} entries, at most {ALERTS_MAX} are told by one watch")
    return found


def _text(document: Mapping[str, Any], name: str, bytes_max: int) -> str:
    value = document.get(name)
    if not isinstance(value, str) or not value.strip() or len(value.encode("utf-8", "replace")) > bytes_max:
        raise Refused(f"rule.{name}", f"is not a text of 1 to {bytes_max:,} bytes")
    return value.strip()


def _truth(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise Refused(name, "is neither true nor false")
    return value


def _whole(document: Mapping[str, Any], name: str, lowest: int, highest: int) -> int:
    value = document.get(name)
    if type(value) is not int or not lowest <= value <= highest:
        raise Refused(f"rule.{name}", f"is not a whole number from {lowest:,} to {highest:,}")
    return value
