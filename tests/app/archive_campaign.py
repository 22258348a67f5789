"""A queue of pages on a site of its own, with browsers and workers killed meanwhile, and a checker from outside.

The checker looks at what the site served and at what the tables hold, and at nothing that the worker says.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app.archive_opening import ARCHIVE_FILE, ARCHIVE_FOLDER
from footfall.archive import finding, keys, queueing, references, requests
from footfall.archive.addresses import address_from
from footfall.archive.captures import Capture, Request, State
from footfall.archive.stored import new_id
from footfall.ports.capturing import Reason
from footfall.ports.table import Table, everything
from footfall.values.clock import SystemClock

BRAND = "daily"
MISSING_EVERY = 10  # one page of so many is not there, and fails for that reason
MEMBERS = ["ann", "bob", "cem", "dot"]


class Site:
    """Small pages, each different, and how often each was asked for."""

    def __init__(self) -> None:
        self.served: Counter[str] = Counter()
        guard = threading.Lock()
        served = self.served

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                with guard:
                    served[self.path] += 1
                body = f"<title>{self.path}</title><h1>Page {self.path}</h1>".encode()
                is_there = self.path.startswith("/page/")
                self.send_response(200 if is_there else 404)
                self.send_header("content-type", "text/html")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                del format, args

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda request, client_address: None  # A browser that is killed hangs up.
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@dataclass
class Campaign:
    folder: Path
    site: Site
    count: int
    chance: Random = field(default_factory=lambda: Random(10))
    browsers_killed: int = 0
    workers_killed: int = 0
    asked: dict[str, str] = field(default_factory=dict)

    def ask_all(self, table: Table) -> None:
        clock = SystemClock()
        for number in range(self.count):
            path = f"/gone/{number}" if number % MISSING_EVERY == 0 else f"/page/{number}"
            address = address_from(f"http://127.0.0.1:{self.site.port}{path}")
            by = MEMBERS[number % len(MEMBERS)]
            asked = Request(
                id=new_id(now_ms=clock.now_ms(), random=self.chance.randbytes(10)), brand=BRAND,
                space=keys.member_space(by), by=by, typed=address.typed, url=address.url, key=address.key,
                at_us=clock.now_ms() * 1_000,
            )  # fmt: skip
            opened = requests.ask(table, asked, now_ms=clock.now_ms())
            again = requests.ask(table, replace(asked, id=asked.id[::-1]), now_ms=clock.now_ms())
            assert again.id == opened.id
            self.asked[opened.id] = path

    @contextmanager
    def worker(self) -> Generator[subprocess.Popen[bytes]]:
        variables = {
            **os.environ,
            "FOOTFALL_DATA_DIR": str(self.folder),
            "FOOTFALL_ARCHIVE_ALLOWED": f"127.0.0.1:{self.site.port}",
            "FOOTFALL_ARCHIVE_CONTEXTS": "4",
        }
        command = [sys.executable, "-m", "footfall.shells.cli.main", "archive", "worker"]
        with (self.folder / "worker.log").open("ab") as log:
            process = subprocess.Popen(command, env=variables, stdout=log, stderr=log)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(60)

    def run(self, *, browser_kills: int, worker_kills: int, seconds_max: float) -> None:
        """Let workers work until nothing is open; somebody kills them at moments that are spread over the queue."""
        give_up_at = time.monotonic() + seconds_max
        kills = browser_kills + worker_kills
        plan = ["browser"] * browser_kills + ["worker"] * worker_kills
        self.chance.shuffle(plan)
        (self.folder / ARCHIVE_FOLDER).mkdir()
        with closing(SqliteTable(self.folder / ARCHIVE_FILE, clock=SystemClock())) as table:
            self.ask_all(table)
            left = list(plan)
            while True:
                with self.worker() as process:
                    while process.poll() is None:
                        assert time.monotonic() < give_up_at, self.progress(table)
                        ended = self.count - self._open(table)
                        if ended == self.count:
                            return
                        # Each kill waits until its share of the queue is done, so that all come while there is work.
                        is_due = left and ended >= self.count * (kills - len(left)) // (kills + 1)
                        if is_due and self._killed(left[0], process.pid):
                            left.pop(0)
                        time.sleep(0.05)

    def _killed(self, what: str, worker: int) -> bool:
        browsers = browsers_of(worker)
        if not browsers:
            return False  # It is only starting.
        if what == "worker":
            os.kill(worker, signal.SIGKILL)
            self.workers_killed += 1
            return True
        for pid in browsers:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.browsers_killed += 1
        return True

    def _open(self, table: Table) -> int:
        return queueing.count_waiting(table) + len(queueing.running(table))

    def progress(self, table: Table) -> str:
        states = Counter(requests.one(table, id).state.value for id in self.asked)
        return f"{dict(states)} after {self.browsers_killed} browsers and {self.workers_killed} workers were killed"

    def require_each_once(self) -> Counter[str]:
        """Assert that each request is done once or failed with its reason, and nothing is lost or there twice."""
        outcomes: Counter[str] = Counter()
        clock = SystemClock()
        with closing(SqliteTable(self.folder / ARCHIVE_FILE, clock=clock, read_only=True)) as table:
            blobs = FileBlobs(self.folder / ARCHIVE_FOLDER / "blobs")
            lines: Counter[str] = Counter()
            for member in MEMBERS:
                lines.update(line.id for line in _all_lines(table, keys.member_space(member)))
            for id, path in self.asked.items():
                request = requests.one(table, id)
                outcomes[request.state.value if request.reason is None else request.reason.value] += 1
                if path.startswith("/gone/"):
                    assert (request.state, request.reason) == (State.FAILED, Reason.NOT_FOUND), request
                elif request.state is State.FAILED:
                    assert request.reason is not None, request
                    assert request.says, request
                else:
                    self._require_kept(table, blobs, request, path)
                    assert self.site.served[path] >= 1
                    assert lines[id] == 1
            assert len(lines) == outcomes["done"]
            counted = sum(
                sum(finding.days(table, [keys.member_space(by)], requests.one(table, id).key, year=year).values())
                for id in self.asked
                for by in [requests.one(table, id).by]
                for year in {time.gmtime().tm_year}
            )
            assert counted == outcomes["done"]
            for member in MEMBERS:
                assert (table.get(keys.quota(member)) or {}).get("open") == 0
            assert not list(everything(table, keys.RUNNING))
        return outcomes

    def _require_kept(self, table: Table, blobs: FileBlobs, request: Request, path: str) -> None:
        assert request.state is State.DONE
        assert request.capture == request.id
        capture = finding.capture(table, request.id)
        assert isinstance(capture, Capture)
        assert path in references.bytes_of(blobs, capture.text).decode()
        for one in references.held(table, capture.id):
            assert sha256(references.bytes_of(blobs, one)).hexdigest() == one.sha256


def browsers_of(worker: int) -> list[int]:
    """Return the main processes of the browsers that descend from a worker."""
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                commands[int(entry.name)] = (
                    (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
            except OSError:
                continue
            parents[int(entry.name)] = int(stat[1])
    mains = [
        pid for pid, text in commands.items() if "chromium" in text and "--headless" in text and "--type=" not in text
    ]
    return [pid for pid in mains if _descends(pid, worker, parents)]


def _descends(pid: int, ancestor: int, parents: dict[int, int]) -> bool:
    while pid > 1:
        if pid == ancestor:
            return True
        pid = parents.get(pid, 0)
    return False


def _all_lines(table: Table, space: str) -> Generator[finding.Line]:
    after = None
    while True:
        page = finding.library(table, space, limit=200, after=after)
        yield from page.items
        after = page.after
        if after is None:
            return
