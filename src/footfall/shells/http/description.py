"""GET /openapi.json and /docs: the description of every route, for programs and for people, as ready bytes."""

import html
import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from footfall import __version__
from footfall.shells.http.described.operation import Answer, Operation, Parameter, Schema, answers_of
from footfall.shells.http.openapi import OPERATIONS, SCHEMAS, openapi_json
from footfall.shells.http.static_files import StaticRoute, static_text

HERE = "http://127.0.0.1:8080"  # where a server listens unless told otherwise

_SCOPE_SAYS = {
    "": "",
    "hits": "a public write key, or a secret key that may write",
    "read": "a key that may read, or a viewer",
    "write": "a key that may write, or an administrator",
    "edit": "a key that may edit lists, or an editor",
    "audience": "a key for what members do, or an administrator",
    "admin": "a key that may administer, or an administrator",
}


def description_routes() -> dict[bytes, StaticRoute]:
    """Return the routes of the description."""
    return {
        b"/openapi.json": StaticRoute(openapi_json(), "application/json", is_for_all=True),
        b"/docs": StaticRoute(description_page().encode(), "text/html; charset=utf-8"),
        b"/static/docs.css": StaticRoute(static_text("docs.css").encode(), "text/css; charset=utf-8"),
    }


def description_page() -> str:
    """Return the page that describes every route to a person."""
    groups = dict.fromkeys(operation.group for operation in OPERATIONS)
    entries = {group: "".join(_entry(one) for one in OPERATIONS if one.group == group) for group in groups}
    contents = "".join(f"<h2>{_text(group)}</h2><ul>{listed}</ul>" for group, listed in entries.items())
    articles = "".join(_article(operation) for operation in OPERATIONS)
    page = static_text("docs.html")
    return (
        page.replace("{{version}}", _text(__version__))
        .replace("{{contents}}", contents)
        .replace("{{routes}}", articles)
    )


def example_call(operation: Operation) -> str:
    """Return a line that calls the operation, to be pasted into a shell."""
    query = "&".join(
        f"{one.name}={value}"
        for one in operation.parameters
        if one.where == "query" and one.example is not None
        for value in _examples(one)
    )
    path = operation.path
    for one in operation.parameters:
        if one.where == "path":
            path = path.replace("{" + one.name + "}", str(one.example))
    words = ["curl"] + ([] if operation.method == "GET" else ["-X", operation.method])
    if operation.scope in ("admin", "audience", "edit", "read", "write"):
        words += ["-H", "Authorization: Bearer $KEY"]
    if operation.bodies:
        body = operation.bodies[0]
        is_file = body.schema.get("format") == "binary"
        sent = ["--data-binary", "@FILE"] if is_file else ["-d", json.dumps(next(iter(body.examples.values())))]
        words += ["-H", f"Content-Type: {body.kind}", *sent]
    words.append(f"{HERE}{path}" + (f"?{query}" if query else ""))
    return " ".join(f'"{word}"' if "$KEY" in word else shlex.quote(word) for word in words)


def _examples(parameter: Parameter) -> list[Any]:
    return list(parameter.example) if parameter.schema.get("type") == "array" else [parameter.example]


def schema_words(schema: Schema) -> str:
    """Return what a value may be, in a few words."""
    words = _schema_words(schema)
    return f"{words}; `{json.dumps(schema['default']).strip(chr(34))}` unless given" if "default" in schema else words


