"""The routes that readers ask: the lists and the ledger."""

from http import HTTPStatus

from footfall.catalog.asset import NAME_BYTES_MAX
from footfall.flow.serve.parameters import BRAND_BYTES_MAX, FORMATS, KINDS
from footfall.flow.serve.query import (
    ASSETS,
    HITS,
    LIMIT_DEFAULT,
    LIMIT_MAX,
    MEASURES,
    NAMES_MAX,
    OF,
    PERIOD_DEFAULT,
    VALUES_MAX,
)
from footfall.flow.serve.query import BY as COUNTED_BY
from footfall.flow.serve.shown import ALL, INCLUDE, OTHERS
from footfall.flow.serve.unique_names import VISITOR_DAYS, VISITORS
from footfall.shells.http.described.operation import (
    JSON,
    Answer,
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
from footfall.values.hit import ASSET_BYTES_MAX, LABEL_BYTES_MAX

GROUP = "Reading lists"

TABLES = tuple(KINDS.values())
MOMENT = text(format="date-time")
BRAND = Parameter(
    "brand", "Whose; not needed when a key tells it.", text(bytes_max=BRAND_BYTES_MAX, minLength=1), example="abc"
)


def several(bytes_max: int, count_max: int) -> Schema:
    """Return the schema of a parameter that may be repeated."""
    return listed(text(bytes_max=bytes_max, minLength=1), maxItems=count_max)


def either(*names: str) -> Schema:
    """Return the schema of what is one of several."""
    return {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in names]}


IN_MINUTES = "Watched"  # What the schemas of answers about minutes begin with.
BY = Parameter(
    "by",
    "`minutes`: what players' pings came to. Answers have `minutes`, rounded down, and exact `milliseconds` in the "
    "place of `hits`, and their visitors are viewers.",
    text(enum=list(COUNTED_BY), default=HITS),
)


def in_either(*names: str) -> Schema:
    """Return the schema of what is one of several, of hits or of minutes."""
    return either(*names, *(f"{IN_MINUTES}{name}" for name in names))


