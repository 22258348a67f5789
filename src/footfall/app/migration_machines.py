"""The state machines of a migration and the tasks that they call: the invoker, and the thesis' machine, repaired.

Tasks are plain functions of an input and a key. Copies are fenced, so that each may be called again at any time.
"""

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final, cast

import msgspec

from footfall.migrate.copying import Ground, copy, set_aside, take
from footfall.migrate.pacing import Pacer
from footfall.ports.errors import Throttled
from footfall.ports.workflow import TaskFunction, Workflow
from footfall.states.values import Json
from footfall.values.clock import Clock

BATCHES: Final = "migrate-batches"
ONE: Final = "migrate-one"
REASON_CHARACTERS_MAX = 500
CHUNK_ENTITIES = 25  # read at once: some 10 ms of the source's time, which others wait for


def machines() -> Mapping[str, str]:
    """Return the definitions of the machines by their names."""
    folder = files("footfall.app")
    return {BATCHES: (folder / "migrate_batches.json").read_text(), ONE: (folder / "migrate_one.json").read_text()}


@dataclass(slots=True)
class Grounds:
    """Both sides of a migration, opened once by each thread that asks for them."""

    opening: Callable[[], AbstractContextManager[Ground]]
    _own: threading.local = field(default_factory=threading.local)
    _opened: ExitStack = field(default_factory=ExitStack)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def own(self) -> Ground:
        """Return the calling thread's ground."""
        found: Ground | None = getattr(self._own, "ground", None)
        if found is None:
            with self._guard:
                found = self._opened.enter_context(self.opening())
            self._own.ground = found
        return found

    def close(self) -> None:
        """Close all of them, when no thread is at work any more."""
        self._opened.close()


@dataclass(slots=True)
class Tasks:
    """What the machines' tasks do."""

    grounds: Grounds
    clock: Clock
    pacer: Pacer
    workflow: Callable[[], Workflow]
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def by_name(self) -> Mapping[str, TaskFunction]:
        """Return the tasks under the names that the definitions call them by."""
        return {
            "take-batch": self.take_batch,
            "copy-chunk": self.copy_chunk,
            "start-each": self.start_each,
            "migrate-one": self.migrate_one,
            "set-aside": self.put_aside,
        }

    def take_batch(self, _input: Json, _key: str) -> Json:
        """Take entities that wait, in chunks that are read at once."""
        keys = take(self.grounds.own(), now_ms=self.clock.now_ms())
        chunks = [keys[at : at + CHUNK_ENTITIES] for at in range(0, len(keys), CHUNK_ENTITIES)]
        return {"count": len(keys), "chunks": [{"keys": list(chunk)} for chunk in chunks]}

    def copy_chunk(self, chunk: Json, _key: str) -> Json:
        """Copy the entities of a chunk, as fast as nobody notices."""
        keys = _keys(chunk)
        self._copy(keys)
        return {"copied": len(keys)}

    def start_each(self, chunk: Json, key: str) -> Json:
        """Start an execution for each entity of a chunk that failed, once."""
        for number, entity in enumerate(_keys(chunk)):
            self.workflow().start(ONE, name=f"{_short(key)}-{number}", input={"key": entity})
        return {"started": len(_keys(chunk))}

    def migrate_one(self, input: Json, _key: str) -> Json:
        """Copy one entity."""
        entity = _field(input, "key")
        self._copy([entity])
        return {"key": entity}

    def put_aside(self, input: Json, _key: str) -> Json:
        """Set one entity aside with the error that it failed for."""
        set_aside(self.grounds.own(), [_field(input, "key")], reason=_reason(input))
        return {"key": _field(input, "key")}

    def _copy(self, keys: list[str]) -> None:
        ground = self.grounds.own()
        with self._guard:  # One pace for all who copy.
            self.pacer.wait_for(len(keys))
        try:
            copy(ground, keys)
        except Throttled:
            with self._guard:
                self.pacer.throttled()
            raise


def _keys(chunk: Json) -> list[str]:
    return [str(key) for key in cast("Mapping[str, Any]", chunk)["keys"]]


def _field(input: Json, name: str) -> str:
    return str(cast("Mapping[str, Any]", input)[name])


def _reason(input: Json) -> str:
    """Return why a task failed, in its own words where it has any."""
    error = cast("Mapping[str, Any]", cast("Mapping[str, Any]", input)["error"])
    try:
        told = str(msgspec.json.decode(error["Cause"])["errorMessage"])
    except (msgspec.DecodeError, KeyError, TypeError):
        told = str(error.get("Cause", ""))
    return f"{error['Error']}: {told}"[:REASON_CHARACTERS_MAX]


def _short(key: str) -> str:
    """Return a name that an execution may have, made of a task's key: the same key is the same name."""
    return sha256(key.encode()).hexdigest()[:32]
