"""Every error that a client may meet is a problem document with the right status."""

import json
from http import HTTPStatus
from typing import Any

import pytest

from footfall.accounts.brands import UnknownBrand
from footfall.flow.collect.fields import Refusal
from footfall.flow.collect.inflate import TooMuch
from footfall.ports.errors import Changed, Corrupt, NoSpace, Throttled, TooLarge, Unavailable
from footfall.shells.http.problems import problem, problem_of, refusals
from footfall.values.errors import FootfallError, Refused


def read(whole: bytes) -> tuple[int, dict[str, str], dict[str, Any]]:
    head, _, body = whole.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    return int(status.split()[1]), dict(line.split(": ", 1) for line in lines), json.loads(body)


@pytest.mark.parametrize(
    ("error", "status", "field", "retry"),
    [
        (Refused("at", "is bad"), 400, "at", False),
        (UnknownBrand("brand", "is unknown"), 404, "brand", False),
        (TooMuch("too much"), 413, None, False),
        (NoSpace("full"), 503, None, True),
        (Throttled("busy"), 503, None, True),
        (Unavailable("gone"), 503, None, True),
        (Corrupt("damaged"), 503, None, True),
        (Changed("changed"), 503, None, True),
        (TooLarge("large"), 503, None, True),
        (FootfallError("else"), 500, None, False),
    ],
)
def test_each_error_has_its_status(error: FootfallError, status: int, field: str | None, retry: bool) -> None:
    found, headers, document = read(problem_of(error))
    assert (found, document["status"], document["detail"]) == (status, status, str(error))
    assert headers["content-type"] == "application/problem+json"
    assert headers["access-control-allow-origin"] == "*"
    assert headers["cache-control"] == "no-store"
    assert document.get("field") == field
    assert ("retry-after" in headers) == retry


def test_a_problem_lists_what_was_refused() -> None:
    refused = [Refusal(3, "at", "is bad")]
    _, _, document = read(problem(HTTPStatus.BAD_REQUEST, detail="none", refused=refused))
    assert document["refused"] == refusals(refused) == [{"index": 3, "field": "at", "reason": "is bad"}]


def test_overload_tells_when_to_come_back() -> None:
    status, headers, document = read(problem(HTTPStatus.TOO_MANY_REQUESTS, detail="slow down"))
    assert (status, headers["retry-after"], document["title"]) == (429, "1", "Too Many Requests")
