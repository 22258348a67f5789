"""What an operator does with the watches of a brand, whether or not a server runs; each act is written down."""

from contextlib import closing
from dataclasses import dataclass
from typing import Any

from footfall.accounts.audit import command_line
from footfall.accounts.keys import EDIT
from footfall.app import archive_watch_control as control
from footfall.app import wiring
from footfall.app.archive_acts import ID_RANDOM_BYTES
from footfall.app.archive_control import OPERATOR, Archive, Asker
from footfall.app.archive_opening import address_rule
from footfall.app.archive_watch_control import Document, Rules, WatchChange
from footfall.app.control_audit import write_down
from footfall.app.known_brand import require_brand
from footfall.app.settings import Settings
from footfall.values.clock import Clock


@dataclass(frozen=True, slots=True)
class WatchActs:
    """The acts of an operator in one brand."""

    archive: Archive
    settings: Settings
    clock: Clock
    brand: str
    user: str

    def listed(self) -> list[Document]:
        """Return the brand's watches."""
        return control.listed(self.archive, self._asker)

    def add(self, document: dict[str, Any], *, random: bytes) -> Document:
        """Make a watch."""
        assert len(random) == ID_RANDOM_BYTES
        now_ms, rules = self.clock.now_ms(), self._rules()
        return self._done(control.adding(self.archive, self._asker, document, rules, random=random, now_ms=now_ms))

    def remove(self, watch_id: str) -> None:
        """Remove a watch; what it kept stays."""
        self._done(control.removing(self.archive, self._asker, watch_id))

    @property
    def _asker(self) -> Asker:
        who = command_line(self.user)
        return Asker(brand=self.brand, id=OPERATOR, is_person=False, may=frozenset((EDIT,)), signature=who)

    def _done(self, change: WatchChange) -> Document:
        write_down(self.settings, self.clock, change.note)
        return change.done(self.archive)

    def _rules(self) -> Rules:
        require_brand(self.settings, self.clock, self.brand)
        with closing(wiring.open_accounts(self.settings, self.clock)) as opened:
            found = opened.register.brand(self.brand)
            alerts = {one.id: one.name for one in opened.register.alerts.of(self.brand)}
        periods = {**self.settings.periods, **({} if found is None else found.periods)}
        return Rules(address_rule(self.settings), tuple(periods), alerts)
