"""What the routes of metric definitions take and answer."""

from footfall.shells.http.described.operation import Schema, listed, maybe, record, text, whole

NAME_BYTES_MAX, TEXT_BYTES_MAX, REASON_BYTES_MAX, FORMULA_CHARACTERS_MAX = 200, 4_000, 1_000, 1_000
DEPTH_MAX, NUMBER_MAX = 20, 10**9

KINDS = ["SCALAR", "WEIGHTED_AVERAGE", "HYBRID", "PERCENTILE"]
COUNTED = ["pushed", "hits", "visitors", "minutes", "viewers", "playbacks", "completions", "follows", "unfollows"]
_STYLES = ["SUM", "LAST_DAY_OF_PERIOD", "PERCENTILE"]
_FIELDS: dict[str, Schema] = {
    "name": text("one line in any script; it is kept for ever", bytes_max=NAME_BYTES_MAX, minLength=1),
    "valueType": {"enum": KINDS, "description": "what one value is"},
    "aggregationStyle": {
        "enum": _STYLES,
        "description": "how the values of a period become one; with SUM, a HYBRID is computed from what it needs "
        "put together over the period first, and is no sum of its own values",
        "default": "SUM",
    },
    "aggregationParam": maybe(
        {"type": "number", "minimum": 0, "maximum": 100, "description": "which percentile, from 0 to 100"}
    ),
    "unit": text("such as `hits/visitors`; a HYBRID metric's is worked out", bytes_max=120),
    "source": maybe(
        record(
            {
                "counts": {
                    "enum": COUNTED,
                    "description": "`playbacks` are viewings that began, `completions` viewings that have seen at "
                    "least 90 hundredths of the asset; "
                    "`follows` are counted when they begin, `unfollows` when they end",
                },
                "where": {
                    "type": "object",
                    "additionalProperties": listed(text()),
                    "description": "which values dimensions may have: `section`, `resourceType` and `paidType`; "
                    "of follows and unfollows `kind`, of what is followed, and `followerKind`",
                },
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
REASON = maybe(text("why, for those who use it", bytes_max=REASON_BYTES_MAX))
SENT = record({**_FIELDS, "reason": REASON}, required=("name", "valueType"), says="A metric that is added.")
SENT_CHANGE = record(
    {
        **_FIELDS,
        "version": whole(1, NUMBER_MAX, "the version that the change is based on, unless If-Match says it"),
        "reason": REASON,
    },
    required=("valueType",),
    says="A metric as it is to be from now on, whole.",
)
_DIMENSIONS = listed(text(), description="what it can be grouped and filtered by, with all that it is computed from")
_COUNTED: dict[str, Schema] = {
    "version": whole(1, says="counted up by each change"),
    "hash": text("of all that its numbers and their groups depend on; a new title changes none"),
}
METRIC = record(
    {
        "brand": text(),
        **{name: one for name, one in _FIELDS.items() if name != "aggregationStyle"},
        "aggregationStyle": {"enum": _STYLES},
        "consumedMetrics": listed(text(), description="those that the formula names"),
        "dimensions": _DIMENSIONS,
        **_COUNTED,
        "createdAt": text(),
        "createdBy": text("a key with its label and id, a person, or the command line"),
        "updatedAt": text(),
        "updatedBy": text(),
        "reason": text("of this version"),
        "deprecatedAt": text("only of a metric that should not be used any more"),
        "deprecatedBy": text(),
        "deprecatedReason": text(),
        "replacement": text("what to use instead"),
        "warnings": listed(text(), description="of what was saved: deprecated metrics that it needs; absent: none"),
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
    "valueType": {"enum": KINDS},
    "unit": text(),
    **_COUNTED,
    "isDeprecated": {"type": "boolean"},
    "owner": text(),
}
LISTED = record({**_ROW, "dimensions": _DIMENSIONS}, says="A metric's line in a list.")
LINKED = record(
    {**_ROW, "depth": whole(1, DEPTH_MAX, "how far away it is"), "consumes": listed(text())},
    says="A metric in a lineage.",
)
DIFFERENCE = record({"field": text(), "before": {}, "after": {}}, says="A field that differs; null: it is not there.")
PAGE = record(
    {
        "brand": text(),
        "items": listed({"$ref": "#/components/schemas/ListedMetric"}),
        "after": text("where to go on, when there are more"),
    },
    required=("brand", "items"),
)
VERSIONS_PAGE = record(
    {
        "brand": text(),
        "name": text(),
        "items": listed({"$ref": "#/components/schemas/Metric"}),
        "before": whole(1, says="where to go on, when there are more"),
    },
    required=("brand", "name", "items"),
)
DIFF = record(
    {
        "brand": text(),
        "name": text(),
        "from": whole(1),
        "to": whole(1),
        "differences": listed({"$ref": "#/components/schemas/MetricDifference"}),
        "sameNumbers": {"type": "boolean", "description": "whether both give the same numbers: their hashes are one"},
    }
)
LINEAGE = record(
    {
        "brand": text(),
        **_ROW,
        "dimensions": _DIMENSIONS,
        "needs": listed({"$ref": "#/components/schemas/LinkedMetric"}, description="the nearest first"),
        "usedBy": listed({"$ref": "#/components/schemas/LinkedMetric"}, description="the nearest first"),
        "isCut": {"type": "boolean", "description": "whether there are more than are told"},
    }
)

SCHEMAS = {
    "SentMetric": SENT,
    "SentMetricChange": SENT_CHANGE,
    "Metric": METRIC,
    "ListedMetric": LISTED,
    "LinkedMetric": LINKED,
    "MetricDifference": DIFFERENCE,
}
