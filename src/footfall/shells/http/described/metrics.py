"""The routes of metric definitions."""

from http import HTTPStatus
from typing import Any

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

GROUP = "Metrics"
PATH = "/v1/metrics/{name}"
NAME_BYTES_MAX, TEXT_BYTES_MAX, REASON_BYTES_MAX, FORMULA_CHARACTERS_MAX = 200, 4_000, 1_000, 1_000
PAGE_MAX, PAGE_DEFAULT, DEPTH_MAX, NUMBER_MAX = 1_000, 100, 20, 10**9

_KINDS = ["SCALAR", "WEIGHTED_AVERAGE", "HYBRID", "PERCENTILE"]
_STYLES = ["SUM", "LAST_DAY_OF_PERIOD", "PERCENTILE"]
_FIELDS: dict[str, Schema] = {
    "name": text("one line in any script; it is kept for ever", bytes_max=NAME_BYTES_MAX, minLength=1),
    "valueType": {"enum": _KINDS, "description": "what one value is"},
    "aggregationStyle": {"enum": _STYLES, "description": "how the values of a period become one", "default": "SUM"},
    "aggregationParam": maybe(
        {"type": "number", "minimum": 0, "maximum": 100, "description": "which percentile, from 0 to 100"}
    ),
    "unit": text("such as `hits/visitors`; a HYBRID metric's is worked out", bytes_max=120),
    "source": maybe(
        record(
            {
                "counts": {"enum": ["pushed", "hits", "visitors"]},
                "where": {"type": "object", "additionalProperties": listed(text())},
            },
            required=(),
            says="what a primitive metric counts; points that are pushed unless it is said",
        )
    ),
    "relatedDimensions": listed(text(), maxItems=8, description="what values can be grouped and filtered by"),
    "hybridFormula": maybe(text("how a HYBRID metric is computed", bytes_max=FORMULA_CHARACTERS_MAX)),
    "chainedMetric": maybe(text("whose data count before the cutoff", bytes_max=NAME_BYTES_MAX)),
    "chainCutoffDate": maybe(text("the first day of its own data", format="date")),
    "title": text(bytes_max=NAME_BYTES_MAX),
    "description": text(bytes_max=TEXT_BYTES_MAX),
    "owner": text("who answers for it", bytes_max=NAME_BYTES_MAX),
}
_REASON = maybe(text("why, for those who use it", bytes_max=REASON_BYTES_MAX))
SENT = record({**_FIELDS, "reason": _REASON}, required=("name", "valueType"), says="A metric that is added.")
SENT_CHANGE = record(
    {
        **_FIELDS,
        "version": whole(1, NUMBER_MAX, "the version that the change is based on, unless If-Match says it"),
        "reason": _REASON,
    },
    required=("valueType",),
    says="A metric as it is to be from now on, whole.",
)
_COUNTED: dict[str, Schema] = {
    "version": whole(1, says="counted up by each change"),
    "hash": text("of everything that its numbers depend on; a new title changes none"),
}
METRIC = record(
    {
        "brand": text(),
        **{name: one for name, one in _FIELDS.items() if name != "aggregationStyle"},
        "aggregationStyle": {"enum": _STYLES},
        "consumedMetrics": listed(text(), description="those that the formula names"),
        **_COUNTED,
        "createdAt": text(),
        "createdBy": text("the id of a key, a person, or the command line"),
        "updatedAt": text(),
        "updatedBy": text(),
        "reason": text("of this version"),
        "deprecatedAt": text("only of a metric that should not be used any more"),
        "deprecatedBy": text(),
        "deprecatedReason": text(),
        "replacement": text("what to use instead"),
    },
    required=(
        *("name", "valueType", "relatedDimensions", "consumedMetrics", "version", "hash", "createdAt", "createdBy"),
        *("updatedAt", "updatedBy"),
    ),
    says="One version of a metric.",
)
_ROW: dict[str, Schema] = {
    "name": text(),
    "title": text(),
    "valueType": {"enum": _KINDS},
    "unit": text(),
    **_COUNTED,
    "isDeprecated": {"type": "boolean"},
    "owner": text(),
}
_DIMENSIONS = listed(text(), description="what it can be grouped and filtered by, with all that it is computed from")
LISTED = record({**_ROW, "dimensions": _DIMENSIONS}, says="A metric's line in a list.")
LINKED = record(
    {**_ROW, "depth": whole(1, DEPTH_MAX, "how far away it is"), "consumes": listed(text())},
    says="A metric in a lineage.",
)
DIFFERENCE = record({"field": text(), "before": {}, "after": {}}, says="A field that differs; null: it is not there.")
_PAGE = record(
    {
        "brand": text(),
        "items": listed({"$ref": "#/components/schemas/ListedMetric"}),
        "after": text("where to go on, when there are more"),
    },
    required=("brand", "items"),
)
_VERSIONS = record(
    {
        "brand": text(),
        "name": text(),
        "items": listed({"$ref": "#/components/schemas/Metric"}),
        "before": whole(1, says="where to go on, when there are more"),
    },
    required=("brand", "name", "items"),
)
_DIFF = record(
    {
        "brand": text(),
        "name": text(),
        "from": whole(1),
        "to": whole(1),
        "differences": listed({"$ref": "#/components/schemas/MetricDifference"}),
        "sameNumbers": {"type": "boolean", "description": "whether both give the same numbers: their hashes are one"},
    }
)
_LINEAGE = record(
    {
        "brand": text(),
        **_ROW,
        "dimensions": _DIMENSIONS,
        "needs": listed({"$ref": "#/components/schemas/LinkedMetric"}, description="the nearest first"),
        "usedBy": listed({"$ref": "#/components/schemas/LinkedMetric"}, description="the nearest first"),
        "isCut": {"type": "boolean", "description": "whether there are more than are told"},
    }
)

