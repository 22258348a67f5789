"""The routes that take hits, and the script that sends them."""

from http import HTTPStatus
from typing import Any

from footfall.flow.collect.legacy import HITS_MAX
from footfall.shells.http.described.operation import (
    GUARDED,
    JSON,
    LINES,
    Answer,
    Body,
    Operation,
    Parameter,
    Schema,
    listed,
    maybe,
    problem,
    record,
    text,
    whole,
)
from footfall.values.hit import (
    ADDRESS_BYTES_MAX,
    AGENT_BYTES_MAX,
    ASSET_BYTES_MAX,
    CLIENT_BYTES_MAX,
    ID_BYTES_MAX,
    LABEL_BYTES_MAX,
    NUMBER_MAX,
    PURPOSE_BYTES_MAX,
)

GROUP = "Sending hits"

_ASSET: Schema = {
    "description": 'what was seen; `42` and `"42"` are one asset',
    "anyOf": [text(bytes_max=ASSET_BYTES_MAX, minLength=1), whole(0, NUMBER_MAX)],
}
_SECTION: Schema = {
    "description": "a label to filter by",
    "anyOf": [text(bytes_max=LABEL_BYTES_MAX), whole(0, NUMBER_MAX), {"type": "null"}],
}
_LABELS: dict[str, Schema] = {
    "sectionId": _SECTION,
    "resourceType": maybe(text("a label to filter by", bytes_max=LABEL_BYTES_MAX)),
    "paidType": maybe(text("a label to filter by", bytes_max=LABEL_BYTES_MAX)),
}
_BRAND = maybe(text("whose hit it is; not needed when a key tells it", bytes_max=LABEL_BYTES_MAX))
HIT = record(
    {
        "brand": _BRAND,
        "assetId": _ASSET,
        **_LABELS,
        "at": {
            "description": "when it was seen: a time with a zone, or milliseconds since 1970; arrival unless given",
            "anyOf": [text(format="date-time"), whole(0, 253_370_764_799_999), {"type": "null"}],
        },
        "id": maybe(
            text("the hit's own id: a second hit of the asset with it is a duplicate for a day", bytes_max=ID_BYTES_MAX)
        ),
        "client": maybe(
            text("what the tracker tells of its browser, in words; never stored", bytes_max=CLIENT_BYTES_MAX)
        ),
        "agent": maybe(text("the reader's user agent, where a server sends; never stored", bytes_max=AGENT_BYTES_MAX)),
        "purpose": maybe(
            text(
                "what the reader's request was for (its Sec-Purpose), where a server sends", bytes_max=PURPOSE_BYTES_MAX
            )
        ),
        "visitor": maybe(text("the brand's own id of the reader; a keyed hash is kept", bytes_max=ID_BYTES_MAX)),
        "url": maybe(text("the address of the asset", bytes_max=ADDRESS_BYTES_MAX)),
        "referrer": maybe(text("where the reader came from", bytes_max=ADDRESS_BYTES_MAX)),
    },
    required=("assetId",),
    says="One asset, seen once. Other fields are left aside.",
)
PAGE_HIT = record(
    {"brand": _BRAND, "assetId": _ASSET, "hits": whole(0, HITS_MAX, "how many hits these are"), **_LABELS},
    required=("assetId", "hits"),
    says="Hits of one asset, added up by whoever sends them.",
)
ACCEPTED = record(
    {
        "accepted": whole(0, says="how many are on disk now, duplicates among them"),
        "duplicates": whole(
            0,
            says="those of them that were there before; they count once; 0 on AWS, where counting finds them",
        ),
        "late": whole(1, says="of pings: those of them that are too old, are set aside and count nowhere"),
        "future": whole(1, says="of pings: the same of those whose moment has not come"),
        "refusedCount": whole(1, says="only when some were refused"),
        "refused": listed({"$ref": "#/components/schemas/Refusal"}),
    },
    required=("accepted", "duplicates"),
)

