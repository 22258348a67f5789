"""The routes of Memento and CDX: a brand's captures for tools that know other archives."""

from http import HTTPStatus

from footfall.shells.http.described.archive import ABSENT, GROUP, LACKS, URL, WRONG
from footfall.shells.http.described.lists import BRAND
from footfall.shells.http.described.operation import Answer, Operation, Parameter, text, whole

CDX_DEFAULT, CDX_MAX = 1_000, 10_000

_PATH_BRAND = Parameter("brand", "The brand.", BRAND.schema, "path", is_required=True, example="abc")
_PATH_URL = Parameter(
    "url", "The page, as it is, with its own query.", text(), "path", is_required=True, example="https://news.example/"
)
_LEADS = Answer(HTTPStatus.FOUND, "Where it is; `Link` names the page, its TimeGate, its TimeMap and captures around.")
OPERATIONS = (
    Operation(
        "GET",
        "/archive/{brand}/timegate/{url}",
        "timeGate",
        "The capture of a page that is nearest to a moment, as Memento (RFC 7089) asks for it.",
        GROUP,
        "read",
        parameters=(
            _PATH_BRAND,
            _PATH_URL,
            Parameter("Accept-Datetime", "The moment; without it, now.", text(), "header"),
        ),
        answers=(_LEADS, WRONG, ABSENT, LACKS),
    ),
    Operation(
        "GET",
        "/archive/{brand}/timemap/link/{url}",
        "timeMap",
        "All captures of a page, as Memento (RFC 7089) lists them.",
        GROUP,
        "read",
        parameters=(_PATH_BRAND, _PATH_URL),
        answers=(
            Answer(HTTPStatus.OK, "The captures.", "application/link-format", {"type": "string"}),
            WRONG,
            ABSENT,
            LACKS,
        ),
    ),
    Operation(
        "GET",
        "/archive/{brand}/web/{digits}/{url}",
        "memento",
        "The capture of a page at a moment, or the nearest; leads to its page.",
        GROUP,
        "read",
        parameters=(
            _PATH_BRAND,
            Parameter("digits", "4 to 14 digits.", text(), "path", is_required=True, example="20261117093002"),
            _PATH_URL,
        ),
        answers=(_LEADS, WRONG, ABSENT, LACKS),
        headers={"Memento-Datetime": "The moment of the capture."},
    ),
    Operation(
        "GET",
        "/archive/{brand}/cdx",
        "captureIndex",
        "Captures of a page as lines of CDXJ, the oldest first.",
        GROUP,
        "read",
        parameters=(
            _PATH_BRAND,
            URL,
            Parameter("from", "4 to 14 digits.", text(), example="2026"),
            Parameter("to", "4 to 14 digits.", text(), example="20261117"),
            Parameter("limit", "How many.", {**whole(1, CDX_MAX), "default": CDX_DEFAULT}),
            Parameter("output", "`json` for a line of JSON each.", {"enum": ["cdxj", "json"]}),
        ),
        answers=(
            Answer(HTTPStatus.OK, "The lines.", "text/x-cdxj", {"type": "string"}, also=("application/x-ndjson",)),
            WRONG,
            LACKS,
        ),
    ),
)
