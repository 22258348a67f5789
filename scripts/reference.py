"""Write docs/reference/settings.md and commands.md from the code that declares them, or check that they are fresh."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from footfall.accounts.brands import Brand
from footfall.app.settings import NAMES, Setting
from footfall.shells.cli.command import Argument, Command, Exit
from footfall.shells.cli.main import COMMANDS
from footfall.values.period import Period

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"

SETTINGS_HEAD = """# Settings

Written by `make map` from `src/footfall/app/settings.py`; edit there.

A setting is taken from its default, then from a TOML file, then from the environment, then from the flags of
`footfall serve`; the last one wins. Brands and periods are added up by name instead. The file is the one that
`--config FILE` names, else `footfall.toml` in the data directory when there is one. The environment variable of
`http_port` is `FOOTFALL_HTTP_PORT`, and so on. Every setting can be a flag: `--set http_port=8081`. An unknown
name or an impossible value stops the start with a sentence that names it.

```toml
http_port = 8081
stream_keep_days = 30

[brands.abc]
zone = "Europe/Helsinki"
unlabelled = "hold"

[periods.twodays]
span = "48h"
grain = "1h"
cache = "120s"
```

In the environment brands are written `FOOTFALL_BRANDS="abc,def:Europe/Helsinki,ghi:Asia/Kolkata:hold"` and periods
`FOOTFALL_PERIODS="twodays=48h/1h/120s"`; lists have commas; switches are `true` or `false`. A brand's `zone` is where
its hours and days begin (`UTC` unless it says otherwise), and `unlabelled = "hold"` sets hits without a resource type
aside instead of counting them.

| setting | default | may be | what it is for |
| --- | --- | --- | --- |
"""

COMMANDS_HEAD = """# Commands

Written by `make map` from `src/footfall/shells/cli/`; edit there. `footfall COMMAND --help` says the same.

Answers go to the standard output, sentences about what went wrong to the error output. The exit code is

| code | meaning |
| --- | --- |
"""

EXIT_MEANINGS = {
    Exit.OK: "it was done",
    Exit.FAILED: "it failed",
    Exit.USAGE: "the command or a setting is wrong; nothing was started",
    Exit.UNREACHABLE: "no server answers",
    Exit.REFUSED: "the server refused it, or some of it",
}


def settings_page() -> str:
    """Return the page of all settings."""
    rows = (
        f"| `{setting.name}` | {default_of(setting)} | {range_of(setting)} | {setting.says} |"
        for setting in NAMES.values()
    )
    return SETTINGS_HEAD + "\n".join(rows) + "\n"


def default_of(setting: Setting) -> str:
    """Return a setting's default as the page shows it."""
    if setting.kind == "whole":
        return f"{setting.default:,}"
    if setting.kind == "switch":
        return f"`{str(setting.default).lower()}`"
    if setting.kind == "networks":
        return ", ".join(f"`{network}`" for network in cast("tuple[str, ...]", setting.default))
    if setting.kind in ("brands", "periods"):
        named = cast("Mapping[str, Brand | Period]", setting.default)
        return ", ".join(f"`{name}`" for name in named) or "none"
    return f"`{setting.default}`"


def range_of(setting: Setting) -> str:
    """Return what a setting may be as the page shows it."""
    if setting.kind == "whole":
        return f"{setting.lowest:,} to {setting.highest:,}"
    if setting.kind == "choice":
        return ", ".join(f"`{choice}`" for choice in setting.choices)
    return {
        "text": "a text",
        "switch": "`true`, `false`",
        "networks": "networks",
        "brands": "`[brands.NAME]`",
        "periods": "`[periods.NAME]`",
    }[setting.kind]


def commands_page() -> str:
    """Return the page of all commands."""
    codes = "\n".join(f"| {code.value} | {EXIT_MEANINGS[code]} |" for code in Exit)
    return f"{COMMANDS_HEAD}{codes}\n" + "".join("\n" + "\n".join(section(one)) + "\n" for one in COMMANDS.values())


def section(command: Command) -> Iterator[str]:
    """Return the lines about one command."""
    yield from (f"## footfall {command.name}", "", command.says, "", "```sh", command.example, "```")
    if command.arguments:
        yield from ("", "| argument | what it is for | default |", "| --- | --- | --- |")
    for argument in command.arguments:
        yield f"| `{name_of(argument)}` | {argument.says} | {argument_default_of(argument)} |"


def name_of(argument: Argument) -> str:
    """Return an argument as one would type it."""
    shown = argument.shows or "/".join(argument.choices)
    if not argument.is_flag:
        return shown
    return f"{argument.name} {shown}" if shown else argument.name


def argument_default_of(argument: Argument) -> str:
    """Return what holds when the argument is absent."""
    if argument.required or not (argument.is_flag or argument.may_be_absent):
        return "must be given"
    return "" if argument.default is None else f"`{argument.default}`"


def main() -> int:
    """Write the pages, or with --check say which are stale."""
    parser = argparse.ArgumentParser(description="Write docs/reference/settings.md and commands.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a page is stale")
    pages = {REFERENCE / "settings.md": settings_page(), REFERENCE / "commands.md": commands_page()}
    if not parser.parse_args().check:
        REFERENCE.mkdir(parents=True, exist_ok=True)
        for path, text in pages.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [path.name for path, text in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for name in stale:
        print(f"docs/reference/{name} is stale: run `make map` and commit what it writes.", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
