"""The door's rules in a process or a function: made from the settings, and kept as the accounts have them."""

import logging
import secrets

from footfall.accounts.register import Register
from footfall.accounts.screening_store import ListIsTorn
from footfall.app.settings import MINUTE_MS, Settings
from footfall.flow.collect.screen import Screen, ScreenLimits
from footfall.screening.lists import Lists, with_list
from footfall.values.errors import Refused

_SECRET_BYTES = 32

_log = logging.getLogger(__name__)


def screen_limits(settings: Settings) -> ScreenLimits:
    """Return how much the settings allow of one sender."""
    return ScreenLimits(
        repeats_max=settings.screening_repeats_max,
        address_repeats_max=settings.screening_address_repeats_max,
        repeats_ms=settings.screening_repeats_minutes * MINUTE_MS,
        visitor_per_minute_max=settings.screening_visitor_per_minute,
        key_per_minute_max=settings.screening_key_per_minute,
    )


class KeptScreen:
    """The screen of a door, and what it was last told."""

    def __init__(self, settings: Settings) -> None:
        # Made anew in each process: whoever was counted under it is unknown to the next.
        self.screen = Screen(screen_limits(settings), secret=secrets.token_bytes(_SECRET_BYTES))
        self._lists = Lists()
        self._versions: dict[str, int] = {}  # of the lists that it goes by

    def follow(self, register: Register) -> None:
        """Take lists and rules as they are stored now; lists are read only where they have changed."""
        store = register.screening
        try:
            self.screen.take_rules({brand: stored.rules for brand, stored in store.all_rules().items()})
        except Refused as error:  # A later release may have stored what this one does not know.
            _log.warning("the rules before stay in use: %s", error)
        changed = {kind: one for kind, one in store.lists().items() if one.version != self._versions.get(kind)}
        for kind, stored in changed.items():
            try:
                self._lists = with_list(self._lists, kind, store.content_of(stored))
            except (ListIsTorn, Refused) as error:
                _log.warning("the list before stays in use: %s", error)
                continue
            self._versions[kind] = stored.version
        if changed:
            self.screen.take_lists(self._lists)
