"""The routes of the catalogue."""

from http import HTTPStatus

from footfall.catalog.asset import AUTHORS_MAX, NAME_BYTES_MAX, TAGS_MAX, TITLE_BYTES_MAX
from footfall.shells.http.assets import IDS_MAX, PAGE_DEFAULT, PAGE_MAX
from footfall.shells.http.described.lists import BRAND
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
from footfall.values.hit import ADDRESS_BYTES_MAX, ASSET_BYTES_MAX, LABEL_BYTES_MAX, NUMBER_MAX

GROUP = "Describing assets"

_ADDRESS = text("begins with https://, http:// or /", bytes_max=ADDRESS_BYTES_MAX, pattern="^(https?://|/|$)")
_WHEN: Schema = {
    "description": "a time with a zone, or milliseconds since 1970",
    "anyOf": [text(format="date-time"), whole(0, 253_370_764_799_999), {"type": "null"}],
}


def _names(count_max: int) -> Schema:
    return maybe(listed(text(bytes_max=NAME_BYTES_MAX, minLength=1), maxItems=count_max, uniqueItems=True))


SENT_ASSET = record(
    {
        "assetId": {"anyOf": [text(bytes_max=ASSET_BYTES_MAX, minLength=1), whole(0, NUMBER_MAX)]},
        "title": maybe(text(bytes_max=TITLE_BYTES_MAX)),
        "address": maybe(_ADDRESS),
        "image": maybe(_ADDRESS),
        "sectionId": {"anyOf": [text(bytes_max=LABEL_BYTES_MAX), whole(0, NUMBER_MAX), {"type": "null"}]},
        "resourceType": maybe(text(bytes_max=LABEL_BYTES_MAX)),
        "paidType": maybe(text(bytes_max=LABEL_BYTES_MAX)),
        "published": _WHEN,
        "updated": _WHEN,
        "authors": _names(AUTHORS_MAX),
        "tags": _names(TAGS_MAX),
    },
    required=("assetId",),
    says="All that is known of an asset: what was known before is replaced.",
)
ASSET = record(
    {
        "brand": text(),
        "assetId": text(),
        "title": text(),
        "address": text(),
        "image": text(),
        "sectionId": text(),
        "resourceType": text(),
        "paidType": text(),
        "published": text(),
        "updated": text(),
        "authors": listed(text()),
        "tags": listed(text()),
    },
    required=("assetId",),
    says="An asset without what is not known of it.",
)
STORED = record(
    {
        "stored": whole(0, says="how many were put"),
        "version": whole(0, says="of the brand's catalogue; grows with each change"),
        "ignored": listed(text(), description="columns of a table that mean nothing here; only when there are some"),
        "refusedCount": whole(1, says="only when some were refused"),
        "refused": listed({"$ref": "#/components/schemas/Refusal"}),
    },
    required=("stored", "version"),
)
ASSETS = record(
    {
        "brand": text(),
        "version": whole(0),
        "items": listed({"$ref": "#/components/schemas/Asset"}),
        "after": text("where the next page begins; absent on the last"),
    },
    required=("brand", "items"),
)

_ONE = {
    "assetId": 132141398,
    "title": "What the harbour saw",
    "address": "https://www.example.com/a/132141398",
    "sectionId": 563,
    "resourceType": "article",
    "paidType": "free",
    "published": "2026-11-15T06:00:00Z",
    "authors": ["Desk"],
    "tags": ["harbour", "weather"],
}
_SHOWN = {**_ONE, "brand": "abc", "assetId": "132141398", "sectionId": "563", "published": "2026-11-15T06:00Z"}
_ID = Parameter(
    "id", "The asset's id.", text(bytes_max=ASSET_BYTES_MAX, minLength=1), "path", is_required=True, example="132141398"
)
_UNKNOWN = problem(
    HTTPStatus.NOT_FOUND, "The catalogue has no such asset, or there is no such brand.", field_name="assetId"
)
_WRONG = problem(
    HTTPStatus.BAD_REQUEST, "A parameter is unknown or has a value that it may not have.", field_name="limit"
)

PUT = Operation(
    "PUT",
    "/v1/assets",
    "putAssets",
    "Tell of assets: one, an array, one a line, or a table.",
    GROUP,
    "write",
    parameters=(
        BRAND,
        Parameter("Content-Encoding", "How the body is compressed.", {"enum": ["gzip", "zstd"]}, "header"),
    ),
    bodies=(
        Body(
            JSON,
            {"anyOf": [{"$ref": "#/components/schemas/SentAsset"}, listed({"$ref": "#/components/schemas/SentAsset"})]},
            {
                "one": _ONE,
                "many": [_ONE, {"assetId": "video-7", "title": "The storm, from above", "resourceType": "video"}],
            },
        ),
        Body(LINES, {"type": "string"}, {"lines": '{"assetId":1,"title":"One"}\n{"assetId":2,"title":"Two"}\n'}),
        Body("text/csv", {"type": "string"}, {"table": "assetId,title,tags\n1,One,harbour;weather\n2,Two,\n"}),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "Those that could be taken are stored; the others are named.",
            JSON,
            {"$ref": "#/components/schemas/Stored"},
            {"stored": 2, "version": 17},
        ),
        problem(HTTPStatus.BAD_REQUEST, "None could be taken, or the body is not what it says.", field_name="assetId"),
        problem(HTTPStatus.NOT_FOUND, "There is no such brand.", field_name="brand"),
    ),
)
LIST = Operation(
    "GET",
    "/v1/assets",
    "assets",
    "Some assets by their ids, or a page of all of them.",
    GROUP,
    "read",
    parameters=(
        BRAND,
        Parameter("ids", "Only these.", listed(text(bytes_max=ASSET_BYTES_MAX, minLength=1), maxItems=IDS_MAX)),
        Parameter("after", "The `after` of the page before.", text(bytes_max=ASSET_BYTES_MAX)),
        Parameter("limit", "How many.", {**whole(1, PAGE_MAX), "default": PAGE_DEFAULT}),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "The assets, in the order of their ids.",
            JSON,
            {"$ref": "#/components/schemas/Assets"},
            {"brand": "abc", "version": 17, "items": [{key: value for key, value in _SHOWN.items() if key != "brand"}]},
        ),
        _WRONG,
        problem(HTTPStatus.NOT_FOUND, "There is no such brand.", field_name="brand"),
    ),
)
ONE = Operation(
    "GET",
    "/v1/assets/{id}",
    "asset",
    "What is known of one asset.",
    GROUP,
    "read",
    parameters=(_ID, BRAND),
    answers=(
        Answer(HTTPStatus.OK, "The asset.", JSON, {"$ref": "#/components/schemas/Asset"}, _SHOWN),
        _WRONG,
        _UNKNOWN,
    ),
)
FORGET = Operation(
    "DELETE",
    "/v1/assets/{id}",
    "forgetAsset",
    "Forget what is known of an asset; its hits stay.",
    GROUP,
    "write",
    parameters=(_ID, BRAND),
    answers=(
        Answer(HTTPStatus.OK, "It is forgotten.", JSON, record({"deleted": whole(1, 1)}), {"deleted": 1}),
        _WRONG,
        _UNKNOWN,
    ),
)

OPERATIONS = (PUT, LIST, ONE, FORGET)
SCHEMAS = {"SentAsset": SENT_ASSET, "Asset": ASSET, "Assets": ASSETS, "Stored": STORED}
