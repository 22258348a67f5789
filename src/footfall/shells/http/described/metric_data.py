"""The routes of metrics' data: numbers that are asked for, and points that are pushed."""

from http import HTTPStatus
from typing import Any

from footfall.shells.http.described.lists import MOMENT
from footfall.shells.http.described.metric_schemas import NAME_BYTES_MAX, NUMBER_MAX
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

GROUP = "Metrics"
PATH = "/v1/metrics/{name}/data"
GRAINS = ["hour", "day", "week", "month", "quarter", "year"]
BY_MAX, WHERE_MAX = 4, 50
CSV_KIND = "text/csv; charset=utf-8; header=present"

_NAME = Parameter(
    "name",
    "The metric's name, percent-encoded where it has to be.",
    text(bytes_max=NAME_BYTES_MAX, minLength=1),
    "path",
    is_required=True,
    example="reads_per_visitor",
)
_DAY = text(format="date")
_COVERED: dict[str, Schema] = {
    "days": whole(0, says="how many days were asked for; `hours` with the grain `hour`"),
    "hours": whole(0),
    "withData": whole(0, says="how many of them have data"),
}
_OF_ONE: dict[str, Schema] = {
    **_COVERED,
    "last": maybe(text("the last of them that has data: a day, or the moment at which an hour begins")),
}
ANSWER = record(
    {
        "metric": text(),
        "unit": text(),
        "versions": {
            "type": "object",
            "description": "which version of each metric that is needed gave the numbers",
            "additionalProperties": record(
                {
                    "version": whole(1),
                    "hash": text(),
                    "deprecated": record(
                        {"reason": text(), "replacement": text("what to use instead")},
                        required=("reason",),
                        says="only of a metric that should not be used any more",
                    ),
                },
                required=("version", "hash"),
            ),
        },
        "from": _DAY,
        "to": _DAY,
        "grain": {"enum": GRAINS},
        "by": listed(text()),
        "where": {"type": "object", "additionalProperties": listed(text())},
        "unmatched": {
            "type": "object",
            "description": "values of `where` that nothing has which was read",
            "additionalProperties": listed(text()),
        },
        "coverage": record(
            {
                **_COVERED,
                "metrics": {"type": "object", "additionalProperties": record(_OF_ONE, required=("withData", "last"))},
            },
            required=("withData", "metrics"),
            says="of the span, less each day that any source lacks; and of each source what was asked of it",
        ),
        "freshness": maybe(text("up to when all sources had come; null: one of them never had any data")),
        "exact": {"type": "boolean", "description": "false where something is estimated"},
        "seams": listed({"type": "object"}, description="cutoffs of chained metrics before which days of it lie"),
        "items": listed({"$ref": "#/components/schemas/MetricValue"}, description="period by period"),
    },
    says="The numbers of a metric, and what has to be known of them.",
)
VALUE = record(
    {
        "period": text("the first day of a period, or the moment at which an hour begins"),
        "dimensions": {"type": "object", "additionalProperties": text()},
        "value": maybe({"type": "number"}),
    },
    says="One number; null where it is missing.",
)
POINT = record(
    {
        "at": text("a day of the brand's zone, tomorrow at the latest", format="date"),
        "dimensions": {"type": "object", "additionalProperties": text()},
        "value": maybe({"type": "number"}),
        "weight": maybe({"type": "number", "minimum": 0, "description": "for WEIGHTED_AVERAGE"}),
        "values": maybe(listed({"type": "number"}, description="for PERCENTILE")),
        "sketch": maybe(text("for PERCENTILE: a KLL sketch of doubles of DataSketches, base64")),
    },
    required=("at",),
    says="One point that is pushed.",
)
_EXAMPLE: dict[str, Any] = {
    "metric": "reads_per_visitor",
    "unit": "hits/visitors",
    "versions": {"reads_per_visitor": {"version": 2, "hash": "3f2a9c41b06e7d5893aa04c1e2b7f680"}},
    "from": "2026-11-01",
    "to": "2026-11-02",
    "grain": "day",
    "by": ["section"],
    "where": {"section": ["news"]},
    "unmatched": {},
    "coverage": {
        "days": 1,
        "withData": 1,
        "metrics": {"reads": {"days": 1, "withData": 1, "last": "2026-11-01"}},
    },
    "freshness": "2026-11-02T06:00Z",
    "exact": True,
    "seams": [],
    "items": [{"period": "2026-11-01", "dimensions": {"section": "news"}, "value": 1.25}],
}
_ABSENT = problem(
    HTTPStatus.NOT_FOUND, "There is no such metric or version, or one that it needs was removed.", field_name="name"
)

