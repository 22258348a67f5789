"""One run of `footfall import`: its logs one after the other, then again and again when they are followed."""

import signal
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from footfall.app.importing import ImportDone, ImportedHits, ImportSession, open_import, opened_places
from footfall.app.kept_settings import kept_settings
from footfall.app.settings import DAY_MS, Settings
from footfall.app.wiring import zone_of
from footfall.flow.collect.logfile.formats import Guess
from footfall.shells.cli.command import INTERRUPTED, Exit, Surroundings, printable
from footfall.shells.cli.import_report import report
from footfall.shells.cli.log_import import Import, LogImport, NotTaken, Order
from footfall.shells.cli.log_text import STDIN, IsStopping, LogUnreadable
from footfall.values.errors import FootfallError

POLL_S = 0.5  # How soon a line that was added to a followed log is taken.
PLAIN_STEP = 0.1  # Without a terminal, ten lines tell enough.
TOLD_BYTES_MIN = 10_000_000  # A smaller log is read in less time than a person needs to read of it.
SALT_BYTES = 32
GO_ON = "Run the same command again: it goes on where it stopped and counts no line twice."

NOTHING_COUNTED = "no line of it counts, so no place of it is kept; the report says why, and it may be given again."
NOT_LOOKED = "Without --data nobody looks whether a brand is known and what of the logs was imported before."

NOTHING_DONE = ImportDone(stored=0, again=0, refused={})

OnBytes = Callable[[int], object]
Say = Callable[[str], object]


class NothingCounts:
    """Where the hits of a dry run go: nowhere; it knows how far logs were imported, and how far it came itself."""

    def __init__(self, places: Callable[[bytes], int]) -> None:
        self._places = places
        self._reached: dict[bytes, int] = {}

    def position(self, file: bytes) -> int:
        """Return how far a log was imported, or would have been by now."""
        return self._reached.get(file) or self._places(file)

    def salt(self, day_start_ms: int) -> bytes:
        """Return a salt; nothing that is hashed under it is kept."""
        return bytes(SALT_BYTES)

    def take(self, file: bytes, *, begins: int, ends: int, hits: ImportedHits) -> None:
        """Let the hits go, and remember the place."""
        self._reached[file] = ends

    def flush(self) -> None:
        """Have nothing to wait for."""

    def finish(self) -> ImportDone:
        """Say that nothing was stored."""
        return NOTHING_DONE


@dataclass(slots=True)
class _Outcome:
    taken: list[LogImport] = field(default_factory=list[LogImport])
    complaints: int = 0
    is_interrupted: bool = False


def run_import(order: Order, settings: Settings | None, around: Surroundings, *, is_dry: bool = False) -> int:
    """Import the logs into the instance with these settings, or into nothing; return the exit code."""
    known = settings and (kept_settings(settings.data_dir) or settings)
    if known is None:
        around.complain(NOT_LOOKED)
    with _stoppable() as is_stopping, _session(settings, order.brand, is_dry=is_dry) as session:
        shared = Import(
            order=order,
            zone="UTC" if known is None else zone_of(known)(order.brand),
            session=session,
            clock=around.clock,
            stdin=around.stdin,
            is_stopping=is_stopping,
            days_kept_ms=None if known is None else known.store_days_days * DAY_MS,
        )
        try:
            outcome = _all_taken(order.logs, shared, around)
            return _ended(outcome, shared, around, finish=session.finish)
        except FootfallError:
            if not is_dry:
                around.complain("footfall: " + GO_ON)
            raise


def _all_taken(names: Sequence[str], shared: Import, around: Surroundings) -> _Outcome:
    outcome = _Outcome()
    try:
        with _shown(names, around) as (shared.on_bytes, say):
            shared.on_format = lambda name, guess: say(_format_found(name, guess))
            _take(names, shared, outcome, say)
        shared.on_bytes = _unseen
        shared.on_format = lambda name, guess: around.complain(_format_found(name, guess))
        outcome.is_interrupted = shared.is_stopping()
        if shared.order.follows and not outcome.is_interrupted:
            _follow(outcome.taken, shared, around)  # Being stopped is how following ends, and no interruption.
    finally:
        for log in outcome.taken:
            log.close()
    return outcome