_ONE: dict[str, Any] = {
    "brand": "abc",
    "assetId": 132141398,
    "sectionId": 563,
    "resourceType": "article",
    "paidType": "free",
}
IDEMPOTENT = (
    Parameter("Content-Encoding", "How the body is compressed.", {"enum": ["gzip", "zstd"]}, "header"),
    Parameter(
        "Idempotency-Key",
        "The same key with the same body counts once for a day, so a request may be sent again.",
        text(bytes_max=255, minLength=1, pattern="^[!-~]+$"),
        "header",
    ),
)
SIGNATURE = Parameter(
    "Footfall-Signature",
    "`t=SECONDS,n=NONCE,v1=HEX`: HMAC-SHA256 with a signing key of the brand over `t.n.` and the body as it travels; "
    "at most 300 s from the server's clock, each nonce once.",
    text(bytes_max=1_000),
    "header",
)
TOKEN = Parameter("token", "A short-lived token, where the brand asks its pages for one.", text(bytes_max=1_024))
UNPROVEN = problem(
    HTTPStatus.UNAUTHORIZED,
    "The brand has keys and none was sent, or one that does not work here; or the signature or the token is missing "
    "where the brand asks for it, forged, stale or replayed: `field` says which.",
    field_name="Footfall-Signature",
    detail="Footfall-Signature: is 412 s old and at most 300 are allowed; "
    "sign each try anew, and set the sender's clock",
)
_KEY = Parameter("key", "A public write key, where no header can be set.", text(bytes_max=200))
_PRIVACY = Parameter(
    "privacy", "`1`: no visitor is kept, as with `Sec-GPC: 1` and `DNT: 1`.", text(enum=["0", "1"], default="0")
)
_TAKEN = Answer(
    HTTPStatus.ACCEPTED,
    "On disk: whatever happens then, they are counted once. What was refused is named; the rest is in.",
    JSON,
    {"$ref": "#/components/schemas/Accepted"},
    {"accepted": 1, "duplicates": 0},
)
_REFUSED = problem(
    HTTPStatus.BAD_REQUEST,
    "Nothing was taken: no hit could be, or the body is empty, cut off, not JSON, or has too many.",
    field_name="assetId",
    detail="assetId: is missing",
)
_OTHER_BODY = problem(
    HTTPStatus.UNPROCESSABLE_ENTITY, "The `Idempotency-Key` came with another body before; nothing was taken."
)
_FULL = problem(
    HTTPStatus.TOO_MANY_REQUESTS, "Hits come faster than the disk takes them, or than a key or address may send."
)
_NO_DISK = problem(HTTPStatus.SERVICE_UNAVAILABLE, "The disk is full or does not answer; nothing was acknowledged.")
_PREFLIGHT = Answer(HTTPStatus.NO_CONTENT, "A browser's preflight: which origins, methods and headers are allowed.")

TAKING = (_TAKEN, _REFUSED, UNPROVEN, _OTHER_BODY, _FULL, _NO_DISK)
PREFLIGHT_ANSWER = _PREFLIGHT

