"""The writer of brands and keys: a thread of its own, whose changes the front knows before anybody is told of them."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Protocol, TypeVar

from footfall.accounts.brands import Brand, Brands
from footfall.accounts.keyring import Keyring
from footfall.accounts.proof_counts import ProofCounts
from footfall.accounts.register import Register, Registered
from footfall.ports.errors import PortError
from footfall.values.clock import Clock

NOTE_USES_S = 60.0

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class OpenedRegister(Protocol):
    """A register with the file under it."""

    @property
    def register(self) -> Register:
        """Return the register."""
        ...

    def tidy(self) -> None:
        """Remove some of what has expired."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class Desk:
    """Keeps the brands and keys in memory as they are on disk."""

    def __init__(
        self,
        opened: Callable[[], OpenedRegister],
        brands: Brands,
        keyring: Keyring,
        *,
        counts: ProofCounts,
        clock: Clock,
        follow: Callable[[Register], None] = lambda _register: None,
    ) -> None:
        self._open = opened
        self._brands = brands
        self._keyring = keyring
        self._counts = counts
        self._clock = clock
        self._follow = follow  # of whoever else goes by what is stored, in the writer's thread
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="accounts")
        self._opened: OpenedRegister | None = None
        self._noting: asyncio.Task[None] | None = None

    async def start(self, *, open_brands: tuple[Brand, ...]) -> None:
        """Open the file, take all that it holds, and note the zones of the brands that need no keys."""
        stored = await self._do(lambda: self._load(open_brands))
        for name, one in stored.items():
            self._take(name, one)
        self._keyring.turn_hour(now_ms=self._clock.now_ms())
        self._noting = asyncio.get_running_loop().create_task(self._note_uses())

    async def change(self, name: str, do: Callable[[Register], _T]) -> _T:
        """Change a brand or its keys and return what came of it, once the front goes by it."""
        outcome, registered = await self._do(lambda: self._changed(name, do))
        self._take(name, registered)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def look(self, do: Callable[[Register], _T]) -> _T:
        """Return what the file says."""
        return await self._do(lambda: do(self._register))

    async def stop(self) -> None:
        """Write down what is left and let go of the file."""
        if self._noting is not None:
            self._noting.cancel()
            with suppress(asyncio.CancelledError):
                await self._noting
        await self.note_uses()
        await self.store_counts()
        await self._do(self._close)
        self._thread.shutdown()

    async def note_uses(self) -> None:
        """Write down the hours in which keys were used, those that are not written yet."""
        self._keyring.turn_hour(now_ms=self._clock.now_ms())
        due = self._keyring.uses_to_note()
        if not due:
            return
        try:
            await self._do(lambda: self._register.note_uses(due))
        except PortError as error:  # A full disk passes; the hour is written when it has.
            _log.warning("the last use of %d keys is not written yet: %s", len(due), error)
            return
        for name in {record.brand for record, _ in due}:
            self._keyring.replace(name, await self._do(lambda name=name: self._register.keys(name)))
        self._keyring.forget_unknown_uses()

    async def store_counts(self) -> None:
        """Write down which requests did not prove themselves, those that are not written yet."""
        counts = self._counts.take_unstored()
        if not counts:
            return
        try:
            await self._do(lambda: self._register.add_unproven(counts))
        except PortError as error:
            self._counts.give_back(counts)
            _log.warning("counts of unproven requests are not written yet: %s", error)

    async def _note_uses(self) -> None:
        while True:
            await asyncio.sleep(NOTE_USES_S)
            await self.note_uses()
            await self.store_counts()
            await self._tidy()

    async def _tidy(self) -> None:
        assert self._opened is not None
        try:
            await self._do(self._opened.tidy)
        except PortError as error:  # What has expired is not shown, so it can wait.
            _log.warning("what has expired of the accounts stays a while: %s", error)

    def _take(self, name: str, registered: Registered) -> None:
        if registered.brand is not None:
            self._brands.take_stored([registered.brand])
        elif registered.was_removed:
            self._brands.take_stored([], removed=[name])
        self._keyring.replace(name, registered.keys)

    @property
    def _register(self) -> Register:
        assert self._opened is not None
        return self._opened.register

    def _load(self, open_brands: tuple[Brand, ...]) -> dict[str, Registered]:
        self._opened = self._open()
        self._register.note_zones(open_brands)
        self._follow(self._register)
        return self._register.all()

    def _changed(self, name: str, do: Callable[[Register], _T]) -> tuple[_T | Exception, Registered]:
        outcome: _T | Exception
        try:
            outcome = do(self._register)
        except Exception as error:  # noqa: BLE001 - raised again by whoever asked, once memory is as the disk is
            outcome = error
        self._follow(self._register)
        return outcome, self._register.registered(name)

    def _close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    async def _do(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
