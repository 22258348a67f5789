"""Loaded by schemathesis: how to send kinds of bodies that it does not know by itself, and what a failure is."""

from http import HTTPStatus
from typing import Any

import schemathesis


def _as_sent(_context: object, value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


for kind in ("application/x-ndjson", "text/csv"):
    schemathesis.serializer(kind)(_as_sent)


@schemathesis.check
def never_a_failure(_context: Any, response: Any, _case: Any) -> None:
    """Require that nothing fails; 503 is how too much at once is turned away, where it is described."""
    status = HTTPStatus(response.status_code)
    assert status < HTTPStatus.INTERNAL_SERVER_ERROR or status is HTTPStatus.SERVICE_UNAVAILABLE, (
        f"it failed with {status}"
    )
