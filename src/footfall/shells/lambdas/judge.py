"""The function that judges, each minute: what has come to the archive since is read, and what is found is stored.

It counts where readers came from as well, with judging or without.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from footfall.adapters.aws import at_start as at_start
from footfall.app.judging_on_aws import open_judging, open_set_apart
from footfall.app.judging_report import Report
from footfall.app.judging_steps import Judging
from footfall.app.referring import Referring
from footfall.app.referring_wiring import open_referring
from footfall.app.set_apart import SetApart
from footfall.app.settings import Settings
from footfall.shells.lambdas import gauges
from footfall.shells.lambdas.start import begin
from footfall.values.clock import Clock

SPARE_MS = 30_000  # A step that meets a slow store must end before the function's time does.
REFERRING_MS = 40_000

_state: "list[_Work]" = []


class Context(Protocol):
    """What we use of Lambda's."""

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the function may still run."""
        ...


class _Work:
    """What is kept from one run to the next."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        is_judging = settings.screening_judging
        self.judging: Judging | None = open_judging(settings, clock) if is_judging else None
        self.set_apart: SetApart | None = open_set_apart(settings, clock) if is_judging else None
        self.referring: Referring | None = open_referring(settings, clock) if settings.referrers else None
        self.told = Report()


def handler(event: Mapping[str, Any], context: Context) -> Mapping[str, Any]:
    """Judge the minutes that are over; what the event says does not matter."""
    del event
    if not _state:
        _state.append(_Work(*begin("judge")))
    work = _state[0]
    for one in (work.judging, work.set_apart):
        while context.get_remaining_time_in_millis() > SPARE_MS and one is not None and one.step():
            pass
    if work.referring is not None:
        _count_referrers(work.referring, context)
    if work.judging is None:
        return {"judged": False}
    told, work.told = work.told, replace(work.judging.report)
    _tell(told, work.told, behind_ms=work.judging.behind_ms())
    return {"judged": True, "hits": work.told.hits - told.hits, "verdicts": work.told.verdicts - told.verdicts}


def _count_referrers(referring: Referring, context: Context) -> None:
    """Count for less than a minute: runs must not overlap, also where the function is not reserved for one."""
    ends_at = max(SPARE_MS, context.get_remaining_time_in_millis() - REFERRING_MS)
    referring.refresh()
    while context.get_remaining_time_in_millis() > ends_at and referring.step():
        pass
    referring.flush()  # The function may be gone before its next minute.


def _tell(before: Report, now: Report, *, behind_ms: int) -> None:
    gauges.emit(
        JudgingBehindSeconds=behind_ms / 1_000,
        JudgedHits=now.hits - before.hits,
        JudgingLeftOutHits=now.left_out - before.left_out + now.sampled_out - before.sampled_out,
        JudgingSkippedSeconds=(now.skipped_ms - before.skipped_ms) / 1_000,
        Verdicts=now.verdicts - before.verdicts,
    )
