"""The routes of named counters."""

from dataclasses import replace
from http import HTTPStatus

from footfall.shells.http.described.hits import IDEMPOTENT, SIGNATURE, TOKEN
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
    problem,
    record,
    text,
    whole,
)
from footfall.values.counter import NAME_BYTES_MAX

GROUP = "Counting anything once"
VALUE_BYTES_MAX = 8_192
NAMES_MAX = 20
PAGE_MAX, PAGE_DEFAULT = 1_000, 100
OCTETS = "application/octet-stream"

_VALUE: Schema = {
    "description": 'what is counted once; `42` and `"42"` are one value; only a hash of it is kept',
    "anyOf": [text(bytes_max=VALUE_BYTES_MAX, minLength=1), {"type": "integer"}],
}
SENT_VALUE = record({"data": _VALUE}, says="One value. Other fields are left aside.")
_NUMBERS: dict[str, Schema] = {
    "estimate": whole(0, says="how many distinct values"),
    "lower": whole(0, says="at least so many, at the stated confidence"),
    "upper": {
        "description": "at most so many, at the stated confidence; null when days of the span are not kept any more",
        "anyOf": [whole(0), {"type": "null"}],
    },
    "confidence": {"type": "number", "description": "that the truth lies between the bounds"},
    "by": text("which kind of sketch told it", enum=["hll", "theta"]),
}
_SPAN: dict[str, Schema] = {
    "from": text("only of a span: where its first day begins"),
    "to": text("only of a span: where its last day ends"),
    "keptSince": text("only when days of the span are not kept any more: since when all are there"),
}
COUNTER = record(
    {
        "brand": text(),
        "name": text(),
        "since": text("where the day of its first value begins; absent when all of it was imported"),
        **_SPAN,
        **_NUMBERS,
    },
    required=("brand", "name", *_NUMBERS),
)
_NAMES = listed(text(bytes_max=NAME_BYTES_MAX, minLength=1), maxItems=NAMES_MAX)
COUNTED_SET = record(
    {"brand": text(), "union": _NAMES, "intersect": _NAMES, "minus": _NAMES, **_SPAN, **_NUMBERS},
    required=("brand", *_NUMBERS),
)
COUNTERS = record(
    {
        "brand": text(),
        "items": listed(record({"name": text()})),
        "after": text("where the next page begins; absent on the last"),
    },
    required=("brand", "items"),
)

_NAME = Parameter(
    "name",
    "The counter's name: any text, with its UTF-8 bytes escaped.",
    text(bytes_max=NAME_BYTES_MAX, minLength=1),
    "path",
    is_required=True,
    example="campaign-7",
)
_MOMENT = text(format="date-time")
_DAYS = (
    Parameter("from", "Only the brand's days from the one of this moment on.", _MOMENT),
    Parameter("to", "And up to the day that this moment ends or lies in.", _MOMENT),
)
_KIND = Parameter(
    "kind", "Which of its two sketches: to be united, or to be intersected.", text(enum=["hll", "theta"], default="hll")
)
_ESTIMATE = {"estimate": 1204, "lower": 1204, "upper": 1204, "confidence": 0.95, "by": "hll"}
_WRONG = problem(
    HTTPStatus.BAD_REQUEST, "A parameter is unknown, or has a value that it may not have.", field_name="from"
)
_UNKNOWN = problem(
    HTTPStatus.NOT_FOUND, "There is no such counter, or its first values are not counted yet.", field_name="name"
)
_GUARDS = (
    problem(HTTPStatus.UNAUTHORIZED, "The brand's lists are not public; send a key that may read."),
    problem(HTTPStatus.FORBIDDEN, "The key may not read, or is another brand's."),
)
_UNTOLD = problem(
    HTTPStatus.CONFLICT, "A counter was imported without its Theta sketch, so nobody knows what it shares with others."
)
_OTHER_BODY = problem(
    HTTPStatus.UNPROCESSABLE_ENTITY,
    "The `Idempotency-Key` came with another body, or for another counter, before; nothing was taken.",
    field_name="Idempotency-Key",
)
_TAKEN = Answer(
    HTTPStatus.ACCEPTED,
    "On disk: whatever happens then, it is counted. It shows within a second, on AWS within the freshness.",
    JSON,
    {"$ref": "#/components/schemas/Accepted"},
    {"accepted": 1, "duplicates": 0},
)
_SKETCH = text(format="binary")

