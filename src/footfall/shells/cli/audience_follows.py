"""What `footfall audience` does with follows, blocks, publications and feeds, and with all that is kept of a member."""

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from footfall.shells.cli.asking import user_name
from footfall.shells.cli.audience_action import Action, say_json, say_rows, things_of
from footfall.shells.cli.command import Exit, Surroundings, WrongUsage, printable

if TYPE_CHECKING:
    from footfall.app.audience_follows import FollowActs
    from footfall.app.audience_opening import Audience

Answer = Mapping[str, Any]
Ask = Callable[["FollowActs", list[str], argparse.Namespace], Answer]
Say = Callable[[Answer, Surroundings], None]


def _action(name: str, takes: str, says: str, ask: Ask, say: Say) -> Action:
    def run(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
        from footfall.app.audience_follows import FollowActs

        things = [str(one) for one in things_of(audience, arguments, *takes.split())]
        answer = ask(FollowActs(audience, arguments.brand), things, arguments)
        if arguments.json:
            say_json(answer, around)
        else:
            say(answer, around)
        return Exit.OK

    return Action(name, takes, says, run)


def _listed(name: str, says: str, method: str = "") -> Action:
    def ask(acts: "FollowActs", things: list[str], arguments: argparse.Namespace) -> Answer:
        answer: Answer = getattr(acts, method or name)(things[0], limit=arguments.limit, after=arguments.after)
        return answer

    return _action(name, "THING", says, ask, _say_list)


def _say_list(answer: Answer, around: Surroundings) -> None:
    columns = [name for name in ("thing", "id", "at") if any(name in row for row in answer["items"])]
    say_rows(answer["items"], around, *columns, nothing="There is nothing.")
    if answer.get("after"):
        around.say(f"There is more: --after {answer['after']}")


def _say_follow(answer: Answer, around: Surroundings) -> None:
    follower, target = printable(answer["follower"]), printable(answer["target"])
    says = {"following": "follows", "requested": "has asked to follow", "none": "does not follow"}
    since = f" since {answer['at']}" if answer.get("at") else ""
    around.say(f"{follower} {says[answer['state']]} {target}{since}.")


def _say_block(answer: Answer, around: Surroundings) -> None:
    verb = "blocks" if answer["isBlocked"] else "does not block"
    around.say(f"{printable(answer['blocker'])} {verb} {printable(answer['blocked'])}.")


def _say_privacy(answer: Answer, around: Surroundings) -> None:
    around.say(f"{printable(answer['thing'])} is {'private' if answer['private'] else 'open to everybody'}.")


def _say_counts(answer: Answer, around: Surroundings) -> None:
    if answer["followers"] is None:
        around.say("The brand's follows are not counted.")
    else:
        around.say(f"{printable(answer['thing'])} follows {answer['following']:,}, {answer['followers']:,} follow it.")


def _publish(acts: "FollowActs", things: list[str], arguments: argparse.Namespace) -> Answer:
    try:
        about: object = {} if arguments.about is None else msgspec.json.decode(arguments.about)
    except msgspec.DecodeError as error:
        raise WrongUsage(f"--about is no JSON: {error}.") from error
    return acts.publish({"thing": things[0], "id": _id_of(arguments), "about": about})


def _unpublish(acts: "FollowActs", things: list[str], arguments: argparse.Namespace) -> Answer:
    id = _id_of(arguments)
    acts.unpublish(things[0], id)
    return {"thing": things[0], "id": id}


def _id_of(arguments: argparse.Namespace) -> str:
    if not arguments.id:
        raise WrongUsage(f"{arguments.action} needs --id, by which the publication is known.")
    return str(arguments.id)


def _say_publication(answer: Answer, around: Surroundings) -> None:
    around.say(f"{printable(answer['thing'])} published {printable(answer['id'])} at {answer['at']}.")


def _say_unpublished(answer: Answer, around: Surroundings) -> None:
    around.say(f"{printable(answer['id'])} of {printable(answer['thing'])} is in no feed.")


def _say_shards(answer: Answer, around: Surroundings) -> None:
    around.say(f"The followers of {printable(answer['thing'])} lie in {answer['shards']} shards.")


def _export(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    from footfall.app.audience_personal import kept
    from footfall.audience.kept_lists import all_rows

    (thing,) = things_of(audience, arguments, "THING")
    for row in all_rows(kept(audience, arguments.brand, thing)):
        say_json(row, around)
    return Exit.OK


def _erase(audience: "Audience", arguments: argparse.Namespace, around: Surroundings) -> int:
    from footfall.accounts.audit import command_line
    from footfall.app.audience_acts import erasure_note
    from footfall.app.audience_personal import erase_some
    from footfall.app.control_audit import write_down

    (thing,) = things_of(audience, arguments, "THING")
    if not arguments.yes:
        raise WrongUsage("erase takes all that is kept of a thing away, for good: say --yes as well.")
    note = erasure_note(arguments.brand, thing, by=command_line(user_name()))
    write_down(audience.settings, audience.clock, note)
    items, is_done = 0, False
    while not is_done:
        erased = erase_some(audience, arguments.brand, thing)
        items, is_done = items + erased.items, erased.is_done
    if arguments.json:
        say_json({"of": str(thing), "erased": items, "done": True}, around)
    else:
        around.say(f"{items:,} items of {printable(str(thing))} are gone.")
    return Exit.OK


ACTIONS: Final = (
    _action(
        "follow", "FOLLOWER TARGET", "lets one follow the other", lambda acts, of, _: acts.follow(*of), _say_follow
    ),
    _action(
        "unfollow", "FOLLOWER TARGET", "lets it no longer do so", lambda acts, of, _: acts.unfollow(*of), _say_follow
    ),
    _action(
        "is-following", "FOLLOWER TARGET", "tells whether it does", lambda acts, of, _: acts.state(*of), _say_follow
    ),
    _listed("following", "lists what it follows, the newest first"),
    _listed("followers", "lists who follows it, the newest first"),
    _listed("mutual", "lists those that it follows and that follow it"),
    _action("counts", "THING", "tells how many of both there are", lambda acts, of, _: acts.counts(*of), _say_counts),
    _action(
        "suggest", "THING", "lists what those follow who follow the same",
        lambda acts, of, arguments: acts.suggestions(*of, limit=arguments.limit), _say_list,
    ),
    _listed("feed", "lists what those published that it follows"),
    _listed("published", "lists what it published"),
    _action("publish", "THING", "says that it published something, with --id and --about", _publish, _say_publication),
    _action("unpublish", "THING", "takes the publication of an --id back", _unpublish, _say_unpublished),
    _action(
        "block", "BLOCKER BLOCKED", "lets the second not follow the first",
        lambda acts, of, _: acts.block(*of, is_on=True), _say_block,
    ),
    _action(
        "unblock", "BLOCKER BLOCKED", "lets it follow again",
        lambda acts, of, _: acts.block(*of, is_on=False), _say_block,
    ),
    _listed("blocks", "lists whom it blocks"),
    _action(
        "make-private", "THING", "lets its followers be approved first",
        lambda acts, of, _: acts.set_privacy(*of, private=True), _say_privacy,
    ),
    _action(
        "make-open", "THING", "lets everybody follow it",
        lambda acts, of, _: acts.set_privacy(*of, private=False), _say_privacy,
    ),
    _listed("requests", "lists who asked to follow it"),
    _action(
        "approve", "TARGET FOLLOWER", "lets somebody follow who asked",
        lambda acts, of, _: acts.decide(of[0], of[1], "approve"), _say_follow,
    ),
    _action(
        "decline", "TARGET FOLLOWER", "refuses somebody who asked",
        lambda acts, of, _: acts.decide(of[0], of[1], "decline"), _say_follow,
    ),
    _action(
        "spread", "THING", "divides its followers beforehand, as many as --expect says",
        lambda acts, of, arguments: acts.spread(of[0], arguments.expect), _say_shards,
    ),
    Action("export", "THING", "prints all that is kept of it, one JSON object a line", _export),
    Action("erase", "THING", "takes all that is kept of it away; needs --yes", _erase),
)  # fmt: skip
