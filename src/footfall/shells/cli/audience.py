"""`footfall audience`: what members do, as an operator sees and changes it: follows, history, what plays, what earned.

Each part brings its actions; they work on the audience's table, whether or not a server runs beside it.
"""

import argparse
import os
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Final

from footfall.shells.cli.asking import settings_of
from footfall.shells.cli.audience_action import Action, say_json, things_of
from footfall.shells.cli.audience_follows import ACTIONS as OF_FOLLOWS
from footfall.shells.cli.audience_history import OF_HISTORY
from footfall.shells.cli.audience_watching import OF_WATCHING
from footfall.shells.cli.command import BRAND, CONFIG, DATA, JSON, Argument, Command, Exit, Surroundings, whole_from

if TYPE_CHECKING:
    from footfall.app.audience_opening import Audience

LIMIT_DEFAULT, LIMIT_MAX = 20, 100


def audience(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Do what is asked of the audience."""
    from footfall.app.audience_opening import open_audience
    from footfall.app.known_brand import require_brand

    settings = settings_of(arguments, around, may_be_new=True)
    if settings.ground == "aws":
        _tell_own_settings(around)
    before = os.umask(0o077)  # What is kept here is nobody else's to read.
    try:
        require_brand(settings, around.clock, arguments.brand)
        with closing(open_audience(settings, around.clock)) as opened:
            return ACTIONS[arguments.action].run(opened.audience, arguments, around)
    finally:
        os.umask(before)


def _tell_own_settings(around: Surroundings) -> None:
    """Say which settings are not the stack's: functions have theirs from its parameters, and know of no file here."""
    from footfall.app.settings import NAMES

    of_audience = [one for one in NAMES.values() if one.name.startswith("audience_")]
    own = [one.name for one in of_audience if one.variable not in around.variables]
    if own:
        around.complain(
            f"Not taken from the stack, and perhaps not as its functions have them: {', '.join(own)}. "
            'Take all of them with eval "$(footfall deploy status --exports)".'
        )


def _kinds(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    things_of(audience, arguments)
    if arguments.json:
        say_json({"kinds": audience.kinds.names}, around)
    else:
        around.say("\n".join(audience.kinds.names))
    return Exit.OK


OF_ALL: Final = (Action("kinds", "", "tells the kinds of things that there are", _kinds),)
ACTIONS: Final[Mapping[str, Action]] = {
    one.name: one for one in (*OF_ALL, *OF_FOLLOWS, *OF_HISTORY, *OF_WATCHING)
}  # each part adds its own

COMMAND = Command(
    name="audience",
    says="Look at and change what members do: whom they follow, where they were, what they play and watch.",
    tells="Things are named by kind and id, as in member:42 or series:dark. The actions are\n"
    + "\n".join(f"  {one.usage}  {one.says}" for one in ACTIONS.values()),
    example="footfall audience following member:42 --brand daily",
    more_examples=(
        "footfall audience follow member:42 series:dark --brand daily",
        "footfall audience history member:42 --brand daily",
        "footfall audience playbacks member:42 --brand daily",
        "footfall audience completion asset:film-7 --from 2026-11-01 --to 2026-11-15 --brand daily",
    ),
    run=audience,
    arguments=(
        Argument("action", "What to do.", choices=tuple(ACTIONS)),
        Argument("things", "What it is about, as kind:id.", shows="THING", repeated=True, may_be_absent=True),
        BRAND,
        Argument("--limit", "How many to show.", shows="N", reads=whole_from(1, LIMIT_MAX), default=LIMIT_DEFAULT),
        Argument("--after", "Where a list goes on, as the answer before said it.", shows="PLACE", default=""),
        Argument("--day", "Of the watch log: the day, as the brand dates it; today unless given.", shows="DAY"),
        Argument("--from", "Of a completion: the first day; the last one unless given.", shows="DAY"),
        Argument("--to", "Of a completion: the last day; today unless given.", shows="DAY"),
        Argument("--id", "Of a publication: the id that it is known by.", shows="ID"),
        Argument("--about", "Of a publication: what is told of it, a JSON object.", shows="JSON"),
        Argument("--expect", "How many followers are expected.", shows="N", reads=whole_from(1, 10**9), default=20_000),
        Argument("--yes", "Really erase.", is_switch=True),
        JSON,
        DATA,
        CONFIG,
    ),
    exits={Exit.FAILED: "it failed", Exit.REFUSED: "it was refused"},
)
