"""One log on its way into an instance: which log it is, where it goes on, and stretch after stretch of it."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from footfall.flow.collect.imported import TOO_OLD, ImportedHits
from footfall.flow.collect.logfile.fingerprints import fingerprints, is_at, is_data, mark_at, offset_of
from footfall.flow.collect.logfile.formats import Format, Guess, UnknownFormat, guessed_format, understood_data
from footfall.flow.collect.logfile.pages import Pages
from footfall.flow.collect.logfile.people import Days
from footfall.flow.collect.logfile.reading import LogHits, Reading, Tally, Wanted
from footfall.shells.cli.log_text import IsStopping, LogText, LogUnreadable, Stretch, open_log
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError

SAMPLE_BYTES = 128 * 1_024
FOLLOWED_LINES_MIN = 10  # From so many lines on, a log that is followed must read like the format that was named.
UNFINISHED = "unfinished"


class NotTaken(FootfallError):
    """A log was left as it is; the message says why."""


class Session(Protocol):
    """Where stretches go: an import session of an instance, or nowhere when nothing is to be counted."""

    def position(self, file: bytes) -> int:
        """Return how far the log with this fingerprint was imported."""
        ...

    def salt(self, day_start_ms: int) -> bytes:
        """Return the visitor salt of a day."""
        ...

    def take(self, file: bytes, *, begins: int, ends: int, hits: ImportedHits) -> None:
        """Hand over the hits of a stretch."""
        ...

    def flush(self) -> None:
        """Wait until all that was taken is on disk."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is wanted of an import."""

    logs: tuple[str, ...]
    brand: str
    wanted: Wanted
    format: Format | None = None  # None: each log tells
    follows: bool = False


@dataclass(slots=True)
class Import:
    """What the logs of one import share."""

    order: Order
    zone: str
    session: Session
    clock: Clock
    stdin: BinaryIO
    is_stopping: IsStopping
    days_kept_ms: int | None = None  # An older hit is not counted; None: any is.
    on_bytes: Callable[[int], object] = lambda _count: None
    on_format: Callable[[str, Guess], object] = lambda _name, _guess: None
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        """Make the caches that every log of the import may use."""
        self.pages = Pages(self.order.wanted.pages)
        self.days = Days(self.order.brand, self.zone, self.session.salt)

    pages: Pages = field(init=False)
    days: Days = field(init=False)


