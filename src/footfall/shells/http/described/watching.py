"""The routes of players' pings and of what they come to."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from footfall.flow.collect.pings import (
    INTERVAL_S_MAX,
    INTERVAL_S_MIN,
    NAME_BYTES_MAX,
    PLAYHEAD_S_MAX,
    RATE_MAX,
    SEQUENCE_MAX,
    STATES,
)
from footfall.flow.serve.audience import (
    COMPLETION,
    DAYS_MAX,
    PAGE_DEFAULT,
    PAGE_MAX,
    VIEWED_DEFAULT,
    VIEWED_MAX,
    VIEWERS,
    WATCHED,
)
from footfall.shells.http.described import history_schemas
from footfall.shells.http.described.hits import HIT, IDEMPOTENT, PREFLIGHT_ANSWER, SIGNATURE, TAKING, TOKEN
from footfall.shells.http.described.lists import BRAND, IN_MINUTES, LIST, LISTED_ASSET, UNIQUE_ASSET, UNIQUES_LIST
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
from footfall.values.hit import ASSET_BYTES_MAX, ID_BYTES_MAX, LABEL_BYTES_MAX

GROUP = "Watch time"

_SENT = HIT["properties"]


def _number(says: str, lowest: float, highest: float) -> Schema:
    return {"type": "number", "minimum": lowest, "maximum": highest, "description": says}


PING = record(
    {
        "brand": _SENT["brand"],
        "session": text("one playback, by an id of the player's", bytes_max=NAME_BYTES_MAX, minLength=1),
        "sequence": whole(0, SEQUENCE_MAX, "the number of the beat in its session, from 0; the same one counts once"),
        "assetId": _SENT["assetId"],
        "playhead": _number("where in the asset, in seconds", 0, PLAYHEAD_S_MAX),
        "state": text("what the player does", enum=list(STATES)),
        "rate": maybe(_number("how fast it plays; 1 unless given", 0, RATE_MAX)),
        "at": _SENT["at"],
        "interval": maybe(_number("seconds between two beats; 10 unless given", INTERVAL_S_MIN, INTERVAL_S_MAX)),
        "duration": maybe(_number("of the asset, in seconds", 0, PLAYHEAD_S_MAX)),
        "member": maybe(text("who watches, by the brand's own id", bytes_max=NAME_BYTES_MAX)),
        "device": maybe(text("on what", bytes_max=ID_BYTES_MAX)),
        "series": maybe(text("which series the asset is of", bytes_max=NAME_BYTES_MAX)),
        **{name: _SENT[name] for name in ("sectionId", "resourceType", "paidType")},
    },
    required=("session", "sequence", "assetId", "playhead", "state"),
    says="One beat of a player. Other fields are left aside.",
)
_ONE: dict[str, Any] = {
    "brand": "abc",
    "session": "p-81f3",
    "sequence": 4,
    "assetId": "episode-7",
    "playhead": 41.2,
    "state": "playing",
    "duration": 2_580,
    "series": "the-harbour",
}
PINGS = Operation(
    "POST",
    "/v1/pings",
    "sendPings",
    "Send the beats of players: one, an array, or one a line.",
    GROUP,
    "hits",
    more="Each beat is credited against the one with the sequence before it: the least of the time between them, the "
    "playhead's way divided by the rate, and one and a half intervals; nothing unless both were `playing`. The order "
    "of arrival changes nothing, nor does a beat that comes twice. Those more than a day late are "
    "among `accepted` and set aside; the answer says how many, as `late`.",
    parameters=(TOKEN, SIGNATURE, *IDEMPOTENT),
    bodies=(
        Body(
            JSON,
            {"anyOf": [{"$ref": "#/components/schemas/Ping"}, listed({"$ref": "#/components/schemas/Ping"})]},
            {"one": _ONE, "many": [_ONE, {**_ONE, "sequence": 5, "playhead": 51.2}]},
        ),
        Body(
            LINES,
            {"type": "string"},
            {"lines": '{"session":"a","sequence":0,"assetId":1,"playhead":0,"state":"playing"}\n'},
        ),
    ),
    answers=TAKING,
)
_PREFLIGHT = Operation(
    "OPTIONS",
    "/v1/pings",
    "mayISendPings",
    "Ask, as browsers do, whether a page may send.",
    GROUP,
    answers=(PREFLIGHT_ANSWER,),
)
_SCRIPT = Operation(
    "GET",
    "/player.js",
    "playerScript",
    "The script that tells of a video on a page: `footfall.watch(video, {asset: ...})`.",
    GROUP,
    parameters=(Parameter("If-None-Match", "The `ETag` of the one that is there.", text(), "header"),),
    answers=(
        Answer(HTTPStatus.OK, "The script, to be kept for a day.", "text/javascript", text()),
        Answer(HTTPStatus.NOT_MODIFIED, "It has not changed."),
    ),
)
_ASSET = Parameter("asset", "Of this asset only.", text(bytes_max=ASSET_BYTES_MAX))
_MINUTES: dict[str, Schema] = {
    "minutes": {"type": "number", "description": "rounded down to two digits"},
    "milliseconds": whole(0, says="exactly"),
}
_ANSWERS = (
    problem(HTTPStatus.BAD_REQUEST, "A parameter cannot be.", field_name="limit"),
    problem(HTTPStatus.NOT_FOUND, "There is no such brand.", field_name="brand"),
)
VIEWERS_NOW = record(
    {
        "brand": text(),
        "at": text("when it was so"),
        "viewers": whole(0, says="sessions whose last beat said that they play, at most two intervals ago"),
        "viewersAtMost": whole(0, says="only of what is among many that few watch: `viewers` are then the least"),
        "assetId": text("only when it was asked for"),
        "sectionId": {"anyOf": [text(), {"type": "integer"}, {"type": "null"}]},
        "sections": listed({"type": "object"}, description="those with the most viewers first"),
        "assets": listed({"type": "object"}, description="those with the most viewers first"),
    },
    required=("brand", "at", "viewers"),
)
CURVE = record(
    {
        "brand": text(),
        "assetId": text(),
        "from": text("where the first day begins"),
        "to": text("where the last day ends"),
        **_MINUTES,
        "playbacks": whole(0, says="that began on these days and are over, of which it is known how long the asset is"),
        "seen": listed(whole(0), minItems=100, maxItems=100, description="how many of them saw each hundredth"),
        "finished": whole(0, says="how many saw the last one"),
    },
    required=("brand", "assetId", "from", "to", "minutes", "milliseconds", "playbacks", "seen", "finished"),
)
WATCH_ROW = record(
    {
        "session": text("a digest of its id where the member was erased"),
        "assetId": text(),
        "sectionId": {"anyOf": [text(), {"type": "integer"}, {"type": "null"}]},
        "member": text(),
        "device": text(),
        "series": text(),
        "resourceType": text(),
        "paidType": text(),
        "from": text(),
        "to": text(),
        "milliseconds": whole(1, says="watched on this day"),
        "beats": whole(0),
        "duration": {"type": "number"},
        "seen": whole(0, 100, "hundredths of the asset"),
    },
    required=("session", "assetId", "sectionId", "from", "to", "milliseconds", "beats", "seen"),
)
WATCH_LOG = record(
    {
        "brand": text(),
        "from": text("where the day begins"),
        "to": text("where it ends"),
        "items": listed({"$ref": "#/components/schemas/WatchRow"}, maxItems=PAGE_MAX),
        "after": text("only when there is more: what the next page is asked with"),
    },
    required=("brand", "from", "to", "items"),
)
READ_VIEWERS = Operation(
    "GET",
    VIEWERS,
    "viewers",
    "How many watch now.",
    GROUP,
    "read",
    parameters=(
        BRAND,
        _ASSET,
        Parameter("section", "Of this section only.", text(bytes_max=LABEL_BYTES_MAX)),
        Parameter("limit", "How many sections and assets.", {**whole(1, VIEWED_MAX), "default": VIEWED_DEFAULT}),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "The viewers.",
            JSON,
            {"$ref": "#/components/schemas/Viewers"},
            {
                "brand": "abc",
                "at": "2026-11-15T14:30:02Z",
                "viewers": 3,
                "sections": [{"sectionId": "drama", "viewers": 3}],
                "assets": [{"assetId": "episode-7", "viewers": 2}, {"assetId": "episode-8", "viewers": 1}],
            },
        ),
        *_ANSWERS,
    ),
)
READ_CURVE = Operation(
    "GET",
    COMPLETION,
    "completion",
    "How many of those who watched an asset saw each hundredth of it.",
    GROUP,
    "read",
    more="Told from sessions that have ended or were silent for ten minutes.",
    parameters=(
        BRAND,
        Parameter("asset", "Which asset.", text(bytes_max=ASSET_BYTES_MAX, minLength=1), is_required=True),
        Parameter("from", f"The first day, at most {DAYS_MAX} days before the last; the last unless given.", text()),
        Parameter("to", "The last day, as in 2026-11-15; today unless given.", text()),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "The curve.",
            JSON,
            {"$ref": "#/components/schemas/Completion"},
            {
                "brand": "abc",
                "assetId": "episode-7",
                "from": "2026-11-15T00:00Z",
                "to": "2026-11-16T00:00Z",
                "minutes": 68.33,
                "milliseconds": 4_100_000,
                "playbacks": 2,
                "seen": [2] * 59 + [1] * 41,
                "finished": 1,
            },
        ),
        *_ANSWERS,
    ),
)
READ_LOG = Operation(
    "GET",
    WATCHED,
    "watched",
    "What each session watched on a day.",
    GROUP,
    "audience",
    more="Rows name members, so it needs a key, also where a brand's lists are open. A row is there when its session "
    "has ended or was silent for ten minutes. The milliseconds of a day's rows "
    "add up to those of its windows.",
    parameters=(
        BRAND,
        Parameter("day", "A day of the brand, as in 2026-11-15; today unless given.", text()),
        _ASSET,
        Parameter("limit", "How many rows.", {**whole(1, PAGE_MAX), "default": PAGE_DEFAULT}),
        Parameter("after", "Where the page before ended.", text()),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "Some rows.",
            JSON,
            {"$ref": "#/components/schemas/WatchLog"},
            {
                "brand": "abc",
                "from": "2026-11-15T00:00Z",
                "to": "2026-11-16T00:00Z",
                "items": [
                    {
                        "session": "p-81f3",
                        "assetId": "episode-7",
                        "sectionId": "drama",
                        "member": "m-1",
                        "series": "the-harbour",
                        "from": "2026-11-15T20:00:01Z",
                        "to": "2026-11-15T20:43:02Z",
                        "milliseconds": 2_580_000,
                        "beats": 259,
                        "duration": 2_580.0,
                        "seen": 100,
                    }
                ],
            },
        ),
        *_ANSWERS,
    ),
)

_WATCHED_LISTS: Mapping[str, Schema] = {
    "List": LIST,
    "ListedAsset": LISTED_ASSET,
    "UniquesList": UNIQUES_LIST,
    "UniqueAsset": UNIQUE_ASSET,
    **{
        name: history_schemas.SCHEMAS[name]
        for name in ("Series", "Point", "ComparedSpan", "UniquesSeries", "UniquePoint", "ComparedUniques")
    },
    **{name: history_schemas.SCHEMAS[name] for name in ("TopList", "TopLabel")},
}
_IN_MINUTES = {
    "hits": "minutes",
    "hitsAtMost": "minutesAtMost",
    "hitsBefore": "minutesBefore",
    "hitsPerDay": "minutesPerDay",
}


def _in_minutes(value: Any) -> Any:
    """Return a schema of counts in the words of minutes."""
    if isinstance(value, list):
        return [_in_minutes(one) for one in value]  # pyright: ignore[reportUnknownVariableType] - JSON
    if not isinstance(value, dict):
        return value
    fields: dict[str, Any] = {name: _in_minutes(one) for name, one in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(fields.get("$ref"), str):
        kind = fields["$ref"].rpartition("/")[2]
        return {"$ref": f"#/components/schemas/{IN_MINUTES}{kind}"} if kind in _WATCHED_LISTS else fields
    if isinstance(fields.get("properties"), dict):
        fields["properties"] = {
            new: schema for name, one in fields["properties"].items() for new, schema in _renamed(name, one)
        }
        fields["required"] = [new for name in fields.get("required", ()) for new, _ in _renamed(name, {})]
    return fields


def _renamed(name: str, schema: Any) -> list[tuple[str, Any]]:
    if name not in _IN_MINUTES:
        return [(name, schema)]
    minutes = {"description": "minutes that were watched", "type": ["number", "null"]}
    if name != "hits":
        return [(_IN_MINUTES[name], minutes)]
    return [("minutes", minutes), ("milliseconds", {"type": ["integer", "null"], "description": "the same, exactly"})]


OPERATIONS = (PINGS, READ_VIEWERS, READ_CURVE, READ_LOG, _SCRIPT, _PREFLIGHT)
SCHEMAS = {
    "Ping": PING,
    "Viewers": VIEWERS_NOW,
    "Completion": CURVE,
    "WatchRow": WATCH_ROW,
    "WatchLog": WATCH_LOG,
    **{f"{IN_MINUTES}{name}": _in_minutes(schema) for name, schema in _WATCHED_LISTS.items()},
}
