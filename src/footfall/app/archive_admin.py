"""What an operator does with captures, whoever they belong to: hold, release, remove; all of it is written down."""

from footfall.accounts.audit import Act, Note, command_line
from footfall.app.archive_control import is_in_brand, require_why
from footfall.app.archive_opening import OpenedArchive
from footfall.app.control_audit import write_down
from footfall.app.settings import Settings
from footfall.archive import finding, removing
from footfall.archive.captures import Capture
from footfall.archive.contents import clear
from footfall.archive.removing import Held, NoSuchCapture
from footfall.values.clock import Clock


class ArchiveAdmin:
    """The acts of an operator; a capture is named by its id alone."""

    def __init__(self, opened: OpenedArchive, settings: Settings, clock: Clock, *, user: object) -> None:
        self._archive = opened.archive
        self._settings = settings
        self._clock = clock
        self._who = command_line(user)

    def hold(self, id: str) -> Capture:
        """Put a capture under legal hold."""
        capture = self._capture(id)
        if capture.held_by is None:
            self._note(Act.CAPTURE_HELD, capture)
        return removing.hold(self._archive.table, id, by=self._who)

    def release(self, id: str) -> Capture:
        """End a legal hold."""
        capture = self._capture(id)
        if capture.held_by is not None:
            self._note(Act.CAPTURE_RELEASED, capture)
        return removing.release(self._archive.table, id)

    def remove(self, id: str, *, why: str) -> Capture:
        """Remove a capture; a tombstone says that it was there, and why it is not."""
        require_why(why)
        capture = self._capture(id)
        if capture.held_by is not None:  # Before it is written down that it was removed.
            raise Held("id", f"{id} is under legal hold by {capture.held_by}; release it before")
        self._note(Act.CAPTURE_REMOVED, capture, why=why)
        removing.remove(self._archive.table, id, by=self._who, why=why, now_ms=self._clock.now_ms())
        self._archive.searching.remove(id)
        return capture

    def clear(self) -> int:
        """Take every capture away, and leave watches; return how many there were."""
        for brand in removing.brands(self._archive.table):
            note = Note(brand, self._who, Act.CAPTURE_REMOVED, "all", {"why": "the archive was cleared"})
            write_down(self._settings, self._clock, note)
        count = clear(self._archive.table, self._archive.blobs)
        self._archive.searching.clear()
        return count

    def _capture(self, id: str) -> Capture:
        found = finding.capture(self._archive.table, id)
        if not isinstance(found, Capture):
            raise NoSuchCapture("id", f"{id[:40]!r} is no capture that is kept; footfall archive list shows them")
        return found

    def _note(self, act: Act, capture: Capture, **more: str) -> None:
        # The trail is read by editors, to whom a member's own page is nobody's business.
        seen = {"url": capture.url} if is_in_brand(capture, capture.brand) else {}
        write_down(self._settings, self._clock, Note(capture.brand, self._who, act, capture.id, {**seen, **more}))
