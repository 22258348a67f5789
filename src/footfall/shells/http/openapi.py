"""GET /openapi.json: every route as the description declares it, for programs that read OpenAPI."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

import msgspec

from footfall import __version__
from footfall.accounts.sessions import COOKIE
from footfall.shells.http.described import (
    alerts,
    archive,
    archive_mementos,
    archive_watches,
    assets,
    audience_earnings,
    audience_history,
    audience_playbacks,
    brands,
    dashboard,
    digest,
    edits,
    follows,
    history,
    history_schemas,
    hits,
    instance,
    lists,
    metric_data,
    metrics,
    migrations,
    owners,
    people,
    referrers,
    rules,
    screening,
    trials,
    uniques,
    verdicts,
    watching,
    widget,
)
from footfall.shells.http.described.operation import (
    ALWAYS,
    GUARDED,
    PROBLEM,
    PROBLEM_SCHEMA,
    REFUSAL,
    Answer,
    Body,
    Operation,
    Parameter,
    Schema,
    answers_of,
)

OPERATIONS: tuple[Operation, ...] = (
    *hits.OPERATIONS,
    *lists.OPERATIONS,
    *widget.OPERATIONS,
    *history.OPERATIONS,
    *screening.OPERATIONS,
    *digest.OPERATIONS,
    *referrers.OPERATIONS,
    *uniques.OPERATIONS,
    *watching.OPERATIONS,
    *assets.OPERATIONS,
    *edits.OPERATIONS,
    *brands.OPERATIONS,
    *rules.OPERATIONS,
    *verdicts.OPERATIONS,
    *metrics.OPERATIONS,
    *metric_data.OPERATIONS,
    *migrations.OPERATIONS,
    *trials.OPERATIONS,
    *people.OPERATIONS,
    *alerts.OPERATIONS,
    *archive.OPERATIONS,
    *archive_watches.OPERATIONS,
    *archive_mementos.OPERATIONS,
    *audience_history.OPERATIONS,
    *audience_playbacks.OPERATIONS,
    *audience_earnings.OPERATIONS,
    *follows.OPERATIONS,
    *owners.OPERATIONS,
    *dashboard.OPERATIONS,
    *instance.OPERATIONS,
)

SCHEMAS: Mapping[str, Schema] = {
    "Problem": PROBLEM_SCHEMA,
    "Refusal": REFUSAL,
    **hits.SCHEMAS,
    **lists.SCHEMAS,
    **history_schemas.SCHEMAS,
    **screening.SCHEMAS,
    **digest.SCHEMAS,
    **referrers.SCHEMAS,
    **uniques.SCHEMAS,
    **watching.SCHEMAS,
    **assets.SCHEMAS,
    **edits.SCHEMAS,
    **brands.SCHEMAS,
    **rules.SCHEMAS,
    **verdicts.SCHEMAS,
    **metrics.SCHEMAS,
    **metric_data.SCHEMAS,
    **migrations.SCHEMAS,
    **trials.SCHEMAS,
    **people.SCHEMAS,
    **alerts.SCHEMAS,
    **archive.SCHEMAS,
    **audience_history.SCHEMAS,
    **audience_playbacks.SCHEMAS,
    **audience_earnings.SCHEMAS,
}
_SHARED = [(one, one.status.phrase.title().replace(" ", "")) for one in (*ALWAYS, *GUARDED)]
_SAYS = (
    "What an audience reads and watches, as it happens. A key is sent as `Authorization: Bearer KEY`, or, a public "
    "write key, as `?key=KEY`; the brand comes from it. A brand without keys is open and is named by `brand`. "
    "Whoever is signed in has a cookie in the place of a key, names the brand by `brand`, and sends `X-Footfall-CSRF` "
    "with whatever changes something."
)


def openapi_json() -> bytes:
    """Return the description as an OpenAPI document."""
    return msgspec.json.encode(openapi_document())


def openapi_document() -> dict[str, Any]:
    """Return the description as OpenAPI has it."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "footfall", "version": __version__, "description": _SAYS, "license": {"name": "Apache-2.0"}},
        "tags": [{"name": group} for group in dict.fromkeys(one.group for one in OPERATIONS)],
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "responses": {name: _answer(one) for one, name in _SHARED},
            "securitySchemes": {
                "secretKey": {"type": "http", "scheme": "bearer", "description": "A key of the brand."},
                "session": {"type": "apiKey", "in": "cookie", "name": COOKIE, "description": "Somebody signed in."},
                "publicKey": {"type": "apiKey", "in": "query", "name": "key", "description": "A public write key."},
            },
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.says,
        "tags": [operation.group],
        "responses": {str(int(status)): _answer_or_name(one) for status, one in answers_of(operation).items()},
    }
    if operation.more:
        made["description"] = operation.more
    parameters = [_parameter(one) for one in operation.parameters if one.name != "key"]
    if parameters:
        made["parameters"] = parameters
    if operation.bodies:
        made["requestBody"] = {"required": not operation.body_may_be_absent, "content": _content(operation.bodies)}
    if operation.is_public:  # unless the brand says otherwise
        made["security"] = [dict[str, list[str]](), {"secretKey": list[str]()}, {"session": list[str]()}]
    elif operation.needs_session:
        made["security"] = [{"session": list[str]()}]
    elif operation.scope:
        # A brand without keys is open, so that no key at all is one of the ways.
        other = "publicKey" if operation.scope == "hits" else "session"
        made["security"] = [
            {"secretKey": list[str]()},
            {other: list[str]()},
            *([] if operation.scope in ("admin", "audience", "edit") else [{}]),
        ]
    return made


def _parameter(parameter: Parameter) -> dict[str, Any]:
    made: dict[str, Any] = {
        "name": parameter.name,
        "in": parameter.where,
        "description": parameter.says,
        "required": parameter.is_required,
        "schema": parameter.schema,
    }
    if parameter.schema.get("type") == "array":
        made |= {"style": "form", "explode": True}
    if parameter.example is not None:
        made["example"] = parameter.example
    return made


def _content(bodies: Iterable[Body]) -> Mapping[str, Any]:
    return {
        body.kind: {
            "schema": body.schema,
            "examples": {name: {"value": value} for name, value in body.examples.items()},
        }
        for body in bodies
    }


def _answer_or_name(answer: Answer) -> dict[str, Any]:
    name = next((name for one, name in _SHARED if one is answer), None)
    return _answer(answer) if name is None else {"$ref": f"#/components/responses/{name}"}


def _answer(answer: Answer) -> dict[str, Any]:
    made: dict[str, Any] = {"description": answer.says}
    if answer.schema is not None:
        content: dict[str, Any] = {"schema": answer.schema}
        if answer.example is not None:
            content["example"] = answer.example
        made["content"] = {answer.kind: content}
        made["content"] |= {kind: {"schema": {"type": "string"}} for kind in answer.also}
        if answer.or_problem:
            made["content"][PROBLEM] = {"schema": {"$ref": "#/components/schemas/Problem"}}
    if answer.status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        made["headers"] = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
    return made
