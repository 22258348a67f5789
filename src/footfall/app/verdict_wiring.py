"""Verdicts for those who only read them: opened when there is a place where they could lie."""

from collections.abc import Callable

from footfall.accounts.verdict_store import VerdictStore
from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.values.clock import Clock
from footfall.values.window import DAY_MS


def verdict_store(settings: Settings, clock: Clock) -> Callable[[], VerdictStore | None]:
    """Return the function that gives the stored verdicts; None while an instance was never started."""
    opened: list[VerdictStore] = []

    def store() -> VerdictStore | None:
        if not opened and wiring.has_table(settings, wiring.ACCOUNTS_FILE):
            accounts = wiring.open_accounts(settings, clock, read_only=True)
            # What ended before all raw hits that are kept changes no window any more; a month is for late hits.
            standing_ms = (settings.stream_keep_days + 31) * DAY_MS
            trail = accounts.register.trail
            opened.append(VerdictStore(accounts.table, trail, clock=clock, standing_ms=standing_ms))
        return opened[0] if opened else None

    return store