class LogImport:
    """The import of one log."""

    def __init__(self, name: str, shared: Import) -> None:
        self.name = name
        self.begins_at = 0  # where it was taken up, in the plain text
        self.lines = 0  # read so far of this file
        self._shared = shared
        self._text = self._opened()
        self._file = b""
        self._mark = 0
        self._has_counted = False
        self._told_bytes = 0
        self._reading: Reading | None = None

    @property
    def text(self) -> LogText:
        """Return the text that is being read."""
        return self._text

    @property
    def is_unused(self) -> bool:
        """Tell whether a log that was never imported had lines and none of them counted, so that no place is kept."""
        return bool(self.lines) and not self._has_counted and not self.begins_at and not self._may_grow()

    def run(self) -> None:
        """Take all that the log has now."""
        if self._reading is None and not self._start():
            if not self._may_grow() and self._text.has_more():
                self._leave_last_line()
            return
        while not self._shared.is_stopping():
            stretch = self._text.stretch()
            if stretch is None:
                break
            self._take(stretch)
        if not self._may_grow() and not self._shared.is_stopping() and not self._text.broken:
            self._take_last_line()

    def follow(self) -> bool:
        """Take what was added since, in this file or the one that took its place; tell whether there was anything."""
        if not self._may_grow():
            return False
        before = self._shared.tally.lines
        with suppress(LogUnreadable):
            if self._is_another_text():
                self._start_over()
            self.run()
            if self._is_rotated():
                self.run()  # What the old file got before its name was taken is not lost.
                self._take_last_line()
                self._start_over()
                self.run()
        return self._shared.tally.lines != before

    def close(self) -> None:
        """Close the log."""
        self._text.close()

    def _start(self) -> bool:
        """Find out which log this is and go to where its import stands; tell whether it has any line."""
        if wrong := self._text.damage():
            raise NotTaken(f"{self.name} {wrong}. Nothing was taken of it; give it again when it is whole.")
        sample = [line.rstrip(b"\r") for line in self._text.sample(SAMPLE_BYTES)]
        lines = [line for line in sample if is_data(line)]
        if not lines:
            return False
        one = self._named(sample, lines) or self._guessed(sample)
        if self._shared.order.wanted.pages.hosts and not one.names_hosts:
            raise NotTaken(f"{self.name} is in the {one.name} format, which names no host; leave out --host.")
        self._reading = Reading(
            one, self._shared.order.wanted, days=self._shared.days, pages=self._shared.pages, tally=self._shared.tally
        )
        self._find_place(lines)
        return True

    def _named(self, sample: list[bytes], lines: list[bytes]) -> Format | None:
        one = self._shared.order.format
        if one is None or understood_data(one, sample, now_ms=self._shared.clock.now_ms()):
            return one
        if self._may_grow() and len(lines) < FOLLOWED_LINES_MIN:
            return one  # A log that has only begun may have begun with junk.
        raise NotTaken(
            f"{self.name}: none of its first {len(lines):,} lines reads like {one.name}, so nothing was taken of it; "
            "leave out --format and --fields, and its lines tell what it is."
        )

    def _guessed(self, sample: list[bytes]) -> Format:
        try:
            guess = guessed_format(sample, now_ms=self._shared.clock.now_ms())
        except UnknownFormat as error:
            raise NotTaken(f"{self.name}: {error}.") from error
        self._shared.on_format(self.name, guess)
        return guess.format

    def _find_place(self, lines: list[bytes]) -> None:
        self._shared.session.flush()  # The same log may have been given a moment ago, under another name.
        for file in fingerprints(lines):
            mark = self._shared.session.position(file)
            if self._is_at_place(mark):
                self._file, self._mark, self.begins_at = file, mark, offset_of(mark)
                self._has_counted, self.lines = False, 0
                self._tell_bytes()
                return
            if self._text.is_live:
                raise NotTaken(
                    f"{self.name} begins like a log that was imported before but goes on differently; "
                    "save it to a file and import that."
                )
            self._text = self._text.from_start()
        raise NotTaken(f"{self.name} begins like logs that were imported before and is too short to tell from them.")

    def _is_at_place(self, mark: int) -> bool:
        """Go to a mark's place and tell whether the text before it is the one that was imported."""
        assert self._reading is not None
        if mark == 0:
            return True
        tail = self._text.skip(offset_of(mark), self._reading.learn)
        if tail is None:
            raise NotTaken(f"{self.name} is shorter than what was imported of a log that begins with the same line.")
        return is_at(mark, tail)

    def _take(self, stretch: Stretch) -> None:
        assert self._reading is not None
        hits = self._reading.read(
            stretch.lines, log=self.name, number=stretch.number, now_ms=self._shared.clock.now_ms()
        )
        self.lines += len(stretch.lines)
        self._tell_bytes()
        if not self._has_counted and not self._is_any_kept(hits):
            return  # Until a hit shows that the flags fit the log, no place is kept: the next stretch has it all.
        self._has_counted = True
        ends = mark_at(stretch.ends, stretch.tail)
        self._shared.session.take(self._file, begins=self._mark, ends=ends, hits=imported(hits))
        self._mark = ends

    def _is_any_kept(self, hits: LogHits) -> bool:
        """Tell whether any of the hits is young enough to be counted; if none is, note them as left out."""
        kept_ms = self._shared.days_kept_ms
        oldest_ms = 0 if kept_ms is None else self._shared.clock.now_ms() - kept_ms
        if any(at_ms >= oldest_ms for at_ms in hits.at_ms):
            return True
        if hits.keys:
            self._shared.tally.counted -= len(hits.keys)
            self._shared.tally.left_out[TOO_OLD] += len(hits.keys)
        return False

    def _take_last_line(self) -> None:
        """Take a last line that does not end, if it can be read: one that is still being written is left for later."""
        stretch = self._text.last_line()
        if stretch is None or self._reading is None:
            return
        if self._reading.understands(stretch.lines[0], now_ms=self._shared.clock.now_ms()):
            self._take(stretch)
        else:
            self._leave_last_line()

    def _leave_last_line(self) -> None:
        self._shared.tally.left_out[UNFINISHED] += 1
        self._shared.tally.lines += 1

    def _tell_bytes(self) -> None:
        read = self._text.wire_bytes
        self._shared.on_bytes(read - self._told_bytes)
        self._told_bytes = read

    def _opened(self) -> LogText:
        return open_log(self.name, stdin=self._shared.stdin, is_stopping=self._shared.is_stopping)

    def _may_grow(self) -> bool:
        return self._shared.order.follows and not self._text.is_live and not self._text.is_compressed

    def _is_rotated(self) -> bool:
        """Tell whether another file has the log's name now."""
        try:
            return Path(self.name).stat().st_ino != self._text.end_of_file()[0]
        except FileNotFoundError:
            return False  # Renamed, and the new one is not there yet.

    def _is_another_text(self) -> bool:
        """Tell whether the file was truncated, even if it has grown again since."""
        return self._text.end_of_file()[1] < self._text.wire_bytes or not self._text.has_same_past()

    def _start_over(self) -> None:
        opened = self._opened()  # If it is gone by now, the old one stays and the next look decides.
        self._text.close()
        self._text = opened
        self._reading = None
        self._told_bytes = 0


def imported(hits: LogHits) -> ImportedHits:
    """Return the columns of hits, without those that are empty throughout."""
    return ImportedHits(
        keys=hits.keys,
        at_ms=hits.at_ms,
        visitors=hits.visitors if any(hits.visitors) else None,
        urls=hits.urls if any(hits.urls) else None,
        referrers=hits.referrers if any(hits.referrers) else None,
        screened=hits.screened or None,
        agents=hits.agents if any(hits.agents) else None,
    )
