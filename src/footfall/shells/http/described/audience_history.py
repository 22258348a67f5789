"""The routes of histories: where members are in what they watch."""

from http import HTTPStatus
from typing import Any

from footfall.shells.http.described.operation import (
    JSON,
    LINES,
    Answer,
    Body,
    Operation,
    Parameter,
    listed,
    maybe,
    problem,
    record,
    text,
    whole,
)

GROUP = "Audience"
PATH = "/v1/audience/history"
ID_BYTES_MAX, DURATION_MS_MAX, EPISODES_MAX, EVENTS_MAX = 256, 2_592_000_000, 1_000, 100

_ID = text(bytes_max=ID_BYTES_MAX, minLength=1)
_SENT_ID = {"anyOf": [_ID, whole(0)]}
_MS = whole(0, DURATION_MS_MAX)
_MOMENT = text(format="date-time")
_STATES = ["ignored", "in-progress", "watched"]
_FACTS: dict[str, Any] = {
    "asset": _ID,
    "series": _ID,
    "state": {"enum": _STATES, "description": "what the watched rule makes of the facts, as it is today"},
    "positionMs": _MS,
    "durationMs": maybe(_MS),
    "creditsMs": maybe(_MS),
    "ended": {"type": "boolean"},
    "at": text("when the device was there"),
    "device": text(),
}
_EVENT = record(
    {
        "member": {**_SENT_ID, "description": "your own id of the member"},
        "asset": _SENT_ID,
        "series": {**_SENT_ID, "description": "the asset itself when it belongs to none"},
        "positionMs": whole(0, DURATION_MS_MAX, "where the player is; behind the end is the end"),
        "durationMs": whole(1, DURATION_MS_MAX, "how long the asset is, if it is known"),
        "creditsMs": whole(0, DURATION_MS_MAX, "where the end is, if the player knows better than the rule"),
        "ended": {"type": "boolean", "description": "the player has stopped, at the end or before it"},
        "at": text("when it was there; now when it is left out, and never later than now", format="date-time"),
        "sequence": whole(0, 10**9, "tells two events of one moment apart"),
        "device": text("as people call it", bytes_max=128),
    },
    required=("member", "asset", "positionMs"),
)
_CAME = record(
    {
        "member": _ID, "asset": _ID, "series": _ID, "state": {"enum": _STATES},
        "newest": {"type": "boolean", "description": "false: it was ignored, or something newer is known"},
        "at": text(),
    }
)  # fmt: skip
SCHEMAS = {
    "Watching": _EVENT,
    "Watched": _CAME,
    "HistoryPoint": record({**_FACTS, "timesWatched": whole(0, says="full watches, each counted once")}),
    "HistorySeries": record(_FACTS, says="The last episode of a series."),
}
_SEEN: dict[str, Any] = {
    "asset": "s1e3", "series": "dark", "state": "in-progress", "positionMs": 1_380_000, "durationMs": 3_120_000,
    "creditsMs": None, "ended": False, "at": "2026-11-15T20:14Z", "device": "Living room",
}  # fmt: skip
_POINT = {**_SEEN, "timesWatched": 0}
_TOLD = {"member": "42", "asset": "s1e3", "series": "dark", "positionMs": 1_380_000, "durationMs": 3_120_000}
_RECORDED = {
    "member": "42", "asset": "s1e3", "series": "dark", "state": "in-progress", "newest": True,
    "at": "2026-11-15T20:14Z",
}  # fmt: skip
_WRONG = problem(
    HTTPStatus.BAD_REQUEST, "Something is missing, unknown or impossible; `field` says what.", field_name="positionMs",
    detail="positionMs: is missing or not a whole number of milliseconds",
)  # fmt: skip


def _of(name: str, example: str, *, is_required: bool = True) -> Parameter:
    return Parameter(name, f"Your own id of the {name}.", _ID, is_required=is_required, example=example)


