"""What the routes of history answer: rises, series, and what labels and brands come to."""

from footfall.flow.serve.query import BRANDS_MAX, LIMIT_MAX
from footfall.flow.serve.series_query import GRAINS, POINTS_MAX
from footfall.shells.http.described.lists import LISTED_ASSET
from footfall.shells.http.described.operation import Schema, listed, maybe, record, text, whole

_NUMBER: Schema = {"type": "number"}
_EXACT: Schema = {"type": "boolean", "description": "every count is proven"}
_AT_MOST = maybe(whole(0, says="only unless the count is certain: not more than so many; null: nobody knows"))

RISING_ASSET = record(
    {
        "rank": whole(1, LIMIT_MAX),
        "assetId": text(),
        "rise": {**_NUMBER, "description": "(`steadyHits` + `prior`) / (`expected` + `prior`)"},
        "hits": whole(1, says="in the last hour"),
        "steadyHits": {**_NUMBER, "description": "what is left of them when no minute stands out too far"},
        "expected": {**_NUMBER, "description": "what its own past, its age and the prior let expect"},
        "baselineHits": whole(0, says="in the hours before"),
        "baselineHours": whole(0, says="of those hours, so many since it was first seen there"),
        **{
            name: LISTED_ASSET["properties"][name]
            for name in ("sectionId", "resourceType", "paidType", "title", "address", "image", "published")
        },
    },
    required=(
        "rank",
        "assetId",
        "rise",
        "hits",
        "steadyHits",
        "expected",
        "baselineHits",
        "baselineHours",
        "sectionId",
        "resourceType",
        "paidType",
    ),
)
RISING_LIST = record(
    {
        "brand": text(),
        "from": text("where the last hour begins"),
        "to": text("the end of its last minute, which is still open"),
        "exact": _EXACT,
        "basis": text("what rises are told from: `hits`"),
        "hits": whole(0, says="of the brand in that hour"),
        "baseline": record({"from": text(), "to": text(), "hits": whole(0)}, says="The whole hours before it."),
        "prior": {**_NUMBER, "description": "what an asset that was seen in the hour had on average; at least 3"},
        "items": listed({"$ref": "#/components/schemas/RisingAsset"}, maxItems=LIMIT_MAX),
    }
)
POINT = record(
    {
        "from": text("where the window begins; it ends where the next begins"),
        "hits": maybe(whole(0, says="null: the window is not kept any more")),
        "hitsAtMost": _AT_MOST,
        "open": {"type": "boolean", "description": "only while the window is not over: true"},
    },
    required=("from", "hits"),
)
_POINTS = listed({"$ref": "#/components/schemas/Point"}, maxItems=POINTS_MAX + 1)
COMPARED = record(
    {
        "from": text(),
        "to": text(),
        "exact": _EXACT,
        "hits": whole(0),
        "hitsAtMost": _AT_MOST,
        "compared": record(
            {
                "points": whole(0, says="windows that are over in both spans and kept"),
                "hits": whole(0, says="of those, in the span asked for"),
                "hitsBefore": whole(0, says="of those, in this one"),
                "change": maybe({**_NUMBER, "description": "0.25 is a quarter more; null: there were none before"}),
            }
        ),
        "points": _POINTS,
    },
    required=("from", "to", "exact", "hits", "compared", "points"),
)
WEEKDAY = record(
    {
        "weekday": text("monday to sunday, in the brand's zone"),
        "days": whole(0, says="whole days of that name in the span"),
        "hits": whole(0),
        "hitsPerDay": maybe(_NUMBER),
    }
)
SERIES_SCHEMA = record(
    {
        "brand": text(),
        "assetId": text("only of an asset's series"),
        "title": text("as the catalogue has it; absent when it does not"),
        "grain": text(enum=list(GRAINS)),
        "zone": text("whose hours and days they are"),
        "from": text(),
        "to": text(),
        "exact": _EXACT,
        "keptSince": text("only when the span begins before what is kept: since when everything is there"),
        "final": {"type": "boolean", "description": "no late hit can change it any more"},
        "hits": whole(0, says="of all points"),
        "hitsAtMost": _AT_MOST,
        "points": _POINTS,
        "previous": {"$ref": "#/components/schemas/ComparedSpan"},
        "lastWeek": {"$ref": "#/components/schemas/ComparedSpan"},
        "weekdays": listed(WEEKDAY, minItems=7, maxItems=7),
    },
    required=("brand", "grain", "zone", "from", "to", "exact", "final", "hits", "points"),
)
_TOP: dict[str, Schema] = {
    "brand": text(),
    "period": text("absent when a span was asked for"),
    "from": text(),
    "to": text(),
    "exact": _EXACT,
    "keptSince": text("only when the span begins before what is kept: since when everything is there"),
    "final": {"type": "boolean", "description": "of closed lists and spans: no late hit can change it any more"},
    "hits": whole(0, says="of all that was asked for"),
    "hitsAtMost": _AT_MOST,
    "hitsBefore": maybe(whole(0, says="one window earlier, or in the span before; null: not all of it is kept")),
}
_TOP_ALWAYS = ("brand", "from", "to", "exact", "hits", "hitsBefore")
TOP_LABEL = record(
    {
        "rank": whole(1, LIMIT_MAX),
        "change": maybe({"type": "integer", "description": "places gained; null: it was not there"}),
        "sectionId": {"anyOf": [text(), {"type": "integer"}, {"type": "null"}]},
        "resourceType": maybe(text()),
        "hits": whole(1),
        "hitsAtMost": _AT_MOST,
        "share": {**_NUMBER, "description": "of all hits that were asked for"},
        "hitsBefore": maybe(whole(0)),
    },
    required=("rank", "change", "hits", "share", "hitsBefore"),
)
TOP_LIST = record(
    {**_TOP, "items": listed({"$ref": "#/components/schemas/TopLabel"}, maxItems=LIMIT_MAX)},
    required=(*_TOP_ALWAYS, "items"),
)
BRAND_TOTAL = record({"rank": whole(1, BRANDS_MAX), **_TOP}, required=("rank", *_TOP_ALWAYS))
BRANDS_LIST = record(
    {
        "exact": _EXACT,
        "hits": whole(0, says="of all these brands"),
        "hitsBefore": maybe(whole(0)),
        "items": listed({"$ref": "#/components/schemas/BrandTotal"}, maxItems=BRANDS_MAX),
    }
)

SCHEMAS = {
    "RisingList": RISING_LIST,
    "RisingAsset": RISING_ASSET,
    "Series": SERIES_SCHEMA,
    "Point": POINT,
    "ComparedSpan": COMPARED,
    "TopList": TOP_LIST,
    "TopLabel": TOP_LABEL,
    "BrandsList": BRANDS_LIST,
    "BrandTotal": BRAND_TOTAL,
}