ADD = Operation(
    "POST",
    "/v1/uniques/{name}",
    "addUniques",
    "Add values to a counter: one, a list, or one a line.",
    GROUP,
    "hits",
    more="The counter is made with its first value. A value that comes again changes nothing.",
    parameters=(_NAME, BRAND, TOKEN, SIGNATURE, *IDEMPOTENT),
    bodies=(
        Body(
            JSON,
            {
                "anyOf": [
                    {"$ref": "#/components/schemas/SentValue"},
                    listed({"anyOf": [_VALUE, {"$ref": "#/components/schemas/SentValue"}]}),
                ]
            },
            {"one": {"data": "http://some.url/data/point"}, "many": ["reader-1", "reader-2"]},
        ),
        Body(LINES, {"type": "string"}, {"lines": '{"data":"reader-1"}\n"reader-2"\n'}),
    ),
    answers=(
        _TAKEN,
        problem(
            HTTPStatus.BAD_REQUEST,
            "Nothing was taken: no value could be, the name cannot be one, or the body is empty or not JSON.",
            field_name="data",
        ),
        problem(HTTPStatus.NOT_FOUND, "There is no such brand.", field_name="brand"),
        _OTHER_BODY,
    ),
)
SHOW = Operation(
    "GET",
    "/v1/uniques/{name}",
    "uniques",
    "How many distinct values a counter has met, ever or in some days.",
    GROUP,
    more="Public unless the brand says otherwise. Values of several days count once: they are hashed without a salt.",
    is_public=True,
    parameters=(_NAME, BRAND, *_DAYS),
    answers=(
        Answer(
            HTTPStatus.OK,
            "The estimate.",
            JSON,
            {"$ref": "#/components/schemas/Uniques"},
            {"brand": "abc", "name": "campaign-7", "since": "2026-11-15T00:00Z", **_ESTIMATE},
        ),
        _WRONG,
        *_GUARDS,
        _UNKNOWN,
    ),
)
SET = Operation(
    "GET",
    "/v1/uniques",
    "uniquesOfSets",
    "How many distinct values a set made of several counters has.",
    GROUP,
    more="What is in any of `union`, and in each of `intersect`, and in none of `minus`. A name is repeated, never "
    "separated by commas, which may be part of one. A union is told by HLL sketches; with `intersect` or `minus` it is "
    "told by Theta sketches, whose error is a share of all values of the sets, so the bounds of a small part are wide.",
    is_public=True,
    parameters=(
        BRAND,
        Parameter("union", "What is in any of these counters.", _NAMES, example=["campaign-7", "campaign-8"]),
        Parameter("intersect", "And in each of these.", _NAMES),
        Parameter("minus", "And in none of these.", _NAMES),
        *_DAYS,
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "The estimate.",
            JSON,
            {"$ref": "#/components/schemas/UniquesOfSets"},
            {"brand": "abc", "union": ["campaign-7", "campaign-8"], **_ESTIMATE},
        ),
        _WRONG,
        *_GUARDS,
        _UNKNOWN,
        _UNTOLD,
    ),
)
LIST = Operation(
    "GET",
    "/v1/counters",
    "counters",
    "Which counters a brand has, in the order of their names' UTF-8 bytes.",
    GROUP,
    "read",
    more="Names alone, a page at a time: what a counter has met is asked for by its name. Where the brand has keys, "
    "one that may read is needed, although its numbers may be public.",
    parameters=(
        BRAND,
        Parameter("after", "The `after` of the page before.", text(bytes_max=NAME_BYTES_MAX)),
        Parameter("limit", "How many.", {**whole(1, PAGE_MAX), "default": PAGE_DEFAULT}),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "A page of names.",
            JSON,
            {"$ref": "#/components/schemas/Counters"},
            {"brand": "abc", "items": [{"name": "campaign-7"}, {"name": "campaign-8"}], "after": "campaign-8"},
        ),
        problem(
            HTTPStatus.BAD_REQUEST, "A parameter is unknown, or has a value that it may not have.", field_name="limit"
        ),
        problem(HTTPStatus.NOT_FOUND, "There is no such brand.", field_name="brand"),
    ),
)
DELETE = Operation(
    "DELETE",
    "/v1/uniques/{name}",
    "deleteUniques",
    "Delete a counter: what was added to it before is gone.",
    GROUP,
    "write",
    parameters=(_NAME, BRAND, SIGNATURE, *IDEMPOTENT[1:]),
    answers=(_TAKEN, _WRONG, _UNKNOWN, _OTHER_BODY),
)
EXPORT = Operation(
    "GET",
    "/v1/uniques/{name}/sketch",
    "uniquesSketch",
    "A counter's sketch in Apache DataSketches' own format.",
    GROUP,
    is_public=True,
    parameters=(_NAME, BRAND, _KIND, *_DAYS),
    answers=(
        Answer(HTTPStatus.OK, "The sketch: HLL of lgK 14, or a compact Theta sketch of lgK 12.", OCTETS, _SKETCH),
        _WRONG,
        *_GUARDS,
        _UNKNOWN,
        _UNTOLD,
    ),
)
IMPORT = Operation(
    "PUT",
    "/v1/uniques/{name}/sketch",
    "putUniquesSketch",
    "Replace a counter by a sketch in Apache DataSketches' own format.",
    GROUP,
    "write",
    more="An HLL sketch of lgK 14 takes the place of all that the counter has met; it belongs to no day. With "
    "`kind=theta` a compact Theta sketch of the same values is put beside it, for intersections and differences; "
    "a counter that has one of its own takes no other.",
    parameters=(_NAME, BRAND, _KIND, SIGNATURE, *IDEMPOTENT),
    bodies=(Body(OCTETS, _SKETCH, {"sketch": "what a DataSketches library has serialised"}),),
    answers=(
        _TAKEN,
        problem(
            HTTPStatus.BAD_REQUEST, "The body is no sketch, or one of another size; nothing changed.", field_name="body"
        ),
        _UNKNOWN,
        problem(
            HTTPStatus.CONFLICT,
            "A Theta sketch came for a counter that was not imported, or that has its Theta sketch; nothing changed.",
        ),
        _OTHER_BODY,
    ),
)
ARTICLE_ADD = Operation(
    "POST",
    "/hyperloglog/{name}",
    "addToHyperLogLog",
    "Add one value to a counter, as the HyperLogLog article has it.",
    GROUP,
    "hits",
    more="Where no key and no `brand` tells whose, and there is one brand, it is that brand's.",
    parameters=(_NAME, BRAND, TOKEN, SIGNATURE, *IDEMPOTENT),
    bodies=(Body(JSON, {"$ref": "#/components/schemas/SentValue"}, {"one": {"data": "http://some.url/data/point"}}),),
    answers=(
        Answer(
            HTTPStatus.OK,
            "It is in the stream, and this is where.",
            JSON,
            record(
                {"ShardId": text(), "SequenceNumber": text("absent on AWS, where only readers learn it")},
                required=("ShardId",),
            ),
            {"ShardId": "shardId-000000000000", "SequenceNumber": "42"},
        ),
        *ADD.answers[1:],
    ),
)
ARTICLE_CARD = replace(
    SHOW,
    path="/hyperloglog/{name}",
    name="hyperLogLog",
    says="How many distinct values a counter has met: a number alone, as the HyperLogLog article has it.",
    more="",
    parameters=(_NAME, BRAND),
    answers=(Answer(HTTPStatus.OK, "The estimate.", JSON, whole(0), 1204), *SHOW.answers[1:]),
)

OPERATIONS = (ADD, SHOW, SET, LIST, DELETE, EXPORT, IMPORT, ARTICLE_ADD, ARTICLE_CARD)
SCHEMAS = {"SentValue": SENT_VALUE, "Uniques": COUNTER, "UniquesOfSets": COUNTED_SET, "Counters": COUNTERS}
