"""Alerts: what a brand wants to be told of, and where to: an asset passes a number, nobody comes, hits are lost.

Each is one document, the same over HTTP and on the command line; docs/how-to/alerts.md explains every field.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast
from urllib.parse import urlsplit

from msgspec import Struct, structs

from footfall.accounts.keys import RandomBytes
from footfall.accounts.people import letters, new_secret, require_email
from footfall.values.errors import Refused
from footfall.values.hit import LABEL_BYTES_MAX
from footfall.values.window import instant_text

ASSET_PASSES, BRAND_SILENT, DROPS_SPIKE, PAGE_CHANGES = KINDS = (
    "asset-passes",
    "brand-silent",
    "drops-spike",
    "page-changes",
)
HOUR, DAY, MINUTES = WINDOWS = ("hour", "day", "minutes")
ALERTS_MAX = 50  # of a brand: each is looked at several times a minute
WEBHOOKS_MAX, EMAILS_MAX = 5, 10  # One event, its state and all its deliveries are one transaction.
NAME_BYTES_MAX = 100
URL_BYTES_MAX = 1_000
HITS_MAX = 1_000_000_000
MINUTES_MAX: Final = {ASSET_PASSES: 1_440, BRAND_SILENT: 1_440, DROPS_SPIKE: 60}
MINUTES_MIN: Final = {ASSET_PASSES: 1, BRAND_SILENT: 2, DROPS_SPIKE: 2}
TIMES_MAX = 100
GRACE_MS = 86_400_000  # How long the secret before a rotation signs as well.
ID_MARK, SECRET_MARK = "al_", "ffhook_"
ID_BYTES = 10

_COMMON = ("name", "kind", "isOn", "webhooks", "emails")
_OF_KIND: Final[Mapping[str, tuple[str, ...]]] = {
    ASSET_PASSES: ("hits", "window", "minutes", "section"),
    BRAND_SILENT: ("minutes", "hours"),
    DROPS_SPIKE: ("minutes", "share", "atLeast", "times"),
    PAGE_CHANGES: (),  # What pages those are is said by the watches that name the alert.
}
_HOURS = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])-(?:([01][0-9]|2[0-3]):([0-5][0-9])|24:00)")

RequireWebhook = Callable[[str], None]  # Raises Refused for an address that the instance may not post to.


class UnknownAlert(Refused):
    """The brand has no alert of that id."""


class Alert(Struct, frozen=True, kw_only=True):
    """What is to be told, and to whom; only the fields of its kind mean anything."""

    id: str
    brand: str
    name: str
    kind: str
    secret: str
    created_at_ms: int
    since_ms: int  # since when it is on
    version: int = 1  # grows with every change
    by: str = ""
    is_on: bool = True
    webhooks: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    off: dict[str, str] = {}  # places that nothing is sent to any more, and why
    secret_before: str = ""
    before_until_ms: int = 0
    hits: int = 0
    window: str = HOUR
    minutes: int = 0
    section: str = ""
    hours: str = ""
    share: float = 0.0
    at_least: int = 0
    times: float = 0.0

    @property
    def places(self) -> tuple[str, ...]:
        """Return where it is told, without those that were turned off."""
        return tuple(place for place in (*self.webhooks, *self.emails) if place not in self.off)

    def secrets(self, *, now_ms: int) -> tuple[str, ...]:
        """Return what signs at this moment, the newest first."""
        is_kept = bool(self.secret_before) and now_ms < self.before_until_ms
        return (self.secret, self.secret_before) if is_kept else (self.secret,)


def is_webhook(place: str) -> bool:
    """Tell whether a place is an address of the web; else it is one of mail."""
    return "://" in place


def new_alert_secret(random_bytes: RandomBytes) -> str:
    """Return what signs the messages of an alert."""
    return SECRET_MARK + new_secret(random_bytes)


def new_alert_id(random_bytes: RandomBytes) -> str:
    """Return an id that no alert has."""
    return ID_MARK + letters(random_bytes(ID_BYTES))


def alert_with(alert: Alert, document: Mapping[str, Any], *, require_webhook: RequireWebhook, has_mail: bool) -> Alert:
    """Return the alert as a document has it, or raise Refused; what the document leaves out is as a new one has it."""
    kind = document.get("kind")
    if kind not in KINDS:
        raise Refused("kind", f"is none of {', '.join(KINDS)}")
    known = (*_COMMON, *_OF_KIND[kind])
    for name in document:
        if name not in known:
            raise Refused(name[:64] or "body", f"is no field of {kind}; those are {', '.join(known)}")
    is_on = document.get("isOn", True)
    if not isinstance(is_on, bool):
        raise Refused("isOn", "is neither true nor false")
    # What was taken before is not looked at again, so that an alert can always be switched off.
    webhooks = _webhooks(document, require_webhook, before=alert.webhooks)
    emails = _emails(document, has_mail=has_mail, before=alert.emails)
    if not webhooks and not emails:
        raise Refused("webhooks", "and emails are both empty, so nobody would be told; name a place at least")
    told = structs.replace(
        alert, kind=kind, name=_name(document.get("name")), is_on=is_on, webhooks=webhooks, emails=emails, off={}
    )
    return _CONDITIONS[kind](told, document)


def document_of_alert(alert: Alert, *, is_admin: bool) -> dict[str, Any]:
    """Return an alert as people read it; whoever only reads sees of a webhook where it leads, for paths are secrets."""
    shown = {place: place if is_admin else _shown_place(place) for place in (*alert.webhooks, *alert.emails)}
    values: dict[str, Any] = {
        "hits": alert.hits, "window": alert.window, "minutes": alert.minutes, "section": alert.section or None,
        "hours": alert.hours or None, "share": alert.share, "atLeast": alert.at_least, "times": alert.times,
    }  # fmt: skip
    fields = [name for name in _OF_KIND[alert.kind] if name != "minutes" or _has_minutes(alert)]
    return {
        "id": alert.id,
        "name": alert.name,
        "kind": alert.kind,
        "isOn": alert.is_on,
        **{name: values[name] for name in fields},
        "webhooks": [shown[one] for one in alert.webhooks],
        "emails": [shown[one] for one in alert.emails],
        "turnedOff": {shown[place]: why for place, why in alert.off.items()},
        "created": instant_text(alert.created_at_ms),
        "by": alert.by,
    }


def shown_place(place: str, *, is_admin: bool) -> str:
    """Return a place as it is shown to whoever asks."""
    return place if is_admin else _shown_place(place)


def hours_of(text: str) -> tuple[int, int]:
    """Return the minutes of the day between which hours lie; the end may be before the start, over midnight."""
    found = _HOURS.fullmatch(text)
    if found is None or text[:5] == text[6:]:
        raise Refused("hours", f"{text[:20]!r} are no hours of a day such as 07:00-23:00")
    start = int(text[:2]) * 60 + int(text[3:5])
    return start, int(text[6:8]) * 60 + int(text[9:])


def _has_minutes(alert: Alert) -> bool:
    return alert.kind != ASSET_PASSES or alert.window == MINUTES


def _asset_passes(alert: Alert, document: Mapping[str, Any]) -> Alert:
    window = document.get("window", HOUR)
    if window not in WINDOWS:
        raise Refused("window", f"is none of {', '.join(WINDOWS)}")
    if window != MINUTES and document.get("minutes") is not None:
        raise Refused("minutes", "belongs to the window minutes; leave it out")
    section: object = document.get("section") or ""
    if isinstance(section, int) and not isinstance(section, bool):
        section = str(section)
    if not isinstance(section, str) or len(section.encode("utf-8", "replace")) > LABEL_BYTES_MAX:
        raise Refused("section", f"is not a text of at most {LABEL_BYTES_MAX} bytes")
    minutes = _minutes(document, ASSET_PASSES) if window == MINUTES else 0
    hits = _whole(document, "hits", lowest=1, highest=HITS_MAX)
    return structs.replace(alert, hits=hits, window=window, minutes=minutes, section=section)


def _brand_silent(alert: Alert, document: Mapping[str, Any]) -> Alert:
    hours: object = document.get("hours") or ""
    if not isinstance(hours, str):
        raise Refused("hours", "are no hours of a day such as 07:00-23:00")
    if hours:
        hours_of(hours)
    return structs.replace(alert, minutes=_minutes(document, BRAND_SILENT), hours=hours)


def _drops_spike(alert: Alert, document: Mapping[str, Any]) -> Alert:
    return structs.replace(
        alert,
        minutes=_minutes(document, DROPS_SPIKE),
        share=_number(document, "share", default=0.1, highest=1.0),
        at_least=_whole(document, "atLeast", lowest=1, highest=HITS_MAX, default=100),
        times=_number(document, "times", default=2.0, highest=TIMES_MAX),
    )


_CONDITIONS: Final[Mapping[str, Callable[[Alert, Mapping[str, Any]], Alert]]] = {
    ASSET_PASSES: _asset_passes,
    BRAND_SILENT: _brand_silent,
    DROPS_SPIKE: _drops_spike,
    PAGE_CHANGES: lambda alert, _document: alert,
}


def _minutes(document: Mapping[str, Any], kind: str) -> int:
    return _whole(document, "minutes", lowest=MINUTES_MIN[kind], highest=MINUTES_MAX[kind])


def _name(value: object) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if not text or len(text.encode("utf-8", "replace")) > NAME_BYTES_MAX or not text.isprintable():
        raise Refused("name", f"is not a text of one line of 1 to {NAME_BYTES_MAX} bytes")
    return text


def _whole(document: Mapping[str, Any], name: str, *, lowest: int, highest: int, default: int | None = None) -> int:
    value = document.get(name, default)
    if type(value) is not int or not lowest <= value <= highest:
        raise Refused(name, f"is not a whole number from {lowest:,} to {highest:,}")
    return value


def _number(document: Mapping[str, Any], name: str, *, default: float, highest: float) -> float:
    value = document.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= highest:
        raise Refused(name, f"is not a number from 0 to {highest:g}")
    return float(value)


def _texts(document: Mapping[str, Any], name: str, *, most: int) -> Sequence[str]:
    values: object = document.get(name, [])
    if not isinstance(values, list) or not all(isinstance(one, str) for one in cast("list[object]", values)):
        raise Refused(name, "is not a list of texts")
    texts = list(dict.fromkeys(cast("list[str]", values)))
    if len(texts) > most:
        raise Refused(name, f"has {len(texts)} places, at most {most} are told of one alert")
    return texts


def _webhooks(
    document: Mapping[str, Any], require_webhook: RequireWebhook, *, before: tuple[str, ...]
) -> tuple[str, ...]:
    found = _texts(document, "webhooks", most=WEBHOOKS_MAX)
    for one in set(found) - set(before):
        if len(one) > URL_BYTES_MAX or not one.isascii() or not one.isprintable() or " " in one:
            raise Refused("webhooks", f"{one[:60]!r} is not an address of at most {URL_BYTES_MAX:,} printable letters")
        require_webhook(one)
    return tuple(found)


def _emails(document: Mapping[str, Any], *, has_mail: bool, before: tuple[str, ...]) -> tuple[str, ...]:
    found = _texts(document, "emails", most=EMAILS_MAX)
    if set(found) - set(before) and not has_mail:
        raise Refused(
            "emails", "cannot be sent: this instance has no mail server; set smtp_host, smtp_from and people_url first"
        )
    return tuple(dict.fromkeys(require_email(one, field="emails") for one in found))


def _shown_place(place: str) -> str:
    if not is_webhook(place):
        return place
    parts = urlsplit(place)
    return f"{parts.scheme}://{parts.netloc}/…"
