"""The description of the routes is whole, is valid, and its examples are what it says they may be."""

from collections import Counter
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from openapi_spec_validator import validate

from footfall.shells.http.described.operation import Operation
from footfall.shells.http.description import description_page, example_call
from footfall.shells.http.openapi import OPERATIONS, openapi_document
from footfall.shells.http.routes import ROUTES, require_described

# Every operation is looked for in the same ones.
document = cache(openapi_document)
page = cache(description_page)


def valid(schema: Any, value: Any) -> bool:
    whole = {"components": document()["components"], **schema}
    return jsonschema_rs.validator_for(whole).is_valid(value)


def named(operation: Operation) -> str:
    return operation.name


def test_the_description_is_an_openapi_document() -> None:
    validate(document())


def test_every_operation_has_a_name_of_its_own() -> None:
    assert [name for name, count in Counter(map(named, OPERATIONS)).items() if count > 1] == []
    assert [place for place, count in Counter((one.method, one.path) for one in OPERATIONS).items() if count > 1] == []


def test_a_route_that_nobody_described_is_no_part_of_a_description() -> None:
    require_described([*ROUTES, "/v1/assets/{asset_id:path}"])
    with pytest.raises(AssertionError, match="/v1/secret"):
        require_described(["/v1/hits", "/v1/secret"])


@pytest.mark.parametrize("operation", OPERATIONS, ids=named)
def test_examples_of_what_is_sent_and_answered_are_what_their_schemas_say(operation: Operation) -> None:
    for body in operation.bodies:
        assert body.examples
        for example in body.examples.values():
            assert valid(body.schema, example)
    for answer in operation.answers:
        if answer.kind == "application/json" and answer.schema is not None and answer.schema != {"type": "object"}:
            assert answer.example is not None
        if answer.example is not None:
            assert valid(answer.schema, answer.example)


@pytest.mark.parametrize("operation", OPERATIONS, ids=named)
def test_every_operation_is_on_the_page_with_a_line_to_paste(operation: Operation) -> None:
    assert f'id="{operation.name}"' in page()
    assert example_call(operation).startswith("curl ")
    assert "{" not in example_call(operation).rpartition(" ")[2]


def test_a_key_is_asked_for_where_one_is_needed_and_nowhere_else() -> None:
    paths = document()["paths"]
    assert paths["/v1/keys"]["get"]["security"] == [{"secretKey": []}, {"session": []}]
    assert paths["/v1/sessions"]["get"]["security"] == [{"session": []}]
    assert paths["/v1/hits"]["post"]["security"] == [{"secretKey": []}, {"publicKey": []}, {}]
    assert "security" not in paths["/healthz"]["get"]
