"""What the routes of history answer: rises, series, and what labels and brands come to."""

from footfall.flow.serve.query import BRANDS_MAX, LIMIT_MAX
from footfall.flow.serve.series_query import GRAINS, POINTS_MAX
from footfall.flow.serve.unique_names import VISITOR_DAYS, VISITORS
from footfall.shells.http.described.lists import LISTED_ASSET, UNIQUES, UNIQUES_ARE
from footfall.shells.http.described.operation import Schema, listed, maybe, record, text, whole

_NUMBER: Schema = {"type": "number"}
_EXACT: Schema = {"type": "boolean", "description": "every count is proven"}
_AT_MOST = maybe(whole(0, says="only unless the count is certain: not more than so many; null: nobody knows"))

_WINDOW_AT_MOST = whole(0, says="in 95 of 100 cases not more")
_RISE_BOUNDS: dict[str, Schema] = {"uniquesAtLeast": UNIQUES["uniquesAtLeast"], "uniquesAtMost": _WINDOW_AT_MOST}

RISING_ASSET = record(
    {
        "rank": whole(1),
        "assetId": text(),
        "rise": {**_NUMBER, "description": "(steady + `prior`) / (`expected` + `prior`)"},
        "uniques": whole(0, says="visitors in the last hour; this and the next five only when `basis` is `visitors`"),
        **_RISE_BOUNDS,
        "steadyUniques": {
            **_NUMBER,
            "description": "what is left of them when no minute counts for more than five "
            "times the mean of the other minutes and a sixtieth of `prior`",
        },
        "steadyUniquesAtLeast": {**_NUMBER, "description": "the same share of the bounds"},
        "steadyUniquesAtMost": _NUMBER,
        "hits": whole(1, says="in the last hour"),
        "steadyHits": {**_NUMBER, "description": "only when `basis` is `hits`: the same of hits"},
        "expected": {
            **_NUMBER,
            "description": "what its own past, its age and the prior let expect: (before + `prior` / 4) / "
            "(`exposure` + 1 / 4), where before is `baselineUniques` or `baselineHits`",
        },
        "exposure": {
            **_NUMBER,
            "description": "what the brand had from the hour on in which the asset was first seen until the last hour, "
            "divided by what it had in the last hour",
        },
        "baselineUniques": whole(
            0, says="only when `basis` is `visitors`: those of each of the hours before, added up"
        ),
        "baselineUniquesAtLeast": whole(0, says="their bounds added up"),
        "baselineUniquesAtMost": whole(0),
        "baselineHits": whole(0, says="only when `basis` is `hits`: in the hours before"),
        "baselineHours": {
            **_NUMBER,
            "description": "how many of those hours there are from the one on in which it was first seen, to a tenth",
        },
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
        "expected",
        "exposure",
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
        "basis": text(
            "what rises are told from: hits where too little is known of visitors", enum=["visitors", "hits"]
        ),
        "uniquesAre": {**UNIQUES_ARE, "description": f"only when `basis` is `visitors`: {UNIQUES_ARE['description']}"},
        "uniques": whole(0, says="only when `basis` is `visitors`: of the brand in that hour"),
        **_RISE_BOUNDS,
        "hits": whole(0, says="of the brand in that hour"),
        "baseline": record(
            {"from": text(), "to": text(), "uniques": whole(0), **_RISE_BOUNDS, "hits": whole(0)},
            required=("from", "to", "hits"),
            says="24 whole hours and the minutes between them and the last hour; `uniques` only when `basis` is "
            "`visitors`, those of each hour and of these minutes added up.",
        ),
        "prior": {**_NUMBER, "description": "what an asset that was seen in the hour had on average; at least 3"},
        "hidden": whole(1, says="only when there are some: assets that an editor had left out on the way to the last"),
        "items": listed({"$ref": "#/components/schemas/RisingAsset"}, maxItems=LIMIT_MAX),
    },
    required=("brand", "from", "to", "exact", "basis", "hits", "baseline", "prior", "items"),
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
UNIQUE_POINT = record(
    {
        "from": text("where the window begins; it ends where the next begins"),
        **UNIQUES,
        "uniques": maybe(whole(0, says="visitors, about; null: the window is not kept any more")),
        "uniquesAtMost": _WINDOW_AT_MOST,
        "open": POINT["properties"]["open"],
    },
    required=("from", "uniques"),
)
_UNIQUE_POINTS = listed({"$ref": "#/components/schemas/UniquePoint"}, maxItems=POINTS_MAX + 1)
COMPARED_UNIQUES = record(
    {
        "from": text(),
        "to": text(),
        **UNIQUES,
        "compared": record(
            {
                "points": whole(0, says="windows that are over and kept in every span"),
                "uniques": whole(0, says="of those together, in the span asked for"),
                "uniquesAtLeast": UNIQUES["uniquesAtLeast"],
                "uniquesAtMost": _WINDOW_AT_MOST,
                "uniquesBefore": whole(0, says="of those together, in this one"),
                "uniquesBeforeAtLeast": UNIQUES["uniquesAtLeast"],
                "uniquesBeforeAtMost": _WINDOW_AT_MOST,
                "change": COMPARED["properties"]["compared"]["properties"]["change"],
                "changeAtLeast": maybe(
                    {**_NUMBER, "description": "the change if the bounds of both spans hold: not less; null: unknown"}
                ),
                "changeAtMost": maybe({**_NUMBER, "description": "and not more; null: nobody knows"}),
            }
        ),
        "points": _UNIQUE_POINTS,
    }
)
UNIQUES_SERIES = record(
    {
        **{name: SERIES_SCHEMA["properties"][name] for name in ("brand", "assetId", "title")},
        "measure": text(enum=["uniques"]),
        **{name: SERIES_SCHEMA["properties"][name] for name in ("grain", "zone", "from", "to")},
        "uniquesAre": UNIQUES_ARE,
        **{name: SERIES_SCHEMA["properties"][name] for name in ("keptSince", "final")},
        **UNIQUES,
        "points": _UNIQUE_POINTS,
        "previous": {"$ref": "#/components/schemas/ComparedUniques"},
        "lastWeek": {"$ref": "#/components/schemas/ComparedUniques"},
        "weekdays": listed(
            record(
                {
                    "weekday": text(),
                    "days": whole(0),
                    "uniquesPerDay": maybe(_NUMBER),
                    "uniquesPerDayAtLeast": maybe({**_NUMBER, "description": "the same of the bounds of those days"}),
                    "uniquesPerDayAtMost": maybe(_NUMBER),
                }
            ),
            minItems=7,
            maxItems=7,
        ),
    },
    required=("brand", "measure", "grain", "zone", "from", "to", "uniquesAre", "final", *UNIQUES, "points"),
    says="With `measure=uniques`. `uniques` are those of the whole span, united: not the sum of the points.",
)
_TOP_UNIQUES: dict[str, Schema] = {
    "sort": text("only with `sort=uniques`, like the next four", enum=["uniques"]),
    "uniquesAre": UNIQUES_ARE,
    **UNIQUES,
}
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
        "change": maybe(
            {"type": "integer", "description": "places gained; null: it was not there; not with `sort=uniques`"}
        ),
        "sectionId": {"anyOf": [text(), {"type": "integer"}, {"type": "null"}]},
        "resourceType": maybe(text()),
        "hits": whole(1),
        "hitsAtMost": _AT_MOST,
        "share": {**_NUMBER, "description": "of all hits that were asked for"},
        "hitsBefore": maybe(whole(0)),
        **UNIQUES,
    },
    required=("rank", "hits", "share", "hitsBefore"),
)
TOP_LIST = record(
    {**_TOP, **_TOP_UNIQUES, "items": listed({"$ref": "#/components/schemas/TopLabel"}, maxItems=LIMIT_MAX)},
    required=(*_TOP_ALWAYS, "items"),
)
BRAND_TOTAL = record({"rank": whole(1, BRANDS_MAX), **_TOP, **_TOP_UNIQUES}, required=("rank", *_TOP_ALWAYS))
BRANDS_LIST = record(
    {
        "exact": _EXACT,
        "hits": whole(0, says="of all these brands"),
        "hitsBefore": maybe(whole(0)),
        "sort": _TOP_UNIQUES["sort"],
        "uniquesAre": text("`visitors` only when every brand says so", enum=[VISITORS, VISITOR_DAYS]),
        **UNIQUES,
        "uniques": whole(0, says="only with `sort=uniques`: added up, for nobody can tell who visits two brands"),
        "items": listed({"$ref": "#/components/schemas/BrandTotal"}, maxItems=BRANDS_MAX),
    },
    required=("exact", "hits", "hitsBefore", "items"),
)

SCHEMAS = {
    "RisingList": RISING_LIST,
    "RisingAsset": RISING_ASSET,
    "Series": SERIES_SCHEMA,
    "Point": POINT,
    "ComparedSpan": COMPARED,
    "UniquesSeries": UNIQUES_SERIES,
    "UniquePoint": UNIQUE_POINT,
    "ComparedUniques": COMPARED_UNIQUES,
    "TopList": TOP_LIST,
    "TopLabel": TOP_LABEL,
    "BrandsList": BRANDS_LIST,
    "BrandTotal": BRAND_TOTAL,
}
