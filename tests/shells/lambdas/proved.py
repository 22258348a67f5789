"""Requests that prove themselves, rightly and wrongly, with the status that each is to get on either ground."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from footfall.client.signing import page_token, signature_header
from footfall.screening.features import FeatureNote
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.verdicts import State, Verdict

NOTE = FeatureNote("agents", 3.0, 1.5, "low", 0.9)
VERDICT = Verdict(
    SubjectKind.ASSET, "1", 4_070_908_800_000, 4_070_912_400_000, Cause.FEW_AGENTS, State.HELD, 1_794_744_000_000,
    score=2.5, words="few kinds of agent", notes=(NOTE,), changed_at_ms=1_794_744_000_000,
)  # fmt: skip
RECOUNTED = {"from": "2099-01-01T00:00Z", "to": "2099-01-01T01:00Z"}
BODY, VALUES, PAGES = b'[{"assetId": "a"}]', b'["a"]', b'[{"assetId":"a","hits":2}]'

Request = tuple[str, str, int, Mapping[str, str], bytes]  # method, target, status, headers, body


@dataclass(frozen=True, slots=True)
class Proving:
    """Keys of the brand `asking`, which asks for all proofs, and a secret key of another."""

    signing: str
    secret: str
    public: str
    admin: str
    others: str

    def signed(self, body: bytes, *, ago_s: int = 0, key: str = "") -> dict[str, str]:
        """Return the headers of a signed request."""
        at_s = time.time_ns() // 1_000_000_000 - ago_s
        return {**bearer(self.secret), "footfall-signature": signature_header(key or self.signing, body, at_s=at_s)}


def proved(keys: Proving) -> list[Request]:
    """Return all of them, in their order: some are replays of others."""
    return [*_signed(keys), *_tokened(keys), *_audited(keys)]


def _signed(keys: Proving) -> list[Request]:
    once, batch = keys.signed(BODY), {**keys.signed(BODY), "idempotency-key": "one"}
    nobodys = {"footfall-signature": once["footfall-signature"]}
    return [
        ("POST", "/v1/hits", 202, once, BODY),
        ("POST", "/v1/hits", 401, once, BODY),
        ("POST", "/v1/hits", 202, batch, BODY),
        ("POST", "/v1/hits", 401, {**batch, "idempotency-key": "two"}, BODY),
        ("POST", "/v1/hits", 401, bearer(keys.secret), BODY),
        ("POST", "/v1/hits", 401, keys.signed(BODY, key="ffsig_guess"), BODY),
        ("POST", "/v1/hits", 401, keys.signed(BODY, ago_s=100_000), BODY),
        ("POST", "/v1/hits", 401, {**bearer(keys.secret), "footfall-signature": "v1"}, BODY),
        ("POST", "/v1/hits", 401, nobodys, b'[{"brand": "open", "assetId": "a"}]'),
        ("POST", "/v1/pagehits", 202, keys.signed(PAGES), PAGES),
        ("POST", "/v1/uniques/own", 202, keys.signed(VALUES), VALUES),
        ("POST", "/v1/uniques/own", 401, bearer(keys.secret), VALUES),
        ("POST", "/v1/tokens", 401, bearer(keys.secret), b""),
        ("POST", "/v1/tokens", 400, bearer(keys.others), b""),
        ("POST", "/v1/tokens", 400, keys.signed(b'{"expiresInSeconds":0}'), b'{"expiresInSeconds":0}'),
        ("POST", f"/v1/tokens?key={keys.public}", 403, {}, b""),
    ]


def _tokened(keys: Proving) -> list[Request]:
    public, token = f"key={keys.public}", page_token(keys.signing, "asking")
    return [
        ("POST", f"/v1/hits?{public}&token={token}", 202, {}, BODY),
        ("POST", f"/v1/hits?{public}", 401, {}, BODY),
        ("POST", f"/v1/hits?{public}&token=a.b.c", 401, {}, BODY),
        ("POST", f"/v1/hits?{public}&token={page_token('ffsig_guess', 'asking')}", 401, {}, BODY),
        ("GET", f"/v1/pixel.gif?asset=1&{public}&token={token}", 200, {}, b""),
        ("GET", f"/v1/pixel.gif?asset=1&{public}", 401, {}, b""),
        ("POST", f"/v1/uniques/own?{public}&token={token}", 202, {}, VALUES),
    ]


def _audited(keys: Proving) -> list[Request]:
    return [
        ("GET", "/v1/audit", 200, bearer(keys.admin), b""),
        ("GET", "/v1/audit?limit=2", 200, bearer(keys.admin), b""),
        ("GET", "/v1/audit?limit=x", 400, bearer(keys.admin), b""),
        ("GET", "/v1/audit?after=x", 400, bearer(keys.admin), b""),
        ("GET", "/v1/audit", 403, bearer(keys.others), b""),
        ("GET", "/v1/rules", 200, bearer(keys.admin), b""),
        ("GET", "/v1/rules", 403, bearer(keys.others), b""),
        ("GET", "/v1/rules?brand=open", 401, {}, b""),
        ("GET", "/v1/rules?x=1", 400, bearer(keys.admin), b""),
        ("PUT", "/v1/rules", 400, bearer(keys.admin), b'{"addresses": ["203.0.113.1/24"]}'),
        ("PUT", "/v1/rules", 400, bearer(keys.admin), b'{"countries": ["FI"]}'),
        ("PUT", "/v1/rules", 400, bearer(keys.admin), b""),
        ("GET", "/v1/audit?brand=open", 401, {}, b""),
        *_judged(keys),
    ]


def _judged(keys: Proving) -> list[Request]:
    admin, others, one = bearer(keys.admin), bearer(keys.others), f"/v1/screening/verdicts/{VERDICT.id}"
    return [
        ("GET", "/v1/screening/verdicts", 200, admin, b""),
        ("GET", "/v1/screening/verdicts?state=settled&limit=1", 200, admin, b""),
        ("GET", "/v1/screening/verdicts?state=held&kind=asset&cause=few-agents", 200, admin, b""),
        ("GET", "/v1/screening/verdicts?state=found", 200, admin, b""),
        ("GET", "/v1/screening/verdicts?state=x", 400, admin, b""),
        ("GET", "/v1/screening/verdicts?cause=x", 400, admin, b""),
        ("POST", "/v1/screening/verdicts", 200, admin, b'{"decision": "release", "ids": ["1"]}'),
        ("POST", "/v1/screening/verdicts", 400, admin, b'{"decision": "release", "ids": []}'),
        ("POST", "/v1/screening/verdicts", 400, admin, b'{"decision": "release", "all": true}'),
        ("POST", "/v1/screening/verdicts", 403, others, b'{"decision": "release", "ids": ["1"]}'),
        ("GET", "/v1/screening/verdicts?after=x", 400, admin, b""),
        ("GET", "/v1/screening/verdicts?x=1", 400, admin, b""),
        ("GET", "/v1/screening/verdicts", 403, others, b""),
        ("GET", one, 200, admin, b""),
        ("GET", "/v1/screening/verdicts/1", 404, admin, b""),
        ("POST", one, 400, admin, b'{"decision": "perhaps"}'),
        ("POST", one, 400, admin, b'{"state": "held"}'),
        ("POST", one, 403, others, b'{"decision": "release"}'),
        ("POST", "/v1/screening/verdicts/1", 404, admin, b'{"decision": "release"}'),
        ("GET", "/v1/screening/try", 200, admin, b""),
        ("POST", "/v1/screening/try", 400, admin, b'{"rules": {"repeatsMax": -1}}'),
        ("POST", "/v1/screening/try", 403, others, b"{}"),
    ]


def bearer(key: str) -> dict[str, str]:
    """Return the header that carries a key."""
    return {"authorization": f"Bearer {key}"}


def decision(call: Callable[..., Any], key: str) -> dict[str, Any]:
    """Return the answer to a decision, without the moment of it."""
    answer = call("POST", f"/v1/screening/verdicts/{VERDICT.id}", b'{"decision": "confirm"}', bearer(key))
    told = json.loads(answer.body)
    assert (answer.status, told["label"], told["recount"]) == (200, "blocked", RECOUNTED), told
    return {name: value for name, value in told.items() if name != "changedAt"}


def acts(page: bytes) -> list[tuple[str, str]]:
    """Return what was done to what, as a page of the audit trail says."""
    return [(one["act"], one["subject"]) for one in json.loads(page)["items"]]
