"""Load from wrk: requests are made beforehand by a seeded generator, so that sending them costs next to nothing."""

import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.client import HOST

SECONDS_MAX = 3_600  # of a load that is stopped by hand

_PLAYED = """
local requests, order, at = {}, {}, 0

function init(args)
  local file = assert(io.open("@FILE@", "rb"))
  local count = file:read("*n")
  for i = 1, count do
    local size = file:read("*n")
    file:read(1)
    requests[i] = file:read(size)
  end
  count = file:read("*n")
  for i = 1, count do order[i] = file:read("*n") end
  file:close()
end

function request()
  at = at % #order + 1
  return requests[order[at]]
end
"""

_PAUSED = """
function delay() return @DELAY@ end
"""

_DONE = """
function done(summary, latency)
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("\\nSHOT %d %d %d %d %d %d\\n", summary.requests, summary.duration, errors.status, broken,
    latency:percentile(50), latency:percentile(99)))
end
"""


class NoWrk(Exception):
    """The load generator is not installed."""


class WentWrong(Exception):
    """wrk said nothing that makes sense, or the server refused what should have been fine."""


@dataclass(frozen=True, slots=True)
class Shot:
    """What one load came to."""

    requests: int
    seconds: float
    refused: int
    broken: int
    p50_ms: float
    p99_ms: float

    @property
    def rate(self) -> float:
        """Return requests a second."""
        return self.requests / self.seconds


class Load:
    """A load that is running."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def stop(self) -> Shot:
        """End the load and return what it came to."""
        self._process.send_signal(signal.SIGINT)
        return self.shot(may_fail=True)

    def shot(self, *, may_fail: bool = False) -> Shot:
        """Wait for the end and return what it came to."""
        said, _ = self._process.communicate()
        found = [line.split()[1:] for line in said.splitlines() if line.startswith("SHOT ")]
        if not found:
            raise WentWrong(f"wrk said: {said}")
        requests, took_us, refused, broken, p50_us, p99_us = (int(word) for word in found[0])
        if (refused or broken) and not may_fail:
            raise WentWrong(f"{refused} of {requests} requests were refused and {broken} were broken off")
        return Shot(requests, took_us / 1e6, refused, broken, p50_us / 1e3, p99_us / 1e3)


class Script:
    """A Lua script for wrk, written to a directory that goes away after the run."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        path.write_text(text + _DONE, encoding="ascii")

    def start(self, port: int, *, connections: int, seconds: int = SECONDS_MAX) -> Load:
        """Begin the load with one thread."""
        if shutil.which("wrk") is None:
            raise NoWrk("wrk is not on the path: run `make bench`, or install your system's package of that name.")
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", str(self._path)]
        process = subprocess.Popen([*command, f"http://{HOST}:{port}/"], stdout=subprocess.PIPE, text=True)
        return Load(process)

    def fire(self, port: int, *, connections: int, seconds: int) -> Shot:
        """Run the load to its end."""
        return self.start(port, connections=connections, seconds=seconds).shot()


def played(
    directory: Path, name: str, requests: Sequence[bytes], *, order: Sequence[int] | None = None, delay_ms: int = 0
) -> Script:
    """Return a script that sends these requests in an order, over and over, each connection pausing in between."""
    file = directory / f"{name}.requests"
    with file.open("wb") as out:
        out.write(b"%d\n" % len(requests))
        for request in requests:
            out.write(b"%d\n%b\n" % (len(request), request))
        places = range(len(requests)) if order is None else order
        out.write(b"%d\n" % len(places))
        out.write(b"\n".join(b"%d" % (place + 1) for place in places) + b"\n")
    text = _PLAYED.replace("@FILE@", str(file))
    if delay_ms:
        text += _PAUSED.replace("@DELAY@", str(delay_ms))
    return Script(directory / f"{name}.lua", text)