GET = Operation(
    "GET",
    PATH,
    "metricData",
    "A metric's numbers over a span of days: by period, and by dimension.",
    GROUP,
    "read",
    more="`where=section:news,sports` keeps two sections: what stands before the first colon is the dimension, commas "
    "part its values, and a comma of a value is written as `\\,` (a backslash before a comma as `\\\\`). "
    "Nothing behind the colon is the empty value, which points have that do not tell the dimension. "
    "What `format=csv` gives is safe to open in a spreadsheet.",
    parameters=(
        _NAME,
        Parameter("from", "The first day, in the brand's zone.", _DAY, is_required=True, example="2026-11-01"),
        Parameter("to", "The day that the span ends before.", _DAY, is_required=True, example="2026-12-01"),
        Parameter("grain", "How long a period is; weeks begin on Monday.", {"enum": GRAINS, "default": "day"}),
        Parameter(
            "by",
            "Grouped by these dimensions, which all that the metric needs must have.",
            listed(text(bytes_max=64, minLength=1), maxItems=BY_MAX, uniqueItems=True),
            example=["section"],
        ),
        Parameter(
            "where",
            "Only these values of a dimension; conditions on several dimensions hold together.",
            listed(text(minLength=2), maxItems=WHERE_MAX),
            example=["section:news,sports"],
        ),
        Parameter(
            "version",
            "By the version of this number, and what it needs as that last was with it.",
            whole(1, NUMBER_MAX),
        ),
        Parameter("hash", "By the newest version with this hash, as by its number.", text(bytes_max=64)),
        Parameter("asOf", "By the definitions as they were then, all that it needs among them.", MOMENT),
        Parameter("format", "As a table. `Accept: text/csv` asks for the same.", {"enum": ["json", "csv"]}),
        Parameter("If-None-Match", "The `ETag` of the answer that is there.", text(), "header"),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "The numbers, with the versions that gave them, and how much of the span has data.",
            JSON,
            {"$ref": "#/components/schemas/MetricData"},
            _EXAMPLE,
            also=(CSV_KIND,),
        ),
        Answer(HTTPStatus.NOT_MODIFIED, "The answer is the one that `If-None-Match` names."),
        problem(HTTPStatus.BAD_REQUEST, "A parameter is missing, unknown or impossible.", field_name="by"),
        _ABSENT,
        problem(HTTPStatus.SERVICE_UNAVAILABLE, "Too many wait for their numbers; ask again in a moment."),
    ),
    headers={
        "ETag": "Of the answer's bytes, for `If-None-Match`.",
        "Deprecation": "Since when the metric should not be used any more (RFC 9745); absent: it may be.",
        "Link": "The data of the metric to use instead, as `successor-version`.",
    },
)
PUSH = Operation(
    "POST",
    PATH,
    "pushMetricData",
    "Push points of a metric; each takes the place of the one of its day and dimensions.",
    GROUP,
    "write",
    more="The whole push is checked before anything of it is written. Sending the same points again changes nothing. "
    "Days are written in order, some 80 in a transaction: a push that broke between two of them says how far it came, "
    "and is finished by sending it again. One push has at most 100,000 points of at most 1,000 days, within what a "
    "body may have (`http_inflated_bytes_max`). In CSV every column that is no field is a dimension.",
    parameters=(
        _NAME,
        Parameter("Content-Encoding", "How the body is compressed.", {"enum": ["gzip", "zstd"]}, "header"),
    ),
    bodies=(
        Body(
            JSON,
            listed({"$ref": "#/components/schemas/MetricPoint"}),
            {"two": [{"at": "2026-11-01", "dimensions": {"section": "news"}, "value": 12}]},
        ),
        Body(LINES, {"type": "string"}, {"lines": '{"at":"2026-11-01","dimensions":{"section":"news"},"value":12}\n'}),
        Body("text/csv", {"type": "string"}, {"table": "at,section,value\n2026-11-01,news,12\n"}),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "They are taken.",
            JSON,
            record(
                {
                    "brand": text(),
                    "metric": text(),
                    "points": whole(0, says="how many were sent"),
                    "days": whole(0, says="of how many days they are"),
                    "changedDays": whole(0, says="how many of those have other points than before"),
                    "revision": whole(0, says="how often the metric's points were changed"),
                }
            ),
            {"brand": "abc", "metric": "reads", "points": 1, "days": 1, "changedDays": 1, "revision": 7},
        ),
        problem(
            HTTPStatus.BAD_REQUEST,
            "None is taken. `row` is the first that cannot be, from 1, and `field` what is wrong with it.",
            field_name="value",
            detail="value: row 2: is missing",
        ),
        _ABSENT,
        problem(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            "None is taken: there are more points, or more days, than one push may have. Send it in parts.",
            field_name="body",
            detail="body: has more than 100,000 points, which are taken at once: send parts",
        ),
        problem(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "Too many wait to be written, or the push broke half-way: then `takenUntil` is the last day that was "
            "taken. Send the whole of it again in a moment.",
        ),
    ),
)

OPERATIONS = (GET, PUSH)
SCHEMAS: dict[str, Schema] = {"MetricData": ANSWER, "MetricValue": VALUE, "MetricPoint": POINT}
