"""`footfall migrate`: moves a live relational database into a table, proves it, switches over, and back again."""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any, Final

import msgspec

from footfall.shells.cli.asking import ask, settings_of
from footfall.shells.cli.command import (
    CONFIG,
    DATA,
    JSON,
    Argument,
    Command,
    Exit,
    Surroundings,
    WrongUsage,
    printable,
    whole_from,
)
from footfall.shells.cli.migrate_report import progress_bar, show_problems, show_status, show_verified
from footfall.values.window import instant_text

if TYPE_CHECKING:  # Drivers of databases, and the machines: a start of the command line needs none of them.
    from footfall.app.migration_acts import Acts
    from footfall.app.migration_run import Plan

ACTIONS: Final = ("check", "prepare", "run", "status", "verify", "repair", "switch", "back", "report", "end")
NAMES_KEYS: Final = ("switch", "back")
NICENESS: Final = 19  # where there is no class of its own for who gives way
RATE: Final = 300  # The median answer of an application on the same two cores stays what it was; its slowest do not.
VARIABLE: Final = "DATABASE_URL"


class WhichDatabase(WrongUsage):
    """Nobody said which database is moved."""


class WhichEntities(WrongUsage):
    """The arguments do not say which entities are meant."""


def migrate(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Do what is asked of a migration."""
    _require_sense(arguments)
    plan = _plan(arguments, around)
    if arguments.action == "run":
        return _run(plan, arguments, around)
    from footfall.app.migration_acts import Acts

    if arguments.action in ("check", "prepare"):
        _warn_of_brand(plan, around)
    with plan.ground(around.clock) as ground:
        return _DOES[arguments.action](Acts(ground, around.clock, around.pause), arguments, around)


def _warn_of_brand(plan: "Plan", around: Surroundings) -> None:
    """Say it when the metrics would be those of a brand that is not there, which nobody could read."""
    brand = getattr(plan.moving.target, "brand", None)
    if brand is None or plan.file is not None:
        return
    known = ask(plan.settings, {"do": "brands-list"}, on_progress=lambda _share: None)
    if brand not in [one["brand"] for one in known["brands"]]:
        around.complain(f"There is no brand {brand!r} here yet: footfall brands add {brand} makes it.")


def _require_sense(arguments: argparse.Namespace) -> None:
    action: str = arguments.action
    if action in NAMES_KEYS and bool(arguments.keys) == arguments.all:
        raise WhichEntities(f"{action} needs keys, as in footfall migrate {action} 17 18, or --all.")
    if action not in NAMES_KEYS and (arguments.keys or arguments.all):
        raise WhichEntities(f"{action} is about all of them: it takes no keys, and no --all.")
    if arguments.until_copied and action != "run":
        raise WhichEntities("--until-copied belongs to run.")


def _plan(arguments: argparse.Namespace, around: Surroundings) -> "Plan":
    from footfall.app.migration_run import Plan
    from footfall.app.moving import mapping_from

    settings = settings_of(arguments, around, may_be_new=False)
    file = Path(arguments.table) if arguments.table else None
    return Plan(mapping_from(Path(arguments.mapping)), _source(getattr(arguments, "from"), around), settings, file)


def _source(said: str | None, around: Surroundings) -> str:
    """Return the database's address: as it is said, from a file that it names, or from the environment."""
    address = said or around.variables.get(VARIABLE, "")
    if address.startswith("@"):
        try:
            return Path(address[1:]).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise WhichDatabase(f"--from {address}: {error.strerror}") from error
    if not address:
        raise WhichDatabase(f"--from says which database, as in --from @address.txt; or set {VARIABLE}")
    return address


def _run(plan: "Plan", arguments: argparse.Namespace, around: Surroundings) -> int:
    from footfall.app.migration_run import Mover
    from footfall.migrate.pacing import Bounds
    from footfall.migrate.reporting import Progress

    _give_way()
    bounds = Bounds(highest=float(arguments.rate), first=min(100.0, float(arguments.rate)))
    with _until_signalled() as stopped, progress_bar(around) as show:

        def tell(progress: Progress) -> bool:
            show(progress)
            is_copied = not (progress.left or progress.moving or progress.lag)
            return not (arguments.until_copied and is_copied)

        def complain(text: str) -> None:
            around.complain(f"footfall: {text}.")

        Mover(plan, around.clock, around.pause, SystemRandom(), tell, bounds, lambda: bool(stopped), complain).run()
    return Exit.OK


def _give_way() -> None:
    """Take of a processor what nobody else wants: where the application runs on the same machine, it goes first."""
    if sys.platform == "linux":
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))  # Threads that are started later inherit it.
    else:
        os.nice(NICENESS)


