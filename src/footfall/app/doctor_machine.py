"""What a doctor looks at on the machine: disk, files and who may read them, limits, versions, native code, zones."""

import os
import re
import resource
import shutil
import stat
import sys
import zoneinfo
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import tzdata

from footfall import __version__, native
from footfall.adapters.embedded.database import WAL_KEPT_BYTES
from footfall.adapters.embedded.snapshot import sqlite_version
from footfall.app import wiring
from footfall.app.archive_opening import ARCHIVE_FOLDER
from footfall.app.findings import Case, Finding, size_text

FREE_BYTES_MIN = 1_000_000_000
FREE_SHARE_MIN = 0.05
WAL_BYTES_MAX = 4 * WAL_KEPT_BYTES
FILES_BESIDE = 256  # Open files besides connections: databases, sockets, the interpreter's own.
ZONES_YEARS_MAX = 2
# A worker that runs apart goes through the directory to the one folder that it shares.
OPEN_TO_WORKER: Mapping[str, int] = {".": 0o010, ARCHIVE_FOLDER: 0o070}


def about_disk(case: Case) -> Iterator[Finding]:
    """Yield whether the disk has room, and whether a log has grown that should not."""
    disk = shutil.disk_usage(case.directory)
    says = f"{size_text(disk.free)} of {size_text(disk.total)} are free on the disk of {case.directory}"
    if disk.free < FREE_BYTES_MIN or disk.free < disk.total * FREE_SHARE_MIN:
        yield Finding(
            "disk", "todo", f"Only {says}.",
            "Free some space, or lower stream_bytes_max or stream_keep_days and start again.",
        )  # fmt: skip
    else:
        yield Finding("disk", "fine", f"{says}.")
    for name, size in sorted(wiring.disk_bytes(case.settings).items()):
        if name.endswith("-wal") and size > WAL_BYTES_MAX:
            yield Finding(
                "disk", "todo", f"{name} has grown to {size_text(size)}: somebody has been reading the file for long.",
                "End programs that have it open (such as a long backup or a database browser); it shrinks by itself.",
            )  # fmt: skip


def about_files(case: Case) -> Iterator[Finding]:
    """Yield which files of the directory others may read, or the instance may not."""
    wanted = case.directory.stat()
    open_to_others: list[str] = []
    not_ours: list[str] = []
    for path in [case.directory, *sorted(case.directory.iterdir())]:
        try:
            found = path.stat()
        except FileNotFoundError:  # SQLite removes its logs when it closes a file.
            continue
        name = path.relative_to(case.directory).as_posix()
        shared = OPEN_TO_WORKER.get(name, 0) if case.settings.archive_worker_apart else 0
        if stat.S_IMODE(found.st_mode) & 0o077 & ~shared:
            open_to_others.append(name)
        if found.st_uid != wanted.st_uid:
            not_ours.append(path.name)
    if open_to_others:
        yield Finding(
            "files", "todo", f"Other people of this machine may read {', '.join(open_to_others)}.",
            f"chmod -R go= {case.directory}",
        )  # fmt: skip
    if not_ours:
        yield Finding(
            "files", "todo", f"{', '.join(not_ours)} belong to somebody else than the directory.",
            f"chown -R --reference={case.directory} {case.directory}",
        )  # fmt: skip
    if not open_to_others and not not_ours:
        yield Finding("files", "fine", "The files are readable by their owner alone.")


def about_limits(case: Case) -> Iterator[Finding]:
    """Yield whether the system lets the instance have as many connections as its settings do."""
    allowed = _files_allowed(case.runs_as)
    wanted = case.settings.http_connections_max + FILES_BESIDE
    if allowed < wanted:
        yield Finding(
            "limits", "todo", f"At most {allowed:,} files may be open, http_connections_max asks for {wanted:,}.",
            f"Raise the hard limit (ulimit -Hn {wanted}, LimitNOFILE= of a systemd unit) or lower the setting.",
        )  # fmt: skip
    else:
        yield Finding("limits", "fine", f"{allowed:,} files may be open, enough for http_connections_max.")


def _files_allowed(process: int | None) -> int:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    try:
        text = Path(f"/proc/{process}/limits").read_text(encoding="ascii") if process else ""
    except OSError:
        text = ""
    found = re.search(r"^Max open files\s+\d+\s+(\d+)", text, re.MULTILINE)
    return int(found[1]) if found else hard if hard != resource.RLIM_INFINITY else sys.maxsize


def about_versions(_case: Case) -> Iterator[Finding]:
    """Yield the versions that are at work, and which of the libraries are older than this release needs."""
    old = [f"{name} {found} (needs {oldest})" for name, found, oldest in _libraries() if _parts(found) < _parts(oldest)]
    python = ".".join(str(part) for part in sys.version_info[:3])
    says = f"footfall {__version__}, Python {python}, SQLite {sqlite_version()}"
    if old:
        yield Finding(
            "versions", "todo", f"Libraries are older than footfall {__version__} needs: {', '.join(old)}.",
            f"pip install --upgrade footfall=={__version__}",
        )  # fmt: skip
    else:
        libraries = ", ".join(f"{name} {found}" for name, found, _ in _libraries())
        yield Finding("versions", "fine", f"{says}; {libraries}.")


def about_native(_case: Case) -> Iterator[Finding]:
    """Yield whether the native code for what is done to every hit, every ping and every new list is there."""
    if not native.IN_PYTHON:
        yield Finding("native", "fine", "Native code reads and counts plain hits, credits pings and writes lists.")
    else:
        yield Finding(
            "native", "note",
            f"Native code was not built for {', '.join(native.IN_PYTHON)}: Python does it, several times slower.",
            "Install a C compiler and Python's headers (Debian: gcc libc6-dev python3-dev), then "
            f"pip install --force-reinstall --no-deps --no-binary footfall footfall=={__version__} and start again.",
        )  # fmt: skip


def _libraries() -> Iterator[tuple[str, str, str]]:
    for text in metadata.requires("footfall") or ():
        needed = re.fullmatch(r"([\w.-]+)>=([\d.]+)", text.strip())
        if needed:  # What only an extra needs has a condition behind it.
            yield needed[1], metadata.version(needed[1]), needed[2]


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:4])


def about_zones(case: Case) -> Iterator[Finding]:
    """Yield which time zone data decides where hours and days begin, and whether it is of this age."""
    version, where = _zones_at_work()
    year = re.match(r"\d{4}", version)
    now = datetime.fromtimestamp(case.now_ms / 1_000, tz=UTC)
    if year is not None and now.year - int(year[0]) >= ZONES_YEARS_MAX:
        yield Finding(
            "zones", "todo", f"Time zone data is of {version} ({where}); zones have changed since.",
            "Update the system's tzdata package, or pip install --upgrade tzdata, and start again.",
        )  # fmt: skip
    else:
        yield Finding("zones", "fine", f"Time zone data is of {version} ({where}).")


def _zones_at_work() -> tuple[str, str]:
    for folder in zoneinfo.TZPATH:
        path = Path(folder) / "tzdata.zi"
        if path.exists():
            with path.open(encoding="ascii", errors="replace") as file:
                found = re.match(r"# version (\S+)", file.readline())
            if found:
                return found[1], folder
        elif os.path.isdir(os.path.join(folder, "Europe")):
            return "unknown version", folder
    return tzdata.IANA_VERSION, "the tzdata package"
