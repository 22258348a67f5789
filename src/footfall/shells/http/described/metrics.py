"""The routes of metric definitions."""

from http import HTTPStatus
from typing import Any

from footfall.shells.http.described import metric_schemas
from footfall.shells.http.described.metric_schemas import DEPTH_MAX, NAME_BYTES_MAX, NUMBER_MAX, REASON_BYTES_MAX
from footfall.shells.http.described.operation import (
    JSON,
    Answer,
    Body,
    Operation,
    Parameter,
    listed,
    maybe,
    problem,
    record,
    text,
    whole,
)

GROUP = "Metrics"
PATH = "/v1/metrics/{name}"
PAGE_MAX, PAGE_DEFAULT = 1_000, 100

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
    "dimensions": ["section"],
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
_METRIC = {"$ref": "#/components/schemas/Metric"}
_SHOWN = Answer(HTTPStatus.OK, "The metric.", JSON, _METRIC, {"brand": "abc", **_TOLD})
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
_IF_MATCH = Parameter("If-Match", "The ETag of the version that it is based on.", text(), "header")
_BASED_ON = whole(1, NUMBER_MAX, "the version that the change is based on; nothing: the newest")
_MEANWHILE = problem(
    HTTPStatus.CONFLICT, "Somebody saved meanwhile: `newest` is their version and `differences` what they changed."
)
_OVERTAKEN = problem(
    HTTPStatus.PRECONDITION_FAILED, "Somebody saved meanwhile, and `If-Match` named the version before."
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
        Parameter("valueType", "What one value is.", {"enum": metric_schemas.KINDS}),
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
            metric_schemas.PAGE,
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
OWN = Operation(
    "POST",
    "/v1/metrics/own",
    "defineOwnMetrics",
    "Define a metric for each of footfall's own counts that has none.",
    GROUP,
    "edit",
    more="Nothing is sent. What a metric of the brand counts in full already, under whatever name, is left to it; a "
    "second time changes nothing. A metric that is itself named `own` is read, saved and removed at this address.",
    answers=(
        Answer(
            HTTPStatus.OK,
            "What was defined, what is counted already and by which metric, and the names that mean something else "
            "here.",
            JSON,
            record(
                {
                    "brand": text(),
                    "added": listed(text()),
                    "there": {"type": "object", "additionalProperties": text()},
                    "taken": listed(text()),
                }
            ),
            {
                "brand": "abc",
                "added": ["visitors", "viewers", "playbacks", "completions", "follows", "unfollows"],
                "there": {"hits": "reads"},
                "taken": ["minutes"],
            },
        ),
        problem(HTTPStatus.BAD_REQUEST, "A parameter or a field is sent.", field_name="name"),
        problem(HTTPStatus.CONFLICT, "Somebody defined one of them meanwhile; ask again.", field_name="name"),
    ),
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
    parameters=(_NAME, _IF_MATCH),
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
            "would change under metrics that use it: `users`. Or its value type would become another, or a dimension "
            "would go, while others use it or points of some `days` are there: define another metric, chained to it.",
        ),
        _OVERTAKEN,
    ),
    headers=_ETAG,
)
DELETE = Operation(
    "DELETE",
    PATH,
    "removeMetric",
    "Remove a metric that nothing uses, with all its versions and points.",
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
    parameters=(_NAME, _IF_MATCH),
    bodies=(
        Body(
            JSON,
            record(
                {
                    "reason": text(bytes_max=REASON_BYTES_MAX, minLength=1),
                    "replacement": maybe(text("what to use instead", bytes_max=NAME_BYTES_MAX)),
                    "version": _BASED_ON,
                },
                required=("reason",),
            ),
            {"with another in its place": {"reason": "counts prefetched pages", "replacement": "reads"}},
        ),
    ),
    answers=(_SHOWN, _WRONG, _ABSENT, _MEANWHILE, _OVERTAKEN),
    headers=_ETAG,
)
RESTORE = Operation(
    "POST",
    f"{PATH}/restore",
    "restoreMetric",
    "Take a deprecation back.",
    GROUP,
    "edit",
    parameters=(_NAME, _IF_MATCH),
    bodies=(
        Body(
            JSON,
            record({"reason": metric_schemas.REASON, "version": _BASED_ON}, required=()),
            {"why": {"reason": "it was right after all"}},
        ),
    ),
    answers=(
        _SHOWN,
        problem(HTTPStatus.BAD_REQUEST, "It is not deprecated.", field_name="name"),
        _ABSENT,
        _MEANWHILE,
        _OVERTAKEN,
    ),
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
            metric_schemas.VERSIONS_PAGE,
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
            metric_schemas.DIFF,
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
            metric_schemas.LINEAGE,
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

OPERATIONS = (ALL, ADD, OWN, GET, PUT, DELETE, DEPRECATE, RESTORE, VERSIONS, DIFF, LINEAGE)
SCHEMAS = metric_schemas.SCHEMAS
