"""The routes that tell how things went and what rises: trending, series, and what labels and brands come to."""

from http import HTTPStatus
from typing import Any

from footfall.catalog.asset import NAME_BYTES_MAX
from footfall.flow.serve.parameters import FORMATS
from footfall.flow.serve.query import (
    BRANDS,
    BRANDS_MAX,
    HITS,
    LIMIT_DEFAULT,
    LIMIT_MAX,
    MEASURES,
    NAMES_MAX,
    PERIOD_DEFAULT,
    RISING,
    SECTIONS,
    TYPES,
    VALUES_MAX,
)
from footfall.flow.serve.series_query import COMPARES, GRAINS, POINTS_MAX, PROFILES, SERIES
from footfall.shells.http.described.lists import (
    BRAND,
    BY,
    EDITED,
    GROUP,
    INCLUDED,
    MOMENT,
    SORT,
    TABLES,
    in_either,
    several,
)
from footfall.shells.http.described.operation import (
    JSON,
    Answer,
    Operation,
    Parameter,
    Schema,
    listed,
    problem,
    text,
    whole,
)
from footfall.values.hit import ASSET_BYTES_MAX, LABEL_BYTES_MAX

_FORMAT = Parameter("format", "As a table: one row a line.", text(enum=list(FORMATS), default=FORMATS[0]))
_IF_NONE_MATCH = Parameter("If-None-Match", "The `ETag` of the answer that is there.", text(), "header")
_LABELS = (
    Parameter("section", "Only these sections.", several(LABEL_BYTES_MAX, VALUES_MAX)),
    Parameter("resourceType", "Only these resource types.", several(LABEL_BYTES_MAX, VALUES_MAX)),
    Parameter("paidType", "Only these paid types.", several(LABEL_BYTES_MAX, VALUES_MAX)),
    INCLUDED,
)
_LIMIT = Parameter("limit", "How many.", {**whole(1, LIMIT_MAX), "default": LIMIT_DEFAULT})
_TIME = (
    Parameter("period", "A period of the brand.", text(default=PERIOD_DEFAULT), example="day"),
    Parameter("from", "Instead of a period, with `to`: where a span begins.", MOMENT),
    Parameter("to", "Where it ends. Whole days, hours or minutes of the brand.", MOMENT),
    Parameter("closed", "`true`: only windows that are closed.", {"type": "boolean", "default": False}),
)
_SPAN = (
    Parameter("grain", "How long a window is.", text(enum=list(GRAINS), default="hour")),
    Parameter("from", "With `to`: where the series begins, at the start of a window of that grain.", MOMENT),
    Parameter("to", "Where it ends.", MOMENT),
    Parameter(
        "last",
        "Instead: so many windows up to the open one. 60 minutes, 24 hours or 30 days unless given.",
        whole(1, POINTS_MAX),
    ),
    Parameter(
        "compare",
        "`previous`: the span before. `lastWeek`: the same span a week earlier.",
        listed(text(enum=list(COMPARES)), maxItems=len(COMPARES)),
    ),
    Parameter(
        "measure",
        "`uniques`: how many visitors came, estimated, in each window and in the whole span. Of a brand, of sections "
        "or of an asset; not with `resourceType` or `paidType`, and `profile` needs `grain=day`.",
        text(enum=list(MEASURES), default=HITS),
    ),
    BY,
    Parameter("profile", "`weekday`: what each weekday had.", text(enum=list(PROFILES), default=PROFILES[0])),
    _FORMAT,
    _IF_NONE_MATCH,
)


def _answers(says: str, schema: str | Schema, example: Any, *, is_slow: bool = False) -> tuple[Answer, ...]:
    unready = "It is still being read" if is_slow else "The list is not ready"
    told = {"$ref": f"#/components/schemas/{schema}"} if isinstance(schema, str) else schema
    return (
        Answer(HTTPStatus.OK, says, JSON, told, example, also=TABLES),
        Answer(HTTPStatus.NOT_MODIFIED, "The answer is the one that `If-None-Match` names."),
        problem(
            HTTPStatus.BAD_REQUEST,
            "A parameter is missing, unknown, given twice, or has a value that it may not have.",
            field_name="limit",
        ),
        problem(HTTPStatus.UNAUTHORIZED, "The brand's lists are not public; send a key that may read."),
        problem(HTTPStatus.FORBIDDEN, "The key may not read, or is another brand's."),
        problem(HTTPStatus.NOT_FOUND, "There is no such brand.", field_name="brand"),
        problem(HTTPStatus.SERVICE_UNAVAILABLE, f"{unready}; ask again in a moment."),
    )


