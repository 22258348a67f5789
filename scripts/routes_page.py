"""The reference page of all routes, made of the description that the server gives of itself."""

import json
from collections.abc import Iterator, Mapping
from http import HTTPStatus

from footfall.shells.http.described.operation import ALWAYS, Operation, Schema, answers_of
from footfall.shells.http.description import example_call, field_says, fields_of_body, schema_words
from footfall.shells.http.openapi import OPERATIONS, SCHEMAS

HEAD = """# Routes

Written by `make map` from `src/footfall/shells/http/described/`; edit there. A running server tells the same at `/docs`
and, for programs, at `/openapi.json`.

A key is sent as `Authorization: Bearer KEY`, or, a public write key, as `?key=KEY`; the brand comes from it. A brand
without keys is open and is named by `brand`. Whatever is read with `GET` can be asked about with `HEAD`.

## Problems

Whatever goes wrong is told as a problem document (RFC 9457, `application/problem+json`). `detail` says what happened
and what to do; `field` names the field, parameter or header when there is one; `refused` lists what was refused of a
batch.

```json
{"type":"about:blank","title":"Bad Request","status":400,"detail":"limit: '0' is not from 1 to 100","field":"limit"}
```

Besides its own, every route may answer with these. `Retry-After` comes with 429 and 503.

| status | when |
| --- | --- |
"""
SCOPES = {
    "hits": "`write`, or a public write key",
    "read": "`read`",
    "write": "`write`",
    "edit": "`edit`",
    "audience": "`audience`",
    "admin": "`admin`",
}


def routes_page() -> str:
    """Return the page."""
    shared = "".join(f"| {int(one.status)} | {one.says} |\n" for one in ALWAYS)
    return HEAD + shared + "\n" + "\n".join("\n".join(_section(one)) for one in OPERATIONS)


def _section(operation: Operation) -> Iterator[str]:
    yield from (f"## {operation.method} {operation.path}", "", operation.says)
    if operation.more:
        yield from ("", operation.more)
    if operation.needs_session:
        yield from ("", "Somebody has to be signed in.")
    if operation.scope:
        yield from ("", f"A key needs the scope {SCOPES[operation.scope]}.")
    yield from ("", "```sh", example_call(operation), "```", "")
    yield from _table(
        ("parameter", "what it is for", "may be"),
        [
            (f"`{one.name}`{'' if one.where == 'query' else f' ({one.where})'}", one.says, schema_words(one.schema))
            for one in operation.parameters
        ],
    )
    fields = fields_of_body(operation)
    yield from _table(
        ("field", "what it is for", "may be"),
        [(f"`{name}`", field_says(one), schema_words(one)) for name, one in fields.items()],
    )
    yield from _answers(operation)


def _answers(operation: Operation) -> Iterator[str]:
    answers = answers_of(operation)
    for status, answer in answers.items():
        if answer.example is not None and status < HTTPStatus.BAD_REQUEST:
            yield from ("```json", json.dumps(answer.example), "```", "")
            yield from _fields_of_answer(answer.schema or {})
    own = [answer for answer in answers.values() if answer not in ALWAYS]
    yield from _table(("status", "when"), [(str(int(one.status)), one.says) for one in own])


def _fields_of_answer(schema: Schema) -> Iterator[str]:
    named = SCHEMAS[str(schema["$ref"]).rpartition("/")[2]] if "$ref" in schema else schema
    fields: Mapping[str, Schema] = named.get("properties", {})
    rows = [(f"`{name}`", field_says(one)) for name, one in fields.items() if field_says(one)]
    yield from _table(("answer", ""), rows)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    if not rows:
        return
    yield f"| {' | '.join(head)} |".replace("|  |", "| |")
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |".replace("|  |", "| |")
    yield ""
