"""What can be seen of a tree of processes from outside: its processor time, its memory, its disk; and its end."""

import contextlib
import os
import signal
import time
from collections import Counter
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
END_S_MAX = 10.0
SCRATCH = "scratch"  # what a peer's runtime unpacks, in its folder so that it goes with it


def tree_of(pid: int) -> list[int]:
    """Return a process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                children.setdefault(int(stat_of(int(name))[1]), []).append(int(name))
    found, waiting = list[int](), [pid]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting.extend(children.get(one, ()))
    return found


def stat_of(pid: int) -> list[str]:
    """Return the fields of a process after its name, which may hold spaces: state, parent, ..."""
    return Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()


def cpu_seconds(pid: int) -> dict[str, float]:
    """Return the processor time of a tree by what its processes are; of those that have ended, their parent has it."""
    found: Counter[str] = Counter()
    for one in tree_of(pid):
        with contextlib.suppress(OSError):
            found[name_of(one)] += sum(int(ticks) for ticks in stat_of(one)[11:15])
    return {name: ticks / TICKS for name, ticks in found.items()}


def memory_bytes(pid: int) -> int:
    """Return the memory of a tree, what is shared counted once (PSS)."""
    total = 0
    for one in tree_of(pid):
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii").splitlines()
            total += sum(int(line.split()[1]) * 1_024 for line in lines if line.startswith("Pss:"))
    return total


def disk_bytes(folder: Path) -> int:
    """Return what the files of a folder take on the disk, but for what a peer's runtime has there for a while."""
    total = 0
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != SCRATCH]
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
    return total


def name_of(pid: int) -> str:
    """Return what a process is, from the command it was started with."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", errors="replace").split("\0")
    for word in words:
        if word.startswith("footfall.app.") and word != "footfall.app.launch":
            return word.removeprefix("footfall.app.")
        if word == "footfall.shells.cli.main":
            return "front"
        if word == "bench.compare.collecting":
            return "collecting"
    return words[0].split(" ")[0].rsplit("/", 1)[-1].rstrip(":") or "?"


def kill_tree(pid: int) -> None:
    """End a tree with kill -9, all of it, and wait until it is gone."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)  # so that it starts nobody while we look
    pids = tree_of(pid)
    for one in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)
    give_up_at = time.monotonic() + END_S_MAX
    while any(_is_alive(one) for one in pids) and time.monotonic() < give_up_at:
        time.sleep(0.02)


def kill_those_on(folder: Path) -> None:
    """End whoever was started on a folder of ours and is still there: a stop may fall between a start and its note."""
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            with contextlib.suppress(OSError):
                if os.fsencode(folder) in Path(f"/proc/{name}/cmdline").read_bytes():
                    kill_tree(int(name))


def _is_alive(pid: int) -> bool:
    try:
        return stat_of(pid)[0] != "Z"
    except OSError:
        return False