_WANTED: dict[str, Any] = {
    "name": "reads_per_visitor",
    "title": "Reads per visitor",
    "valueType": "HYBRID",
    "hybridFormula": "reads / visitors",
    "owner": "Audience desk",
}
_HASH, _OTHER_HASH = "3f2a9c41b06e7d5893aa04c1e2b7f680", "8c41d07be95a36f2107de4498bb03c5f"
_TOLD: dict[str, Any] = {
    **_WANTED,
    "unit": "hits/visitors",
    "consumedMetrics": ["reads", "visitors"],
    "relatedDimensions": [],
    "version": 2,
    "hash": _HASH,
    "createdAt": "2026-11-15T14:30Z",
    "createdBy": "3k7mqz2v9xw4t6ra",
    "updatedAt": "2026-11-16T09:00Z",
    "updatedBy": "3k7mqz2v9xw4t6ra",
}
_LINE: dict[str, Any] = {
    "name": "reads_per_visitor",
    "title": "Reads per visitor",
    "valueType": "HYBRID",
    "unit": "hits/visitors",
    "version": 2,
    "hash": _HASH,
    "isDeprecated": False,
    "owner": "Audience desk",
}
_READS = {**_LINE, "name": "reads", "title": "", "valueType": "SCALAR", "unit": "hits", "hash": _OTHER_HASH}

_NAME = Parameter(
    "name",
    "The metric's name, percent-encoded where it has to be.",
    text(bytes_max=NAME_BYTES_MAX, minLength=1),
    "path",
    is_required=True,
    example="reads_per_visitor",
)
_ETAG = {"ETag": "The version and the hash, for `If-Match` and `If-None-Match`."}
_SHOWN = Answer(HTTPStatus.OK, "The metric.", JSON, {"$ref": "#/components/schemas/Metric"}, {"brand": "abc", **_TOLD})
_WRONG = problem(
    HTTPStatus.BAD_REQUEST,
    "A field is unknown or has a value that it may not have. `at` is the character of a formula, from 1, and `path` "
    "the way of a circle.",
    field_name="hybridFormula",
    detail="hybridFormula: there is no metric 'readz' (character 1)",
)
_ABSENT = problem(HTTPStatus.NOT_FOUND, "There is no such metric, or no such version of it.", field_name="name")
_USED = problem(
    HTTPStatus.CONFLICT, "Others are computed from it: `users` names them. Deprecate it instead.", field_name="name"
)

