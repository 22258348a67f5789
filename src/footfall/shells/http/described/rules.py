"""The routes of what a brand blocks at the door."""

from http import HTTPStatus

from footfall.screening.rules import (
    ACTS_FROM,
    ADDRESSES_ACT,
    ADDRESSES_MAX,
    AGENTS_MAX,
    COUNTRIES_MAX,
    PATH_CHARS_MAX,
    PATHS_MAX,
)
from footfall.shells.http.described.operation import (
    JSON,
    Answer,
    Body,
    Operation,
    listed,
    problem,
    record,
    text,
    whole,
)

GROUP = "Screening"

FIELDS = {
    "addresses": listed(text("a network such as `203.0.113.0/24`, or one address"), maxItems=ADDRESSES_MAX),
    "agents": listed(text("a part of user agents, in any case"), maxItems=AGENTS_MAX),
    "paths": listed(text("a path, or the beginning of paths and a star", bytes_max=PATH_CHARS_MAX), maxItems=PATHS_MAX),
    "countries": listed(
        text("two letters, by the list of countries that the operator brought"), maxItems=COUNTRIES_MAX
    ),
    "isOn": {
        "type": "boolean",
        "description": "whether any rule of the door looks at the brand's hits",
        "default": True,
    },
}
WANTED = {**record(FIELDS, required=()), "additionalProperties": False}
RULES = record(
    {
        "brand": text(),
        "version": whole(0, None, "0 when nobody gave any"),
        "changedAt": text(),
        "by": text("the id of a key, or `command line`"),
        **FIELDS,
        "actsOn": text(),
        "addressesNote": text(),
    },
    required=("brand", "version", *FIELDS, "actsOn", "addressesNote"),
)
_WANTED = {"addresses": ["203.0.113.0/24"], "agents": ["ExampleReader"], "paths": ["/preview/*"]}
_RULES = {
    "brand": "abc",
    "version": 3,
    "changedAt": "2026-11-15T14:30Z",
    "by": "3k7mqz2v9xw4t6ra",
    **_WANTED,
    "countries": [],
    "isOn": True,
    "actsOn": ACTS_FROM,
    "addressesNote": ADDRESSES_ACT,
}
_SHOWN = Answer(HTTPStatus.OK, "The rules.", JSON, {"$ref": "#/components/schemas/Rules"}, _RULES)

SHOW = Operation(
    "GET",
    "/v1/rules",
    "rules",
    "What a brand blocks at the door.",
    GROUP,
    "admin",
    answers=(_SHOWN,),
)
PUT = Operation(
    "PUT",
    "/v1/rules",
    "putRules",
    "Put a brand's rules in the place of those before.",
    GROUP,
    "admin",
    more="They act on hits that arrive from now on. Blocked hits are kept, counted apart, and shown by no list unless "
    "it is asked to. Addresses are not stored, so rules on them, and on countries, can never act on the past. Every "
    "change is in the audit trail.",
    bodies=(Body(JSON, {"$ref": "#/components/schemas/WantedRules"}, {"a network and a path": _WANTED}),),
    answers=(
        _SHOWN,
        problem(HTTPStatus.BAD_REQUEST, "An entry is not what it should be.", field_name="addresses"),
    ),
)

OPERATIONS = (SHOW, PUT)
SCHEMAS = {"Rules": RULES, "WantedRules": WANTED}
