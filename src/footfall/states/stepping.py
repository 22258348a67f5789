"""The step of a machine: from an execution and what happened to what changes, or to the function to call. Pure.

A frame that is ready is asked for its `next_step`; where that is a call, its outcome makes the step with `finished`.
What has to be done is read from the frames alone, so that whoever starts again after a crash asks the same and goes on.
"""

from dataclasses import replace

from footfall.states.choices import holds
from footfall.states.data_flow import effective_input, output_of, seconds_at, sight_of
from footfall.states.definition import Choice, Fail, Machine, Map, Parallel, Pass, State, Succeed, Task, Wait
from footfall.states.execution import (
    Call,
    Change,
    Doing,
    Event,
    Execution,
    Failed,
    Frame,
    Kind,
    Outcome,
    Status,
)
from footfall.states.failing import NO_CHOICE_MATCHED, RUNTIME, TIMEOUT, StateFailed
from footfall.states.failures import after_failure, ended_badly
from footfall.states.forking import forked, joined_result
from footfall.states.moving import ended_well, moved
from footfall.states.templates import Sight, value_of
from footfall.states.timestamps import ms_of
from footfall.states.values import Json, value_from_bytes


def begun(machine: Machine, execution: Execution, *, now_ms: int) -> Change:
    """Return the change that an execution begins with."""
    first = Frame("", machine.whole.start_at, 1, execution.input, now_ms, now_ms)
    started = Event(Kind.STARTED, now_ms, data=execution.input)
    return Change(frames=(first,), events=(started, Event(Kind.ENTERED, now_ms, "", first.state)))


def next_step(machine: Machine, execution: Execution, frame: Frame, *, now_ms: int) -> Change | Call | None:
    """Return what a frame does now: a change, a call, or nothing before its moment or before others are done."""
    if frame.doing not in (Doing.READY, Doing.SLEEPING, Doing.JOINING) or frame.since_ms > now_ms:
        return None
    state = machine.states[frame.state]
    sight = sight_of(machine, execution, frame)
    try:
        if frame.doing is Doing.JOINING:
            return _joined(execution, frame, state, sight, now_ms)
        return _done(machine, execution, frame, sight, now_ms)
    except StateFailed as failed:
        return after_failure(machine, execution, frame, failed, now_ms=now_ms)


def finished(machine: Machine, execution: Execution, frame: Frame, outcome: Outcome, *, now_ms: int) -> Change:
    """Return the change that the outcome of a task's call makes."""
    if isinstance(outcome, Failed):
        failure = StateFailed(outcome.error, outcome.cause)
        return after_failure(machine, execution, frame, failure, now_ms=now_ms)
    state = machine.states[frame.state]
    try:
        sight = sight_of(machine, execution, frame)
        output = output_of(state, sight, value_from_bytes(outcome.result))
        return moved(execution, frame, state.next, output, now_ms=now_ms)
    except StateFailed as failed:
        return after_failure(machine, execution, frame, failed, now_ms=now_ms)


def stopped(*, reason: str, now_ms: int) -> Change:
    """Return the change that stops an execution; its frames stay where they are, for a retry."""
    return ended_badly(Status.STOPPED, StateFailed("", reason), now_ms=now_ms)


def timed_out(machine: Machine, *, now_ms: int) -> Change:
    """Return the change that ends an execution which took longer than its machine allows."""
    cause = f"the execution took longer than {machine.timeout_s} s"
    return ended_badly(Status.TIMED_OUT, StateFailed(TIMEOUT, cause), now_ms=now_ms)


def retried(execution: Execution, *, now_ms: int) -> Change:
    """Return the change that lets an ended execution go on where it failed, with all its retries anew."""
    again = [
        replace(frame, doing=Doing.READY, since_ms=now_ms, retries=())
        for frame in execution.frames.values()
        if frame.doing is Doing.FAILED
    ]
    return Change(frames=tuple(again), events=(Event(Kind.RETRIED, now_ms),))


