"""The routes of playback limits: places to play at once."""

from http import HTTPStatus
from typing import Any

from footfall.shells.http.described.operation import (
    JSON,
    PROBLEM,
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
PATH = "/v1/audience/playbacks"

_ID = text(bytes_max=256, minLength=1)
_SENT_ID = {"anyOf": [_ID, whole(0)]}
_NAME = text(bytes_max=128)
_LEASE: dict[str, Any] = {
    "session": _ID, "device": _NAME, "deviceId": _NAME, "asset": _ID, "startedAt": text(), "lastBeatAt": text(),
}  # fmt: skip
_WHYS = ["ended", "stopped", "reloaded", "expired", "refused"]
_ENDED = {
    **_LEASE, "endedAt": text(), "why": {"enum": _WHYS}, "by": text("the device that took its place"),
    "bySession": text(),
}  # fmt: skip
_OPTIONAL = ("by", "bySession")
SCHEMAS = {
    "Playback": record({**_LEASE, "expiresAt": text("when its place is free unless it is heard of before")}),
    "EndedPlayback": record(_ENDED, required=tuple(name for name in _ENDED if name not in _OPTIONAL)),
}
_PLAYING: dict[str, Any] = {
    "session": "7f3a", "device": "Living room", "deviceId": "tv-1", "asset": "s1e3",
    "startedAt": "2026-11-15T20:00Z", "lastBeatAt": "2026-11-15T20:14Z", "expiresAt": "2026-11-15T20:15Z",
}  # fmt: skip
_OVER: dict[str, Any] = {
    **{name: value for name, value in _PLAYING.items() if name != "expiresAt"}, "endedAt": "2026-11-15T20:14:20Z",
    "why": "stopped", "by": "Anna's phone", "bySession": "91bc",
}  # fmt: skip
_TOLD = {
    "session": text(), "expiresAt": text(),
    "beatMs": whole(1_000, says="how often to beat"),
    "playing": listed(SCHEMAS["Playback"], description="all that play, this one among them"),
    "over": listed(SCHEMAS["EndedPlayback"], description="those whose places were taken or given back"),
    "recorded": {
        "type": "boolean",
        "description": "false: the table did not answer in time, so this is what is remembered; it is written later",
    },
}  # fmt: skip
_ANSWER = record(_TOLD, required=("beatMs", "playing", "recorded"))
_EXAMPLE: dict[str, Any] = {
    "session": "7f3a", "expiresAt": "2026-11-15T20:15Z", "beatMs": 30_000, "playing": [_PLAYING], "recorded": True,
}  # fmt: skip
_WRONG = problem(
    HTTPStatus.BAD_REQUEST, "Something is missing, unknown or impossible; `field` says what.", field_name="session"
)
_FULL = Answer(
    HTTPStatus.CONFLICT,
    "All places play and the newest is refused: `playing` names the devices.",
    PROBLEM,
    {"$ref": "#/components/schemas/Problem"},
    {
        "type": "about:blank", "title": "Conflict", "status": 409, "limit": 1, "playing": [_PLAYING],
        "detail": "1 of 1 places are taken, by Living room; stop one of them and try again",
    },
)  # fmt: skip
_GONE = Answer(
    HTTPStatus.GONE,
    "The playback has lost its place: `why` says how, and `by` which device took it.",
    PROBLEM,
    {"$ref": "#/components/schemas/Problem"},
    {
        "type": "about:blank", "title": "Gone", "status": 410, **_OVER,
        "detail": "this playback was stopped by Anna's phone, since no more may play at once; "
        "ask for a place to play again",
    },
)  # fmt: skip


def _of_session(end: str, name: str, says: str, *, more: str = "", by: bool = False) -> Operation:
    fields: dict[str, Any] = {"member": _SENT_ID, "session": _SENT_ID}
    example = {"member": "42", "session": "7f3a"}
    body = record({**fields, "by": text("who stops it", bytes_max=128)} if by else fields, required=tuple(fields))
    answer = _EXAMPLE if end == "beat" else {"beatMs": 30_000, "playing": [], "over": [_OVER], "recorded": True}
    return Operation(
        "POST", f"{PATH}/{end}", name, says, GROUP, "audience", more,
        bodies=(Body(JSON, body, {"a playback": {**example, "by": "the service desk"} if by else example}),),
        answers=(Answer(HTTPStatus.OK, "As it is now.", JSON, _ANSWER, answer), _WRONG, _GONE),
    )  # fmt: skip


_ADMIT = Operation(
    "POST", PATH, "admitPlayback", "Ask for a place to play.", GROUP, "audience",
    more="When all places play, the oldest playback is stopped or this one is refused, as the settings say. The same "
    "device's reload takes its own place. `stop` names sessions that give way.",
    bodies=(
        Body(
            JSON,
            record(
                {
                    "member": _SENT_ID, "session": _SENT_ID, "asset": _SENT_ID, "device": _NAME, "deviceId": _NAME,
                    "plan": text("a plan of the settings, whose number of places counts"),
                    "stop": listed(_SENT_ID, maxItems=64),
                },
                required=("member", "session", "asset"),
            ),
            {"a phone": {"member": "42", "session": "7f3a", "asset": "s1e3", "device": "Living room",
                         "deviceId": "tv-1"}},
        ),
    ),
    answers=(Answer(HTTPStatus.CREATED, "It may play.", JSON, _ANSWER, _EXAMPLE), _WRONG, _FULL),
)  # fmt: skip
_NOW = Operation(
    "GET", PATH, "playbacks", "What a member plays now.", GROUP, "audience",
    parameters=(Parameter("member", "Your own id of the member.", _ID, is_required=True, example="42"),),
    answers=(
        Answer(
            HTTPStatus.OK, "The playbacks that hold a place.", JSON,
            record({"member": _ID, "playing": listed(SCHEMAS["Playback"])}), {"member": "42", "playing": [_PLAYING]},
        ),
        _WRONG,
    ),
)  # fmt: skip
_OF_THE_PAST = Operation(
    "GET", f"{PATH}/ended", "endedPlaybacks", "Playbacks that are over: a member's, or those of a day.", GROUP,
    "audience", "A member's come the last first; those of a day in no order, page after page until `after` is null.",
    parameters=(
        Parameter("member", "Whose.", _ID, example="42"),
        Parameter("day", "The day, UTC, in the place of a member.", text(format="date")),
        Parameter("limit", "How many to answer.", {**whole(1, 100), "default": 20}),
        Parameter("after", "Where to go on.", text(bytes_max=1_000, pattern="^[\\w-]*$")),
    ),
    answers=(
        Answer(
            HTTPStatus.OK, "Some of them, each with its member.", JSON,
            record({"ended": listed(SCHEMAS["EndedPlayback"]), "after": maybe(text())}),
            {"ended": [{"member": "42", **_OVER}], "after": None},
        ),
        _WRONG,
    ),
)  # fmt: skip

OPERATIONS = (
    _ADMIT,
    _NOW,
    _of_session(
        "beat", "beatPlayback", "Keep a playback's place for two more beats.",
        more="Nobody waits for a table that is busy or away: then the answer is what is remembered.",
    ),
    _of_session("end", "endPlayback", "Give a playback's place back."),
    _of_session("stop", "stopPlayback", "Take a playback's place away, as whoever may.", by=True),
    _OF_THE_PAST,
)  # fmt: skip
