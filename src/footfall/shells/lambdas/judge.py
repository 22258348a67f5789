"""The function that judges, each minute: what has come to the archive since is read, and what is found is stored."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from footfall.adapters.aws import at_start as at_start
from footfall.app.judging_on_aws import open_judging, open_set_apart
from footfall.app.judging_steps import Judging, Report
from footfall.app.set_apart import SetApart
from footfall.shells.lambdas import gauges
from footfall.shells.lambdas.start import begin

SPARE_MS = 30_000  # A step that meets a slow store must end before the function's time does.

_state: list[tuple[Judging, SetApart, Report]] = []


class Context(Protocol):
    """What we use of Lambda's."""

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the function may still run."""
        ...


def handler(event: Mapping[str, Any], context: Context) -> Mapping[str, Any]:
    """Judge the minutes that are over; what the event says does not matter."""
    del event
    if not _state:
        settings, clock = begin("judge")
        if not settings.screening_judging:
            return {"judged": False}
        _state.append((open_judging(settings, clock), open_set_apart(settings, clock), Report()))
    judging, set_apart, told = _state[0]
    while context.get_remaining_time_in_millis() > SPARE_MS and judging.step():
        pass
    while context.get_remaining_time_in_millis() > SPARE_MS and set_apart.step():
        pass
    now = replace(judging.report)
    _state[0] = judging, set_apart, now
    _tell(told, now, behind_ms=judging.behind_ms())
    return {"judged": True, "hits": now.hits - told.hits, "verdicts": now.verdicts - told.verdicts}


def _tell(before: Report, now: Report, *, behind_ms: int) -> None:
    gauges.emit(
        JudgingBehindSeconds=behind_ms / 1_000,
        JudgedHits=now.hits - before.hits,
        JudgingLeftOutHits=now.left_out - before.left_out + now.sampled_out - before.sampled_out,
        JudgingSkippedSeconds=(now.skipped_ms - before.skipped_ms) / 1_000,
        Verdicts=now.verdicts - before.verdicts,
    )
