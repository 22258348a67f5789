"""The routes of earnings: a period's money divided by what was watched."""

from http import HTTPStatus
from typing import Any

from footfall.shells.http.described.operation import (
    JSON,
    Answer,
    Body,
    Operation,
    Parameter,
    listed,
    problem,
    record,
    text,
    whole,
)

GROUP = "Audience"
PATH = "/v1/audience/earnings"

_AMOUNT = whole(0, 10**15, "in minor units of the currency")
_CHANGED: dict[str, Any] = {
    "method": text(enum=["pro-rata", "member-centric"], default="pro-rata"),
    "pool": {**_AMOUNT, "description": "what is divided pro rata, in minor units"},
    "fees": {
        "type": "object", "additionalProperties": _AMOUNT,
        "description": "what each member paid, in minor units, when it is divided member-centric",
    },
    "unwatched": text(
        "what becomes of the fees of those who watched nothing", enum=["pooled", "kept"], default="pooled"
    ),
    "dryRun": {"type": "boolean", "default": False, "description": "show what would be written, and write nothing"},
    "owners": {
        "type": "object",
        "additionalProperties": {"type": "object", "additionalProperties": whole(1, 1_000_000)},
        "description": "whose an asset is, in parts; one that is left out is nobody's",
    },
}  # fmt: skip
TERMS = record(
    {
        "name": text("what the period is called", bytes_max=64, minLength=1, pattern="^[^/#]+$"),
        "from": text("its first day, in the brand's time zone", format="date"),
        "to": text("the first day after it", format="date"),
        "currency": text("ISO 4217", pattern="^[A-Z]{3}$"),
        "digits": {**whole(0, 4, "of the currency's minor unit"), "default": 2},
        **_CHANGED,
    },
    required=("name", "from", "to", "currency"),
)
CORRECTION = record(
    {
        "reason": text("what was wrong", minLength=1, bytes_max=2_000),
        "from": text("its first day, in the brand's time zone", format="date"),
        "to": text("the first day after it", format="date"),
        "anew": {
            "type": "boolean", "default": False,
            "description": "divide by the watch log as it is now, though it is not what the period was divided by",
        },
        **_CHANGED,
    },
    required=("reason",),
    says="What it does not name stays as it was.",
)  # fmt: skip
_SIGNED = {"type": "integer", "description": "in minor units; of a correction, what is added"}
_ENTRY_FIELDS: dict[str, Any] = {
    "name": text(), "entry": whole(0, says="0 is the statement, corrections follow"), "from": text(), "to": text(),
    "currency": text(), "digits": whole(0, 4), "method": text(), "unwatched": text(), "amount": _SIGNED,
    "undivided": _SIGNED, "milliseconds": {"type": "integer"}, "reason": text(), "by": text(), "closedAt": text(),
    "log": text("what stands for the rows of the watch log it was made from"),
    "digest": text("what stands for its lines"),
}  # fmt: skip
ENTRY = record(_ENTRY_FIELDS)
_LINE = record(
    {
        "asset": text(), "owner": text("empty: nobody was named"), "milliseconds": {"type": "integer"},
        "minutes": text(), "amount": _SIGNED, "shown": text("the amount as it is written"),
    }
)  # fmt: skip
SCHEMAS = {
    "EarningsTerms": TERMS,
    "EarningsCorrection": CORRECTION,
    "EarningsEntry": ENTRY,
    "EarningsDrawn": record(
        {
            **_ENTRY_FIELDS,
            "dryRun": {"type": "boolean"},
            "warnings": listed(text("what whoever closes should look at again")),
            "lines": listed(_LINE),
        },
        required=(*_ENTRY_FIELDS, "dryRun", "warnings"),
        says="Only a dry run has the lines.",
    ),
    "EarningsStatement": record({"entries": listed(record({**_ENTRY_FIELDS, "lines": listed(_LINE)}))}),
}
_TOLD: dict[str, Any] = {
    "name": "2026-10", "entry": 0, "from": "2026-10-01T00:00Z", "to": "2026-11-01T00:00Z", "currency": "EUR",
    "digits": 2, "method": "pro-rata", "unwatched": "pooled", "amount": 1_000_000, "undivided": 0,
    "milliseconds": 86_400_000, "reason": "", "by": "key k1", "closedAt": "2026-11-03T09:00Z",
    "log": "9f86d081884c7d65", "digest": "60303ae22b998861",
}  # fmt: skip
_DRAWN: dict[str, Any] = {**_TOLD, "dryRun": False, "warnings": []}
_DRAWN_ANSWER = {"$ref": "#/components/schemas/EarningsDrawn"}
_DRY = Answer(
    HTTPStatus.OK, "What a dry run would write.", JSON, _DRAWN_ANSWER, {**_DRAWN, "dryRun": True, "lines": []}
)
_TOO_LARGE = problem(
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The body is too large; send it compressed, or use the command."
)
_SENT = {
    "name": "2026-10", "from": "2026-10-01", "to": "2026-11-01", "currency": "EUR", "pool": 1_000_000,
    "owners": {"film-7": {"Studio A": 60, "Studio B": 40}},
}  # fmt: skip
_NAME = Parameter("name", "What the period is called.", text(minLength=1), "path", is_required=True, example="2026-10")
_GUARDS = (
    problem(HTTPStatus.UNAUTHORIZED, "A key that may administer the brand is needed."),
    problem(HTTPStatus.FORBIDDEN, "The key may not administer the brand."),
)
_WRONG = problem(HTTPStatus.BAD_REQUEST, "Something is missing, unknown or impossible.", field_name="pool")
_UNKNOWN = problem(HTTPStatus.NOT_FOUND, "No such period was closed.")

