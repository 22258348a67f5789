"""The routes of what was found about visitors and assets, and of what an operator decides on it."""

from http import HTTPStatus

from footfall.shells.http.described.lists import BRAND
from footfall.shells.http.described.operation import (
    JSON,
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
from footfall.shells.http.verdicts import PAGE_DEFAULT, PAGE_MAX, VERDICT, VERDICTS

GROUP = "Screening"
STATES = ["held", "found", "settled", "waiting"]
DECIDED_MAX = 100

_NUMBER = {"type": "number"}
NOTE = record(
    {
        "feature": text("what was measured"),
        "words": text("the same in words"),
        "value": {**_NUMBER, "description": "what was measured of the subject, in its unit"},
        "unit": text("what the value counts; empty when this release does not know the feature"),
        "attribution": {**_NUMBER, "description": "its part of the score"},
        "direction": text("on which side of what is usual", enum=["high", "low"]),
        "strength": {**_NUMBER, "minimum": 0, "maximum": 1, "description": "how clear the direction is"},
    },
    says="What one feature has to do with a verdict.",
)
_FIELDS = {
    "id": text(),
    "kind": text(enum=["visitor", "asset"]),
    "subject": text("an asset's id, or a visitor's hash as 16 hexadecimal digits"),
    "from": text("the first event time that it speaks of"),
    "to": text("where that ends; not included"),
    "state": text(enum=["found", "held", "confirmed", "released"]),
    "label": text("of its hits", enum=["person", "suspected", "blocked"]),
    "cause": text(),
    "score": {**_NUMBER, "description": "how unusual it is; comparable within a brand"},
    "words": text("why, as people read it"),
    "narrowedTo": maybe({"$ref": "#/components/schemas/VerdictNarrowing"}),
    "explanation": listed({"$ref": "#/components/schemas/VerdictNote"}),
    "foundAt": text(),
    "changedAt": text(),
    "by": text("who changed it last: `judge`, the id of a key, or `command line` with its user"),
    "version": whole(1, says="of the brand's verdicts, in which it was changed last"),
}
NARROWING = record(
    {
        "agents": whole(0, says="how many kinds of agent"),
        "visitors": whole(0, says="how many visitors"),
    },
    says="Whose hits alone are labelled; null: all hits of the subject.",
)
VERDICT_SCHEMA = record(_FIELDS)
RECOUNT = record(
    {
        "from": text("the first event time that is counted again"),
        "to": text(),
        "note": text("only when raw hits of some of it are not kept any more"),
    },
    required=(),
    says="The past that is counted again by itself.",
)
DECIDED = record({**_FIELDS, "recount": maybe({"$ref": "#/components/schemas/VerdictRecount"})})
PAGE = record(
    {
        "brand": text(),
        "state": text(enum=STATES),
        "waiting": whole(0, says="how many wait for an operator"),
        "items": listed({"$ref": "#/components/schemas/Verdict"}, maxItems=PAGE_MAX),
        "after": text("only when there are more: where to go on"),
    },
    required=("brand", "state", "waiting", "items"),
)
_ID = "001794744000000-v61c8f0a2b44d9e10"
_EXAMPLE = {
    "id": _ID,
    "kind": "visitor",
    "subject": "61c8f0a2b44d9e10",
    "from": "2026-11-15T12:00Z",
    "to": "2026-11-15T12:40Z",
    "state": "held",
    "label": "suspected",
    "cause": "unusual-visitor",
    "score": 3.1,
    "words": "evenness of the time between hits higher than usual: 12.4 times as even as by chance (61% of the score)",
    "narrowedTo": None,
    "explanation": [
        {
            "feature": "steadiness",
            "words": "evenness of the time between hits",
            "value": 12.4,
            "unit": "times as even as by chance",
            "attribution": 1.9,
            "direction": "high",
            "strength": 0.98,
        }
    ],
    "foundAt": "2026-11-15T12:41Z",
    "changedAt": "2026-11-15T12:41Z",
    "by": "judge",
    "version": 7,
}
_PLACE = Parameter("id", "The verdict.", text(), "path", is_required=True, example=_ID)
_UNKNOWN = problem(HTTPStatus.NOT_FOUND, "There is no such verdict of the brand.")

LIST = Operation(
    "GET",
    VERDICTS,
    "verdicts",
    "What was found about visitors and assets: what is held for an operator, only told, or settled; newest first.",
    GROUP,
    "read",
    parameters=(
        BRAND,
        Parameter("state", "Which ones: `waiting` is another word for `held`.", text(enum=STATES, default="held")),
        Parameter("kind", "Only those on visitors, or on assets.", text(enum=["visitor", "asset"])),
        Parameter("cause", "Only those that were found for this.", text(), example="few-agents"),
        Parameter("limit", "How many at most.", {**whole(1, PAGE_MAX), "default": PAGE_DEFAULT}),
        Parameter("after", "Go on where an answer ended.", text()),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "The verdicts. Those that are `found` only tell, label nothing and wait for nobody. With a `kind` or a "
            "`cause`, a page may have fewer than `limit` although there are more: go on while there is an `after`.",
            JSON,
            {"$ref": "#/components/schemas/Verdicts"},
            {"brand": "abc", "state": "held", "waiting": 1, "items": [_EXAMPLE]},
        ),
        problem(HTTPStatus.BAD_REQUEST, "A parameter is unknown or has a value that it may not have."),
    ),
)
SHOW = Operation(
    "GET",
    VERDICT,
    "verdict",
    "One verdict with its explanation.",
    GROUP,
    "read",
    parameters=(_PLACE, BRAND),
    answers=(Answer(HTTPStatus.OK, "It.", JSON, {"$ref": "#/components/schemas/Verdict"}, _EXAMPLE), _UNKNOWN),
)
DECIDE = Operation(
    "POST",
    VERDICT,
    "decideVerdict",
    "Confirm a verdict or release its subject.",
    GROUP,
    "edit",
    more="Confirmed, its hits are `blocked`, in every mode. Released, they are persons' again. Hits from now on are "
    "counted so within seconds, and the past is counted again by itself. A decision can be taken back by another one; "
    "each is in the audit trail.",
    parameters=(_PLACE,),
    bodies=(
        Body(JSON, {"$ref": "#/components/schemas/VerdictDecision"}, {"it was a reader": {"decision": "release"}}),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "The verdict as it is now, and which past is counted again; `null`: none has to be.",
            JSON,
            {"$ref": "#/components/schemas/DecidedVerdict"},
            {
                **_EXAMPLE,
                "state": "released",
                "label": "person",
                "by": "3k7mqz2v9xw4t6ra",
                "version": 8,
                "recount": {"from": "2026-11-15T12:00Z", "to": "2026-11-15T12:40Z"},
            },
        ),
        problem(HTTPStatus.BAD_REQUEST, "That is no decision.", field_name="decision"),
        _UNKNOWN,
    ),
)