_MEMBER, _SERIES, _ASSET = _of("member", "42"), _of("series", "dark"), _of("asset", "s1e3")
_LIMIT = Parameter("limit", "How many to answer.", {**whole(1, 100), "default": 20})
_AFTER = Parameter("after", "Where to go on, as the answer before said it.", text(bytes_max=1_000, pattern="^[\\w-]*$"))
_NOTE = text("only when no series was named and nothing is known of the asset without one: what to name")
_ORDER = record({"episodes": listed(_ID, minItems=1, maxItems=EPISODES_MAX, uniqueItems=True)})


def _reads(  # noqa: PLR0913 - an operation has that many sides
    end: str, name: str, says: str, parameters: tuple[Parameter, ...], schema: Any, example: Any, *, more: str = ""
) -> Operation:
    always = tuple(field for field in schema if field != "note")
    answers = (Answer(HTTPStatus.OK, "As it is known.", JSON, record(schema, required=always), example), _WRONG)
    return Operation(
        "GET", f"{PATH}/{end}", name, says, GROUP, "audience", more, parameters=parameters, answers=answers
    )


def _hides(end: str, name: str, says: str) -> Operation:
    body = record({"member": _SENT_ID, "series": _SENT_ID})
    known = {"type": "boolean", "description": "whether the member has watched any of it"}
    answer = record({"member": _ID, "series": _ID, "hidden": {"type": "boolean"}, "known": known})
    example = {"member": "42", "series": "dark", "hidden": end == "hide", "known": True}
    return Operation(
        "POST", f"{PATH}/{end}", name, says, GROUP, "audience",
        bodies=(Body(JSON, body, {"a series": {"member": "42", "series": "dark"}}),),
        answers=(Answer(HTTPStatus.OK, "It is done.", JSON, answer, example), _WRONG),
    )  # fmt: skip


def _orders(method: str, name: str, says: str, bodies: tuple[Body, ...] = ()) -> Operation:
    path_id = Parameter("id", "Your own id of the series.", _ID, "path", is_required=True, example="dark")
    answer = record({"series": _ID, "episodes": listed(_ID)})
    example = {"series": "dark", "episodes": [] if method == "DELETE" else ["s1e1", "s1e2", "s1e3"]}
    return Operation(
        method, f"{PATH}/series/{{id}}/episodes", name, says, GROUP, "audience", parameters=(path_id,), bodies=bodies,
        answers=(Answer(HTTPStatus.OK, "The episodes in their order.", JSON, answer, example), _WRONG),
    )  # fmt: skip


TELL = Operation(
    "POST", PATH, "tellHistory", "Tell where a member is in an asset.", GROUP, "audience",
    more="The newest stays, by the event's own time and then by its sequence, in whichever order events arrive and "
    "however often. What is below the share that counts as begun is ignored.",
    bodies=(
        Body(
            JSON,
            {"anyOf": [_EVENT, record({"events": listed(_EVENT, minItems=1, maxItems=EVENTS_MAX)})]},
            {"one": _TOLD, "several": {"events": [_TOLD]}},
        ),
    ),
    answers=(
        Answer(
            HTTPStatus.OK, "What came of it, or of each.", JSON,
            {"anyOf": [_CAME, record({"events": listed(_CAME)})]}, _RECORDED,
        ),
        _WRONG,
    ),
)  # fmt: skip
REMOVE = Operation(
    "DELETE", PATH, "removeHistory", "Remove an asset, a series or everything from a member's history.", GROUP,
    "audience", "An episode is removed by its asset and the series that it was told with.",
    parameters=(
        _MEMBER, _of("series", "dark", is_required=False), _of("asset", "s1e3", is_required=False),
        Parameter("all", "true removes the whole history, when neither is named.", {"enum": ["true", "false"]}),
    ),
    answers=(
        Answer(
            HTTPStatus.OK, "It is gone.", JSON,
            record({"member": _ID, "removed": {"type": "boolean"}, "note": _NOTE}, required=("member", "removed")),
            {"member": "42", "removed": True},
        ),
        _WRONG,
    ),
)  # fmt: skip
_NEXT_PARAMETERS = (
    _MEMBER,
    _SERIES,
    Parameter("skipInProgress", "Leave out an episode that is in progress.", {"type": "boolean"}),
    Parameter("rewatching", "Find the watched one after the last watched.", {"type": "boolean"}),
)
_NEXT_ANSWERS = (
    Answer(
        HTTPStatus.OK, "The episode after the one that was watched last, and where the member is in it.", JSON,
        record({"member": _ID, "series": _ID, "next": maybe(_ID), "point": maybe(SCHEMAS["HistoryPoint"])}),
        {"member": "42", "series": "dark", "next": "s1e3", "point": _POINT},
    ),
    _WRONG,
)  # fmt: skip
NEXT = Operation(
    "GET", f"{PATH}/next", "nextUp", "The next episode of a series, by the order that is kept of it.", GROUP,
    "audience", parameters=_NEXT_PARAMETERS, answers=_NEXT_ANSWERS,
)  # fmt: skip
NEXT_OF = Operation(
    "POST", f"{PATH}/next", "nextUpOf", "The next episode of a series, by the order that is sent.", GROUP, "audience",
    parameters=_NEXT_PARAMETERS,
    bodies=(Body(JSON, _ORDER, {"a season": {"episodes": ["s1e1", "s1e2", "s1e3"]}}),),
    answers=_NEXT_ANSWERS,
)  # fmt: skip
EXPORT = Operation(
    "GET", f"{PATH}/export", "exportHistory", "All that is kept of a member's history, a line each.", GROUP,
    "audience", parameters=(_MEMBER, _AFTER),
    answers=(Answer(HTTPStatus.OK, "JSON lines; where there are more, `Link` says where.", LINES, text()), _WRONG),
)  # fmt: skip

