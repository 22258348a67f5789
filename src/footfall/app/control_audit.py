"""Which requests of an operator are acts that the audit trail tells of, beside those that change brands and keys."""

from collections.abc import Mapping
from contextlib import closing
from typing import Any

from footfall.accounts.audit import Act, Note, command_line
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.values.clock import Clock
from footfall.values.window import instant_text


def is_about_metrics(request: Mapping[str, Any]) -> bool:
    """Tell whether a request is about metrics, whose module is imported by whoever is asked about them."""
    return str(request.get("do")).startswith("metrics-")


def recount_note(brand: str, from_ms: int, to_ms: int, *, user: object) -> Note:
    """Return what is written down of a re-count that was asked for."""
    return Note(brand, command_line(user), Act.RECOUNT_ASKED, f"{instant_text(from_ms)} to {instant_text(to_ms)}")


def replay_note(request: Mapping[str, Any], *, records: int) -> Note:
    """Return what is written down of records that were set aside and are counted again."""
    brand, position = str(request.get("brand")), str(request.get("position") or "all")
    of = {"of": str(request["of"])} if "of" in request else {}  # Hits, where nothing else is said.
    details = {"kind": str(request.get("kind", "dead")), "records": records, **of}
    return Note(brand, command_line(request.get("user")), Act.ASIDE_REPLAYED, position, details)


def write_down(settings: Settings, clock: Clock, note: Note) -> None:
    """Write an act down where no instance runs that would do it."""
    with closing(wiring.open_accounts(settings, clock)) as opened:
        opened.register.trail.write(note)
