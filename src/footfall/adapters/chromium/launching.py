"""Finding and starting Chromium, and ending everything that was started with it."""

import contextlib
import os
import shutil
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, CDPSession, Playwright, async_playwright
from playwright.async_api import Error as BrowserError

from footfall.adapters.chromium.lines import PageLine, Told, sent
from footfall.adapters.gate.gate_proxy import BROWSER_FLAGS, BYPASS, GateProxy
from footfall.ports.capturing import CaptureFailed
from footfall.ports.errors import PortError

NAMES = ("chromium", "chromium-browser", "google-chrome")
NOWHERE = "http://127.0.0.1:1/"
FLAGS = (
    "--disable-gpu",  # A graphics card repeats what is taller than its largest texture, without an error.
    "--disable-lazy-loading",
    "--disable-checker-imaging",  # Otherwise a large image is painted after the picture was taken.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--no-pings",
    *BROWSER_FLAGS,
    f"--component-updater=url-source={NOWHERE}",
    f"--gaia-url={NOWHERE}",
    f"--google-apis-url={NOWHERE}",
)
LEFT_OUT = ("--disable-popup-blocking",)  # Playwright lets every page open windows.
PASSED_ON = ("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "XDG_RUNTIME_DIR", "FONTCONFIG_PATH")
NO_SANDBOX = "No usable sandbox"
LAUNCH_MS = 30_000
DRIVER_GONE = "Connection closed while reading from the driver"
Crashes = Callable[[str], None]  # with how the process ended: "killed" from outside, "crashed" by itself, …


class NoChromium(PortError):
    """There is no Chromium to capture with."""


@dataclass(slots=True, eq=False)
class Running:
    """A browser that runs, with the process that drives it."""

    playwright: Playwright
    browser: Browser
    session: CDPSession
    pid: int
    began: str  # when the process began, by the machine's count: its number may be another's later
    version: str
    jobs: int = 0  # that it had so far
    open_jobs: int = 0
    ended: bool = False
    captures: set[Callable[[CaptureFailed], None]] = field(default_factory=set[Callable[[CaptureFailed], None]])
    crashes: dict[str, Crashes] = field(default_factory=dict[str, Crashes])  # who hears of a target's, by its id


def chromium_path(given: str | None = None) -> str:
    """Return where Chromium lies, or raise NoChromium."""
    for name in (given,) if given else NAMES:
        if path := shutil.which(name):
            return path
    raise NoChromium(
        f"there is no Chromium at {given!r}: install it (`apt install chromium`) or say where it is"
        if given
        else "Chromium is not installed: `apt install chromium`"
    )


async def launch(path: str, gate: GateProxy) -> Running:
    """Start a browser whose every connection goes to the gate."""
    playwright = await async_playwright().start()
    try:
        browser = await playwright.chromium.launch(
            executable_path=path,
            args=list(FLAGS),
            chromium_sandbox=os.geteuid() != 0,  # It does not start for root; unless it is asked for, nobody has it.
            env=_variables(),
            ignore_default_args=list(LEFT_OUT),
            proxy={"server": gate.address, "bypass": BYPASS},
            timeout=LAUNCH_MS,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
        session = await browser.new_browser_cdp_session()
        await sent(session, "Target.setDiscoverTargets", {"discover": True})  # Otherwise no crash is told of.
        pids = await process_ids(session, "browser")
    except BrowserError as error:
        await playwright.stop()
        raise NoChromium(_why(path, error.message)) from error
    running = Running(playwright, browser, session, pids[0], _beginning(pids[0]), browser.version)
    PageLine(session).hear("Target.targetCrashed", lambda told: _tell(running, told))
    return running


def _tell(running: Running, told: Told) -> None:
    """Tell whoever has a target open that its process has ended."""
    if hears := running.crashes.get(str(told["targetId"])):
        hears(str(told["status"]))


def is_of_the_browser(error: Exception) -> bool:
    """Return whether an error says that a browser, or what drives it, does not answer; the latter has no class."""
    return isinstance(error, BrowserError) or DRIVER_GONE in str(error)


async def process_ids(session: CDPSession, kind: str) -> Sequence[int]:
    """Return the processes of a kind that a browser has."""
    told = await sent(session, "SystemInfo.getProcessInfo")
    return [int(process["id"]) for process in told["processInfo"] if process["type"] == kind]


def kill(running: Running) -> None:
    """End a browser and all its processes at once; Debian's /usr/bin/chromium is a script with children."""
    running.ended = True
    if not running.began or _beginning(running.pid) != running.began:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        group = os.getpgid(running.pid)
        if group == os.getpgrp():  # It would be us.
            os.kill(running.pid, signal.SIGKILL)
        else:
            os.killpg(group, signal.SIGKILL)


def _beginning(pid: int) -> str:
    """Return when a process began, or nothing when it has gone."""
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
    return ""


def _variables() -> dict[str, str | float | bool]:
    """Return what of our environment a browser is told: none of the secrets that settings may hold."""
    return {name: value for name, value in os.environ.items() if name in PASSED_ON}


def _why(path: str, said: str) -> str:
    if NO_SANDBOX in said:
        return (
            f"{path} found no sandbox: it needs user namespaces, which this machine or service does not allow "
            "(docs/how-to/archive-safely.md says how); it is not started without one"
        )
    return f"{path} did not start: {said[:300]}"
