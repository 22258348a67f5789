"""What a doctor looks at in the archive: whether pages can be captured, and whether stored ones are whole."""

from collections.abc import Iterator
from contextlib import closing

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.archive_capturing import why_not
from footfall.app.archive_opening import ARCHIVE_FILE
from footfall.app.archive_run import has_worker
from footfall.app.findings import Case, Finding
from footfall.archive.queueing import count_waiting
from footfall.archive.verifying import damages
from footfall.values.clock import SetClock


def about_archive(case: Case) -> Iterator[Finding]:
    """Yield whether requests for pages wait in vain, and whether anything stored is damaged."""
    waiting = damaged = 0
    if (case.directory / ARCHIVE_FILE).exists():
        path, clock = case.directory / ARCHIVE_FILE, SetClock(case.now_ms)
        with closing(SqliteTable(path, clock=clock, read_only=True)) as table:
            waiting, damaged = count_waiting(table), len(damages(table))
    is_apart = case.settings.archive and case.settings.archive_worker_apart
    refusal = why_not(case.settings) if case.settings.archive and not is_apart else None
    if refusal is not None:
        yield Finding("archive", "todo", f"archive is on, and no page can be captured: {refusal}.", "Install it.")
    elif waiting and not case.settings.archive:
        yield Finding(
            "archive", "todo", f"{waiting:,} pages wait to be captured, and archive is off.",
            "Set archive = true, or run footfall archive worker.",
        )  # fmt: skip
    elif is_apart and not has_worker(case.settings):
        yield Finding(
            "archive", "todo", f"{waiting:,} pages wait, archive_worker_apart is on, and no worker runs.",
            "systemctl start footfall-archive, or run footfall archive worker.",
        )  # fmt: skip
    elif case.settings.archive:
        yield Finding("archive", "fine", f"Pages can be captured; {waiting:,} wait.")
    if damaged:
        yield Finding(
            "archive", "todo", f"{damaged:,} stored objects of captures are damaged or missing.",
            "footfall archive admin verify names them; restore them from a backup.",
        )  # fmt: skip
