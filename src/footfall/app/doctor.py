"""What is wrong with an instance, or soon will be, and what to do about it: every look that `footfall doctor` takes."""

import contextlib
import fcntl
import ipaddress
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import msgspec

from footfall.accounts.register import Registered
from footfall.app.control_socket import SOCKET_FILE, socket_path
from footfall.app.doctor_archive import about_archive
from footfall.app.doctor_audience import about_follows
from footfall.app.doctor_data import (
    DATABASES,
    about_clock,
    about_database,
    about_growth,
    about_lag,
    about_ledger,
    shards_of,
)
from footfall.app.doctor_machine import (
    about_disk,
    about_files,
    about_limits,
    about_native,
    about_versions,
    about_zones,
)
from footfall.app.findings import Case, Finding, some
from footfall.app.kept_settings import kept_settings
from footfall.app.lock import LOCK_FILE
from footfall.app.settings import Settings, SettingsRefused
from footfall.app.wiring import ACCOUNTS_FILE, AUDIENCE_FILE, STORE_FILE, STREAM_FILE, open_accounts
from footfall.ports.errors import PortError
from footfall.values.clock import SetClock

ANSWER_S_MAX = 5.0
WIDE_BITS_MIN = 8  # No company's own network is wider than that.


def examine(directory: Path, given: Settings | SettingsRefused, *, now_ms: int) -> tuple[Case, list[Finding]]:
    """Return all that is found about a directory and the settings that were given for it.

    An instance that has run there left the settings it ran with, flags included; those count for everything else.
    """
    found: list[Finding] = []
    settings = given if isinstance(given, Settings) else Settings(data_dir=str(directory))
    if isinstance(given, SettingsRefused):
        found.append(Finding("settings", "todo", f"A start would fail: {given}", "Correct it where it is written."))
    try:
        settings = kept_settings(str(directory)) or settings
    except SettingsRefused as error:
        found.append(Finding("settings", "todo", str(error), "Start the server once, or remove the file."))
    case = Case(directory, settings, now_ms, lock_owner(directory))
    found.extend(about_settings(case))
    found.extend(about_versions(case))
    found.extend(about_native(case))
    found.extend(about_zones(case))
    found.extend(about_limits(case))
    if not directory.is_dir():
        says = f"{directory} is not there yet, or is not a directory."
        found.append(Finding("instance", "todo", says, "Name the data directory with --data."))
        return case, found
    for look in (about_instance, about_disk, about_files, about_archive, _about_databases):
        found.extend(_guarded(look, case))
    return case, found


def _about_databases(case: Case) -> Iterator[Finding]:
    """Yield whether each database is whole, then what those say that are."""
    damaged = set[str]()
    for name in DATABASES:
        if (case.directory / name).exists():
            finding = about_database(case, name)
            if finding.level == "todo":
                damaged.add(name)
            yield finding
    if ACCOUNTS_FILE not in damaged:
        yield from _guarded(about_brands, case)
    if not damaged & {STREAM_FILE, STORE_FILE}:
        yield from _guarded(_about_data, case)
        if AUDIENCE_FILE not in damaged:
            yield from _guarded(about_follows, case)


def _about_data(case: Case) -> Iterator[Finding]:
    if not (case.directory / STREAM_FILE).exists():
        yield Finding("formats", "fine", "No hit was ever taken here.")
        return
    shards = shards_of(case)
    for look in (about_clock, about_lag, about_ledger, about_growth):
        yield from look(case, shards)


def _guarded(look: Callable[[Case], Iterator[Finding]], case: Case) -> Iterator[Finding]:
    """Take a look; what keeps it from seeing anything is a finding as well."""
    try:
        yield from look(case)
    except PortError as error:
        yield Finding("formats", "todo", f"The data cannot be read: {error}", "See docs/operating.md, Damage.")
    except PermissionError as error:
        yield Finding(
            "files", "todo", f"{error.filename} may not be read by this user.",
            "Run doctor as the user that the server runs as.",
        )  # fmt: skip


