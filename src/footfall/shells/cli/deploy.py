"""`footfall deploy`: the functions packed, and the stack on AWS made, changed, looked at and removed."""

import argparse
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from footfall.shells.cli.command import JSON, Argument, Command, Exit, Surroundings, WrongUsage, whole_from
from footfall.shells.cli.deploy_report import (
    exports,
    show_changes,
    show_cleared,
    show_packed,
    show_status,
    show_up,
)
from footfall.shells.cli.recount import shown_progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.app.deploying import Deployment
    from footfall.app.deploying_archive import Packed

ACTIONS: Final = ("package", "up", "update", "status", "clear")
FLAGS: Final = {
    "shards": "ShardCount",
    "freshness": "FreshnessSeconds",
    "raw_days": "RawDays",
    "alarm_topic": "AlarmTopicArn",
}


class NotConfirmed(WrongUsage):
    """What cannot be undone was asked for without saying so."""


def deploy(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Do what is asked with the deployment."""
    given = given_parameters(arguments)
    if given and arguments.action not in ("up", "update"):
        raise WrongUsage(f"{arguments.action} takes no parameters; --set and its short forms belong to up and update.")
    return _ACTIONS[arguments.action](arguments, around)


def given_parameters(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the template's parameters that are given, by flag or by name."""
    named = {FLAGS[flag]: str(value) for flag in FLAGS if (value := getattr(arguments, flag)) is not None}
    for text in arguments.set:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise WrongUsage(f"--set {text!r} is not NAME=VALUE, such as ServeMemory=2048.")
        if named.get(name, value) != value:
            raise WrongUsage(f"{name} is given as {named[name]!r} and as {value!r}; give it once.")
        named[name] = value
    return named


def _package(arguments: argparse.Namespace, around: Surroundings) -> int:
    from footfall.app.deploying_archive import Target, default_runtime, pack

    target = Target(arguments.runtime or default_runtime(), arguments.architecture or "x86_64")
    packed = pack(target, Path(arguments.out or "."))
    if arguments.json:
        around.say(msgspec.json.encode({**_figures(packed), "file": str(packed.path)}).decode())
    else:
        show_packed(packed, around)
    return Exit.OK


def _figures(packed: "Packed") -> dict[str, Any]:
    return {
        "sha256": packed.digest,
        "bytes": packed.packed_bytes,
        "unpackedBytes": packed.unpacked_bytes,
        "isCompiled": packed.target.is_compiled_here,
        "runtime": packed.target.runtime,
        "architecture": packed.target.architecture,
        "versions": packed.versions,
    }


def _up(arguments: argparse.Namespace, around: Surroundings) -> int:
    from footfall.app import deploying, deploying_template

    given = given_parameters(arguments)
    deploying_template.require_parameters(given)  # Before a minute goes into packing.
    deploying_template.require_used_shards(given, {})
    deploying.require_absent(_deployment(arguments, around))
    with _archive(arguments, around) as packed, shown_progress("deploying", around) as on_share:
        stack = deploying.up(_deployment(arguments, around, on_share), packed, given)
    if arguments.json:
        around.say(msgspec.json.encode({"state": stack.state, "outputs": stack.outputs}).decode())
    else:
        show_up(stack, arguments, around)
    return Exit.OK


def _update(arguments: argparse.Namespace, around: Surroundings) -> int:
    from footfall.app import deploying, deploying_template

    given = given_parameters(arguments)
    deploying_template.require_parameters(given)
    deployment = _deployment(arguments, around)
    with _archive(arguments, around) as packed:
        prepared = deploying.prepare(deployment, packed, given)
    if prepared is None:
        around.say(f"{arguments.name} is as it should be; nothing was changed.")
        return Exit.OK
    show_changes(prepared, around)
    if arguments.dry_run:
        deploying.leave(deployment, prepared)
        around.say("Nothing was changed, as --dry-run says.")
        return Exit.OK
    with shown_progress("updating", around) as on_share:
        moved = _deployment(arguments, around, on_share)
        stack = deploying.change(moved, prepared, may_replace_data=arguments.replace_data)
    around.say(f"{stack.name} is updated ({stack.state}).")
    return Exit.OK


def _status(arguments: argparse.Namespace, around: Surroundings) -> int:
    from footfall.app import deploying

    health = deploying.status(_deployment(arguments, around), now_ms=around.clock.now_ms())
    if arguments.exports:
        for line in exports(health.stack, arguments):
            around.say(line)
        return Exit.OK
    if arguments.json:
        around.say(msgspec.json.encode(_told(health)).decode())
    else:
        show_status(health, around)
    return Exit.OK if health.stack.is_whole and not health.alarms else Exit.FAILED


def _told(health: Any) -> Mapping[str, Any]:
    return {
        "name": health.stack.name,
        "state": health.stack.state,
        "deployed": health.deployed,
        "installed": health.installed,
        "outputs": health.stack.outputs,
        "alarms": health.alarms,
        "counting": None if health.mapping is None else health.mapping.state,
        "lastResult": None if health.mapping is None else health.mapping.last_result,
        "lagMs": health.lag_ms,
    }


def _clear(arguments: argparse.Namespace, around: Surroundings) -> int:
    from footfall.app import deploying

    name = arguments.name
    what = "with its tables and raw hits" if arguments.with_data else "without its tables and raw hits, which stay"
    typed = arguments.yes
    if typed is None:
        around.complain(f"{name} will be removed, {what}. Type its name to go on:")
        typed = around.stdin.readline().decode(errors="replace").strip()
    if typed != name:
        raise NotConfirmed(f"Nothing was removed: {typed!r} is not {name!r}. Type the name, or say --yes {name}.")
    with shown_progress("clearing", around) as on_share:
        cleared = deploying.clear(_deployment(arguments, around, on_share), with_data=arguments.with_data)
    show_cleared(name, cleared, around)
    return Exit.OK


_ACTIONS: Final = {"package": _package, "up": _up, "update": _update, "status": _status, "clear": _clear}


def _deployment(
    arguments: argparse.Namespace, around: Surroundings, on_share: "Callable[[float], None]" = lambda _share: None
) -> "Deployment":
    from footfall.adapters.aws.sessions import Ground
    from footfall.app.deploying import Deployment

    ground = Ground(region=arguments.region, endpoint=arguments.endpoint)
    return Deployment(arguments.name, ground, around.pause, arguments.bucket or "", on_share)


def _archive(arguments: argparse.Namespace, around: Surroundings) -> "AbstractContextManager[Packed]":
    from footfall.app.deploying_archive import Target, default_runtime, fresh_archive, read_archive

    if arguments.archive:
        return read_archive(Path(arguments.archive))
    around.complain("packing the functions, which takes a minute")
    return fresh_archive(Target(arguments.runtime or default_runtime(), arguments.architecture or "x86_64"))


COMMAND = Command(
    name="deploy",
    says="Pack the functions, and make, change, look at or remove a footfall on AWS.",
    tells="package packs the functions into one archive; up makes the stack, update brings it to what is installed\n"
    "here, status tells how it is doing, and clear removes it. docs/deploying.md leads through all of it.",
    example="footfall deploy up --region eu-north-1",
    more_examples=(
        "footfall deploy package --architecture arm64 --out build/",
        "footfall deploy update --region eu-north-1 --set ServeMemory=2048 --dry-run",
        'eval "$(footfall deploy status --region eu-north-1 --exports)"',
        "footfall deploy clear --region eu-north-1 --yes footfall",
    ),
    run=deploy,
    arguments=(
        Argument("action", "What to do.", choices=ACTIONS),
        Argument("--name", "The stack's name.", shows="NAME", default="footfall"),
        Argument("--region", "The AWS region; else the machine's own.", shows="REGION"),
        Argument("--endpoint", "Where something that stands in for AWS is; else AWS.", shows="URL"),
        Argument("--bucket", "Where archives are put; else footfall-code-ACCOUNT-REGION, which is made.", shows="NAME"),
        Argument("--archive", "An archive that package has made; else one is made.", shows="FILE"),
        Argument("--architecture", "The processor, x86_64 or arm64; x86_64 if not.", choices=("x86_64", "arm64")),
        Argument("--runtime", "Lambda's Python; this one where Lambda has it, else 3.12.", choices=("3.12", "3.13")),
        Argument("--out", "A file or a folder for the archive; the working directory if not.", shows="PATH"),
        Argument("--shards", "Shards of Kinesis (ShardCount).", shows="N", reads=whole_from(1, 200)),
        Argument("--freshness", "Seconds between two writes of counts (FreshnessSeconds).", shows="S",
                 reads=whole_from(1, 300)),
        Argument("--raw-days", "Days that raw hits are kept (RawDays).", shows="N", reads=whole_from(2, 366)),
        Argument("--alarm-topic", "The SNS topic that alarms go to (AlarmTopicArn).", shows="ARN"),
        Argument("--set", "Any parameter of the template; may be repeated.", shows="NAME=VALUE", repeated=True),
        Argument("--dry-run", "With update: show what would change, and change nothing.", is_switch=True),
        Argument("--replace-data", "With update: make tables, stream and bucket anew if it comes to that.",
                 is_switch=True),
        Argument("--exports", "With status: print the settings of this stack for a shell to read.", is_switch=True),
        Argument("--with-data", "With clear: remove tables and raw hits, too.", is_switch=True),
        Argument("--yes", "With clear: the stack's name, instead of typing it.", shows="NAME"),
        JSON,
    ),
    exits={Exit.FAILED: "it failed, or the stack is not as it should be"},
)  # fmt: skip