def _done(machine: Machine, execution: Execution, frame: Frame, sight: Sight, now_ms: int) -> Change | Call:
    state = machine.states[frame.state]
    match state.work:
        case Task() as task:
            return _called(execution, frame, state, task, sight)
        case Pass() as passing:
            given = effective_input(state, sight)
            result = passing.result if passing.has_result else given
            return moved(execution, frame, state.next, output_of(state, sight, result), now_ms=now_ms)
        case Choice() as choice:
            return _chosen(execution, frame, state, choice, sight, now_ms)
        case Wait() as wait:
            return _waited(execution, frame, state, wait, sight, now_ms)
        case Succeed():
            output = _unchanged(state, sight)
            # Also in a branch: the branch is done, and its state machine with it.
            return ended_well(execution, frame, output, now_ms=now_ms)
        case Fail() as fail:
            raise _failure(fail, sight)
        case Parallel() | Map():
            return forked(machine, execution, frame, sight, now_ms=now_ms)


def _called(execution: Execution, frame: Frame, state: State, task: Task, sight: Sight) -> Call:
    timeout_s = seconds_at(task.timeout_s, task.timeout_path, sight)
    heartbeat_s = seconds_at(task.heartbeat_s, task.heartbeat_path, sight)
    return Call(
        task.resource,
        effective_input(state, sight),
        execution.key(frame),
        None if timeout_s is None else timeout_s * 1_000,
        None if heartbeat_s is None else heartbeat_s * 1_000,
    )


def _chosen(execution: Execution, frame: Frame, state: State, choice: Choice, sight: Sight, now_ms: int) -> Change:
    seen = sight.of(effective_input(state, sight))
    for rule, following in choice.rules:
        if holds(rule, seen):
            return moved(execution, frame, following, _unchanged(state, sight), now_ms=now_ms)
    if choice.default is None:
        raise StateFailed(NO_CHOICE_MATCHED, f"no rule of {state.name!r} holds, and it has no Default")
    return moved(execution, frame, choice.default, _unchanged(state, sight), now_ms=now_ms)


def _waited(execution: Execution, frame: Frame, state: State, wait: Wait, sight: Sight, now_ms: int) -> Change:
    if frame.doing is Doing.READY:
        until_ms = _until_ms(wait, sight.of(effective_input(state, sight)), now_ms)
        return Change(frames=(replace(frame, doing=Doing.SLEEPING, since_ms=max(until_ms, now_ms)),))
    return moved(execution, frame, state.next, _unchanged(state, sight), now_ms=now_ms)


def _until_ms(wait: Wait, sight: Sight, now_ms: int) -> int:
    seconds = seconds_at(wait.seconds, wait.seconds_path, sight, least=0)
    if seconds is not None:
        return now_ms + seconds * 1_000
    moment: Json = wait.timestamp if wait.timestamp_path is None else value_of(wait.timestamp_path, sight)
    until_ms = ms_of(moment)
    if until_ms is None:
        raise StateFailed(RUNTIME, f"{moment!r} is not a timestamp like 2026-11-17T12:00:00Z")
    return until_ms


def _unchanged(state: State, sight: Sight) -> Json:
    """Return the output of a state that has no result: its input, as InputPath and OutputPath let it through."""
    return output_of(replace(state, result_path="$"), sight, effective_input(state, sight))


def _failure(fail: Fail, sight: Sight) -> StateFailed:
    error = fail.error if fail.error_path is None else value_of(fail.error_path, sight)
    cause = fail.cause if fail.cause_path is None else value_of(fail.cause_path, sight)
    for told in (error, cause):
        if told is not None and not isinstance(told, str):
            raise StateFailed(RUNTIME, f"Error and Cause are texts, not {told!r}")
    return StateFailed(str(error or ""), str(cause or ""))


def _joined(execution: Execution, frame: Frame, state: State, sight: Sight, now_ms: int) -> Change:
    result, children = joined_result(execution, frame)
    change = moved(execution, frame, state.next, output_of(state, sight, result), now_ms=now_ms)
    return replace(change, removed=(*children, *change.removed))