OPERATIONS = (
    TELL,
    REMOVE,
    _reads(
        "resume", "resumePoint", "Where a member is in an asset.",
        (_MEMBER, _ASSET, _of("series", "dark", is_required=False)),
        {"member": _ID, "point": maybe(SCHEMAS["HistoryPoint"]), "note": _NOTE}, {"member": "42", "point": _POINT},
        more="Name the series as it was told, or leave it out when none was. Where it is left out, and nothing "
        "is known, a note says so.",
    ),
    _reads(
        "latest", "latestEpisode", "The episode of a series that a member watched last.", (_MEMBER, _SERIES),
        {"member": _ID, "latest": maybe(SCHEMAS["HistorySeries"])}, {"member": "42", "latest": _SEEN},
    ),
    _reads(
        "series", "seriesHistory", "All that a member has begun of a series.", (_MEMBER, _SERIES),
        {"member": _ID, "series": _ID, "episodes": listed(SCHEMAS["HistoryPoint"])},
        {"member": "42", "series": "dark", "episodes": [_POINT]},
    ),
    _reads(
        "recent", "recentSeries", "The series that a member watched last, one entry each.", (_MEMBER, _LIMIT, _AFTER),
        {"member": _ID, "series": listed(SCHEMAS["HistorySeries"]), "after": maybe(text())},
        {"member": "42", "series": [_SEEN], "after": None},
    ),
    _reads(
        "continue", "continueWatching", "The recent series whose last episode is in progress.",
        (_MEMBER, _LIMIT, _AFTER),
        {"member": _ID, "series": listed(SCHEMAS["HistorySeries"]), "after": maybe(text())},
        {"member": "42", "series": [_SEEN], "after": None},
        more="A page may have fewer than asked, or none, and still say where to go on: behind much that is finished.",
    ),
    _orders("GET", "episodes", "The order of a series' episodes, as it is kept for all members."),
    _orders(
        "PUT", "putEpisodes", "Keep the order of a series' episodes, for all members.",
        (Body(JSON, _ORDER, {"a season": {"episodes": ["s1e1", "s1e2", "s1e3"]}}),),
    ),
    _orders("DELETE", "forgetEpisodes", "Forget the order of a series' episodes."),
    NEXT,
    NEXT_OF,
    _hides("hide", "hideSeries", "Leave a series out of lists until it is watched again; it is kept."),
    _hides("show", "showSeries", "Let lists have a hidden series again."),
    EXPORT,
)  # fmt: skip
