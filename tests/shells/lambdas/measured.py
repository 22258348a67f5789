"""What is asked of the metric catalogue on an instance and in the functions, and what is to be the same of it."""

import json
from typing import Any

Request = tuple[str, str, int, dict[str, str], bytes]

_MOMENTS = ("createdAt", "updatedAt", "deprecatedAt")


def metric_requests(editor: dict[str, str], others: dict[str, str]) -> list[Request]:
    """Return requests about metrics, those that are refused among them; `others` may only read."""

    def sent(**fields: Any) -> bytes:
        return json.dumps(fields).encode()

    rate = sent(name="rate", valueType="HYBRID", hybridFormula="été/lectures")
    thrice, four = (sent(valueType="HYBRID", hybridFormula=f'"été/lectures" * {n}', version=1) for n in (3, 4))
    quoted = sent(name="rate", valueType="HYBRID", hybridFormula='"été/lectures" * 2')
    return [
        ("POST", "/v1/metrics", 201, editor, sent(name="été/lectures", valueType="SCALAR", unit="hits",
                                                  relatedDimensions=["section"])),
        ("POST", "/v1/metrics", 409, editor, sent(name="été/lectures", valueType="SCALAR")),
        ("POST", "/v1/metrics", 400, editor, rate),
        ("POST", "/v1/metrics", 201, editor, quoted),
        ("POST", "/v1/metrics", 403, others, quoted),
        ("POST", "/v1/metrics?brand=open", 401, {}, quoted),
        ("GET", "/v1/metrics", 200, others, b""),
        ("GET", "/v1/metrics?q=lectures&limit=1", 200, others, b""),
        ("GET", "/v1/metrics?brand=open", 200, {}, b""),
        ("GET", "/v1/metrics?limit=0", 400, others, b""),
        ("GET", "/v1/metrics/%C3%A9t%C3%A9%2Flectures", 200, others, b""),
        ("GET", "/v1/metrics/nothing", 404, others, b""),
        ("PUT", "/v1/metrics/rate", 200, editor, thrice),
        ("PUT", "/v1/metrics/rate", 409, editor, four),
        ("PUT", "/v1/metrics/rate", 400, editor, sent(valueType="HYBRID", hybridFormula="rate + 1", version=2)),
        ("GET", "/v1/metrics/rate/versions", 200, others, b""),
        ("GET", "/v1/metrics/rate/diff?from=1&to=2", 200, others, b""),
        ("GET", "/v1/metrics/%C3%A9t%C3%A9%2Flectures/lineage", 200, others, b""),
        ("DELETE", "/v1/metrics/%C3%A9t%C3%A9%2Flectures", 409, editor, b""),
        ("POST", "/v1/metrics/%C3%A9t%C3%A9%2Flectures/deprecate", 200, editor, sent(reason="old", replacement="rate")),
        ("GET", "/v1/metrics?deprecated=true", 200, others, b""),
        ("POST", "/v1/metrics/%C3%A9t%C3%A9%2Flectures/restore", 200, editor, b""),
        ("GET", "/v1/metrics/rate/restore", 405, editor, b""),
        ("DELETE", "/v1/metrics/rate", 200, editor, b""),
        ("GET", "/v1/metrics/rate", 404, others, b""),
        ("GET", "/v1/metrics", 200, others, b""),
    ]  # fmt: skip


def momentless(body: bytes) -> Any:
    """Return an answer without the moments at which something was done, which are each ground's own."""
    found = json.loads(body)
    for one in (found, *found.get("items", ())):
        for name in _MOMENTS:
            one.pop(name, None)
    return found
