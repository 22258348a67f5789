"""`footfall archive`: keeps pages as they were, lists and finds them, runs the worker, and looks after what is kept."""

import argparse
import os
import signal
import threading
from typing import TYPE_CHECKING, Any, Final

import msgspec
from rich.table import Table

from footfall.shells.cli.archive_report import (
    show_captures,
    show_contents,
    show_found,
    show_requests,
    show_verified,
)
from footfall.shells.cli.archive_watches import ARGUMENTS as OF_WATCHES
from footfall.shells.cli.archive_watches import watches
from footfall.shells.cli.asking import settings_of, user_name
from footfall.shells.cli.command import (
    CONFIG,
    DATA,
    JSON,
    Argument,
    Command,
    Exit,
    Surroundings,
    WrongUsage,
    brand_name,
    printable,
    whole_from,
)
from footfall.values.errors import FootfallError

if TYPE_CHECKING:  # The archive needs an extra; whoever only asks for help does not.
    from footfall.app.archive_acts import ArchiveActs
    from footfall.app.settings import Settings

ACTIONS: Final = ("list", "requests", "show", "search", "retry", "watches", "worker", "admin")
ADMIN: Final = ("contents", "verify", "index", "sweep", "clear")
OF_ONE: Final = ("remove", "hold", "release")  # They name a capture.
LIMIT_DEFAULT = 50
LOOK_EVERY_S = 0.5
LOOKS_IN_SILENCE = 10  # Five seconds, in which a worker that is free has begun.


class NotKept(FootfallError):
    """Some of the pages could not be kept."""


