"""Verdicts for those who only read them: opened when there is a place where they could lie."""

from collections.abc import Callable

from footfall.accounts.verdict_store import VerdictStore
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.values.clock import Clock


def verdict_store(settings: Settings, clock: Clock) -> Callable[[], VerdictStore | None]:
    """Return the function that gives the stored verdicts; None while an instance was never started."""
    opened: list[VerdictStore] = []

    def store() -> VerdictStore | None:
        if not opened and wiring.has_table(settings, wiring.ACCOUNTS_FILE):
            opened.append(wiring.open_accounts(settings, clock, read_only=True).register.verdicts)
        return opened[0] if opened else None

    return store
