"""What is asked of the metric catalogue on an instance and in the functions, and what is to be the same of it."""

import json
from typing import Any

Request = tuple[str, str, int, dict[str, str], bytes]

_MOMENTS = ("createdAt", "updatedAt", "deprecatedAt", "freshness")


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
        *_data_requests(editor, others),
        ("GET", "/v1/migrations", 200, others, b""),
        ("DELETE", "/v1/metrics/rate", 200, editor, b""),
        ("GET", "/v1/metrics/rate", 404, others, b""),
        ("GET", "/v1/metrics", 200, others, b""),
    ]  # fmt: skip


def _own_requests(editor: dict[str, str], others: dict[str, str]) -> list[Request]:
    """Return requests about metrics of what footfall counts itself."""
    source = {"counts": "follows", "where": {"kind": ["serie"]}}
    unknown = json.dumps({"name": "new", "valueType": "SCALAR", "source": source}).encode()
    return [
        ("POST", "/v1/metrics/own", 403, others, b""),
        ("POST", "/v1/metrics/own", 200, editor, b""),
        ("POST", "/v1/metrics/own", 200, editor, b""),
        ("POST", "/v1/metrics", 400, editor, unknown),
    ]


def _data_requests(editor: dict[str, str], others: dict[str, str]) -> list[Request]:
    """Return requests about data of metrics, pushed and counted."""
    reads, span = "/v1/metrics/%C3%A9t%C3%A9%2Flectures/data", "from=2026-11-01&to=2026-11-04"
    points = [
        {"at": f"2026-11-0{day}", "dimensions": {"section": section}, "value": day / 7}
        for day in (1, 3) for section in ("news", "a,b:c")
    ]  # fmt: skip
    table, tables = b"at,section,value\n2026-11-02,news,3\n", {**editor, "content-type": "text/csv"}
    own = json.dumps({"name": "own", "valueType": "SCALAR", "source": {"counts": "hits"},
                      "relatedDimensions": ["section"]}).encode()  # fmt: skip
    return [
        ("GET", f"{reads}?{span}", 200, others, b""),
        ("POST", reads, 200, editor, json.dumps(points).encode()),
        ("POST", reads, 200, editor, json.dumps(points).encode()),
        ("POST", reads, 200, tables, table),
        ("POST", reads, 400, editor, json.dumps([*points, {"at": "2026-11-01"}]).encode()),
        ("POST", reads, 403, others, table),
        ("POST", "/v1/metrics/rate/data", 400, editor, json.dumps(points).encode()),
        ("POST", "/v1/metrics/nothing/data", 404, editor, json.dumps(points).encode()),
        ("GET", f"{reads}?{span}", 200, others, b""),
        ("GET", f"{reads}?{span}&by=section&where=section:a%5C%2Cb:c&grain=week", 200, others, b""),
        ("GET", f"/v1/metrics/rate/data?{span}&by=section", 200, others, b""),
        ("GET", f"/v1/metrics/rate/data?{span}&by=section&format=csv", 200, others, b""),
        ("GET", f"/v1/metrics/rate/data?{span}&version=1", 200, others, b""),
        ("GET", f"/v1/metrics/rate/data?{span}&by=planet", 400, others, b""),
        ("GET", f"/v1/metrics/rate/data?{span}&version=9", 404, others, b""),
        ("GET", "/v1/metrics/rate/data", 400, others, b""),
        ("POST", "/v1/metrics", 201, editor, own),
        ("GET", f"/v1/metrics/own/data?{span}&by=section", 200, others, b""),
        ("GET", "/v1/metrics/own/data?from=2026-11-15&to=2026-11-18&by=section&grain=year", 200, others, b""),
        ("DELETE", "/v1/metrics/own", 200, editor, b""),
        *_own_requests(editor, others),
    ]


def momentless(body: bytes) -> Any:
    """Return an answer without the moments at which something was done, which are each ground's own."""
    if not body.startswith(b"{"):
        return body
    found = json.loads(body)
    for one in (found, *found.get("items", ())):
        for name in _MOMENTS:
            one.pop(name, None)
    return found