OPERATIONS = (
    Operation(
        "GET", PATH, "periods", "Lists the periods that were closed.", GROUP, "admin",
        answers=(
            Answer(
                HTTPStatus.OK, "The statements, without their lines.", JSON,
                record({"periods": listed({"$ref": "#/components/schemas/EarningsEntry"})}), {"periods": [_TOLD]},
            ),
            _WRONG, *_GUARDS,
        ),
    ),
    Operation(
        "POST", PATH, "closePeriod", "Divides a period's money by what was watched, for good.", GROUP, "admin",
        more="Amounts are whole minor units; what is left over by rounding goes to the largest remainders, so "
        "lines add up to the last one. A period can be closed once, when all of it is in the watch log: the answer "
        "says until when to wait. No day is closed under two names.",
        bodies=(Body(JSON, {"$ref": "#/components/schemas/EarningsTerms"}, {"a month": _SENT}),),
        answers=(
            Answer(HTTPStatus.CREATED, "Closed.", JSON, _DRAWN_ANSWER, _DRAWN),
            _DRY, _WRONG, *_GUARDS, _TOO_LARGE,
            problem(
                HTTPStatus.CONFLICT,
                "It is closed already, or some of its days are; or not all of it is in the watch log yet; or, on "
                "AWS, the log of its days is longer than a request can read.",
            ),
        ),
    ),
    Operation(
        "GET", f"{PATH}/{{name}}", "statement", "Tells a period's statement and its corrections.", GROUP, "admin",
        parameters=(
            _NAME,
            Parameter("format", "As JSON, as a table, or as a page to print.", text(enum=["json", "csv", "html"])),
        ),
        answers=(
            Answer(
                HTTPStatus.OK, "Every entry with its lines.", JSON, {"$ref": "#/components/schemas/EarningsStatement"},
                {"entries": [{**_TOLD, "lines": []}]}, also=("text/csv", "text/html"),
            ),
            _WRONG, *_GUARDS, _UNKNOWN,
        ),
    ),
    Operation(
        "POST", f"{PATH}/{{name}}/corrections", "correctPeriod", "Adds an entry that puts a statement right.", GROUP,
        "admin", parameters=(_NAME,),
        bodies=(
            Body(
                JSON, {"$ref": "#/components/schemas/EarningsCorrection"},
                {"another pool": {"reason": "Vouchers were left out.", "pool": 1_000_500}},
            ),
        ),
        answers=(
            Answer(
                HTTPStatus.CREATED, "What is added to what was told.", JSON, _DRAWN_ANSWER,
                {**_DRAWN, "entry": 1, "amount": 500},
            ),
            _DRY, _WRONG, *_GUARDS, _UNKNOWN, _TOO_LARGE,
            problem(
                HTTPStatus.CONFLICT,
                "The watch log has changed since it was closed; or some of its days are closed under another name, or "
                "not all in the log yet, or too many for a request on AWS; or somebody else corrected it just now.",
            ),
        ),
    ),
    Operation(
        "GET", f"{PATH}/{{name}}/trace", "traceCent", "Tells which sessions stand behind one minor unit.", GROUP,
        "admin",
        parameters=(
            _NAME,
            Parameter("asset", "Whose money.", text(minLength=1), is_required=True, example="film-7"),
            Parameter("cent", "Which minor unit of it.", {**whole(1, 10**15), "default": 1}),
        ),
        answers=(
            Answer(
                HTTPStatus.OK, "The rows of the watch log that it lies over, in the order of time.", JSON,
                record(
                    {
                        "name": text(), "asset": text(), "cent": whole(1), "of": whole(1),
                        "member": text("whose fee it was; empty when it was divided by everybody's time"),
                        "millisecondsEach": whole(0), "rows": whole(0),
                        "watched": listed(
                            record(
                                {
                                    "session": text(), "member": text(), "day": text(), "from": text(), "to": text(),
                                    "milliseconds": whole(0),
                                }
                            )
                        ),
                    }
                ),
                {
                    "name": "2026-10", "asset": "film-7", "cent": 1, "of": 62_500, "member": "",
                    "millisecondsEach": 86_400, "rows": 1,
                    "watched": [
                        {
                            "session": "9c1", "member": "42", "day": "2026-10-01T00:00Z",
                            "from": "2026-10-01T19:30Z", "to": "2026-10-01T20:15Z", "milliseconds": 2_640_000,
                        }
                    ],
                },
            ),
            _WRONG, *_GUARDS, _UNKNOWN,
            problem(
                HTTPStatus.CONFLICT,
                "Rows of the watch log have expired or were erased since; or, on AWS, they are too many for a request.",
            ),
        ),
    ),
)  # fmt: skip
