"""The routes of a brand's rules and keys."""

from http import HTTPStatus

from footfall.accounts.brands import SCREENING_MODES
from footfall.accounts.keys import LABEL_BYTES_MAX, SCOPES
from footfall.accounts.tokens import LIFE_S_DEFAULT, LIFE_S_MAX
from footfall.shells.http.described.hits import SIGNATURE, UNPROVEN
from footfall.shells.http.described.operation import (
    JSON,
    Answer,
    Body,
    Operation,
    Parameter,
    listed,
    maybe,
    problem,
    record,
    text,
    whole,
)

GROUP = "Brands and keys"

_PERIOD = record({"span": text(), "grain": text(enum=["1m", "5m", "1h", "1d"]), "cache": text()})
_LIMITS = {name: maybe(whole(0, 1_000_000)) for name in ("keyPerS", "keyBurst", "addressPerS", "addressBurst")}
CHANGEABLE = {
    "title": text(bytes_max=200),
    "origins": listed(text(), maxItems=100),
    "isPublic": {"type": "boolean"},
    "unlabelled": text(enum=["count", "hold"]),
    "periods": {"type": "object", "additionalProperties": _PERIOD},
    "limits": record(_LIMITS, required=()),
    "requireSignature": {"type": "boolean", "description": "servers must sign what they send; needs a signing key"},
    "requireToken": {"type": "boolean", "description": "pages must send a token; needs a signing key"},
    "screening": text(
        "`observe`: suspected hits are in the lists; `hold` and `filter`: they are not", enum=[*SCREENING_MODES]
    ),
    "isArchivePublic": {
        "type": "boolean",
        "description": "captures that all members see are found by Memento and CDX without a key",
    },
}
BRAND = record({"brand": text(), "zone": text(), **CHANGEABLE})
CHANGES = {**record(CHANGEABLE, required=()), "additionalProperties": False}
KEY = record(
    {
        "id": text(),
        "key": text("of a secret or signing key all of it is told once, when it is made"),
        "kind": text(enum=["public", "secret", "signing"]),
        "scopes": listed(text()),
        "label": text(),
        "created": text(),
        "lastUsed": maybe(text("to the hour")),
        "expires": maybe(text()),
        "replacedBy": maybe(text("the id of the key that a rotation made")),
        "alsoReads": listed(text("a brand beside its own whose lists the key reads, as the operator says")),
    }
)
NEW_KEY = {
    **record(
        {
            "kind": text(enum=["public", "secret", "signing"], default="secret"),
            "scopes": listed(text(enum=list(SCOPES)), minItems=1),
            "label": text(bytes_max=LABEL_BYTES_MAX),
            "expires": maybe(text(format="date-time")),
        },
        required=(),
    ),
    "additionalProperties": False,
}

A_BRAND = {
    "brand": "abc",
    "title": "The ABC",
    "zone": "Europe/Helsinki",
    "origins": ["https://www.example.com"],
    "isPublic": True,
    "unlabelled": "count",
    "periods": {},
    "limits": dict.fromkeys(_LIMITS),
    "requireSignature": False,
    "requireToken": False,
    "screening": "observe",
    "isArchivePublic": False,
}
_A_KEY = {
    "id": "3k7mqz2v9xw4t6ra",
    "key": "ffsec_3k7mqz2v9xw4t6ra_…",
    "kind": "secret",
    "scopes": ["write"],
    "label": "the site's server",
    "created": "2026-11-15T14:30Z",
    "lastUsed": None,
    "expires": None,
    "replacedBy": None,
    "alsoReads": [],
}
_ID = Parameter(
    "id", "The key's id.", text(bytes_max=64, minLength=1), "path", is_required=True, example="3k7mqz2v9xw4t6ra"
)
_WRONG = problem(
    HTTPStatus.BAD_REQUEST, "A field is unknown or has a value that it may not have.", field_name="origins"
)
_UNKNOWN = problem(HTTPStatus.NOT_FOUND, "The brand has no such key.", field_name="id")
_MADE = Answer(
    HTTPStatus.CREATED, "The key; a secret is told this once.", JSON, {"$ref": "#/components/schemas/Key"}, _A_KEY
)