HITS = Operation(
    "POST",
    "/v1/hits",
    "sendHits",
    "Send hits: one, an array, or one a line.",
    GROUP,
    "hits",
    more="At most 5,000 hits and 1 MiB at once unless set otherwise. `Content-Type: text/plain` is read as "
    "JSON, so that a browser can send without a preflight.",
    parameters=(_KEY, TOKEN, SIGNATURE, _PRIVACY, *IDEMPOTENT),
    bodies=(
        Body(
            JSON,
            {"anyOf": [{"$ref": "#/components/schemas/Hit"}, listed({"$ref": "#/components/schemas/Hit"})]},
            {"one": _ONE, "many": [_ONE, {"brand": "abc", "assetId": "video-7", "at": "2026-11-15T14:30:00Z"}]},
        ),
        Body(LINES, {"type": "string"}, {"lines": '{"brand":"abc","assetId":1}\n{"brand":"abc","assetId":2}\n'}),
    ),
    answers=(_TAKEN, _REFUSED, UNPROVEN, _OTHER_BODY, _FULL, _NO_DISK),
)
PAGE_HITS = Operation(
    "POST",
    "/v1/pagehits",
    "sendPageHits",
    "Send page hits that were added up before, as old senders do.",
    GROUP,
    "hits",
    more="Each counts as many times as `hits` says. Where no key tells the brand, the address does.",
    parameters=(
        Parameter("brand", "Whose page hits, where no key tells it.", text(bytes_max=LABEL_BYTES_MAX), example="abc"),
        _KEY,
        TOKEN,
        SIGNATURE,
        *IDEMPOTENT,
    ),
    bodies=(
        Body(
            JSON,
            listed({"$ref": "#/components/schemas/PageHit"}),
            {
                "batch": [
                    {"assetId": 132141398, "hits": 258, "sectionId": 563, "resourceType": "article", "paidType": "free"}
                ]
            },
        ),
    ),
    answers=(_TAKEN, _REFUSED, UNPROVEN, _OTHER_BODY, _FULL, _NO_DISK),
)
_IMAGE = text(format="binary")
PIXEL = Operation(
    "GET",
    "/v1/pixel.gif",
    "sendHitByPixel",
    "Send a hit from a page without scripts: an image of one clear pixel.",
    GROUP,
    "hits",
    more="The image comes whatever happens; its status tells the truth, and `Footfall-Problem` says what is wrong. "
    "A prefetch is not counted.",
    parameters=(
        _KEY,
        TOKEN,
        Parameter("brand", "Whose hit, where no key tells it.", text(bytes_max=LABEL_BYTES_MAX), example="abc"),
        Parameter("asset", "What was seen; the page's address unless given.", text(bytes_max=ASSET_BYTES_MAX)),
        Parameter("section", "A label.", text(bytes_max=LABEL_BYTES_MAX)),
        Parameter("type", "A label.", text(bytes_max=LABEL_BYTES_MAX)),
        Parameter("paid", "A label.", text(bytes_max=LABEL_BYTES_MAX)),
        Parameter("url", "The page's address; the `Referer` unless given.", text(bytes_max=ADDRESS_BYTES_MAX)),
        Parameter("referrer", "Where the reader came from.", text(bytes_max=ADDRESS_BYTES_MAX)),
        Parameter("hit", "A whole hit as JSON, instead of the others; the tracker's last resort.", text()),
        _PRIVACY,
    ),
    answers=(
        Answer(HTTPStatus.OK, "The hit is on disk.", "image/gif", _IMAGE),
        Answer(HTTPStatus.NO_CONTENT, "A prefetch, a prerender or a `HEAD`: nobody has seen the page yet."),
        *(
            Answer(one.status, f"{one.says} The image comes all the same.", "image/gif", _IMAGE, or_problem=True)
            for one in (_REFUSED, UNPROVEN, *GUARDED[1:], _FULL, _NO_DISK)
        ),
    ),
)
TRACKER = Operation(
    "GET",
    "/footfall.js",
    "tracker",
    "The tracker: the script that tells of a page each time it is seen.",
    GROUP,
    parameters=(Parameter("If-None-Match", "The `ETag` of the one that is there.", text(), "header"),),
    answers=(
        Answer(HTTPStatus.OK, "The script, to be kept for a day.", "text/javascript", text()),
        Answer(HTTPStatus.NOT_MODIFIED, "It has not changed."),
    ),
)
_PREFLIGHTS = tuple(
    Operation(
        "OPTIONS", path, f"mayI{name}", "Ask, as browsers do, whether a page may send.", GROUP, answers=(_PREFLIGHT,)
    )
    for path, name in (("/v1/hits", "SendHits"), ("/v1/pagehits", "SendPageHits"))
)

OPERATIONS = (HITS, PAGE_HITS, PIXEL, TRACKER, *_PREFLIGHTS)
SCHEMAS = {"Hit": HIT, "PageHit": PAGE_HIT, "Accepted": ACCEPTED}
