"""The judging process: reads raw hits beside the counting, finds who and what is not as people are, and says so.

It counts where readers came from as well, since that, too, needs every raw hit and keeps nobody waiting.

It never changes a hit and never keeps one waiting: it has the lowest priority, and where it cannot follow it goes on
with what is new.
"""

import contextlib
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec

from footfall.app import child, wiring
from footfall.app.judge_memory import Memories
from footfall.app.judging_report import Report
from footfall.app.judging_steps import Finds, Ground, Judging, Pace
from footfall.app.kept_blobs import open_blobs
from footfall.app.link import Link
from footfall.app.referring import Referring
from footfall.app.referring_wiring import open_referring
from footfall.app.set_apart import SetApart
from footfall.app.settings import DAY_MS, HOUR_MS, Settings
from footfall.flow.stream.minutes import ALL, Sources
from footfall.flow.stream.raw import StreamRaw
from footfall.ports.errors import PortError
from footfall.screening.verdicts import Verdict
from footfall.values.clock import Clock, SystemClock
from footfall.values.errors import FootfallError
from footfall.values.groups import is_beside

IDLE_S = 1.0
ANSWER_S = 60.0  # It waits for a disk, not for a reader.
NICE = 19  # the lowest priority: counting and answering come first

_log = logging.getLogger(__name__)


class NotStored(PortError):
    """The process that writes verdicts did not take them."""


class LinkEnded(FootfallError):
    """The process that writes verdicts is gone or wants this one to stop."""


class Written:
    """Has verdicts written by the parent, the one writer of the accounts, and waits until they are on disk."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def __call__(self, brand: str, verdicts: Sequence[Verdict], *, since: Mapping[str, int]) -> int:
        """Have them stored, and return the version then."""
        self._link.send(["verdicts", brand, msgspec.to_builtins(verdicts), dict(since)])
        while True:
            messages = self._link.receive(timeout_s=ANSWER_S)
            match messages:
                case None | [["stop"], *_]:
                    raise LinkEnded("the parent ends while verdicts are being stored; they are found again")
                case [["stored", int(version)], *_]:
                    return version
                case [["failed", str(reason)], *_]:
                    raise NotStored(reason)
                case _:
                    continue


def serve_link(
    judging: Judging | None, link: Link, *, set_apart: SetApart | None = None, referring: Referring | None = None
) -> None:
    """Judge, set hits apart and count referrers, each if it is there, until the parent says stop or is gone."""
    is_busy = True
    told = Report()
    while True:
        messages = link.receive(timeout_s=0 if is_busy else IDLE_S)
        if messages is None:
            return
        if ["stop"] in messages:
            _end(judging, referring)
            return
        try:
            steps = [one.step() for one in (judging, set_apart, referring) if one is not None]
            is_busy = any(steps)
        except PortError as error:
            _log.warning("judging waits, nothing is lost: %s", error)
            is_busy = False
        if judging is not None and told != judging.report:
            told = replace(judging.report)
            link.send(["judged", msgspec.to_builtins(told)])


def _end(judging: Judging | None, referring: Referring | None) -> None:
    """Keep what is in memory; what cannot be kept is read again."""
    for keep in (judging and judging.keep, referring and referring.flush):
        if keep is not None:
            with contextlib.suppress(PortError):
                keep()


def pace_of(settings: Settings) -> Pace:
    """Return the pace that the settings make."""
    return Pace(lateness_ms=settings.count_lateness_hours * HOUR_MS, future_ms=settings.count_future_ms)


def open_judging(settings: Settings, clock: Clock, find: Finds) -> Judging:
    """Open all that judging stands on in a data directory."""
    accounts = wiring.open_accounts(settings, clock, read_only=True)
    raw = StreamRaw(wiring.open_stream(settings, clock, read_only=True))
    lookup = wiring.brand_lookup(settings, clock)
    ground = Ground(
        Memories(open_blobs(settings)),
        accounts.register.verdicts,
        find,
        is_filtering=lambda brand: lookup.brand(brand).screening == "filter",
    )
    sources = Sources(raw, shards=settings.stream_shards, brands=lambda: (ALL,))
    return Judging(sources, ground, clock=clock, pace=pace_of(settings))


def open_set_apart(settings: Settings, clock: Clock) -> SetApart:
    """Open what sets hits apart in a data directory, with a reader of its own."""
    stream = wiring.open_stream(settings, clock, read_only=True)
    accounts = wiring.open_accounts(settings, clock, read_only=True)
    return SetApart(
        open_blobs(settings),
        StreamRaw(stream),
        shards=settings.stream_shards,
        brands=lambda: [group for group in stream.appended() if not is_beside(group)],
        changes=accounts.register.verdicts.changes,
        clock=clock,
        keep_ms=settings.screening_keep_days * DAY_MS,
    )


def main() -> None:
    """Run the process."""
    settings, link = child.begin("judge")
    os.nice(NICE)
    clock = SystemClock()
    judging = open_judging(settings, clock, Written(link)) if settings.screening_judging else None
    set_apart = open_set_apart(settings, clock) if settings.screening_judging else None
    referring = open_referring(settings, clock) if settings.referrers else None
    link.send(["ready"])
    with contextlib.suppress(LinkEnded):
        serve_link(judging, link, set_apart=set_apart, referring=referring)