DECIDE_MANY = Operation(
    "POST",
    VERDICTS,
    "decideVerdicts",
    "Confirm or release many verdicts, each by itself.",
    GROUP,
    "edit",
    more="Each decision is a transaction with its entry in the audit trail. One that cannot be made leaves the others "
    "as they are, and says why.",
    bodies=(
        Body(
            JSON,
            {"$ref": "#/components/schemas/VerdictDecisions"},
            {"these were readers": {"decision": "release", "ids": [_ID]}},
        ),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "What became of each, in the order of the request; one that appears twice is decided on once.",
            JSON,
            {"$ref": "#/components/schemas/DecidedVerdicts"},
            {"brand": "abc", "decided": 0, "items": [{"id": _ID, "problem": "there is no such verdict"}]},
        ),
        problem(HTTPStatus.BAD_REQUEST, "That is no decision, or there are too many ids.", field_name="ids"),
    ),
)

OPERATIONS = (LIST, SHOW, DECIDE, DECIDE_MANY)
SCHEMAS = {
    "Verdict": VERDICT_SCHEMA,
    "VerdictNarrowing": NARROWING,
    "VerdictNote": NOTE,
    "VerdictRecount": RECOUNT,
    "Verdicts": PAGE,
    "DecidedVerdict": DECIDED,
    "VerdictDecisions": {
        **record(
            {
                "decision": text(enum=["confirm", "release"]),
                "ids": listed(text(), minItems=1, maxItems=DECIDED_MAX),
            }
        ),
        "additionalProperties": False,
    },
    "DecidedVerdicts": record(
        {
            "brand": text(),
            "decided": whole(0, says="how many were decided on"),
            "items": listed(
                {
                    "anyOf": [
                        {"$ref": "#/components/schemas/DecidedVerdict"},
                        record({"id": text(), "problem": text("why nothing was decided on it")}),
                    ]
                },
                maxItems=DECIDED_MAX,
            ),
        }
    ),
    "VerdictDecision": {
        **record({"decision": text(enum=["confirm", "release"])}),
        "additionalProperties": False,
    },
}
