"""The routes of watches: what a brand wants kept by itself."""

from http import HTTPStatus

from footfall.shells.http.described import archive_schemas as schemas
from footfall.shells.http.described.archive import ABSENT, ARCHIVE, GROUP, LACKS, NOTHING, OF_BRAND, WRONG
from footfall.shells.http.described.archive_schemas import A_WATCH
from footfall.shells.http.described.operation import (
    JSON,
    Answer,
    Body,
    Operation,
    Parameter,
    Schema,
    listed,
    record,
    text,
)

WATCHES, WATCH = f"{ARCHIVE}/watches", f"{ARCHIVE}/watches/{{id}}"

_WATCH: Schema = {"$ref": "#/components/schemas/Watch"}
_WATCH_ID = Parameter(
    "id", "The watch's id.", text(bytes_max=64, minLength=1), "path", is_required=True, example=A_WATCH["id"]
)
OPERATIONS = (
    Operation(
        "GET",
        WATCHES,
        "watches",
        "What the brand wants kept by itself.",
        GROUP,
        "read",
        parameters=(OF_BRAND,),
        answers=(
            Answer(HTTPStatus.OK, "The watches.", JSON, record({"watches": listed(_WATCH)}), {"watches": [A_WATCH]}),
            WRONG,
        ),
    ),
    Operation(
        "POST",
        WATCHES,
        "addWatch",
        "Watch a page, or what is read most.",
        GROUP,
        "edit",
        more="What a watch keeps is the whole brand's. The first turn is at once.",
        parameters=(OF_BRAND,),
        bodies=(
            Body(
                JSON,
                {"$ref": "#/components/schemas/NewWatch"},
                {"a page": {"rule": schemas.A_RULE}, "the most read": {"rule": schemas.A_POPULAR_RULE}},
            ),
        ),
        answers=(Answer(HTTPStatus.CREATED, "The watch.", JSON, _WATCH, A_WATCH), WRONG, LACKS),
    ),
    Operation(
        "GET",
        WATCH,
        "watch",
        "A watch, and how far it has come.",
        GROUP,
        "read",
        parameters=(_WATCH_ID, OF_BRAND),
        answers=(Answer(HTTPStatus.OK, "The watch.", JSON, _WATCH, A_WATCH), WRONG, ABSENT),
    ),
    Operation(
        "PATCH",
        WATCH,
        "changeWatch",
        "Change a watch; what is left out stays.",
        GROUP,
        "edit",
        parameters=(_WATCH_ID, OF_BRAND),
        bodies=(Body(JSON, {"$ref": "#/components/schemas/WatchChange"}, {"switched off": {"isOn": False}}),),
        answers=(
            Answer(HTTPStatus.OK, "The watch.", JSON, _WATCH, {**A_WATCH, "isOn": False, "nextAt": None}),
            WRONG,
            ABSENT,
        ),
    ),
    Operation(
        "DELETE",
        WATCH,
        "removeWatch",
        "Remove a watch; what it kept stays.",
        GROUP,
        "edit",
        parameters=(_WATCH_ID, OF_BRAND),
        answers=(NOTHING, WRONG, ABSENT),
    ),
)
