"""The routes of the follow graph: follows, lists of both directions, blocks, requests, publications and feeds."""

from http import HTTPStatus
from typing import Any

from footfall.shells.http.audience_asking import AFTER_CHARACTERS_MAX, PAGE_DEFAULT, PAGE_MAX
from footfall.shells.http.described.archive import OF_BRAND
from footfall.shells.http.described.operation import (
    JSON,
    LINES,
    Answer,
    Body,
    Operation,
    Parameter,
    Schema,
    listed,
    maybe,
    problem,
    record,
    text,
    whole,
)

GROUP = "Audience"
HERE = "/v1/audience"
FOLLOWS = f"{HERE}/follows"

ME, DARK, AT = "member:42", "series:dark", "2026-11-17T09:30Z"
THING = text("a kind and an id of the publisher's own, as in member:42", bytes_max=300)
WRONG = problem(HTTPStatus.BAD_REQUEST, "A field or a parameter is unknown or impossible.", field_name="of")
_BLOCKED = problem(HTTPStatus.FORBIDDEN, "The key may not do it, or the target blocks the follower.")
_FULL = problem(HTTPStatus.CONFLICT, "The follower follows as much as anybody may.", field_name="follower")
_NOT_ASKED = problem(HTTPStatus.NOT_FOUND, "Nobody asked for that.", field_name="follower")
_STATE = text("what the follower is to the target", enum=["none", "following", "requested"])
_MOMENT = text("a moment, UTC")
_FOLLOW: Schema = record(
    {
        "follower": THING, "target": THING, "state": _STATE, "at": maybe(_MOMENT),
        "new": {"type": "boolean", "description": "whether it was not so before"},
    }
)  # fmt: skip
_A_FOLLOW = {"follower": ME, "target": DARK, "state": "following", "at": AT, "new": True}
_OTHERS: Schema = record({"items": listed(record({"thing": THING, "at": _MOMENT})), "after": maybe(text())})
_SOME_OTHERS = {"items": [{"thing": DARK, "at": AT}], "after": None}
_PUBLICATION: Schema = record({"thing": THING, "id": text(bytes_max=256), "at": _MOMENT, "about": {"type": "object"}})
_A_PUBLICATION = {"thing": DARK, "id": "s1e2", "at": AT, "about": {"title": "Lies"}}
_PUBLISHED: Schema = record({"items": listed(_PUBLICATION), "after": maybe(text())})


def named(name: str, says: str, example: str = ME) -> Parameter:
    """Return a parameter that names a thing."""
    return Parameter(name, says, {**THING, "minLength": 1}, is_required=True, example=example)


def _done(says: str, schema: Schema, example: Any) -> Answer:
    return Answer(HTTPStatus.OK, says, JSON, schema, example)


AFTER = Parameter("after", "What the answer before said.", text(bytes_max=AFTER_CHARACTERS_MAX))
LIMIT = Parameter("limit", "How many to answer.", {**whole(1, PAGE_MAX), "default": PAGE_DEFAULT})
_KIND = Parameter("kind", "Only things of this kind.", text(bytes_max=32), example="series")
_EDGE = (named("follower", "Who follows."), named("target", "What is followed.", DARK), OF_BRAND)
_BLOCK = (named("blocker", "Who blocks.", "member:7"), named("blocked", "Who is blocked."), OF_BRAND)


def _list(path: str, name: str, says: str, *more: Parameter, of: str = ME, tells: str = "") -> Operation:
    return Operation(
        "GET", f"{HERE}/{path}", name, says, GROUP, "audience", more=tells,
        parameters=(named("of", "Whose.", of), *more, LIMIT, AFTER, OF_BRAND),
        answers=(_done("Some of them, the newest first; `after` is null at the end.", _OTHERS, _SOME_OTHERS), WRONG),
    )  # fmt: skip


def _publications(path: str, name: str, says: str, of: str, tells: str = "") -> Operation:
    example = {"items": [_A_PUBLICATION], "after": None}
    return Operation(
        "GET", f"{HERE}/{path}", name, says, GROUP, "audience", more=tells,
        parameters=(named("of", "Whose.", of), LIMIT, AFTER, OF_BRAND),
        answers=(_done("Some of it, the newest first; `after` is null at the end.", _PUBLISHED, example), WRONG),
    )  # fmt: skip


