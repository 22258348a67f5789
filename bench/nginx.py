"""Debian's nginx with the configuration that we ship, on a free port and in a directory of its own."""

import email.utils
import os
import re
import shutil
import socket
import subprocess
import time
from collections import Counter
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
SHIPPED = HOUSE / "deploy" / "nginx" / "footfall.conf"
START_S_MAX = 15.0
_AGED = re.compile(r'(?P<sent>[\d.]+) "(?P<date>[^"]+ GMT)" "public, max-age=(?P<kept>\d+)')
SERVED_BY_CACHE = ("HIT", "STALE", "UPDATING")  # Nobody waited for footfall.

_MAIN = """
{user}
worker_processes 1;
daemon off;
pid {place}/nginx.pid;
error_log {place}/error.log warn;
events {{ worker_connections 1024; }}
http {{
    default_type application/octet-stream;
    access_log {place}/access.log;
    client_body_temp_path {place}/body;
    proxy_temp_path {place}/proxy;
    fastcgi_temp_path {place}/fastcgi;
    uwsgi_temp_path {place}/uwsgi;
    scgi_temp_path {place}/scgi;
    include {place}/footfall.conf;
}}
"""


class NoNginx(Exception):
    """nginx is not installed, or did not start."""


class Nginx:
    """One running nginx in front of one footfall."""

    def __init__(self, place: Path, *, origin_port: int) -> None:
        self.place = place
        self.port = _free_port()
        self.log = place / "cache.log"
        self.access_log = place / "access.log"  # where nginx writes readers' addresses, unless it is told not to
        self._process: subprocess.Popen[bytes] | None = None
        place.mkdir(parents=True, exist_ok=True)
        (place / "footfall.conf").write_text(self._configuration(origin_port), encoding="utf-8")
        user = "user root;" if os.geteuid() == 0 else ""
        (place / "nginx.conf").write_text(_MAIN.format(user=user, place=place), encoding="utf-8")

    def __enter__(self) -> "Nginx":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start it and wait until it listens."""
        program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
        if program is None:
            raise NoNginx("nginx is not on the path: run `make setup-tests`, or install your system's package.")
        command = [program, "-p", str(self.place), "-e", str(self.place / "error.log"), "-c"]
        self._process = subprocess.Popen([*command, str(self.place / "nginx.conf")])
        give_up_at = time.monotonic() + START_S_MAX
        while time.monotonic() < give_up_at and self._process.poll() is None:
            with socket.socket() as line:
                if line.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.01)
        raise NoNginx(f"nginx did not start: {self.said()}")

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)
            self._process = None

    def said(self) -> str:
        """Return its log of errors."""
        path = self.place / "error.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def statuses(self, *, after: int = 0) -> "Counter[str]":
        """Return how often the cache said what, from its own log, leaving out the first lines."""
        return Counter(line.split()[0] for line in self._lines(after))

    def oldest_s(self, *, after: int = 0) -> int | None:
        """Return by how many whole seconds the oldest list given out was over its cache time, below 0 if under.

        Lists that were given out because footfall failed are left aside. A Date has whole seconds and nginx counts in
        them as well, so the age is told in them: a list that leaves in the last second of its time may be 1 over.
        """
        overs: list[int] = []
        for line in self._lines(after):
            found = _AGED.search(line)
            if found is not None and not line.startswith("STALE"):
                made_s = int(email.utils.parsedate_to_datetime(found["date"]).timestamp())
                overs.append(int(float(found["sent"])) - made_s - int(found["kept"]))
        return max(overs, default=None)

    def _lines(self, after: int) -> list[str]:
        return self.log.read_text(encoding="ascii").splitlines()[after:] if self.log.exists() else []

    def _configuration(self, origin_port: int) -> str:
        text = SHIPPED.read_text(encoding="utf-8")
        for shipped, here in (
            ("server 127.0.0.1:8080;", f"server 127.0.0.1:{origin_port};"),
            ("listen 80;", f"listen 127.0.0.1:{self.port};"),
            ("/var/lib/nginx/footfall ", f"{self.place}/cache "),
            ("/var/log/nginx/footfall-cache.log", str(self.log)),
        ):
            if text.count(shipped) != 1:
                raise NoNginx(f"{SHIPPED.name} has {shipped!r} {text.count(shipped)} times, it should be once")
            text = text.replace(shipped, here)
        return text


def share_of_cache(statuses: "Counter[str]") -> float:
    """Return which part of the requests was answered without footfall."""
    return sum(statuses[status] for status in SERVED_BY_CACHE) / statuses.total()


def _free_port() -> int:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return int(line.getsockname()[1])