RULES = Operation(
    "GET",
    "/v1/brand",
    "brand",
    "A brand's rules.",
    GROUP,
    "admin",
    answers=(Answer(HTTPStatus.OK, "The rules.", JSON, {"$ref": "#/components/schemas/Brand"}, A_BRAND),),
)
CHANGE = Operation(
    "PATCH",
    "/v1/brand",
    "changeBrand",
    "Change some of a brand's rules; its zone is for good.",
    GROUP,
    "admin",
    bodies=(
        Body(
            JSON, {"$ref": "#/components/schemas/BrandChanges"}, {"origins": {"origins": ["https://www.example.com"]}}
        ),
    ),
    answers=(
        Answer(HTTPStatus.OK, "The rules as they are now.", JSON, {"$ref": "#/components/schemas/Brand"}, A_BRAND),
        _WRONG,
    ),
    body_may_be_absent=True,
)
KEYS = Operation(
    "GET",
    "/v1/keys",
    "keys",
    "A brand's keys.",
    GROUP,
    "admin",
    answers=(
        Answer(
            HTTPStatus.OK,
            "The keys, without their secrets.",
            JSON,
            record({"brand": text(), "keys": listed({"$ref": "#/components/schemas/Key"})}),
            {"brand": "abc", "keys": [_A_KEY]},
        ),
    ),
)
ADD = Operation(
    "POST",
    "/v1/keys",
    "addKey",
    "Make a key.",
    GROUP,
    "admin",
    bodies=(
        Body(
            JSON,
            {"$ref": "#/components/schemas/NewKey"},
            {
                "secret": {"scopes": ["write"], "label": "the site's server"},
                "public": {"kind": "public", "label": "the site's pages"},
                "signing": {"kind": "signing", "label": "the site's server"},
            },
        ),
    ),
    answers=(_MADE, _WRONG),
)
REVOKE = Operation(
    "DELETE",
    "/v1/keys/{id}",
    "revokeKey",
    "Revoke a key at once.",
    GROUP,
    "admin",
    parameters=(_ID,),
    answers=(
        Answer(
            HTTPStatus.OK,
            "It works no more.",
            JSON,
            record({"revoked": {"$ref": "#/components/schemas/Key"}}),
            {"revoked": _A_KEY},
        ),
        _WRONG,
        _UNKNOWN,
    ),
)
ROTATE = Operation(
    "POST",
    "/v1/keys/{id}/rotate",
    "rotateKey",
    "Make a key's successor; the old one works for a while.",
    GROUP,
    "admin",
    parameters=(_ID,),
    bodies=(
        Body(
            JSON,
            {
                **record(
                    {"graceSeconds": whole(0, 31_536_000, "how long the old one works; a day unless given")},
                    required=(),
                ),
                "additionalProperties": False,
            },
            {"an hour": {"graceSeconds": 3_600}},
        ),
    ),
    answers=(_MADE, _WRONG, _UNKNOWN),
    body_may_be_absent=True,
)
TOKEN = Operation(
    "POST",
    "/v1/tokens",
    "addToken",
    "Make a short-lived token for a brand's pages.",
    GROUP,
    "write",
    more="For servers that do not make their own: a token is a JSON Web Token (HS256), signed with the brand's newest "
    "signing key. It goes into `data-token` of the tracker, or into `?token=`.",
    parameters=(SIGNATURE,),
    bodies=(
        Body(
            JSON,
            {
                **record(
                    {
                        "expiresInSeconds": whole(1, LIFE_S_MAX, f"{LIFE_S_DEFAULT} unless given"),
                        "origin": text("the only pages it works on, such as `https://www.example.com`"),
                    },
                    required=(),
                ),
                "additionalProperties": False,
            },
            {"a quarter of an hour": {"expiresInSeconds": 900, "origin": "https://www.example.com"}},
        ),
    ),
    answers=(
        Answer(
            HTTPStatus.CREATED,
            "The token.",
            JSON,
            record({"token": text(), "expires": text()}),
            {"token": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJicmFuZCI6…", "expires": "2026-11-15T14:45Z"},
        ),
        problem(
            HTTPStatus.BAD_REQUEST,
            "A field is unknown or has a value that it may not have, or the brand has no signing key.",
            field_name="brand",
        ),
        UNPROVEN,
    ),
    body_may_be_absent=True,
)
AN_ACT = {
    "at": "2026-11-15T14:30:12.345Z",
    "by": "3k7mqz2v9xw4t6ra",
    "act": "key-revoked",
    "subject": "q7m2v9xw4t6ra3kz",
    "details": {"kind": "secret", "label": "the old server"},
}
ACT = record(
    {
        "at": text(),
        "by": text("the id of a key, a person's name and id, `command line`, or `no key` for an open brand"),
        "act": text(),
        "subject": text(),
        "details": {"type": "object"},
    }
)
AUDIT = Operation(
    "GET",
    "/v1/audit",
    "audit",
    "Who did what with a brand and when, the newest first.",
    GROUP,
    "admin",
    more="Brands and keys that were changed, re-counts, replays, counters and assets that were deleted, assets that "
    "were pinned or hidden. Nothing can be changed in it; it is kept for `audit_keep_days`.",
    parameters=(
        Parameter("limit", "How many at most; 100 unless given.", whole(1, 1_000)),
        Parameter("after", "Where the answer before ended, as it says itself.", text(bytes_max=64)),
    ),
    answers=(
        Answer(
            HTTPStatus.OK,
            "A page of the trail; `after` is there when there are older ones.",
            JSON,
            record(
                {
                    "brand": text(),
                    "items": listed(ACT),
                    "after": text(),
                },
                required=("brand", "items"),
            ),
            {"brand": "abc", "items": [AN_ACT]},
        ),
        problem(HTTPStatus.BAD_REQUEST, "`limit` or `after` cannot be.", field_name="limit"),
    ),
)

OPERATIONS = (RULES, CHANGE, KEYS, ADD, REVOKE, ROTATE, TOKEN, AUDIT)
SCHEMAS = {"Brand": BRAND, "BrandChanges": CHANGES, "Key": KEY, "NewKey": NEW_KEY}
