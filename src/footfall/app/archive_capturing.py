"""What captures for an instance: Chromium behind the gate, made when the first page is wanted, if it can be."""

import importlib.util
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from footfall.app.settings import ImpossibleSetting, Settings
from footfall.ports.capturing import CaptureFailed, Capturing, Reason
from footfall.ports.errors import PortError
from footfall.ports.table import Table
from footfall.values.clock import SystemClock
from footfall.values.public_addresses import Policy

if TYPE_CHECKING:  # Only whoever captures loads a browser's driver.
    from footfall.adapters.chromium.chromium_capturing import ChromiumCapturing
    from footfall.adapters.gate.gate_proxy import GateProxy

EXTRA = ("ada_url", "PIL", "playwright", "trafilatura", "warcio")
INSTALL = "pip install 'footfall[archive]'"


class CannotCapture(PortError):
    """What is needed to capture pages is not installed."""


def why_not(settings: Settings) -> str | None:
    """Return why pages cannot be captured on this machine, and what to do; None when they can."""
    missing = [name for name in EXTRA if importlib.util.find_spec(name) is None]
    if missing:
        return f"{', '.join(missing)} is not installed: {INSTALL}"
    from footfall.adapters.chromium.launching import NoChromium, chromium_path

    try:
        chromium_path(settings.archive_chromium or None)
    except NoChromium as error:
        return str(error)
    return None


def policy_of(settings: Settings) -> Policy:
    """Return which hosts may be reached: those of the public web but our own, and those that the operator names."""
    ours = (urlsplit(url).hostname for url in (settings.people_url, settings.archive_replay_url))
    return Policy(
        allowed=frozenset(_pair(text) for one in settings.archive_allowed.split(",") if (text := one.strip())),
        refused_names=frozenset(name for name in ours if name),
    )


def require_archive(settings: Settings, place: Callable[[str], str]) -> None:
    """Raise ImpossibleSetting unless the hosts that are named can be."""
    try:
        policy_of(settings)
    except ValueError as error:
        raise ImpossibleSetting(f"archive_allowed in {place('archive_allowed')}: {error}") from error
    replay = settings.archive_replay_url
    url = urlsplit(replay)
    is_origin = url.scheme in ("http", "https") and url.netloc and replay == f"{url.scheme}://{url.netloc}".lower()
    if replay and (not is_origin or replay == settings.people_url):
        # Pages of strangers are shown there, so it must never be where people are signed in.
        raise ImpossibleSetting(
            f"archive_replay_url in {place('archive_replay_url')} is {replay!r}: it must be in small letters, "
            "without a path, and another address than people_url, such as https://replay.example.com."
        )


def _pair(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65_536:
        raise ValueError(f"{text[:80]!r} is no host with a port, such as intranet.example:80")
    return host.strip("[]").lower(), int(port)


@dataclass(slots=True)
class Capturer:
    """The browser and the gate of one process."""

    settings: Settings
    _capturing: "ChromiumCapturing | None" = None
    _gate: "GateProxy | None" = None
    _is_closed: bool = False
    _guard: threading.Lock = field(default_factory=threading.Lock)

    @property
    def hand_on(self) -> Callable[[Table, str], object] | None:
        """Return what gives a page to the outside archive; None when there is none."""
        return self._hand_on if self.settings.archive_outside_url else None

    def capturing(self) -> Capturing:
        """Return the browser, started when it is first asked for."""
        with self._guard:
            if self._is_closed:
                raise CaptureFailed(Reason.CRASHED, "The browser was just stopped.")
            if self._capturing is None:
                self._capturing = self._started()
            return self._capturing

    def make_ready(self) -> None:
        """Start the browser unless it runs; raise what keeps it from starting, or Leaks when it could pass the gate."""
        self.capturing()
        capturing = self._capturing
        assert capturing is not None
        capturing.start()

    def ask(self, url: str) -> object:
        """Return when a host answers anything at all; raise CaptureFailed."""
        from footfall.adapters.gate.gated_fetch import GatedFetch

        return GatedFetch(policy_of(self.settings)).ask(url)

    def processes(self) -> list[int]:
        """Return the browser's main processes."""
        return self._capturing.processes() if self._capturing is not None else []

    def close(self) -> None:
        """End the browser and the gate."""
        with self._guard:
            self._is_closed = True
            if self._capturing is not None:
                self._capturing.close()
            if self._gate is not None:
                self._gate.close()

    def _hand_on(self, table: Table, id: str) -> object:
        from footfall.adapters.gate.gated_fetch import GatedFetch
        from footfall.app.archive_outside import hand_over, outside_from

        outside = outside_from(self.settings)
        return None if outside is None else hand_over(table, id, outside, GatedFetch(policy_of(self.settings)))

    def _started(self) -> "ChromiumCapturing":
        refusal = why_not(self.settings)
        if refusal is not None:
            raise CannotCapture(refusal)
        from footfall.adapters.chromium.chromium_capturing import ChromiumCapturing
        from footfall.adapters.chromium.limits import Limits
        from footfall.adapters.gate.gate_proxy import GateProxy

        self._gate = GateProxy(policy_of(self.settings))
        self._gate.start()
        return ChromiumCapturing(
            self._gate,
            now_us=SystemClock().now_us,
            limits=Limits(contexts_max=self.settings.archive_contexts),
            chromium=self.settings.archive_chromium or None,
        )
