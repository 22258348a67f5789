"""The archive as an instance or a function opens it for those who ask: its table, its bytes and its search."""

from collections.abc import Callable
from dataclasses import dataclass

from footfall.app.archive_control import Archive
from footfall.app.settings import Settings
from footfall.app.wiring import OpenTable
from footfall.archive.addresses import Address, address_from, require_reachable
from footfall.values.public_addresses import Policy


@dataclass(frozen=True, slots=True)
class OpenedArchive:
    """The archive, and the table under it."""

    table: OpenTable
    archive: Archive

    def close(self) -> None:
        """Let go of the table."""
        self.table.close()


def address_rule(settings: Settings) -> Callable[[str], Address]:
    """Return what makes an address of what somebody typed, and refuses what could never be visited."""
    policy = Policy()

    def address_of(typed: str) -> Address:
        address = address_from(typed)
        require_reachable(address, policy)
        return address

    return address_of
