"""Points: what was measured of one peer at one size, stored one by one so that a stopped run goes on."""

import os
import sys
import time
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import msgspec

from bench.compare.peers import CONSTRAINTS, PEERS, is_ours
from bench.compare.sides import BUILD, HOUSE
from bench.results import machine

SHARED = (
    "arrow_bodies", "bodies_log", "budget", "charging", "collecting", "feeding", "floor", "judge", "killing",
    "measuring", "peers", "planned", "processes", "protocol", "running", "servers", "sides", "traffic",
)  # fmt: skip
NOT_JUDGED = "not judged"  # instead of what is wrong: its time was over before all lists were answered
AGE_S_MAX = 12 * 3_600.0  # A run is one state of a machine: what is older is measured again.


class Size(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a point is about: `load`, `second`, `day`, `kill` or `growth`, how many hits, over how many assets."""

    kind: str
    hits: int
    assets: int


class Times(msgspec.Struct, frozen=True):
    """How long lists took, in milliseconds."""

    p50_ms: float
    p99_ms: float
    asked: int = 0  # how many were timed; 0: it was not noted


class Again(msgspec.Struct, frozen=True):
    """What counting everything again cost, or why it cannot be done."""

    took_s: float = 0.0
    cpu_s: float = 0.0  # of its processes and of the commands that were run for it
    refused: str = ""


class Killed(msgspec.Struct, frozen=True):
    """What some kills did: hits that were acknowledged and are not counted, hits counted twice, lists made wrong."""

    kills: int
    acknowledged: int
    lost: int
    doubled: int
    back_s: float  # the longest that a new start took until it said that it was up
    under_load: int | None = None  # kills that met bodies on their way; None: an older run that did not note it
    lists: int = 0  # that were judged afterwards
    wrong_lists: int = 0


class Point(msgspec.Struct, frozen=True, omit_defaults=True):
    """One point. What was not measured is not there."""

    peer: str
    size: Size
    date: str
    machine: str
    version: str = ""  # of the peer's server and libraries; "": nobody told
    hits: int = 0  # acknowledged and counted
    group_bodies: int = 0
    took_s: float = 0.0
    cpu_s: dict[str, float] = {}
    memory_bytes: int = 0
    disk_bytes: int = 0
    other_rate: float = 0.0  # hits per CPU second of the dearer of two loads; 0: it was loaded once
    to_list_ms: float | None = None
    plain: Times | None = None
    filtered: Times | None = None  # asked for the first time
    repeated: Times | None = None  # the same again
    floor: Times | None = None  # the same bytes of a plain list from a server that does nothing else
    exactness: dict[str, float] = {}  # by the share of hits that a section has: the share of true rows in its top 100
    lists_asked: int = 0
    lists_all: int = 0  # A slow peer is asked for fewer than there are.
    is_right: bool = False
    wrong: str = ""
    is_native: bool | None = None  # whether footfall's native code was built
    again: Again | None = None
    killed: Killed | None = None
    behind: str = ""  # what its load caused and was not done when its processor time was read
    stopped: str = ""  # why it did not come to its end
    failed: str = ""
    whole_s: float = 0.0  # that the point took, with starting and asking

    @property
    def cpu_total_s(self) -> float:
        """Return the processor seconds of all its processes."""
        return sum(self.cpu_s.values())


def code_hash(peer: str, house: Path = HOUSE) -> str:
    """Return a hash of what decides a point: the harness, Python, the peer's module, and the product if it is it.

    What its libraries may be is decided by the constraints of its own environment.
    """
    own = PEERS[peer].made_by.partition(":")[0].rpartition(".")[2]
    folder = house / "bench" / "compare"
    paths = [folder / f"{name}.py" for name in (*SHARED, own)]
    environment = PEERS[peer].environment
    paths.append(folder / CONSTRAINTS.get(environment, "constraints.txt") if environment else house / "constraints.txt")
    if is_ours(peer):
        paths.append(house / "bench" / "client.py")
        paths += sorted(path for path in (house / "src").rglob("*") if path.suffix in {".py", ".c", ".h", ".rs", ".so"})
    told = sha256(sys.version.encode())
    for path in paths:
        told.update(str(path.relative_to(house)).encode())
        told.update(path.read_bytes() if path.exists() else b"")
    return told.hexdigest()[:12]


def ground(folder: Path = BUILD) -> str:
    """Return what figures depend on: processor, cores, interpreter, memory, and the folder's kind of file system."""
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()]
    above = {folder.resolve(), *folder.resolve().parents}
    kinds = [(len(place), kind) for _, place, kind, *_ in mounts if Path(place) in above]
    told = f"{machine()}, {memory_bytes / 1e9:.0f} GB of memory"
    return f"{told}, {max(kinds)[1]}" if kinds else told


class Points:
    """The stored points of a folder: a point is found again by peer, size, code and the seconds that it may take.

    It is of the last twelve hours and of this machine, or it is measured again: figures side by side are of one state.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.taken = 0  # points that were found, and not measured
        folder.mkdir(parents=True, exist_ok=True)

    def find(self, peer: str, size: Size, code: str, seconds: float) -> Point | None:
        """Return the point, if it was measured by this very code with as much time, here and not long ago."""
        path = self._path(peer, size, code, seconds)
        if not path.exists() or time.time() - path.stat().st_mtime > AGE_S_MAX:
            return None
        found = msgspec.json.decode(path.read_bytes(), type=Point)
        if found.machine != ground():
            return None
        self.taken += 1
        return found

    def store(self, point: Point, code: str, seconds: float) -> None:
        """Keep a point: whole or not at all."""
        path = self._path(point.peer, point.size, code, seconds)
        unfinished = path.with_suffix(".new")
        unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(point), indent=2) + b"\n")
        unfinished.rename(path)

    def forget(self, which: Iterable[tuple[str, Size]]) -> None:
        """Forget the points of some peers at some sizes."""
        for peer, size in which:
            for path in self._folder.glob(f"{peer}.{_name(size)}-*.json"):
                path.unlink()

    def _path(self, peer: str, size: Size, code: str, seconds: float) -> Path:
        return self._folder / f"{peer}.{_name(size)}-{seconds:g}s.{code}.json"


def _name(size: Size) -> str:
    return f"{size.kind}-{size.hits}-{size.assets}"
