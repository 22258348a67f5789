"""Which module holds which command: only the one that was named is read, so that none waits for what others need."""

import importlib
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from footfall.shells.cli.command import Command

# In the order of the help.
MODULES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "serve": "serve",
        "demo": "demo",
        "send": "send",
        "import": "import_logs",
        "load": "load",
        "assets": "assets",
        "popular": "popular",
        "trending": "trending",
        "edit": "edit",
        "series": "series",
        "uniques": "uniques",
        "ledger": "ledger",
        "metrics": "metrics",
        "migrate": "migrate",
        "screening": "screening",
        "screen": "screen",
        "referrers": "referrers",
        "verdicts": "verdicts",
        "rules": "rules",
        "lists": "lists",
        "workflows": "workflows",
        "archive": "archive",
        "audience": "audience",
        "earnings": "earnings",
        "compare": "compare",
        "export": "export",
        "recount": "recount",
        "dead-letters": "dead_letters",
        "brands": "brands",
        "keys": "keys",
        "people": "people",
        "alerts": "alerts",
        "audit": "audit",
        "backup": "backup",
        "restore": "restore",
        "doctor": "doctor",
        "deploy": "deploy",
        "plan": "plan",
        "autoscale": "autoscale",
        "completion": "completion",
        "help": "help_page",
        "version": "version",
    }
)


class Commands(Mapping[str, Command]):
    """All commands by their names, each read when it is looked at."""

    def __getitem__(self, name: str) -> Command:
        command: Command = importlib.import_module(f"footfall.shells.cli.{MODULES[name]}").COMMAND
        return command

    def __contains__(self, name: object) -> bool:
        return name in MODULES

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


COMMANDS: Final = Commands()