_MORE = "Cached and counted like `/v1/popular`. What `format=csv` gives is safe to open in a spreadsheet."
_RISING_EXAMPLE = {
    "brand": "abc",
    "from": "2026-11-15T13:01Z",
    "to": "2026-11-15T14:01Z",
    "exact": True,
    "basis": "visitors",
    "uniquesAre": "visitors",
    "uniques": 2_410,
    "uniquesAtLeast": 2_332,
    "uniquesAtMost": 2_491,
    "hits": 5_120,
    "baseline": {
        "from": "2026-11-14T13:00Z",
        "to": "2026-11-15T13:01Z",
        "uniques": 45_200,
        "uniquesAtLeast": 43_760,
        "uniquesAtMost": 46_690,
        "hits": 96_400,
    },
    "prior": 5.1,
    "items": [
        {
            "rank": 1,
            "assetId": "132141398",
            "rise": 9.1367,
            "uniques": 240,
            "uniquesAtLeast": 240,
            "uniquesAtMost": 240,
            "steadyUniques": 231.5,
            "steadyUniquesAtLeast": 231.5,
            "steadyUniquesAtMost": 231.5,
            "hits": 312,
            "expected": 20.8,
            "exposure": 7.0228,
            "baselineUniques": 150,
            "baselineUniquesAtLeast": 150,
            "baselineUniquesAtMost": 150,
            "baselineHours": 9.0,
            "sectionId": 563,
            "resourceType": "article",
            "paidType": "free",
            "title": "What the harbour saw",
        }
    ],
}
_SERIES_EXAMPLE = {
    "brand": "abc",
    "grain": "hour",
    "zone": "Europe/Helsinki",
    "from": "2026-11-15T12:00Z",
    "to": "2026-11-15T14:00Z",
    "exact": True,
    "final": False,
    "hits": 9_310,
    "points": [
        {"from": "2026-11-15T12:00Z", "hits": 4_800},
        {"from": "2026-11-15T13:00Z", "hits": 4_510, "open": True},
    ],
}
_TOP_EXAMPLE = {
    "brand": "abc",
    "period": "day",
    "from": "2026-11-14T14:00Z",
    "to": "2026-11-15T15:00Z",
    "exact": True,
    "hits": 96_400,
    "hitsBefore": 95_100,
}