def archive(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Do what is asked of the archive."""
    before = os.umask(0o077)  # What is kept here is nobody else's to read.
    try:
        return _done(arguments, around)
    finally:
        os.umask(before)


def _done(arguments: argparse.Namespace, around: Surroundings) -> int:
    words: list[str] = arguments.what
    settings = settings_of(arguments, around)
    if words[0] == "worker":
        return _work(settings, around)
    from footfall.app.archive_acts import archive_acts

    with archive_acts(settings, around.clock) as acts:
        if words[0] == "admin":
            return _administer(acts, words[1:], arguments, around)
        if words[0] == "watches":
            return _watch(acts, words[1:], arguments, around)
        if words[0] in ACTIONS:
            return _look(acts, words[0], words[1:], arguments, around)
        return _ask(acts, words, arguments, around)


def _ask(acts: "ArchiveActs", urls: list[str], arguments: argparse.Namespace, around: Surroundings) -> int:
    from footfall.app.archive_acts import Options
    from footfall.archive.captures import State
    from footfall.archive.requests import OPEN

    options = Options(hide_banners=arguments.hide_banners, hide_sticky=arguments.hide_sticky)
    asked = acts.ask(urls, brand=_brand(arguments), options=options)
    looks = 0
    while arguments.wait and any(one.state in OPEN for one in asked):
        around.pause(LOOK_EVERY_S)
        looks += 1
        asked = [acts.request(one.id) for one in asked]
        if looks == LOOKS_IN_SILENCE and all(one.state is State.PENDING for one in asked):
            around.complain(acts.why_it_waits())
    show_requests(asked, around, as_json=arguments.json)
    if any(one.reason is not None for one in asked):
        raise NotKept("some of the pages could not be kept; the list says why")
    return Exit.OK


def _look(
    acts: "ArchiveActs", action: str, words: list[str], arguments: argparse.Namespace, around: Surroundings
) -> int:
    if action in ("list", "requests"):
        brand = _brand(arguments)
        if action == "requests":
            show_requests(acts.requests(brand, limit=arguments.limit), around, as_json=arguments.json)
        else:
            show_captures(acts.captures(brand, limit=arguments.limit).items, around, as_json=arguments.json)
        return Exit.OK
    if not words:
        raise WrongUsage(f"{action} needs {'words' if action == 'search' else 'an id'}.")
    if action == "search":
        found = acts.search(_brand(arguments), " ".join(words), limit=min(arguments.limit, 100))
        show_found(found, acts, around, as_json=arguments.json)
    elif action == "retry":
        show_requests([acts.retry(id) for id in words], around, as_json=arguments.json)
    else:
        _show(acts, words[0], arguments, around)
    return Exit.OK


def _watch(acts: "ArchiveActs", words: list[str], arguments: argparse.Namespace, around: Surroundings) -> int:
    from footfall.app.archive_watch_acts import WatchActs

    own = WatchActs(acts.opened.archive, acts.settings, around.clock, _brand(arguments), user_name())
    return watches(own, words, arguments, around)


def _show(acts: "ArchiveActs", id: str, arguments: argparse.Namespace, around: Surroundings) -> None:
    document: dict[str, Any] = msgspec.to_builtins(acts.capture(id))
    if arguments.json:
        around.say(msgspec.json.encode(document).decode())
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in document.items():
        text = value if isinstance(value, str | int) else msgspec.json.encode(value).decode()
        table.add_row(printable(name), printable(text))
    around.console().print(table)


def _administer(acts: "ArchiveActs", words: list[str], arguments: argparse.Namespace, around: Surroundings) -> int:
    act, *more = words or ["contents"]
    if act in OF_ONE and len(more) == 1:
        return _administer_one(acts, act, more[0], arguments, around)
    if more or act not in ADMIN:
        raise WrongUsage(f"admin takes one of {', '.join(ADMIN)}, or {', '.join(OF_ONE)} with the id of a capture.")
    match act:
        case "contents":
            show_contents(acts.contents(), around, as_json=arguments.json)
        case "verify":
            found, damages = acts.verify(
                lambda one: around.complain(f"{one.objects:,} objects, {one.captures:,} captures")
            )
            show_verified(found, damages, around, as_json=arguments.json)
            return Exit.FAILED if damages else Exit.OK
        case "index":
            around.say(f"{acts.index():,} captures are found by words.")
        case "sweep":
            captures, objects = acts.sweep()
            around.say(f"{captures:,} captures were too old, {objects:,} objects were nobody's any more.")
        case _:
            if not arguments.yes:
                raise WrongUsage("clear takes every capture away, for good: say --yes as well.")
            around.say(f"{acts.admin(user=user_name()).clear():,} captures were taken away.")
    return Exit.OK


def _administer_one(acts: "ArchiveActs", act: str, id: str, arguments: argparse.Namespace, around: Surroundings) -> int:
    admin = acts.admin(user=user_name())
    if act == "hold":
        around.say(f"{admin.hold(id).url} is held: nobody removes it until it is released.")
    elif act == "release":
        around.say(f"{admin.release(id).url} is held no more.")
    elif not arguments.why:
        raise WrongUsage("remove needs a reason, which stays in its place: say --why as well.")
    else:
        around.say(f"{admin.remove(id, why=arguments.why).url} was removed; its place says why.")
    return Exit.OK


def _work(settings: "Settings", around: Surroundings) -> int:
    from footfall.app.archive_capturing import CannotCapture, why_not
    from footfall.app.archiving import is_over, limit_process, worker_of
    from footfall.app.logs import begin_logging

    refusal = why_not(settings)
    if refusal is not None:
        raise CannotCapture(refusal)
    begin_logging(settings, process="archive")
    limit_process(settings)
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stopping.set())
    around.say("The archive's worker runs.")
    worker_of(settings).run(is_over(settings, stopping.wait))
    return Exit.OK


def _brand(arguments: argparse.Namespace) -> str:
    if not arguments.brand:
        raise WrongUsage("say which brand with --brand.")
    return str(arguments.brand)


COMMAND = Command(
    name="archive",
    says="Keep pages as they were, and look after what is kept.",
    tells=(
        "Addresses are asked for in the brand's name, and all of its members see them. `list`, `requests`, `show ID`,\n"
        "`search WORDS` and `retry ID` look at what there is; `worker` captures what waits, where no server does;\n"
        "`watches list`, `watches add URL --every N` or `--top N`, and `watches remove ID` let pages keep themselves;\n"
        "`admin contents`, `admin verify`, `admin index`, `admin sweep` and `admin clear --yes` look after all of it;\n"
        "`admin remove`, `hold` and `release` take the id of a capture, whoever it belongs to."
    ),
    example="footfall archive https://example.com/ --brand daily --wait",
    more_examples=(
        "footfall archive search budget --brand daily",
        "footfall archive watches add https://example.com/ --every 15 --brand daily",
        "footfall archive admin verify",
    ),
    run=archive,
    arguments=(
        Argument("what", "Addresses of pages, or an action with what it needs.", shows="URL|ACTION", repeated=True),
        Argument("--brand", "The brand.", shows="BRAND", reads=brand_name),
        Argument("--wait", "Wait until all are done or failed.", is_switch=True),
        Argument("--hide-banners", "Hide cookie banners.", is_switch=True),
        Argument("--hide-sticky", "Hide headers that stick to the window.", is_switch=True),
        Argument("--yes", "Really clear everything.", is_switch=True),
        Argument("--why", "Why a capture is removed; its place says so.", shows="TEXT", default=""),
        Argument("--limit", "How many to show.", shows="N", reads=whole_from(1, 1_000), default=LIMIT_DEFAULT),
        *OF_WATCHES,
        JSON,
        DATA,
        CONFIG,
    ),
    exits={Exit.FAILED: "a page could not be kept, or stored bytes are damaged", Exit.REFUSED: "it was refused"},
)
