"""The routes of what editors do to lists."""

from http import HTTPStatus

from footfall.catalog.edits import HIDDEN_MAX, PERIODS_MAX, PINS_MAX, PLACES_MAX, REASON_BYTES_MAX, SECTIONS_MAX
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
from footfall.values.hit import ASSET_BYTES_MAX, LABEL_BYTES_MAX, NUMBER_MAX

GROUP = "Editing lists"

_UNTIL = maybe(text("when it ends by itself; a time with a zone", format="date-time"))
_WHO: dict[str, Schema] = {
    "until": text("only when it ends by itself"),
    "by": text("who did it: the id of a key, or a name with a person's id"),
    "at": text("when it was done"),
}
_SECTIONS = listed(
    {"anyOf": [text(bytes_max=LABEL_BYTES_MAX, minLength=1), whole(0, NUMBER_MAX)]},
    maxItems=SECTIONS_MAX,
    description="only in lists that ask for one of these; else in every list that the asset could be on",
)
_PERIODS = listed(
    text(bytes_max=LABEL_BYTES_MAX, minLength=1),
    maxItems=PERIODS_MAX,
    description="only in lists of these; else of all",
)
SENT_PIN = {
    **record(
        {
            "place": whole(1, PLACES_MAX, says="where it is to stand, from 1"),
            "sections": maybe(_SECTIONS),
            "periods": maybe(_PERIODS),
            "until": _UNTIL,
        },
        required=("place",),
    ),
    "additionalProperties": False,
}
SENT_HIDDEN = {
    **record({"reason": maybe(text("for colleagues", bytes_max=REASON_BYTES_MAX)), "until": _UNTIL}, required=()),
    "additionalProperties": False,
}
PIN = record(
    {
        "brand": text(),
        "assetId": text(),
        "place": whole(1, PLACES_MAX),
        "sections": listed(text()),
        "periods": listed(text()),
        **_WHO,
    },
    required=("assetId", "place", "by", "at"),
    says="A pinned asset. Of two at one place the later one comes first.",
)
HIDDEN = record(
    {"brand": text(), "assetId": text(), "reason": text(), **_WHO},
    required=("assetId", "by", "at"),
    says="An asset that no list shows.",
)
EDITS = record(
    {
        "brand": text(),
        "pins": listed({"$ref": "#/components/schemas/Pin"}, maxItems=PINS_MAX),
        "hidden": listed({"$ref": "#/components/schemas/HiddenAsset"}, maxItems=HIDDEN_MAX),
    }
)

_DONE = {"by": "3k7mqz2v9xw4t6ra", "at": "2026-11-15T14:30:12.345Z"}
_PINNED = {"assetId": "132141398", "place": 1, "sections": ["563"], "until": "2026-11-15T18:00Z", **_DONE}
_HID = {"assetId": "132141401", "reason": "corrected version follows", **_DONE}
_ID = Parameter(
    "id", "The asset's id.", text(bytes_max=ASSET_BYTES_MAX, minLength=1), "path", is_required=True, example="132141398"
)
_WRONG = problem(
    HTTPStatus.BAD_REQUEST,
    "A field is unknown or has a value that it may not have, or there are too many such acts.",
    field_name="place",
)
_TAKEN_BACK = Answer(
    HTTPStatus.OK,
    "It is taken back.",
    JSON,
    record({"brand": text(), "assetId": text()}),
    {"brand": "abc", "assetId": "132141398"},
)

ALL = Operation(
    "GET",
    "/v1/edits",
    "edits",
    "What editors have pinned and hidden, by whom and since when.",
    GROUP,
    "edit",
    more="What has ended is not listed; the audit trail tells of it.",
    answers=(
        Answer(
            HTTPStatus.OK,
            "The acts: pins in the order of their places, what is hidden in the order of ids.",
            JSON,
            {"$ref": "#/components/schemas/Edits"},
            {"brand": "abc", "pins": [_PINNED], "hidden": [_HID]},
        ),
        _WRONG,
    ),
)
PUT_PIN = Operation(
    "PUT",
    "/v1/edits/pins/{id}",
    "pinAsset",
    "Pin an asset to a place in lists of periods, in the place of the pin that it had.",
    GROUP,
    "edit",
    more="Its rank and its hits stay what was counted, and its entry says `pinned`. The filters of a question hold for "
    "it as well, but for the sections that the pin names. Lists by visitors, of what rises and of spans have no pins.",
    parameters=(_ID,),
    bodies=(
        Body(
            JSON,
            {"$ref": "#/components/schemas/SentPin"},
            {
                "at the top": {"place": 1},
                "of one section, for a while": {"place": 1, "sections": [563], "until": "2026-11-15T18:00:00Z"},
            },
        ),
    ),
    answers=(
        Answer(HTTPStatus.OK, "It is pinned.", JSON, {"$ref": "#/components/schemas/Pin"}, {"brand": "abc", **_PINNED}),
        _WRONG,
    ),
)
DELETE_PIN = Operation(
    "DELETE",
    "/v1/edits/pins/{id}",
    "unpinAsset",
    "Take a pin back.",
    GROUP,
    "edit",
    parameters=(_ID,),
    answers=(_TAKEN_BACK, _WRONG, problem(HTTPStatus.NOT_FOUND, "It is not pinned.", field_name="assetId")),
)
PUT_HIDDEN = Operation(
    "PUT",
    "/v1/edits/hidden/{id}",
    "hideAsset",
    "Hide an asset from the lists of the most popular and of what rises; its hits are counted as before.",
    GROUP,
    "edit",
    parameters=(_ID,),
    bodies=(Body(JSON, {"$ref": "#/components/schemas/SentHidden"}, {"why": {"reason": "corrected version follows"}}),),
    answers=(
        Answer(
            HTTPStatus.OK, "It is hidden.", JSON, {"$ref": "#/components/schemas/HiddenAsset"}, {"brand": "abc", **_HID}
        ),
        _WRONG,
    ),
    body_may_be_absent=True,
)
DELETE_HIDDEN = Operation(
    "DELETE",
    "/v1/edits/hidden/{id}",
    "showAsset",
    "Show a hidden asset again.",
    GROUP,
    "edit",
    parameters=(_ID,),
    answers=(_TAKEN_BACK, _WRONG, problem(HTTPStatus.NOT_FOUND, "It is not hidden.", field_name="assetId")),
)

OPERATIONS = (ALL, PUT_PIN, DELETE_PIN, PUT_HIDDEN, DELETE_HIDDEN)
SCHEMAS = {"SentPin": SENT_PIN, "SentHidden": SENT_HIDDEN, "Pin": PIN, "HiddenAsset": HIDDEN, "Edits": EDITS}
