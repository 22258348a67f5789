"""What editors send to an instance and to the functions, and what is to be the same of it."""

import json
from typing import Any

Request = tuple[str, str, int, dict[str, str], bytes]


def edits(editor: dict[str, str], others: dict[str, str]) -> list[Request]:
    """Return acts of editors, those that are refused among them; `others` may do something else."""
    pin = json.dumps({"place": 1, "periods": ["day"], "until": "2100-01-01T00:00:00Z"}).encode()
    return [
        ("PUT", "/v1/edits/pins/sports%2F%C3%A9t%C3%A9%2050%25", 200, editor, pin),
        ("PUT", "/v1/edits/pins/2", 200, editor, b'{"place": 1}'),
        ("PUT", "/v1/edits/pins/3", 200, editor, b'{"place": 2, "sections": [1]}'),
        ("PUT", "/v1/edits/hidden/a", 200, editor, b'{"reason": "wrong"}'),
        ("PUT", "/v1/edits/hidden/b", 200, editor, b""),
        ("DELETE", "/v1/edits/hidden/b", 200, editor, b""),
        ("DELETE", "/v1/edits/hidden/b", 404, editor, b""),
        ("DELETE", "/v1/edits/pins/b", 404, editor, b""),
        ("PUT", "/v1/edits/pins/2", 400, editor, b'{"place": 0}'),
        ("PUT", "/v1/edits/hidden/2", 400, editor, b'{"place": 1}'),
        ("PUT", "/v1/edits/hidden/2", 403, others, b""),
        ("PUT", "/v1/edits/hidden/2?brand=open", 401, {}, b""),
        ("POST", "/v1/edits/hidden/2", 405, editor, b""),
        ("GET", "/v1/edits", 403, others, b""),
        ("GET", "/v1/edits", 200, editor, b""),
    ]


def timeless(body: bytes) -> Any:
    """Return an answer without the moments at which something was done, which are each ground's own."""
    found = json.loads(body)
    for one in (found, *found.get("pins", ()), *found.get("hidden", ())):
        one.pop("at", None)
    return found
