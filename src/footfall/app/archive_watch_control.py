"""What editors do with watches, over HTTP and on the command line: each change is rehearsed, written down, and made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from footfall.accounts.audit import Act, Note
from footfall.accounts.people import letters
from footfall.app.archive_control import Archive, Asker
from footfall.app.archive_told import document_of_watch
from footfall.archive.watch_store import WatchStore, new_watch
from footfall.archive.watching import Watch, document_of_rule, watch_with
from footfall.values.errors import Refused

ID_MARK = "wa_"

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rules:
    """What a watch of a brand may name."""

    address_of: Callable[[str], object]  # Raises Refused for what could never be archived.
    periods: Sequence[str]
    alerts: Mapping[str, str]  # the names of the brand's alerts by their ids


@dataclass(frozen=True, slots=True)
class WatchChange:
    """A change of a watch: what is written down of it, and what makes it."""

    note: Note
    done: Callable[[Archive], Document]


def listed(archive: Archive, asker: Asker) -> list[Document]:
    """Return a brand's watches."""
    store = WatchStore(archive.table)
    return [document_of_watch(one, store.turn_of(one)) for one in store.of(asker.brand)]


def one(archive: Archive, asker: Asker, watch_id: str) -> Document:
    """Return a watch of a brand."""
    return _told(archive, WatchStore(archive.table).one(asker.brand, watch_id))


def adding(
    archive: Archive, asker: Asker, document: Mapping[str, Any], rules: Rules, *, random: bytes, now_ms: int
) -> WatchChange:
    """Return what makes a watch."""
    new = new_watch(ID_MARK + letters(random), asker.brand, by=asker.signature, now_ms=now_ms)
    made = WatchStore(archive.table).planned(new, document, require_address=rules.address_of, periods=rules.periods)
    _require_alerts(made, rules)

    def done(archive: Archive) -> Document:
        WatchStore(archive.table).add(made)
        return _told(archive, made)

    return WatchChange(_note(asker, Act.WATCH_ADDED, made), done)


def changing(archive: Archive, asker: Asker, watch_id: str, document: Mapping[str, Any], rules: Rules) -> WatchChange:
    """Return what changes a watch."""
    before = WatchStore(archive.table).one(asker.brand, watch_id)
    after = watch_with(before, document, require_address=rules.address_of, periods=rules.periods)
    if after.alerts != before.alerts:
        _require_alerts(after, rules)

    def done(archive: Archive) -> Document:
        return _told(archive, WatchStore(archive.table).change(before, after))

    return WatchChange(_note(asker, Act.WATCH_CHANGED, after), done)


def removing(archive: Archive, asker: Asker, watch_id: str) -> WatchChange:
    """Return what removes a watch."""
    gone = WatchStore(archive.table).one(asker.brand, watch_id)

    def done(archive: Archive) -> Document:
        WatchStore(archive.table).remove(gone)
        return {}

    return WatchChange(_note(asker, Act.WATCH_REMOVED, gone), done)


def _told(archive: Archive, watch: Watch) -> Document:
    return document_of_watch(watch, WatchStore(archive.table).turn_of(watch))


def _require_alerts(watch: Watch, rules: Rules) -> None:
    for alert_id in watch.alerts:
        if alert_id not in rules.alerts:
            known = ", ".join(f"{id} ({name})" for id, name in list(rules.alerts.items())[:5]) or "none yet"
            raise Refused("alert.places", f"{alert_id[:40]!r} is no alert of the brand; its alerts are {known}")


def _note(asker: Asker, act: Act, watch: Watch) -> Note:
    rule = {name: value for name, value in document_of_rule(watch.rule).items() if value is not None}
    return Note(asker.brand, asker.signature, act, watch.id, {"name": watch.name, "isOn": watch.is_on, **rule})