def _take(names: Sequence[str], shared: Import, outcome: _Outcome, say: Say) -> None:
    """Take all that the logs hold now, one after the other; what is wrong with one does not stop the others."""
    for name in names:
        if shared.is_stopping():
            break
        try:
            log = LogImport(name, shared)
            outcome.taken.append(log)
            log.run()
        except (NotTaken, LogUnreadable) as error:
            say(f"footfall: {error}")
            outcome.complaints += 1
            continue
        if log.text.broken:
            say(f"footfall: {name}: {log.text.broken}; what comes before was taken.")
            outcome.complaints += 1
        if log.is_unused and not shared.is_stopping():
            say(f"footfall: {name}: {NOTHING_COUNTED}")
            outcome.complaints += 1
        if log.begins_at:
            say(f"{name}: {log.begins_at:,} bytes of its text were imported before.")


def _follow(logs: Sequence[LogImport], shared: Import, around: Surroundings) -> None:
    """Go on as lines are added, until somebody says stop."""
    around.complain("Following; stop with Ctrl+C.")
    followed = list(logs)
    while not shared.is_stopping():
        was_there_any = False
        for log in list(followed):
            try:
                was_there_any = log.follow() or was_there_any
            except NotTaken as error:
                around.complain(f"footfall: {error} It is not followed any more.")
                followed.remove(log)
        shared.session.flush()
        if not was_there_any:
            around.pause(POLL_S)


def _ended(outcome: _Outcome, shared: Import, around: Surroundings, *, finish: Callable[[], ImportDone]) -> int:
    is_dry = isinstance(shared.session, NothingCounts)
    if outcome.is_interrupted:
        shared.session.flush()
        done, did = NOTHING_DONE, "Stopped"
    else:
        done, did = finish(), "Would import" if is_dry else "Imported"
    for line in report(shared.tally, did=did, done=done):
        around.say(line)
    if outcome.is_interrupted:
        if not is_dry:
            around.complain(GO_ON)
        return INTERRUPTED
    return Exit.FAILED if outcome.complaints else Exit.OK


def _session(
    settings: Settings | None, brand: str, *, is_dry: bool
) -> AbstractContextManager[ImportSession | NothingCounts]:
    if settings is None:
        return nullcontext(NothingCounts(lambda _file: 0))
    return _dry(settings, brand) if is_dry else open_import(settings, brand)


@contextmanager
def _dry(settings: Settings, brand: str) -> Generator[NothingCounts]:
    with opened_places(settings, brand) as places:
        yield NothingCounts(places)


def _format_found(name: str, guess: Guess) -> str:
    return (
        f"{printable(name)}: {guess.format.name} ({guess.format.says}), "
        f"{guess.understood:,} of its first {guess.lines:,} lines read so."
    )


@contextmanager
def _stoppable() -> Generator[IsStopping]:
    """Have the first Ctrl+C, or a request to end, stop between two stretches; a second Ctrl+C stops at once."""
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        if stopping.is_set():
            raise KeyboardInterrupt
        stopping.set()

    if threading.current_thread() is not threading.main_thread():
        yield stopping.is_set
        return
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopping.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _shown(names: Sequence[str], around: Surroundings) -> Generator[tuple[OnBytes, Say]]:
    """Show how many bytes of the logs have been read: a bar on a terminal, a line for every tenth elsewhere."""
    sizes = [Path(name).stat().st_size for name in names if name != STDIN and Path(name).is_file()]
    total = sum(sizes) if len(sizes) == len(names) else None
    if not around.err.isatty():
        yield _plain_progress(total, around), around.complain
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=around.console(err=True), transient=True) as progress:
        task = progress.add_task("importing", total=total)
        # What is said meanwhile goes above the bar.
        yield (
            lambda count: progress.update(task, advance=count),
            lambda text: progress.console.print(text, markup=False, soft_wrap=True),
        )


def _plain_progress(total: int | None, around: Surroundings) -> OnBytes:
    read = 0
    told = 0.0

    def on_bytes(count: int) -> None:
        nonlocal read, told
        read += count
        if total and total >= TOLD_BYTES_MIN and read / total - told >= PLAIN_STEP:
            told = read / total
            around.complain(f"importing: {min(told, 1):.0%} of {total:,} bytes")

    return on_bytes


def _unseen(_count: int) -> None:
    """Show nothing: a log that is followed has no end to come nearer to."""