def _schema_words(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(schema_words(one) for one in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    if schema.get("type") == "array":
        most = f", at most {schema['maxItems']:,}" if "maxItems" in schema else ""
        return f"several: {schema_words(schema['items'])}{most}"
    return _plain_words(schema)


def _plain_words(schema: Schema) -> str:
    kind = schema.get("type")
    if kind == "string":
        words = "a time with a zone" if schema.get("format") == "date-time" else "text"
        return words + (f" up to {schema['maxLength']:,} bytes" if "maxLength" in schema else "")
    if kind == "integer":
        most = f" to {schema['maximum']:,}" if "maximum" in schema else ""
        return f"a whole number from {schema['minimum']:,}{most}" if "minimum" in schema else "a whole number"
    return {"boolean": "`true` or `false`", "null": "null", "object": "an object"}.get(str(kind), "anything")


def fields_of_body(operation: Operation) -> Mapping[str, Schema]:
    """Return the fields of what is sent, by name."""
    schema: dict[str, Any] = dict(operation.bodies[0].schema) if operation.bodies else {}
    schema = schema["anyOf"][0] if "anyOf" in schema else schema
    schema = schema.get("items", schema)
    schema = dict(SCHEMAS[str(schema["$ref"]).rpartition("/")[2]]) if "$ref" in schema else schema
    required: list[str] = schema.get("required", [])
    properties: dict[str, dict[str, Any]] = schema.get("properties", {})
    return {name: {"isRequired": name in required, **one} for name, one in properties.items()}


def field_says(schema: Schema) -> str:
    """Return what a field is for, and whether it must be there."""
    choices: list[Schema] = schema.get("anyOf", [])
    says = [str(one["description"]) for one in (schema, *choices) if "description" in one][:1]
    return "; ".join([*says, *(["must be given"] if schema.get("isRequired") else [])])


def _entry(operation: Operation) -> str:
    return (
        f'<li><b>{operation.method}</b> <a href="#{operation.name}"><code>{_text(operation.path)}</code></a> '
        f"{_marked(operation.says)}</li>"
    )


def _article(operation: Operation) -> str:
    needs = _SCOPE_SAYS[operation.scope]
    parts = [
        f'<article id="{operation.name}"><h3><b>{operation.method}</b> <code>{_text(operation.path)}</code></h3>',
        f"<p>{_marked(operation.says)} {_marked(operation.more)}</p>",
        f"<p class=needs>Where the brand has keys: {needs}.</p>" if needs else "",
        "<p class=needs>Somebody has to be signed in.</p>" if operation.needs_session else "",
        f"<pre><code>{_text(example_call(operation))}</code></pre>",
        *_tables(operation),
        "</article>",
    ]
    return "".join(parts)


def _tables(operation: Operation) -> Iterator[str]:
    if operation.parameters:
        yield "<table><caption>What may be given</caption><tbody>"
        yield "".join(_parameter_row(one) for one in operation.parameters)
        yield "</tbody></table>"
    fields = fields_of_body(operation)
    if fields:
        yield "<table><caption>Fields of the body</caption><tbody>"
        yield "".join(_row(name, field_says(one), schema_words(one)) for name, one in fields.items())
        yield "</tbody></table>"
    for body in operation.bodies:
        for name, example in body.examples.items():
            shown = example if isinstance(example, str) else json.dumps(example, indent=1)
            yield f"<details><summary>Body, {_text(body.kind)}: {_text(name)}</summary>"
            yield f"<pre><code>{_text(shown)}</code></pre></details>"
    yield "<table><caption>What is answered</caption><tbody>"
    yield "".join(_answer_row(one) for one in sorted(answers_of(operation).values(), key=lambda one: one.status))
    yield "</tbody></table>"


def _parameter_row(parameter: Parameter) -> str:
    where = "" if parameter.where == "query" else f" <small>{parameter.where}</small>"
    return _row(parameter.name, parameter.says, schema_words(parameter.schema), more=where)


def _row(name: str, says: str, may_be: str, *, more: str = "") -> str:
    return f"<tr><th><code>{_text(name)}</code>{more}</th><td>{_marked(says)}</td><td>{_marked(may_be)}</td></tr>"


def _answer_row(answer: Answer) -> str:
    shown = ""
    if answer.example is not None and answer.status < 400:
        shown = f"<pre><code>{_text(json.dumps(answer.example, indent=1))}</code></pre>"
    return f"<tr><th>{int(answer.status)}</th><td>{_marked(answer.says)}{shown}</td></tr>"


def _text(value: Any) -> str:
    return html.escape(str(value), quote=True)


def _marked(text: str) -> str:
    """Return text whose words between backquotes are shown as code."""
    pieces = text.split("`")
    return "".join(
        _text(piece) if place % 2 == 0 else f"<code>{_text(piece)}</code>" for place, piece in enumerate(pieces)
    )