TRENDING = Operation(
    "GET",
    RISING,
    "trending",
    "The assets that rise against their own past and their age, with the numbers behind each rank.",
    GROUP,
    more="The last hour against the day before it, in visitors where they are known, so that nobody's "
    "reloads lift anything, and in hits otherwise; `basis` says which. A handful moves nothing, and one "
    f"minute cannot lift an asset by itself. {_MORE}",
    parameters=(
        BRAND,
        *_LABELS,
        Parameter("author", "Only assets by one of these authors.", several(NAME_BYTES_MAX, NAMES_MAX)),
        Parameter("tag", "Only assets with one of these tags.", several(NAME_BYTES_MAX, NAMES_MAX)),
        Parameter("publishedAfter", "Only assets that were published then or later.", MOMENT),
        Parameter("exclude", "All but these assets.", several(ASSET_BYTES_MAX, VALUES_MAX)),
        _LIMIT,
        EDITED,
        _FORMAT,
        _IF_NONE_MATCH,
    ),
    answers=_answers("The list.", "RisingList", _RISING_EXAMPLE),
    is_public=True,
)
SERIES_OF_BRAND = Operation(
    "GET",
    SERIES,
    "series",
    "How a brand, or what has some labels, did over time: hits of each minute, hour or day.",
    GROUP,
    more=f"Sums of labels are exact even where old windows keep only their top rows. {_MORE}",
    parameters=(BRAND, *_LABELS, *_SPAN),
    answers=_answers("The series.", in_either("Series", "UniquesSeries"), _SERIES_EXAMPLE, is_slow=True),
    is_public=True,
)
SERIES_OF_ASSET = Operation(
    "GET",
    "/v1/assets/{id}/series",
    "assetSeries",
    "How one asset did over time.",
    GROUP,
    more="A slash in the id is written `%2F`. Where a window keeps only its top rows and the asset is not among them, "
    f"its hits are at least 0 and at most what the cut left out of any. {_MORE}",
    parameters=(
        Parameter("id", "The asset.", text(bytes_max=ASSET_BYTES_MAX, minLength=1), "path", is_required=True),
        BRAND,
        INCLUDED,
        *_SPAN,
    ),
    answers=_answers(
        "The series.", in_either("Series", "UniquesSeries"), {**_SERIES_EXAMPLE, "assetId": "132141398"}, is_slow=True
    ),
    is_public=True,
)
TOP_SECTIONS = Operation(
    "GET",
    SECTIONS,
    "topSections",
    "The sections with the most hits or visitors.",
    GROUP,
    more=f"`sort=uniques` does not go with `resourceType` and `paidType`. {_MORE}",
    parameters=(BRAND, *_TIME, *_LABELS, SORT, BY, _LIMIT, _FORMAT, _IF_NONE_MATCH),
    answers=_answers(
        "The list.",
        in_either("TopList"),
        {
            **_TOP_EXAMPLE,
            "items": [
                {"rank": 1, "change": 0, "sectionId": 563, "hits": 41_200, "share": 0.4274, "hitsBefore": 40_100}
            ],
        },
    ),
    is_public=True,
)
TOP_TYPES = Operation(
    "GET",
    TYPES,
    "topTypes",
    "The resource types with the most hits.",
    GROUP,
    more=_MORE,
    parameters=(BRAND, *_TIME, *_LABELS, _LIMIT, _FORMAT, _IF_NONE_MATCH),
    answers=_answers(
        "The list.",
        "TopList",
        {
            **_TOP_EXAMPLE,
            "items": [
                {
                    "rank": 1,
                    "change": 0,
                    "resourceType": "article",
                    "hits": 80_000,
                    "share": 0.8299,
                    "hitsBefore": 79_000,
                }
            ],
        },
    ),
    is_public=True,
)
TOP_BRANDS = Operation(
    "GET",
    BRANDS,
    "topBrands",
    "What several brands come to, and all of them together.",
    GROUP,
    more="Each brand must be one that whoever asks may read: it is public, or the key is its own. A brand's day is "
    "that of its own zone.",
    parameters=(
        Parameter(
            "brand",
            "Which brands; repeated.",
            listed(text(minLength=1), minItems=1, maxItems=BRANDS_MAX),
            example=["abc"],
        ),
        *_TIME,
        *_LABELS,
        SORT,
        _FORMAT,
    ),
    answers=_answers(
        "The list.",
        "BrandsList",
        {"exact": True, "hits": 96_400, "hitsBefore": 95_100, "items": [{"rank": 1, **_TOP_EXAMPLE}]},
    ),
    is_public=True,
)


def _preflight(path: str, name: str) -> Operation:
    return Operation(
        "OPTIONS",
        path,
        name,
        "Ask, as browsers do, whether a page may read with a key.",
        GROUP,
        parameters=SERIES_OF_ASSET.parameters[:1] if "{" in path else (),
        answers=(
            Answer(HTTPStatus.NO_CONTENT, "A browser's preflight: which origins, methods and headers are allowed."),
        ),
    )


_READ = (TRENDING, SERIES_OF_BRAND, SERIES_OF_ASSET, TOP_SECTIONS, TOP_TYPES, TOP_BRANDS)
OPERATIONS = (
    *_READ,
    *(_preflight(one.path, f"mayIRead{one.name[0].upper()}{one.name[1:]}") for one in _READ),
)
