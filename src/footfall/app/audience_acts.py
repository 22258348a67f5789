"""What the audit trail says of an erasure: that there was one, by whom and when, and not of whom."""

from footfall.accounts.audit import Act, Note, Trail
from footfall.app.settings import HOUR_MS
from footfall.audience.things import Thing
from footfall.flow.store.watch_log import member_digest

STEPS_MS = HOUR_MS  # Erasing goes in steps that whoever asks repeats; those of an hour are one act.
LOOKED_AT = 20  # acts, for a step before


def erasure_note(brand: str, thing: Thing, *, by: str) -> Note:
    """Return what is said of an erasure: a digest, by which only somebody who knows the thing finds it."""
    return Note(brand, by, Act.THING_ERASED, f"{thing.kind}, digest {member_digest(thing.id)}")


def note_erasure(trail: Trail, note: Note, *, now_ms: int) -> None:
    """Write an erasure down before it is done, once for all of its steps."""
    newest, _ = trail.page(note.brand, limit=LOOKED_AT)
    told = (note.act, note.subject, note.by)
    if not any((one.act, one.subject, one.by) == told and now_ms - one.at_ms < STEPS_MS for one in newest):
        trail.write(note)
