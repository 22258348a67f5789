"""What becomes of a failure: tried again later, caught, handed to the state around it, or the end of the execution."""

from dataclasses import replace

import msgspec

from footfall.states.data_flow import sight_of
from footfall.states.definition import Catcher, Fail, Machine, Retrier, State
from footfall.states.execution import Change, Doing, Ended, Event, Execution, Frame, Kind, Status
from footfall.states.failing import StateFailed, is_answered
from footfall.states.moving import moved
from footfall.states.paths import placed
from footfall.states.templates import Chance
from footfall.states.values import Json


def after_failure(machine: Machine, execution: Execution, frame: Frame, failed: StateFailed, *, now_ms: int) -> Change:
    """Return the change that a failure makes: the innermost state that answers it decides."""
    # A Fail state tries nothing: its error is told where it ends something.
    is_attempt = not isinstance(machine.states[frame.state].work, Fail)
    told = (Event(Kind.ATTEMPT_FAILED, now_ms, frame.path, frame.state, _as_json(failed)),) if is_attempt else ()
    here: Frame | None = frame
    while here is not None:
        try:
            change = _answered(machine, execution, here, failed, now_ms)
        except StateFailed as worse:  # Its error has no place in the input: that is what failed now.
            change, failed = None, worse
        if change is not None:
            gone = tuple(path for path in execution.frames if path.startswith(f"{here.path}/"))
            return replace(change, removed=(*gone, *change.removed), events=(*told, *change.events))
        here = execution.frames[here.parent] if here.parent is not None else None
    end = ended_badly(Status.FAILED, failed, now_ms=now_ms)
    return replace(end, frames=(replace(frame, doing=Doing.FAILED),), events=(*told, *end.events))


def ended_badly(status: Status, failed: StateFailed, *, now_ms: int) -> Change:
    """Return the change that ends an execution where it is; its frames stay, for a retry."""
    ended = Ended(status, error=failed.error or None, cause=failed.cause or None)
    return Change(events=(Event(Kind.ENDED, now_ms, data=_as_json(failed)),), ended=ended)


def delay_ms(retrier: Retrier, used: int, chance: Chance) -> int:
    """Return how long to wait before an attempt, after so many were made by this retrier."""
    delay_s = float(retrier.interval_s)
    for _ in range(used):
        delay_s *= retrier.backoff_rate
        if delay_s > _DELAY_S_MAX:
            delay_s = _DELAY_S_MAX
            break
    if retrier.delay_s_max is not None:
        delay_s = min(delay_s, retrier.delay_s_max)
    if retrier.is_jittered:
        delay_s = chance.source().uniform(0, delay_s)
    return round(delay_s * 1_000)


_DELAY_S_MAX = 99_999_999.0  # Beyond it a rate to the power of attempts overflows, and nobody waits that long.


def _answered(machine: Machine, execution: Execution, frame: Frame, failed: StateFailed, now_ms: int) -> Change | None:
    state = machine.states[frame.state]
    again = _again(state, frame, failed, execution, now_ms)
    if again is not None:
        return Change(frames=(again,))
    for catcher in state.catch:
        if is_answered(failed.error, catcher.errors):
            return _caught(machine, execution, frame, catcher, failed, now_ms)
    return None


def _again(state: State, frame: Frame, failed: StateFailed, execution: Execution, now_ms: int) -> Frame | None:
    retries = frame.retries or (0,) * len(state.retry)
    for number, retrier in enumerate(state.retry):
        if not is_answered(failed.error, retrier.errors):
            continue
        if retries[number] >= retrier.attempts_max:
            return None
        chance = Chance(f"{execution.salt}{frame.path}:{frame.entry}:{sum(retries)}:delay")
        since_ms = now_ms + delay_ms(retrier, retries[number], chance)
        used = tuple(times + (place == number) for place, times in enumerate(retries))
        return replace(frame, doing=Doing.READY, since_ms=since_ms, retries=used, fork=None)
    return None


def _caught(
    machine: Machine, execution: Execution, frame: Frame, catcher: Catcher, failed: StateFailed, now_ms: int
) -> Change:
    data = sight_of(machine, execution, frame).data
    error: Json = {"Error": failed.error, "Cause": failed.cause}
    output = data if catcher.result_path is None else placed(catcher.result_path, data, error)
    return moved(execution, frame, catcher.next, output, now_ms=now_ms)


def _as_json(failed: StateFailed) -> bytes:
    return msgspec.json.encode({"Error": failed.error, "Cause": failed.cause})