INCLUDED = Parameter(
    INCLUDE,
    "Hits that screening gave these labels, too; `all` of them. Without it persons', and suspected ones where the "
    "brand's mode of screening is `observe`.",
    listed(text(enum=[*OTHERS, ALL]), maxItems=len(OTHERS) + 1),
)
LISTED_ASSET = record(
    {
        "rank": maybe(whole(1, says="as it was counted, whatever editors did; null: pinned, and no hit was counted")),
        "change": maybe(
            {
                "type": "integer",
                "description": "places gained since the span one window earlier; null: it was not in the first 100",
            }
        ),
        "assetId": text(),
        "hits": whole(0, says="hits in the span; at least so many unless `exact`"),
        "hitsAtMost": whole(0, says="only unless `exact`: not more than so many"),
        "sectionId": {"anyOf": [text(), {"type": "integer"}, {"type": "null"}]},
        "resourceType": maybe(text()),
        "paidType": maybe(text()),
        "title": text("as the catalogue has it, like the next three; absent when it does not"),
        "address": text(),
        "image": text(),
        "published": text(),
        "pinned": {"type": "boolean", "description": "only when true: an editor chose where it stands"},
    },
    required=("rank", "change", "assetId", "hits", "sectionId", "resourceType", "paidType"),
)
LIST = record(
    {
        "brand": text(),
        "period": text("absent when a span was asked for"),
        "from": text("where the span begins"),
        "to": text("the end of its last window; unless `closed`, that window is still open"),
        "exact": {"type": "boolean", "description": "members, order and every count are proven"},
        "keptSince": text("only when the span begins before what is kept: since when everything is there"),
        "revision": text("of closed lists and spans: the same revision is the same bytes"),
        "final": {"type": "boolean", "description": "of closed lists and spans: no late hit can change it any more"},
        "hidden": whole(1, says="only when there are some: assets that an editor had left out on the way to the last"),
        "items": listed({"$ref": "#/components/schemas/ListedAsset"}, maxItems=LIMIT_MAX),
    },
    required=("brand", "from", "to", "exact", "items"),
)
EDITED = Parameter(
    "edited",
    "`false`: as it was counted, whatever editors have pinned or hidden.",
    {"type": "boolean", "default": True},
)
SORT = Parameter(
    "sort",
    "`uniques`: by how many visitors came, estimated. They are read when they are asked for, and are some seconds old.",
    text(enum=list(MEASURES), default=HITS),
)
UNIQUES: dict[str, Schema] = {
    "uniques": whole(0, says="visitors, about"),
    "uniquesAtLeast": whole(0, says="in 95 of 100 cases not fewer"),
    "uniquesAtMost": maybe(whole(0, says="in 95 of 100 cases not more; null: not all of the span is kept")),
}
UNIQUES_ARE = text(
    "what one of the uniques is. `visitors`: the span lies in one day of the brand, and each visitor counts once. "
    "`visitorDays`: it reaches over several, and each visitor counts once a day, except those whose id the brand sends "
    "itself, who count once",
    enum=[VISITORS, VISITOR_DAYS],
)
_LISTED = LISTED_ASSET["properties"]
UNIQUE_ASSET = record(
    {"rank": whole(1), "assetId": text(), **UNIQUES}
    | {name: schema for name, schema in _LISTED.items() if name not in ("rank", "change", "assetId", "pinned")},
    required=("rank", "assetId", *UNIQUES, "hits", "sectionId", "resourceType", "paidType"),
)
UNIQUES_LIST = record(
    {
        **{name: LIST["properties"][name] for name in ("brand", "period", "from", "to")},
        "sort": text(enum=["uniques"]),
        "uniquesAre": UNIQUES_ARE,
        "membersProven": {
            "type": "boolean",
            "description": "no asset that is not listed can have had as many visitors as the last one that is, up to "
            "the error of the estimates",
        },
        "exact": {"type": "boolean", "description": "every count of hits is proven"},
        **{name: LIST["properties"][name] for name in ("keptSince", "revision", "final", "hidden")},
        "items": listed({"$ref": "#/components/schemas/UniqueAsset"}, maxItems=LIMIT_MAX),
    },
    required=("brand", "from", "to", "sort", "uniquesAre", "membersProven", "exact", "items"),
    says="With `sort=uniques`. Assets of which no visitor is known are not listed, and ranks have no change.",
)
_FOLLOWS_BALANCE = {
    **{name: whole(0) for name in ("accepted", "counted", "duplicate", "dead", "inFlight")},
    "inFlightIsEstimate": {"type": "boolean"},
}
LEDGER = record(
    {
        "brand": text(),
        "accepted": whole(0, says="hits that were answered with 202"),
        "counted": whole(0, says="by persons: in the lists"),
        "duplicate": whole(0, says="sent before, by id or by `Idempotency-Key`"),
        "screened": {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "description": "labelled otherwise than persons: hits for each reason. Lists show the suspected among them "
            "in mode `observe`, and others where they are asked to. A decision on a verdict moves hits to or from here",
        },
        "late": whole(0, says="too old when they arrived"),
        "future": whole(0, says="too far ahead of their arrival"),
        "unlabelled": whole(0, says="waiting for labels, where the brand says so"),
        "dead": whole(0, says="could not be read or counted"),
        "inFlight": whole(0, says="in the stream and in no line yet"),
        "inFlightIsEstimate": {
            "type": "boolean",
            "description": "only on AWS, and true there: no stream counts what is in it, so `inFlight` and with it "
            "`accepted` are estimates; when all is counted they are exact",
        },
        "rawSince": maybe(text("the moment from which on all raw hits are kept")),
        "pings": record(
            {
                **{name: whole(0) for name in ("accepted", "counted", "duplicate", "dead", "late", "future")},
                "screened": {"type": "object", "additionalProperties": {"type": "integer"}},
                "inFlight": whole(0),
                "inFlightIsEstimate": {"type": "boolean"},
            },
            required=("accepted", "counted", "duplicate", "screened", "dead", "late", "future", "inFlight"),
            says="only when there are some: beats of players, which are no hits, in a balance of their own",
        ),
        **{
            name: record(
                _FOLLOWS_BALANCE,
                required=("accepted", "counted", "duplicate", "dead", "inFlight"),
                says=f"only when there are some: {says}, which are no hits, in a balance of their own",
            )
            for name, says in (("follows", "follows of the audience"), ("unfollows", "follows that ended"))
        },
        "uniques": record(
            {
                "accepted": whole(0),
                "counted": whole(0),
                "duplicate": whole(0),
                "screened": {"type": "object", "additionalProperties": {"type": "integer"}},
                "dead": whole(0),
                "inFlight": whole(0),
                "inFlightIsEstimate": {"type": "boolean"},
            },
            required=("accepted", "counted", "duplicate", "screened", "dead", "inFlight"),
            says="only when there are some: values of named counters, which are no hits, in a balance of their own; a "
            "value weighs one, and so do a deletion and an import",
        ),
    },
    required=(
        "brand",
        "accepted",
        "counted",
        "duplicate",
        "screened",
        "late",
        "future",
        "unlabelled",
        "dead",
        "inFlight",
        "rawSince",
    ),
    says="The lines from `counted` to `inFlight` add up to `accepted`, always.",
)

