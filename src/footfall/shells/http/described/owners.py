"""The routes of those who own the instance: new brands, and the trail of what concerns them all."""

from http import HTTPStatus

from footfall.shells.http.described.brands import A_BRAND, ACT, AN_ACT, CHANGEABLE, GROUP
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
from footfall.shells.http.owners import BRANDS, INSTANCE_TRAIL

_NO_OWNER = problem(HTTPStatus.FORBIDDEN, "Whoever is signed in does not own the instance.")

ADD = Operation(
    "POST",
    BRANDS,
    "addBrand",
    "Make a brand, with a key for its pages.",
    GROUP,
    needs_session=True,
    more="For owners of the instance, who are signed in; `footfall brands add` does it on the command line.",
    bodies=(
        Body(
            JSON,
            {
                **record(
                    {
                        "brand": text("its name, which stays"),
                        "zone": text("where its days begin, for good; UTC unless given"),
                        **CHANGEABLE,
                    },
                    required=("brand",),
                ),
                "additionalProperties": False,
            },
            {"a second brand": {"brand": "xyz", "title": "The XYZ", "zone": "Europe/Oslo"}},
        ),
    ),
    answers=(
        Answer(
            HTTPStatus.CREATED,
            "The brand, and the public key for its pages.",
            JSON,
            record({"brand": text(), "zone": text(), **CHANGEABLE, "publicKey": text()}),
            {**A_BRAND, "publicKey": "ffpub_3k7mqz2v9xw4t6ra"},
        ),
        problem(HTTPStatus.BAD_REQUEST, "A field is unknown or has a value that it may not have.", field_name="zone"),
        problem(HTTPStatus.CONFLICT, "There is a brand of that name."),
        _NO_OWNER,
    ),
)
TRAIL = Operation(
    "GET",
    INSTANCE_TRAIL,
    "instanceAudit",
    "Who did what that concerns the whole instance: people, sign-ins, lists; the newest first.",
    GROUP,
    needs_session=True,
    more="For owners of the instance, who are signed in; `footfall people history` shows it on the command line.",
    parameters=(
        Parameter("limit", "How many at most; 100 unless given.", whole(1, 1_000)),
        Parameter("after", "Where the answer before ended, as it says itself.", text(bytes_max=64)),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "A page of the trail; `after` is there when there are older ones.",
            JSON,
            record(
                {
                    "items": listed(ACT),
                    "failedSignIns": {
                        "type": "object",
                        "additionalProperties": {"type": "integer"},
                        "description": "by day of UTC",
                    },
                    "after": text(),
                },
                required=("items", "failedSignIns"),
            ),
            {"items": [{**AN_ACT, "act": "signed-in"}], "failedSignIns": {"2026-11-15": 2}},
        ),
        problem(HTTPStatus.BAD_REQUEST, "`limit` or `after` cannot be.", field_name="limit"),
        _NO_OWNER,
    ),
)

OPERATIONS = (ADD, TRAIL)
