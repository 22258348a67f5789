"""Write the pages of docs/reference from the code that declares what they tell, or check that they are fresh."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from routes_page import routes_page

from footfall.accounts.brands import Brand
from footfall.app.settings import NAMES, Setting
from footfall.shells.cli.command import EXIT_MEANINGS, Argument, Command
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
aside instead of counting them. `screening` is the brand's [mode](../screening.md): `observe` (unless it says
otherwise), `hold` or `filter`; in the environment it is the fourth part, as in `abc:UTC:count:filter`.

| setting | default | may be | what it is for |
| --- | --- | --- | --- |
"""

COMMANDS_HEAD = """# Commands

Written by `make map` from `src/footfall/shells/cli/`; edit there. `footfall COMMAND --help` says the same.

Answers go to the standard output, sentences about what went wrong to the error output. The exit code is

| code | meaning |
| --- | --- |
"""

EXITS_HEAD = """# Exit codes

Written by `make map` from `src/footfall/shells/cli/`; edit there. Every command ends with one of these, and the help of
each (`footfall help COMMAND`) lists them. Whatever is not 0 comes with one sentence on the error output that says what
happened and what to do.

| code | meaning |
| --- | --- |
"""

EXITS_OWN = """
Some commands mean something of their own by a code:

| command | code | meaning |
| --- | --- | --- |
"""


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
    return f"{COMMANDS_HEAD}{_codes()}\n" + "".join("\n" + "\n".join(section(one)) + "\n" for one in COMMANDS.values())


def exits_page() -> str:
    """Return the page of all exit codes."""
    own = [
        f"| `footfall {command.name}` | {int(code)} | {meaning} |"
        for command in COMMANDS.values()
        for code, meaning in command.exits.items()
    ]
    return f"{EXITS_HEAD}{_codes()}\n{EXITS_OWN}" + "\n".join(own) + "\n"


def _codes() -> str:
    return "\n".join(f"| {int(code)} | {meaning} |" for code, meaning in EXIT_MEANINGS.items())


def section(command: Command) -> Iterator[str]:
    """Return the lines about one command."""
    yield from (f"## footfall {command.name}", "", command.says, "")
    if command.tells:
        yield from (command.tells, "")
    yield from ("```sh", *command.examples, "```")
    if command.exits:
        meanings = "; ".join(f"{int(code)} means that {meaning}" for code, meaning in command.exits.items())
        yield from ("", f"Exit code {meanings}.")
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
    parser = argparse.ArgumentParser(description="Write the pages of docs/reference.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a page is stale")
    made = {"settings.md": settings_page(), "commands.md": commands_page(), "routes.md": routes_page()}
    made["exit-codes.md"] = exits_page()
    pages = {REFERENCE / name: text for name, text in made.items()}
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
