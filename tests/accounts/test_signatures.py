"""Signatures: what is signed, what a header may look like, and which of them are believed."""

import hashlib
import hmac
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.accounts.signatures import (
    SKEW_MS,
    Signature,
    header_of,
    require_timely,
    signature_from_header,
    signer_of,
)
from footfall.accounts.unproven import Unproven, Why
from footfall.client.signing import signature_header

KEY, OTHER = "ffsig_abc_secret", "ffsig_def_other"
AT_S, NONCE, BODY = 1_794_753_000, "n" * 16, b'[{"assetId":"7"}]'
MAC = "0" * 64


def test_a_signature_is_what_any_library_makes_of_moment_nonce_and_body() -> None:
    mac = hmac.new(KEY.encode(), f"{AT_S}.{NONCE}.".encode() + BODY, hashlib.sha256).hexdigest()
    assert header_of([KEY], BODY, at_s=AT_S, nonce=NONCE) == f"t={AT_S},n={NONCE},v1={mac}"


@given(st.binary(max_size=2_000))
def test_the_clients_signatures_are_the_servers(body: bytes) -> None:
    assert signature_header(KEY, body, at_s=AT_S, nonce=NONCE) == header_of([KEY], body, at_s=AT_S, nonce=NONCE)
    signature = signature_from_header(signature_header(KEY, body, at_s=AT_S))
    assert signer_of(signature, [OTHER, KEY], body) == 1


def test_the_client_never_makes_the_same_nonce_twice() -> None:
    nonces = {signature_from_header(signature_header(KEY, BODY, at_s=AT_S)).nonce for _ in range(100)}
    assert len(nonces) == 100


def test_one_of_several_signatures_is_enough_while_keys_are_changed() -> None:
    signature = signature_from_header(header_of([OTHER, KEY], BODY, at_s=AT_S, nonce=NONCE))
    assert len(signature.macs) == 2
    assert signer_of(signature, [KEY], BODY) == 0


@pytest.mark.parametrize("changed", ["body", "moment", "nonce", "key"])
def test_whatever_is_changed_is_not_signed(changed: str) -> None:
    signature = signature_from_header(header_of([KEY], BODY, at_s=AT_S, nonce=NONCE))
    body = BODY + b" " if changed == "body" else BODY
    at_s = AT_S + 1 if changed == "moment" else AT_S
    nonce = "m" * 16 if changed == "nonce" else NONCE
    secrets = [OTHER] if changed == "key" else [KEY]
    assert signer_of(Signature(at_s, nonce, signature.macs), secrets, body) is None


def test_what_later_versions_add_to_the_header_is_left_aside() -> None:
    signature = signature_from_header(f" t={AT_S} , n={NONCE}, v2=x=y, v1={MAC}".replace(" ,", ","))
    assert signature == Signature(AT_S, NONCE, (MAC,))


@pytest.mark.parametrize(
    "text",
    [
        "nothing",
        f"t={AT_S},n={NONCE}",
        f"t={AT_S},v1={MAC}",
        f"n={NONCE},v1={MAC}",
        f"t={AT_S},t={AT_S},n={NONCE},v1={MAC}",
        f"t={AT_S},n={NONCE},n={NONCE},v1={MAC}",
        f"t=-1,n={NONCE},v1={MAC}",
        f"t=1.5,n={NONCE},v1={MAC}",
        f"t=\u0661,n={NONCE},v1={MAC}",
        f"t={AT_S},n=short,v1={MAC}",
        f"t={AT_S},n={'n' * 65},v1={MAC}",
        f"t={AT_S},n={NONCE}#,v1={MAC}",
        f"t={AT_S},n={NONCE},v1={MAC.upper().replace('0', 'A')}",
        f"t={AT_S},n={NONCE},v1={MAC[1:]}",
        f"t={AT_S},n={NONCE}," + ",".join([f"v1={MAC}"] * 6),
        "x" * 1_001,
    ],
)
def test_a_header_that_cannot_be_is_told_how_it_looks(text: str) -> None:
    with pytest.raises(Unproven) as caught:
        signature_from_header(text)
    assert caught.value.why is Why.SIGNATURE_MALFORMED
    assert caught.value.field == "Footfall-Signature"


@given(st.text(max_size=300))
def test_no_header_makes_anything_but_a_signature_or_a_refusal(text: str) -> None:
    with suppress(Unproven):
        assert signature_from_header(text).macs


@pytest.mark.parametrize(("off_ms", "is_timely"), [(0, True), (SKEW_MS, True), (-SKEW_MS, True), (SKEW_MS + 1, False)])
@pytest.mark.parametrize("way", [1, -1])
def test_a_signature_is_of_about_now(off_ms: int, is_timely: bool, way: int) -> None:
    signature = Signature(AT_S, NONCE, (MAC,))
    if is_timely:
        require_timely(signature, now_ms=AT_S * 1_000 + way * off_ms)
        return
    with pytest.raises(Unproven, match="300 are allowed") as caught:
        require_timely(signature, now_ms=AT_S * 1_000 + way * off_ms)
    assert caught.value.why is Why.SIGNATURE_STALE