_EXAMPLE = {
    "brand": "abc",
    "period": "day",
    "from": "2026-11-14T14:00Z",
    "to": "2026-11-15T15:00Z",
    "exact": True,
    "items": [
        {
            "rank": 1,
            "change": 2,
            "assetId": "132141398",
            "hits": 258,
            "sectionId": 563,
            "resourceType": "article",
            "paidType": "free",
            "title": "What the harbour saw",
            "address": "https://www.example.com/a/132141398",
            "image": "https://www.example.com/a/132141398.jpg",
            "published": "2026-11-15T06:00Z",
        }
    ],
}
POPULAR = Operation(
    "GET",
    "/v1/popular",
    "popular",
    "The most popular assets of a period or a span, for any filter.",
    GROUP,
    more="Public unless the brand says otherwise, and made for caches: `Cache-Control`, `ETag`, and the one address of "
    "the same question in `Content-Location`. Several values are repeated or have commas between them; a "
    "comma that is part of a value is written `\\,`. An asset is listed when it matches one value of each parameter.",
    parameters=(
        BRAND,
        Parameter("period", "A period of the brand.", text(default=PERIOD_DEFAULT), example="day"),
        Parameter("from", "Instead of a period, with `to`: where a span begins.", MOMENT),
        Parameter("to", "Where it ends. Whole days, hours or minutes of the brand.", MOMENT),
        Parameter("section", "Only these sections.", several(LABEL_BYTES_MAX, VALUES_MAX)),
        Parameter("resourceType", "Only these resource types.", several(LABEL_BYTES_MAX, VALUES_MAX)),
        Parameter("paidType", "Only these paid types.", several(LABEL_BYTES_MAX, VALUES_MAX)),
        Parameter("author", "Only assets by one of these authors.", several(NAME_BYTES_MAX, NAMES_MAX)),
        Parameter("tag", "Only assets with one of these tags.", several(NAME_BYTES_MAX, NAMES_MAX)),
        Parameter("publishedAfter", "Only assets that were published then or later.", MOMENT),
        Parameter("exclude", "All but these assets.", several(ASSET_BYTES_MAX, VALUES_MAX)),
        INCLUDED,
        BY,
        Parameter(
            "of",
            "`series`: of the series that pings name, with `by=minutes`; each stands where an asset would.",
            text(enum=list(OF), default=ASSETS),
        ),
        Parameter("limit", "How many.", {**whole(1, LIMIT_MAX), "default": LIMIT_DEFAULT}),
        SORT,
        Parameter("closed", "`true`: only windows that are closed.", {"type": "boolean", "default": False}),
        EDITED,
        Parameter("format", "As a table: one row a line.", text(enum=list(FORMATS), default=FORMATS[0])),
        Parameter("If-None-Match", "The `ETag` of the list that is there.", text(), "header"),
    ),
    answers=(
        Answer(HTTPStatus.OK, "The list.", JSON, in_either("List", "UniquesList"), _EXAMPLE, also=TABLES),
        Answer(HTTPStatus.NOT_MODIFIED, "The list is the one that `If-None-Match` names."),
        problem(
            HTTPStatus.BAD_REQUEST,
            "A parameter is missing, unknown, given twice, or has a value that it may not have.",
            field_name="period",
            detail="period: 'x' is not a period; the periods are day, justnow, week",
        ),
        problem(HTTPStatus.UNAUTHORIZED, "The brand's lists are not public; send a key that may read."),
        problem(HTTPStatus.FORBIDDEN, "The key may not read, or is another brand's."),
        problem(HTTPStatus.NOT_FOUND, "There is no such brand.", field_name="brand"),
        problem(HTTPStatus.SERVICE_UNAVAILABLE, "The list is not ready; ask again in a moment."),
    ),
    is_public=True,
)
MAY_I_READ = Operation(
    "OPTIONS",
    "/v1/popular",
    "mayIReadPopular",
    "Ask, as browsers do, whether a page may read with a key.",
    GROUP,
    answers=(Answer(HTTPStatus.NO_CONTENT, "A browser's preflight: which origins, methods and headers are allowed."),),
)
LEDGER_OF = Operation(
    "GET",
    "/v1/ledger",
    "ledger",
    "Where every accepted hit of a brand has gone.",
    GROUP,
    "read",
    parameters=(BRAND,),
    answers=(
        Answer(
            HTTPStatus.OK,
            "The ledger.",
            JSON,
            {"$ref": "#/components/schemas/Ledger"},
            {
                "brand": "abc",
                "accepted": 4,
                "counted": 3,
                "duplicate": 1,
                "screened": {},
                "late": 0,
                "future": 0,
                "unlabelled": 0,
                "dead": 0,
                "inFlight": 0,
                "rawSince": None,
            },
        ),
        problem(HTTPStatus.BAD_REQUEST, "`brand` is missing, given twice or no name of a brand.", field_name="brand"),
        problem(HTTPStatus.NOT_FOUND, "There is no such brand.", field_name="brand"),
    ),
)

OPERATIONS = (POPULAR, MAY_I_READ, LEDGER_OF)
SCHEMAS = {
    "List": LIST,
    "ListedAsset": LISTED_ASSET,
    "UniquesList": UNIQUES_LIST,
    "UniqueAsset": UNIQUE_ASSET,
    "Ledger": LEDGER,
}
