"""How full an instance is: memory, rows and disk beside the most that each may take, as Prometheus reads it."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from prometheus_client.core import GaugeMetricFamily, Metric

from footfall.shells.http.state import FrontState

_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
_PROCESSES = ("counting", "answering", "judging")


def capacity_gauges(state: FrontState) -> Iterator[Metric]:
    """Yield what there is and what there may be."""
    settings = state.settings
    limits = GaugeMetricFamily("footfall_limit", "The most that there may be, by the settings.", labels=["of"])
    for name, most in (
        ("connections", settings.http_connections_max),
        ("pending_bytes", settings.http_pending_bytes_max),
        ("answers_bytes", settings.serve_answers_bytes_max),
        ("rows", settings.serve_rows_max),
        ("raw_bytes", settings.stream_bytes_max),
    ):
        limits.add_metric([name], most)
    yield limits
    yield GaugeMetricFamily("footfall_rows", "Rows of lists that are held in memory.", value=state.answers.rows)
    memory = GaugeMetricFamily("footfall_memory_bytes", "Memory that a process takes.", labels=["process"])
    pids = {"front": os.getpid(), **{name: getattr(state, name).pid for name in _PROCESSES}}
    for name, pid in pids.items():
        taken = _resident_bytes(pid)
        if taken is not None:
            memory.add_metric([name], taken)
    yield memory
    yield GaugeMetricFamily(
        "footfall_memory_limit_bytes", "Memory of the machine, or the container's limit if that is lower.",
        value=_memory_bytes(),
    )  # fmt: skip
    disk = os.statvfs(settings.data_dir)
    yield GaugeMetricFamily(
        "footfall_disk_size_bytes", "Size of the disk of the data directory.", value=disk.f_blocks * disk.f_frsize
    )


def _resident_bytes(pid: int | None) -> int | None:
    """Return the memory of a process; None when there is none, or where the system does not tell."""
    if pid is None:
        return None
    try:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _memory_bytes() -> int:
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError, ValueError):  # "max" is no number: the container has no limit of its own.
        whole = min(whole, int(_CGROUP_LIMIT.read_text(encoding="ascii")))
    return whole
