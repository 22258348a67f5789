"""Jobs of the gate: who may pass with which token, how much, and what was refused to them."""

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from footfall.ports.capturing import Reason
from footfall.values.errors import FootfallError

REFUSALS_MAX = 500  # A hostile page asks for more; that it did is known by then.
HOSTS_MAX = 2_000
TOKEN_BYTES = 24


class TooManyJobs(FootfallError):
    """More jobs are open than the gate has places; close one with close_job."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one job may use, and how long the gate waits for others."""

    bytes_max: int = 200_000_000  # both ways
    time_ms_max: int = 180_000
    connections_max: int = 256  # at a time; a browser has 32 of its own accord, and WebSockets beside them
    connect_ms_max: int = 10_000
    jobs_max: int = 64


@dataclass(frozen=True, slots=True)
class Refusal:
    """A connection that was not made, and why."""

    host: str
    port: int
    reason: Reason
    text: str


@dataclass(frozen=True, slots=True)
class JobSeen:
    """What a job did, as far as the gate saw it."""

    bytes: int  # that passed, both ways
    connections: int  # that were asked for
    hosts: tuple[str, ...]  # that were reached
    refusals: tuple[Refusal, ...]
    is_over: Reason | None  # TOO_LARGE or TOO_SLOW: nothing passes any more

    @property
    def blocked(self) -> tuple[Refusal, ...]:
        """Return what was refused because it leads somewhere that is not public."""
        return tuple(refusal for refusal in self.refusals if refusal.reason is Reason.BLOCKED_ADDRESS)

    def refusal_of(self, host: str, port: int) -> Refusal | None:
        """Return why a host was not reached the last time, if it was not."""
        found = [refusal for refusal in self.refusals if (refusal.host, refusal.port) == (host, port)]
        return found[-1] if found else None


@dataclass(slots=True)
class Job:
    """A job as the gate's own thread has it."""

    bytes_max: int
    end: Callable[["Job"], None]  # cut every connection off
    bytes: int = 0
    connections: int = 0
    open: int = 0
    hosts: dict[str, None] = field(default_factory=dict[str, None])
    refusals: list[Refusal] = field(default_factory=list[Refusal])
    is_over: Reason | None = None

    def may_take(self, size: int) -> bool:
        """Count bytes, and tell whether they may pass; over the limit, the job is over."""
        self.bytes += size
        if self.bytes > self.bytes_max and self.is_over is None:
            self.is_over = Reason.TOO_LARGE
            self.end(self)
        return self.is_over is None

    def refuse(self, refusal: Refusal) -> None:
        """Remember what was refused."""
        if len(self.refusals) < REFUSALS_MAX:
            self.refusals.append(refusal)

    def reach(self, host: str) -> None:
        """Remember what was reached."""
        if len(self.hosts) < HOSTS_MAX:
            self.hosts[host] = None

    @property
    def seen(self) -> JobSeen:
        """Return what is known of it now."""
        return JobSeen(self.bytes, self.connections, tuple(self.hosts), tuple(self.refusals), self.is_over)


class JobBook:
    """The jobs that are open, by their tokens; may be asked by any thread."""

    def __init__(self, jobs_max: int) -> None:
        self._jobs_max = jobs_max
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def add(self, job: Job) -> str:
        """Return the token of a job from now on."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        with self._lock:
            if len(self._jobs) >= self._jobs_max:
                raise TooManyJobs(f"the gate has places for {self._jobs_max} jobs, and all are taken")
            self._jobs[token] = job
        return token

    def job(self, token: str) -> Job | None:
        """Return the job with a token, if it is open."""
        with self._lock:
            return self._jobs.get(token)

    def drop(self, token: str) -> Job | None:
        """Let nobody pass with a token any more."""
        with self._lock:
            return self._jobs.pop(token, None)
