"""The routes of the archive: pages as they were, asked for, found, seen and watched."""

from http import HTTPStatus

from footfall.app.archive_questions import PAGE_DEFAULT, PAGE_MAX, SEARCH_DEFAULT, SEARCH_MAX, YEAR_MAX, YEAR_MIN
from footfall.archive.captures import State
from footfall.ports.searching import QUERY_CHARACTERS_MAX
from footfall.shells.http.described import archive_schemas as schemas
from footfall.shells.http.described.archive_schemas import A_CAPTURE, A_LINE, A_REQUEST, ID
from footfall.shells.http.described.lists import BRAND
from footfall.shells.http.described.operation import (
    JSON,
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

GROUP = "Archive"
ARCHIVE, CAPTURE = "/v1/archive", "/v1/archive/captures/{id}"

OF_BRAND = Parameter("brand", "The brand, unless a key says whose it is.", BRAND.schema, example="abc")
_ID = Parameter("id", "The id.", text(bytes_max=64, minLength=1), "path", is_required=True, example=ID)
URL = Parameter("url", "The page.", text(bytes_max=4_000), is_required=True, example="https://news.example/")
_AFTER = Parameter("after", "What the answer before said.", text(bytes_max=200))
_LIMIT = Parameter("limit", "How many to answer.", {**whole(1, PAGE_MAX), "default": PAGE_DEFAULT})
WRONG = problem(HTTPStatus.BAD_REQUEST, "A field or a parameter is unknown or impossible.", field_name="url")
ABSENT = problem(
    HTTPStatus.NOT_FOUND, "There is none of that id, or it is somebody else's: both are said in the same words."
)
_GONE = problem(HTTPStatus.GONE, "It was removed; `tombstone` says when, by whom and why.", field_name="id")
_HELD = problem(HTTPStatus.CONFLICT, "It is under legal hold; release it before.", field_name="id")
LACKS = problem(HTTPStatus.NOT_IMPLEMENTED, "The archive is not installed: `pip install 'footfall[archive]'`.")
_REQUEST: Schema = {"$ref": "#/components/schemas/ArchiveRequest"}
_LINE: Schema = {"$ref": "#/components/schemas/CaptureLine"}
_CAPTURE: Schema = {"$ref": "#/components/schemas/Capture"}
_SHOWN = Answer(HTTPStatus.OK, "The capture.", JSON, _CAPTURE, A_CAPTURE)
_LINES = Answer(
    HTTPStatus.OK,
    "Captures, the newest first; `after` is null when that is all.",
    JSON,
    record({"captures": listed(_LINE), "after": maybe(text())}),
    {"captures": [A_LINE], "after": None},
)
NOTHING = Answer(HTTPStatus.NO_CONTENT, "It is gone.")


def _bytes(file: str, name: str, says: str, kind: str, *more: Parameter) -> Operation:
    found = Answer(HTTPStatus.OK, "The bytes.", kind, {"type": "string", "format": "binary"})
    same = Answer(HTTPStatus.NOT_MODIFIED, "It is what `If-None-Match` names.")
    headers = {"ETag": "Of the bytes, which never change."}
    return Operation(
        "GET", f"{CAPTURE}/{file}", name, says, GROUP, "read", parameters=(_ID, *more, OF_BRAND),
        answers=(found, same, WRONG, ABSENT, _GONE), headers=headers,
    )  # fmt: skip


def _act(act: str, name: str, says: str) -> Operation:
    return Operation(
        "POST", f"{CAPTURE}/{act}", name, says, GROUP, "edit", parameters=(_ID, OF_BRAND),
        answers=(_SHOWN, WRONG, ABSENT, _GONE),
    )  # fmt: skip


_ASKING = (
    Operation(
        "POST",
        ARCHIVE,
        "archivePage",
        "Keep a page as it is now.",
        GROUP,
        "read",
        more="What a person keeps is theirs until it is shared; what a key keeps is the whole brand's, so a key needs "
        "the scope `edit`. A page that is being kept for you already is not asked for twice.",
        parameters=(OF_BRAND,),
        bodies=(Body(JSON, {"$ref": "#/components/schemas/ArchiveWish"}, {"a page": {"url": "news.example"}}),),
        answers=(
            Answer(HTTPStatus.ACCEPTED, "It waits.", JSON, record({"request": _REQUEST}), {"request": A_REQUEST}),
            Answer(
                HTTPStatus.OK,
                "It was asked for already, or kept a short while ago.",
                JSON,
                record({"request": _REQUEST}),
                {"request": {**A_REQUEST, "state": "running", "attempts": 1}},
            ),
            WRONG,
            LACKS,
        ),
    ),
    Operation(
        "GET",
        f"{ARCHIVE}/requests",
        "archiveRequests",
        "What you have asked for, the newest first; with a key, what the brand has.",
        GROUP,
        "read",
        parameters=(
            OF_BRAND,
            Parameter("state", "Only those that are so far.", {"enum": list(State)}),
            _LIMIT,
            _AFTER,
        ),
        answers=(
            Answer(
                HTTPStatus.OK,
                "Requests; `after` is null when that is all.",
                JSON,
                record({"requests": listed(_REQUEST), "after": maybe(text())}),
                {"requests": [A_REQUEST], "after": None},
            ),
            WRONG,
        ),
    ),
    Operation(
        "GET",
        f"{ARCHIVE}/requests/{{id}}",
        "archiveRequest",
        "How far a request is.",
        GROUP,
        "read",
        parameters=(_ID, OF_BRAND),
        answers=(Answer(HTTPStatus.OK, "The request.", JSON, _REQUEST, A_REQUEST), WRONG, ABSENT),
    ),
    Operation(
        "POST",
        f"{ARCHIVE}/requests/{{id}}/retry",
        "retryArchiveRequest",
        "Let a request that failed wait again.",
        GROUP,
        "read",
        parameters=(_ID, OF_BRAND),
        answers=(
            Answer(HTTPStatus.ACCEPTED, "It waits.", JSON, _REQUEST, A_REQUEST),
            WRONG,
            ABSENT,
            problem(HTTPStatus.CONFLICT, "It has not failed.", field_name="id"),
        ),
    ),
)
_FINDING = (
    Operation(
        "GET",
        f"{ARCHIVE}/captures",
        "captures",
        "Captures of a page, or those of one day (UTC).",
        GROUP,
        "read",
        parameters=(
            OF_BRAND,
            URL,
            Parameter("day", "Only those of this day.", text(format="date"), example="2026-11-17"),
            _LIMIT,
            _AFTER,
        ),
        answers=(_LINES, WRONG, LACKS),
    ),
    Operation(
        "GET",
        f"{ARCHIVE}/latest",
        "latestCapture",
        "The newest capture of a page.",
        GROUP,
        "read",
        parameters=(OF_BRAND, URL),
        answers=(_SHOWN, WRONG, ABSENT, LACKS),
    ),
    Operation(
        "GET",
        f"{ARCHIVE}/calendar",
        "captureCalendar",
        "The days (UTC) of a year on which a page was kept.",
        GROUP,
        "read",
        parameters=(
            OF_BRAND,
            URL,
            Parameter("year", "The year; this one unless told.", whole(YEAR_MIN, YEAR_MAX), example=2026),
        ),
        answers=(
            Answer(
                HTTPStatus.OK,
                "How many captures each day has that has any, and the first and the last of all years.",
                JSON,
                record(
                    {
                        "year": whole(YEAR_MIN, YEAR_MAX),
                        "days": {"type": "object", "additionalProperties": whole(1)},
                        "first": maybe(text(format="date-time")),
                        "last": maybe(text(format="date-time")),
                    }
                ),
                {"year": 2026, "days": {"2026-11-17": 3}, "first": A_LINE["at"], "last": A_LINE["at"]},
            ),
            WRONG,
            LACKS,
        ),
    ),
    Operation(
        "GET",
        f"{ARCHIVE}/library",
        "captureLibrary",
        "What you have kept, of all pages.",
        GROUP,
        "read",
        parameters=(
            OF_BRAND,
            Parameter("of", "With `brand`, what all members see.", {"enum": ["brand"]}),
            _LIMIT,
            _AFTER,
        ),
        answers=(_LINES, WRONG),
    ),
    Operation(
        "GET",
        f"{ARCHIVE}/search",
        "searchCaptures",
        "Captures that have some words, the best first.",
        GROUP,
        "read",
        more="In an instance the whole text is searched; on AWS titles, addresses and keywords: `kind` says which.",
        parameters=(
            OF_BRAND,
            Parameter("q", "The words.", text(bytes_max=QUERY_CHARACTERS_MAX), is_required=True, example="harbour"),
            Parameter("limit", "How many to answer.", {**whole(1, SEARCH_MAX), "default": SEARCH_DEFAULT}),
            _AFTER,
        ),
        answers=(
            Answer(
                HTTPStatus.OK,
                "Captures, each with a piece of its text: plain pieces and words that were asked for.",
                JSON,
                record(
                    {
                        "kind": text(enum=["full-text", "words"]),
                        "results": listed(
                            {
                                "allOf": [
                                    _LINE,
                                    record({"excerpt": listed({"type": "array", "minItems": 2, "maxItems": 2})}),
                                ]
                            }
                        ),
                        "after": maybe(text()),
                    }
                ),
                {
                    "kind": "full-text",
                    "results": [{**A_LINE, "excerpt": [["the ", False], ["harbour", True], [" closed", False]]}],
                    "after": None,
                },
            ),
            WRONG,
        ),
    ),
    Operation(
        "GET",
        f"{ARCHIVE}/compare",
        "compareCaptures",
        "What two captures have in common, and what not: text and picture.",
        GROUP,
        "read",
        parameters=(
            OF_BRAND,
            Parameter("a", "The earlier one.", text(bytes_max=64), is_required=True, example=ID),
            Parameter("b", "The later one.", text(bytes_max=64), is_required=True, example=ID),
        ),
        answers=(
            Answer(
                HTTPStatus.OK,
                "Both.",
                JSON,
                {"$ref": "#/components/schemas/CaptureComparison"},
                schemas.A_COMPARISON,
            ),
            WRONG,
            ABSENT,
            _GONE,
            LACKS,
        ),
    ),
)
_CAPTURES = (
    Operation(
        "GET",
        CAPTURE,
        "capture",
        "A capture, with the addresses of its bytes.",
        GROUP,
        "read",
        more="Where the brand's archive is public, what all members see needs no key.",
        parameters=(_ID, OF_BRAND),
        answers=(_SHOWN, WRONG, ABSENT, _GONE),
    ),
    Operation(
        "DELETE",
        CAPTURE,
        "removeCapture",
        "Remove a capture; a tombstone stays.",
        GROUP,
        "read",
        more="Your own, as long as it is not shared; what all members see is for editors to remove.",
        parameters=(_ID, OF_BRAND, Parameter("why", "What the tombstone says.", text(bytes_max=500))),
        answers=(NOTHING, WRONG, ABSENT, _GONE, _HELD),
    ),
    _act("share", "shareCapture", "Show a capture to all members of the brand."),
    _act("unshare", "unshareCapture", "Show a capture to whoever asked for it alone, again."),
    _act("hold", "holdCapture", "Put a capture under legal hold: nobody removes it until it is released."),
    _act("release", "releaseCapture", "Release a capture from legal hold."),
    _bytes(
        "tiles/{number}",
        "captureTile",
        "A part of the picture; they follow each other from the top.",
        "image/webp",
        Parameter("number", "From 0.", whole(0, 9_999), "path", is_required=True, example=0),
    ),
    _bytes(
        "{file}",
        "captureFile",
        "A file of the capture: its thumbnail, its text, its document, or what was recorded as WARC or WACZ.",
        "application/octet-stream",
        Parameter(
            "file", "Which.", {"enum": ["thumbnail", "picture", "text", "html", "warc", "wacz"]}, "path",
            is_required=True, example="text",
        ),
    ),
)  # fmt: skip
OPERATIONS = (*_ASKING, *_FINDING, *_CAPTURES)
SCHEMAS = schemas.SCHEMAS