_UNFOLLOWED: Schema = record({"follower": THING, "target": THING, "state": _STATE, "changed": {"type": "boolean"}})
_IS: Schema = record({"follower": THING, "target": THING, "state": _STATE, "at": maybe(_MOMENT)})
_BLOCKS: Schema = record(
    {"blocker": THING, "blocked": THING, "isBlocked": {"type": "boolean"}, "changed": {"type": "boolean"}}
)
_PRIVACY: Schema = record({"thing": THING, "private": {"type": "boolean"}})
_COUNT = maybe(whole(0))

_OF_FOLLOWS = (
    Operation(
        "PUT", FOLLOWS, "follow", "Let one thing follow another, or ask a private one.", GROUP, "audience",
        more="Doing so twice changes nothing, and answers with the moment of the first.", parameters=_EDGE,
        answers=(_done("It follows, or has asked.", _FOLLOW, _A_FOLLOW), WRONG, _BLOCKED, _FULL),
    ),
    Operation(
        "DELETE", FOLLOWS, "unfollow", "Let one thing no longer follow another, nor ask it.", GROUP, "audience",
        parameters=_EDGE,
        answers=(
            _done("It does not follow.", _UNFOLLOWED,
                  {"follower": ME, "target": DARK, "state": "none", "changed": True}),
            WRONG,
        ),
    ),
    Operation(
        "GET", FOLLOWS, "isFollowing", "What one thing is to another.", GROUP, "audience", parameters=_EDGE,
        answers=(
            _done("It is told.", _IS, {"follower": ME, "target": DARK, "state": "following", "at": AT}), WRONG,
        ),
    ),
    Operation(
        "POST", f"{FOLLOWS}/check", "whichFollowed", "Which of up to 100 things one thing follows.", GROUP, "audience",
        parameters=(OF_BRAND,),
        bodies=(
            Body(JSON, record({"follower": THING, "targets": listed(THING, minItems=1, maxItems=100)}),
                 {"two": {"follower": ME, "targets": [DARK, "series:light"]}}),
        ),
        answers=(
            _done("Those that it follows.",
                  record({"follower": THING, "following": listed(record({"thing": THING, "at": _MOMENT}))}),
                  {"follower": ME, "following": [{"thing": DARK, "at": AT}]}),
            WRONG,
        ),
    ),
)  # fmt: skip
_OF_LISTS = (
    _list("following", "following", "What a thing follows.", _KIND),
    _list("followers", "followers", "Who follows a thing.", of=DARK),
    _list("mutual", "mutual", "Those that a thing follows and that follow it.",
          tells="A page may have fewer than asked, or none, and go on all the same."),
    Operation(
        "GET", f"{HERE}/counts", "followCounts", "How much a thing follows, and how many follow it.", GROUP, "audience",
        parameters=(named("of", "Whose.", DARK), OF_BRAND),
        answers=(
            _done("Exact; null where the brand's follows are not counted.",
                  record({"thing": THING, "following": _COUNT, "followers": _COUNT}),
                  {"thing": DARK, "following": 0, "followers": 1204}),
            WRONG,
        ),
    ),
    Operation(
        "GET", f"{HERE}/suggestions", "suggestions", "What those follow who follow the same things.", GROUP, "audience",
        parameters=(named("of", "Whose."), _KIND, LIMIT, OF_BRAND),
        answers=(
            _done("The likeliest first.", record({"items": listed(record({"thing": THING, "weight": whole(1)}))}),
                  {"items": [{"thing": "series:light", "weight": 9}]}),
            WRONG,
        ),
    ),
)  # fmt: skip
_OF_PRIVACY = (
    _list("blocks", "blocks", "Whom a thing blocks."),
    *(
        Operation(
            method, f"{HERE}/blocks", name, says, GROUP, "audience", parameters=_BLOCK,
            answers=(
                _done("So it is now.", _BLOCKS,
                      {"blocker": "member:7", "blocked": ME, "isBlocked": method == "PUT", "changed": True}),
                WRONG,
            ),
        )
        for method, name, says in (
            ("PUT", "block", "Let somebody not follow, neither as before nor anew."),
            ("DELETE", "unblock", "Let somebody follow again, who has to do so anew."),
        )
    ),
    _list("requests", "followRequests", "Who asked to follow a private thing."),
    Operation(
        "POST", f"{HERE}/requests", "decideRequest", "Approve or decline a request.", GROUP, "audience",
        parameters=(OF_BRAND,),
        bodies=(
            Body(JSON, record({"target": THING, "follower": THING, "decision": text(enum=["approve", "decline"])}),
                 {"approve": {"target": "member:7", "follower": ME, "decision": "approve"}}),
        ),
        answers=(
            _done("What the follower is to the target now.", _FOLLOW, {**_A_FOLLOW, "target": "member:7"}),
            WRONG, _BLOCKED, _NOT_ASKED, _FULL,
        ),
    ),
    Operation(
        "GET", f"{HERE}/privacy", "privacy", "Whether following a thing has to be approved.", GROUP, "audience",
        parameters=(named("of", "Whose."), OF_BRAND),
        answers=(_done("It is told.", _PRIVACY, {"thing": ME, "private": False}), WRONG),
    ),
    Operation(
        "PUT", f"{HERE}/privacy", "setPrivacy", "Say whether following a thing has to be approved.", GROUP, "audience",
        more="Whoever follows it already stays.", parameters=(named("of", "Whose."), OF_BRAND),
        bodies=(Body(JSON, record({"private": {"type": "boolean"}}), {"private": {"private": True}}),),
        answers=(_done("So it is now.", _PRIVACY, {"thing": ME, "private": True}), WRONG),
    ),
)  # fmt: skip
_OF_FEEDS = (
    Operation(
        "PUT", f"{HERE}/publications", "publish", "Say that a thing published something.", GROUP, "audience",
        more="Said again with the same id, it takes the place of the first.", parameters=(OF_BRAND,),
        bodies=(
            Body(JSON, record({"thing": THING, "id": text(bytes_max=256), "at": _MOMENT, "about": {"type": "object"}},
                              required=("thing", "id")),
                 {"an episode": {"thing": DARK, "id": "s1e2", "about": {"title": "Lies"}}}),
        ),
        answers=(_done("It is in feeds.", _PUBLICATION, _A_PUBLICATION), WRONG),
    ),
    Operation(
        "DELETE", f"{HERE}/publications", "unpublish", "Take a publication back.", GROUP, "audience",
        parameters=(
            named("of", "Whose.", DARK),
            Parameter("id", "Which.", text(bytes_max=256, minLength=1), is_required=True, example="s1e2"), OF_BRAND,
        ),
        answers=(Answer(HTTPStatus.NO_CONTENT, "It is in no feed."), WRONG),
    ),
    _publications("publications", "publications", "What a thing published.", DARK),
    _publications("feed", "feed", "What the things published that somebody follows.", ME,
                  "It goes back 13 weeks. A page may have fewer than asked, or none, and go on all the same."),
    Operation(
        "GET", f"{HERE}/personal", "personal", "All that is kept of a member, one JSON object a line.", GROUP,
        "audience", parameters=(named("of", "Whose."), AFTER, OF_BRAND),
        more="Some thousand at a time: where there are more, the header `Link` has the address of the next, as "
        '`rel="next"`.',
        answers=(
            Answer(HTTPStatus.OK, "Each line says in `part` which part of the audience keeps it.", LINES, text(),
                   '{"part":"follows","what":"follows","thing":"series:dark","at":"2026-11-17T09:30Z"}\n'),
            WRONG,
        ),
    ),
    Operation(
        "DELETE", f"{HERE}/personal", "erasePersonal", "Erase some of what is kept of a member.", GROUP, "audience",
        more="Send it again until `done` is true: each goes on with what is still there. From the "
        "first on, the watch log names the member no more; its rows keep what was watched.",
        parameters=(named("of", "Whose."), OF_BRAND),
        answers=(
            _done("So much is gone.", record({"of": THING, "erased": whole(0), "done": {"type": "boolean"}}),
                  {"of": ME, "erased": 12, "done": True}),
            WRONG,
        ),
    ),
)  # fmt: skip
OPERATIONS = (*_OF_FOLLOWS, *_OF_LISTS, *_OF_PRIVACY, *_OF_FEEDS)