def lock_owner(directory: Path) -> int | None:
    """Return the process that holds the directory's lock; None when nobody does, or nobody can tell."""
    try:
        number = os.open(directory / LOCK_FILE, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        text = os.pread(number, 32, 0).decode("ascii", "replace").strip()
        return int(text) if text.isdigit() else 0
    finally:
        os.close(number)
    return None


def about_settings(case: Case) -> Iterator[Finding]:
    """Yield what is risky in settings that are possible."""
    settings, is_quiet = case.settings, True
    for text in settings.http_trusted_proxies:
        network = ipaddress.ip_network(text)
        if network.prefixlen < WIDE_BITS_MIN:
            is_quiet = False
            yield Finding(
                "settings", "todo", f"http_trusted_proxies has {text}: almost anybody may say what address they have.",
                "Name only the networks of your own proxies.",
            )  # fmt: skip
    if settings.dev:
        is_quiet = False
        yield Finding(
            "settings", "note", "dev is on: anybody who reaches the server may make up brands.",
            "Name your brands and start without --dev before others can reach it.",
        )  # fmt: skip
    if settings.http_host in ("0.0.0.0", "::"):  # noqa: S104 - looked for, not listened on
        is_quiet = False
        yield Finding(
            "settings", "note", f"http_host is {settings.http_host}: others can reach it without TLS.",
            "Put a proxy with TLS in front, and let only it reach the port.",
        )  # fmt: skip
    if is_quiet:
        yield Finding("settings", "fine", f"Settings of {case.directory} are possible and not risky.")


def about_brands(case: Case) -> Iterator[Finding]:
    """Yield whether there is a brand at all, and which of them anybody may send hits for."""
    settings = case.settings
    stored: Mapping[str, Registered] = {}
    if (case.directory / ACCOUNTS_FILE).exists():
        with closing(open_accounts(settings, SetClock(case.now_ms), read_only=True)) as opened:
            stored = opened.register.all()
    names = {*settings.brands, *(name for name, one in stored.items() if one.brand is not None)}
    unlocked = sorted(name for name in names if name not in stored or not stored[name].keys)
    if not names and not settings.dev:
        yield Finding(
            "brands", "todo", "There is no brand, so every hit is refused.",
            f"footfall brands add NAME --data {case.directory}",
        )  # fmt: skip
    elif unlocked and not settings.dev:
        is_local = _is_loopback(settings.http_host)
        reached = "" if is_local else f", and {settings.http_host} is an address that others can reach"
        yield Finding(
            "brands", "note" if is_local else "todo",
            f"Without a key, anybody may send hits for {some(unlocked)}{reached}.",
            f"footfall brands add {unlocked[0]} --data {case.directory}",
        )  # fmt: skip
    else:
        yield Finding("brands", "fine", "Every brand has a key." if names else "Brands are made up as they come (dev).")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def about_instance(case: Case) -> Iterator[Finding]:
    """Yield whether the instance that holds the directory answers, and what a dead one left behind."""
    has_socket = (case.directory / SOCKET_FILE).exists()
    if not case.is_running and not has_socket:
        yield Finding("instance", "fine", "No instance runs on the directory.")
    elif not case.is_running:
        yield Finding(
            "instance", "note", f"{SOCKET_FILE} is left from an instance that was killed.",
            "Nothing has to be done: the next start removes it.",
        )  # fmt: skip
    elif answers(case.directory):
        yield Finding("instance", "fine", f"Process {case.runs_as} runs on the directory and answers.")
    else:
        yield Finding(
            "instance", "todo", f"Process {case.runs_as} holds the directory and does not answer.",
            f"If it does not just start or stop, look at its log, end it (kill {case.runs_as}) and start it again.",
        )  # fmt: skip


def answers(directory: Path) -> bool:
    """Tell whether an instance answers on the directory's socket; what it answers does not matter."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(ANSWER_S_MAX)
        with socket_path(directory) as path:
            line.connect(path)
        line.sendall(msgspec.json.encode({"do": "answer"}) + b"\n")
        return bool(line.recv(1))
    return False
