"""The routes on which rules are tried on the last hours before anybody switches them on."""

from http import HTTPStatus

from footfall.accounts.brands import SCREENING_MODES
from footfall.shells.http.described.lists import BRAND
from footfall.shells.http.described.operation import (
    JSON,
    Answer,
    Body,
    Operation,
    Schema,
    listed,
    maybe,
    problem,
    record,
    text,
    whole,
)
from footfall.shells.http.described.rules import FIELDS as OF_RULES
from footfall.shells.http.trials import HITS_MAX, LIMIT, SECONDS, TRY

GROUP = "Screening"

_LIMITS = {
    "repeatsMax": whole(0, 1_000_000, "hits of a visitor on one asset before more are `reload`; 0: no such rule"),
    "repeatsMinutes": whole(1, 1_440, "within so many minutes"),
    "visitorPerMinute": whole(0, 1_000_000, "hits of a visitor in a minute before more are `rate`; 0: no such rule"),
}
TRIED = {
    **record(
        {
            **OF_RULES,
            **_LIMITS,
            "referrerSpam": listed(text("a domain, beside those of the list in use"), maxItems=10_000),
        },
        required=(),
        says="What is tried; what it does not name stays as it is now.",
    ),
    "additionalProperties": False,
}
IN_USE = record(
    {
        "brand": text(),
        "mode": text(enum=list(SCREENING_MODES)),
        "rules": record({"paths": OF_RULES["paths"], "isOn": OF_RULES["isOn"], **_LIMITS}),
    },
    says="What is in use, as a document that can be changed and tried.",
)
WANTED = {
    **record(
        {
            "rules": {"$ref": "#/components/schemas/TriedRules"},
            "from": text("the first event time; an hour before `to` unless given, a day at most"),
            "to": text("where that ends; now unless given"),
            "mode": text("the mode of screening to try; the brand's own unless given", enum=list(SCREENING_MODES)),
        },
        required=(),
    ),
    "additionalProperties": False,
}


def _compared(name: str) -> dict[str, Schema]:
    return {name: text(), "before": whole(0), "after": whole(0)}


REPORT = record(
    {
        "brand": text(),
        "from": text(),
        "to": text(),
        "mode": text(enum=list(SCREENING_MODES)),
        "complete": {
            "type": "boolean",
            "description": f"`false`: the trial ended after {SECONDS:g} s or {HITS_MAX:,} hits, and tells of these",
        },
        "arrivedUntil": text("only unless it is complete: when the last of those had arrived"),
        "hits": whole(0, says="that were judged again"),
        "changed": whole(0, says="of them would have another reason"),
        "withoutVisitor": whole(0, says="have no stored visitor: limits cannot be tried on them"),
        "unreadable": whole(0),
        "exact": {"type": "boolean", "description": "no asset had to be let go"},
        "shown": record({"before": whole(0), "after": whole(0)}, says="hits that lists show"),
        "labels": listed(record(_compared("label"))),
        "reasons": listed(record({**_compared("reason"), "label": text()})),
        "items": listed(
            record(
                {
                    "assetId": text(),
                    "rank": maybe(whole(1)),
                    "rankBefore": maybe(whole(1)),
                    "hits": whole(0),
                    "hitsBefore": whole(0),
                }
            ),
            maxItems=2 * LIMIT,
        ),
        "examples": listed(
            record({"assetId": text(), "hits": whole(1, says="with another reason")}), maxItems=LIMIT
        ),
        "notTried": listed(record({"rule": text(), "entries": whole(1), "why": text()})),
    },
    required=(
        "brand", "from", "to", "mode", "complete", "hits", "changed", "withoutVisitor", "unreadable", "exact", "shown",
        "labels", "reasons", "items", "examples", "notTried",
    ),
)  # fmt: skip
_IN_USE = {"paths": ["/preview/*"], "isOn": True, "repeatsMax": 10, "repeatsMinutes": 10, "visitorPerMinute": 120}

SHOW = Operation(
    "GET",
    TRY,
    "rulesInUse",
    "The rules and limits in use that can be tried otherwise.",
    GROUP,
    "edit",
    parameters=(BRAND,),
    answers=(
        Answer(
            HTTPStatus.OK,
            "They.",
            JSON,
            {"$ref": "#/components/schemas/RulesInUse"},
            {"brand": "abc", "mode": "hold", "rules": _IN_USE},
        ),
    ),
)
TRY_THEM = Operation(
    "POST",
    TRY,
    "tryRules",
    "Try other rules and limits on the last hours, and tell what would change; nothing is changed.",
    GROUP,
    "edit",
    more="The door's own code judges stored hits again, in a process of its own and one trial at a time. Addresses, "
    "countries and agents are not stored, so rules on them are in `notTried`. Verdicts play no part in it.",
    bodies=(Body(JSON, {"$ref": "#/components/schemas/WantedTrial"}, {"fewer reloads": {"rules": {"repeatsMax": 5}}}),),
    answers=(
        Answer(
            HTTPStatus.OK,
            "What would change.",
            JSON,
            {"$ref": "#/components/schemas/TriedReport"},
            {
                "brand": "abc",
                "from": "2026-11-15T13:00Z",
                "to": "2026-11-15T14:00Z",
                "mode": "hold",
                "complete": True,
                "hits": 10_000,
                "changed": 40,
                "withoutVisitor": 12,
                "unreadable": 0,
                "exact": True,
                "shown": {"before": 9_000, "after": 8_960},
                "labels": [{"label": "suspected", "before": 10, "after": 50}],
                "reasons": [{"reason": "reload", "before": 10, "after": 50, "label": "suspected"}],
                "items": [{"assetId": "7", "rank": 2, "rankBefore": 1, "hits": 400, "hitsBefore": 440}],
                "examples": [{"assetId": "7", "hits": 40}],
                "notTried": [],
            },
        ),
        problem(HTTPStatus.BAD_REQUEST, "That cannot be tried, or raw hits of then are gone.", field_name="from"),
        problem(HTTPStatus.NOT_IMPLEMENTED, "On AWS, where functions that answer do not read raw hits."),
        problem(HTTPStatus.SERVICE_UNAVAILABLE, "The trial did not end in time."),
    ),
)

OPERATIONS = (SHOW, TRY_THEM)
SCHEMAS = {"TriedRules": TRIED, "RulesInUse": IN_USE, "WantedTrial": WANTED, "TriedReport": REPORT}
