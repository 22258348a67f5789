"""What an operation is: a method on a route, what it takes, and every answer it can give."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Literal

Schema = Mapping[str, Any]
Scope = Literal["", "hits", "read", "write", "edit", "audience", "admin"]

JSON = "application/json"
PROBLEM = "application/problem+json"
LINES = "application/x-ndjson"


@dataclass(frozen=True, slots=True)
class Parameter:
    """Something in the address or a header; one that is repeated has an array for its schema."""

    name: str
    says: str
    schema: Schema
    where: Literal["query", "path", "header"] = "query"
    is_required: bool = False
    example: Any = None


@dataclass(frozen=True, slots=True)
class Body:
    """One way to write a request's body, with examples by name."""

    kind: str
    schema: Schema
    examples: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: when it comes, and what it looks like."""

    status: HTTPStatus
    says: str
    kind: str = JSON
    schema: Schema | None = None  # None: there is no body
    example: Any = None
    also: tuple[str, ...] = ()  # other kinds that it may have, as text
    or_problem: bool = False  # The same status may come with a problem document instead.


@dataclass(frozen=True, slots=True)
class Operation:
    """A method on a route."""

    method: str
    path: str
    name: str
    says: str
    group: str
    scope: Scope = ""  # what a key must be allowed where the brand has keys; empty: no key is needed
    more: str = ""
    parameters: tuple[Parameter, ...] = ()
    bodies: tuple[Body, ...] = ()
    answers: tuple[Answer, ...] = ()
    body_may_be_absent: bool = False
    is_public: bool = False  # readers of a brand that has keys need none, unless it says so
    needs_session: bool = False  # of somebody who is signed in; a key is nobody in particular
    headers: Mapping[str, str] = field(default_factory=dict[str, str])  # of its answers: name and what it tells


def text(says: str = "", *, bytes_max: int | None = None, **more: Any) -> Schema:
    """Return the schema of a text."""
    schema: dict[str, Any] = {"type": "string", **more}
    if says:
        schema["description"] = says
    if bytes_max is not None:
        schema["maxLength"] = bytes_max
    return schema


def whole(lowest: int, highest: int | None = None, says: str = "") -> Schema:
    """Return the schema of a whole number."""
    schema: dict[str, Any] = {"type": "integer", "minimum": lowest}
    if highest is not None:
        schema["maximum"] = highest
    if says:
        schema["description"] = says
    return schema


def record(properties: Mapping[str, Schema], *, required: tuple[str, ...] | None = None, says: str = "") -> Schema:
    """Return the schema of an object; all of its fields are always there unless `required` says which are."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties if required is None else required),
    }
    if says:
        schema["description"] = says
    return schema


def listed(items: Schema, **more: Any) -> Schema:
    """Return the schema of an array."""
    return {"type": "array", "items": items, **more}


def maybe(schema: Schema) -> Schema:
    """Return the schema of something that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}


REFUSAL = record(
    {
        "index": whole(0, says="its place in the body, from 0"),
        "field": text("which field is wrong"),
        "reason": text("what is wrong with it"),
    },
    says="Something in a batch that was not taken, and why.",
)

PROBLEM_SCHEMA = record(
    {
        "type": text(),
        "title": text(),
        "status": whole(400, 599),
        "detail": text("what happened and what to do"),
        "field": text("the field, parameter or header that is wrong, when there is one"),
        "refused": listed({"$ref": "#/components/schemas/Refusal"}),
        "row": whole(1, says="the row of a push that is wrong"),
        "at": whole(1, says="the character of a formula that is wrong"),
        "path": listed(text(), description="the way of a circle of metrics"),
        "users": listed(text(), description="the metrics that stand in the way"),
        "basedOn": whole(0, says="the version that a change was based on"),
        "newest": whole(0, says="the version that somebody else saved meanwhile"),
        "differences": listed({"type": "object"}, description="what they changed"),
        "tombstone": {"type": "object", "description": "what stayed of a capture that was removed"},
        "playing": listed({"type": "object"}, description="the playbacks that hold all places"),
        "why": text("why a playback is over"),
        "by": text("the device that took its place"),
        "requestId": text("what the server's log calls this request"),
    },
    required=("type", "title", "status", "detail"),
    says="What went wrong, as RFC 9457 has it.",
)


def problem(status: HTTPStatus, says: str, *, field_name: str = "", detail: str = "") -> Answer:
    """Return an answer that is a problem document."""
    example: dict[str, Any] = {"type": "about:blank", "title": status.phrase, "status": status.value}
    example["detail"] = detail or says
    if field_name:
        example["field"] = field_name
    return Answer(status, says, PROBLEM, {"$ref": "#/components/schemas/Problem"}, example)


# What any route may answer, whatever else it does: the request itself is wrong, too slow, too large or too often there.
ALWAYS: tuple[Answer, ...] = (
    problem(HTTPStatus.BAD_REQUEST, "What was sent is not HTTP/1.1, or is cut off."),
    problem(HTTPStatus.NOT_FOUND, "There is no such route; routes have one spelling, without a slash at the end."),
    problem(HTTPStatus.METHOD_NOT_ALLOWED, "The route has no such method; `Allow` names those it has."),
    problem(HTTPStatus.REQUEST_TIMEOUT, "The request did not arrive in time; send faster."),
    problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The body is too large; send smaller batches."),
    problem(HTTPStatus.TOO_MANY_REQUESTS, "Too much or too often; wait as `Retry-After` says and send again."),
    problem(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The head has more than 16,384 bytes."),
    problem(HTTPStatus.INTERNAL_SERVER_ERROR, "footfall failed; its log says why. Report it."),
    problem(HTTPStatus.SERVICE_UNAVAILABLE, "Not just now; wait as `Retry-After` says and send again."),
)
GUARDED: tuple[Answer, ...] = (
    problem(HTTPStatus.UNAUTHORIZED, "The brand has keys and none was sent, or one that does not work here."),
    problem(HTTPStatus.FORBIDDEN, "The key or the person may not do this, or not in this brand."),
)


def answers_of(operation: Operation) -> dict[HTTPStatus, Answer]:
    """Return every answer of an operation by status: its own, then those of its guard, then those of any route."""
    guarded = GUARDED if operation.scope or operation.needs_session else ()
    answers: dict[HTTPStatus, Answer] = {}
    for answer in (*operation.answers, *guarded, *ALWAYS):
        answers.setdefault(answer.status, answer)
    return answers
