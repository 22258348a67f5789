"""What the program offers and what docs/reference says are the same: settings, commands, routes."""

import re
from collections.abc import Iterable

from footfall.app.settings import NAMES
from footfall.shells.cli.main import COMMANDS
from footfall.shells.http.routes import ROUTES
from tests.tidy.sources import HOUSE

REFERENCE = HOUSE / "docs" / "reference"


def missing(names: Iterable[str], page: str) -> list[str]:
    text = (REFERENCE / page).read_text(encoding="utf-8")
    return [name for name in names if not re.search(rf"(?<![\w/-]){re.escape(name)}(?![\w/-])", text)]


def test_every_setting_is_in_the_reference() -> None:
    assert missing(NAMES, "settings.md") == []


def test_every_command_is_in_the_reference() -> None:
    assert missing((f"footfall {command}" for command in COMMANDS), "commands.md") == []


def test_every_route_is_in_the_reference() -> None:
    assert missing(ROUTES, "routes.md") == []


def test_the_program_offers_something() -> None:
    # An empty list would make the checks above true of nothing.
    assert NAMES
    assert COMMANDS
    assert ROUTES