@contextmanager
def _until_signalled() -> Generator[list[int]]:
    """Gather signals to stop instead of dying of them: what is under way is finished first."""
    caught: list[int] = []
    before = {
        number: signal.signal(number, lambda got, _frame: caught.append(got))
        for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _check(acts: "Acts", arguments: argparse.Namespace, around: Surroundings) -> int:
    count = acts.check()
    around.say(f"The mapping fits; {count:,} would be moved. Nothing was changed.")
    return Exit.OK


def _prepare(acts: "Acts", arguments: argparse.Namespace, around: Surroundings) -> int:
    count = acts.prepare()
    around.say(f"Changes are noted from now on; {count:,} wait. `footfall migrate run` moves them.")
    return Exit.OK


def _status(acts: "Acts", arguments: argparse.Namespace, around: Surroundings) -> int:
    from footfall.migrate.reporting import document_of

    progress, sides = acts.status(), acts.sides()
    problems = acts.problems()
    if arguments.json:
        told: Mapping[str, Any] = {
            **document_of(progress),
            "sides": sides,
            "problems": [{"key": one.key, "reason": one.reason} for one in problems],
        }
        around.say(msgspec.json.encode(told).decode())
        return Exit.OK
    show_status(progress, sides, around)
    show_problems(problems, progress.set_aside, around)
    return Exit.OK


def _verify(acts: "Acts", arguments: argparse.Namespace, around: Surroundings) -> int:
    run = arguments.run or instant_text(around.clock.now_ms())
    verified = acts.verify(run=run)
    if arguments.json:
        around.say(msgspec.json.encode(verified).decode())
    else:
        show_verified(verified, around)
    return Exit.OK if verified.is_sound else Exit.REFUSED


def _switch(acts: "Acts", arguments: argparse.Namespace, around: Surroundings) -> int:
    from footfall.ports.relational import Side

    side = Side.NEW if arguments.action == "switch" else Side.OLD
    told = acts.switch(arguments.keys or [], to=side)
    around.say(f"{told.done:,} answer on the {side} side.")
    for key, reason in sorted(told.refused.items())[:50]:
        around.complain(f"{printable(key)}: {printable(reason)}")
    return Exit.REFUSED if told.refused else Exit.OK


def _report(acts: "Acts", arguments: argparse.Namespace, around: Surroundings) -> int:
    verified = acts.verify(run=arguments.run or instant_text(around.clock.now_ms()))
    around.say(acts.report(verified).rstrip())
    return Exit.OK if verified.is_sound else Exit.REFUSED


def _repair(acts: "Acts", arguments: argparse.Namespace, around: Surroundings) -> int:
    repaired, verified = acts.repair(run=arguments.run or instant_text(around.clock.now_ms()))
    around.say(f"{repaired.carried:,} were carried over again, {repaired.removed:,} items that were nobody's are gone.")
    for key in repaired.not_ours[:50]:
        around.complain(f"{printable(key)} answers on the new side: hand it back first, then repair it.")
    show_verified(verified, around)
    return Exit.OK if verified.is_sound else Exit.REFUSED


def _end(acts: "Acts", arguments: argparse.Namespace, around: Surroundings) -> int:
    side = acts.end()
    kept = "the table has everything" if side == "new" else "nothing of it is left in the table"
    around.say(f"It has ended on the {side} side: {kept}, and our tables and triggers in the old database are gone.")
    return Exit.OK


_DOES: Final[Mapping[str, "Callable[[Acts, argparse.Namespace, Surroundings], int]"]] = {
    "check": _check, "prepare": _prepare, "status": _status, "verify": _verify, "repair": _repair,
    "switch": _switch, "back": _switch, "report": _report, "end": _end,
}  # fmt: skip


COMMAND = Command(
    name="migrate",
    says="Move a live relational database into a table without stopping it.",
    example="footfall migrate check --from mysql://app@127.0.0.1/catalogue --mapping mapping.yaml --data data",
    more_examples=(
        "footfall migrate prepare --from postgresql://app@127.0.0.1/catalogue --mapping mapping.yaml --data data",
        "footfall migrate run --from mysql://app@127.0.0.1/catalogue --mapping mapping.yaml --data data",
        "footfall migrate verify --from mysql://app@127.0.0.1/catalogue --mapping mapping.yaml --data data",
        "footfall migrate switch 17 --from mysql://app@127.0.0.1/catalogue --mapping mapping.yaml --data data",
        "footfall migrate back --all --from mysql://app@127.0.0.1/catalogue --mapping mapping.yaml --data data",
    ),
    tells=(
        "check looks whether the mapping fits and changes nothing. prepare installs triggers that note what changes. "
        "run copies, follows and writes back until it is stopped, and goes on where it was when it is started again. "
        "verify compares both sides, and repair carries over again what differs. switch lets the new side answer, back "
        "the old one, for some entities or for all. end removes the triggers; on the old side it leaves nothing in the "
        "table. See docs/how-to/move-a-database.md."
    ),
    run=migrate,
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument("keys", "Keys of entities, for switch and back.", shows="KEY", repeated=True, may_be_absent=True),
        Argument(
            "--from",
            "The database: mysql://, mariadb:// or postgresql://; @FILE reads it from a file, which keeps a password "
            f"out of lists of processes. Without it, what {VARIABLE} says.",
            shows="URL",
        ),
        Argument("--mapping", "The file that says what becomes what.", shows="FILE", required=True),
        DATA,
        CONFIG,
        Argument("--table", "A table in a file of its own, instead of the metrics of --data.", shows="FILE"),
        Argument("--all", "All entities, for switch and back.", is_switch=True),
        Argument("--until-copied", "End run when all is copied and nothing waits.", is_switch=True),
        Argument(
            "--rate",
            "At most so many a second, for run; fewer where the database answers slower.",
            shows="N",
            reads=whole_from(1, 100_000),
            default=RATE,
        ),
        Argument("--run", "The name of a verification, to go on with one that was stopped.", shows="NAME"),
        JSON,
    ),
    exits={Exit.REFUSED: "both sides differ, or some could not be switched", Exit.FAILED: "it failed"},
)