ALL = Operation(
    "GET",
    "/v1/metrics",
    "metrics",
    "A brand's metrics by name, all of them or those that are sought.",
    GROUP,
    "read",
    parameters=(
        Parameter("q", "Words that are in the name, the title, the owner or the description.", text(bytes_max=400)),
        Parameter("prefix", "How the name begins.", text(bytes_max=NAME_BYTES_MAX), example="reads"),
        Parameter("valueType", "What one value is.", {"enum": _KINDS}),
        Parameter("deprecated", "Only those that are deprecated, or only those that are not.", {"type": "boolean"}),
        Parameter("uses", "Only those that need this metric themselves.", text(bytes_max=NAME_BYTES_MAX)),
        Parameter("limit", "How many to answer.", {**whole(1, PAGE_MAX), "default": PAGE_DEFAULT}),
        Parameter("after", "The name to go on after.", text(bytes_max=NAME_BYTES_MAX)),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "Some metrics, each with what it can be grouped by.",
            JSON,
            _PAGE,
            {"brand": "abc", "items": [{**_LINE, "dimensions": ["section"]}], "after": "reads_per_visitor"},
        ),
        problem(HTTPStatus.BAD_REQUEST, "A parameter is unknown or impossible.", field_name="valueType"),
    ),
)
ADD = Operation(
    "POST",
    "/v1/metrics",
    "addMetric",
    "Define a metric.",
    GROUP,
    "edit",
    more="Names that the formula uses must be there, units must go together, and nothing may be computed from itself.",
    bodies=(Body(JSON, {"$ref": "#/components/schemas/SentMetric"}, {"a ratio": _WANTED}),),
    answers=(
        Answer(
            HTTPStatus.CREATED,
            "It is defined.",
            JSON,
            {"$ref": "#/components/schemas/Metric"},
            {"brand": "abc", **_TOLD, "version": 1},
        ),
        _WRONG,
        problem(HTTPStatus.CONFLICT, "There is a metric of this name; update that.", field_name="name"),
    ),
    headers=_ETAG,
)
GET = Operation(
    "GET",
    PATH,
    "metric",
    "A metric as it is, or as it was.",
    GROUP,
    "read",
    parameters=(
        _NAME,
        Parameter("version", "The version of this number.", whole(1, NUMBER_MAX)),
        Parameter("hash", "The newest version with this hash.", text(bytes_max=64)),
        Parameter("asOf", "The version that was the newest then.", text(format="date-time")),
    ),
    answers=(
        _SHOWN,
        Answer(HTTPStatus.NOT_MODIFIED, "It is what `If-None-Match` names."),
        problem(HTTPStatus.BAD_REQUEST, "A parameter is unknown or impossible.", field_name="version"),
        _ABSENT,
    ),
    headers=_ETAG,
)
PUT = Operation(
    "PUT",
    PATH,
    "updateMetric",
    "Give a metric a new version.",
    GROUP,
    "edit",
    more="The change says which version it is based on. When somebody else saved meanwhile it is refused, and "
    "`newest` and `differences` tell what they changed. What means the same already makes no version.",
    parameters=(
        _NAME,
        Parameter("If-Match", "The ETag of the version that it is based on.", text(), "header"),
    ),
    bodies=(
        Body(
            JSON,
            {"$ref": "#/components/schemas/SentMetricChange"},
            {"another formula": {**_WANTED, "hybridFormula": "ratio(reads, visitors)", "version": 2}},
        ),
    ),
    answers=(
        _SHOWN,
        _WRONG,
        _ABSENT,
        problem(
            HTTPStatus.CONFLICT,
            "Somebody saved meanwhile: `newest` is their version and `differences` what they changed. Or its unit "
            "would change under metrics that use it: `users`.",
        ),
        problem(HTTPStatus.PRECONDITION_FAILED, "Somebody saved meanwhile, and `If-Match` named the version before."),
    ),
    headers=_ETAG,
)
DELETE = Operation(
    "DELETE",
    PATH,
    "removeMetric",
    "Remove a metric that nothing uses, with all its versions.",
    GROUP,
    "edit",
    parameters=(_NAME,),
    answers=(
        Answer(
            HTTPStatus.OK,
            "It is gone.",
            JSON,
            record({"brand": text(), "name": text()}),
            {"brand": "abc", "name": "reads_per_visitor"},
        ),
        problem(HTTPStatus.BAD_REQUEST, "The name is none.", field_name="name"),
        _ABSENT,
        _USED,
    ),
)
DEPRECATE = Operation(
    "POST",
    f"{PATH}/deprecate",
    "deprecateMetric",
    "Say that a metric should not be used any more, and why; it goes on answering.",
    GROUP,
    "edit",
    parameters=(_NAME,),
    bodies=(
        Body(
            JSON,
            record(
                {
                    "reason": text(bytes_max=REASON_BYTES_MAX, minLength=1),
                    "replacement": maybe(text("what to use instead", bytes_max=NAME_BYTES_MAX)),
                },
                required=("reason",),
            ),
            {"with another in its place": {"reason": "counts prefetched pages", "replacement": "reads"}},
        ),
    ),
    answers=(_SHOWN, _WRONG, _ABSENT),
    headers=_ETAG,
)
RESTORE = Operation(
    "POST",
    f"{PATH}/restore",
    "restoreMetric",
    "Take a deprecation back.",
    GROUP,
    "edit",
    parameters=(_NAME,),
    bodies=(Body(JSON, record({"reason": _REASON}, required=()), {"why": {"reason": "it was right after all"}}),),
    answers=(_SHOWN, problem(HTTPStatus.BAD_REQUEST, "It is not deprecated.", field_name="name"), _ABSENT),
    body_may_be_absent=True,
    headers=_ETAG,
)
VERSIONS = Operation(
    "GET",
    f"{PATH}/versions",
    "metricVersions",
    "Every version of a metric, the newest first: who made it, when and why.",
    GROUP,
    "read",
    parameters=(
        _NAME,
        Parameter("limit", "How many to answer.", {**whole(1, PAGE_MAX), "default": PAGE_DEFAULT}),
        Parameter("before", "The version to go on before.", whole(1, NUMBER_MAX)),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "The versions.",
            JSON,
            _VERSIONS,
            {"brand": "abc", "name": "reads_per_visitor", "items": [_TOLD]},
        ),
        problem(HTTPStatus.BAD_REQUEST, "A parameter is unknown or impossible.", field_name="limit"),
        _ABSENT,
    ),
)
DIFF = Operation(
    "GET",
    f"{PATH}/diff",
    "metricDiff",
    "In what two versions of a metric differ; the newest two unless they are named.",
    GROUP,
    "read",
    parameters=(
        _NAME,
        Parameter("from", "The earlier version.", whole(1, NUMBER_MAX)),
        Parameter("to", "The later version.", whole(1, NUMBER_MAX)),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "The differences, field by field.",
            JSON,
            _DIFF,
            {
                "brand": "abc",
                "name": "reads_per_visitor",
                "from": 1,
                "to": 2,
                "differences": [{"field": "title", "before": None, "after": "Reads per visitor"}],
                "sameNumbers": True,
            },
        ),
        problem(HTTPStatus.BAD_REQUEST, "A parameter is unknown or impossible.", field_name="from"),
        _ABSENT,
    ),
)
LINEAGE = Operation(
    "GET",
    f"{PATH}/lineage",
    "metricLineage",
    "What a metric is computed from, and what is computed from it.",
    GROUP,
    "read",
    parameters=(_NAME, Parameter("depth", "How far to go.", {**whole(1, DEPTH_MAX), "default": DEPTH_MAX})),
    answers=(
        Answer(
            HTTPStatus.OK,
            "Both directions, the nearest first.",
            JSON,
            _LINEAGE,
            {
                "brand": "abc",
                **_LINE,
                "dimensions": ["section"],
                "needs": [{**_READS, "depth": 1, "consumes": []}],
                "usedBy": [],
                "isCut": False,
            },
        ),
        problem(HTTPStatus.BAD_REQUEST, "A parameter is unknown or impossible.", field_name="depth"),
        _ABSENT,
    ),
)

OPERATIONS = (ALL, ADD, GET, PUT, DELETE, DEPRECATE, RESTORE, VERSIONS, DIFF, LINEAGE)
SCHEMAS = {
    "SentMetric": SENT,
    "SentMetricChange": SENT_CHANGE,
    "Metric": METRIC,
    "ListedMetric": LISTED,
    "LinkedMetric": LINKED,
    "MetricDifference": DIFFERENCE,
}
