"""Proofs: what a request has to prove, what is refused, and what is counted of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

import pytest

from footfall.accounts.brands import Brand
from footfall.accounts.keyring import Caller, Keyring, UnknownKey
from footfall.accounts.keys import NewKey
from footfall.accounts.nonces import Nonces
from footfall.accounts.proof_counts import LET_IN, REFUSED
from footfall.accounts.proofs import Proofs, Shown
from footfall.accounts.register import Register
from footfall.accounts.signatures import header_of
from footfall.accounts.tokens import Claims, new_token
from footfall.accounts.unproven import Unproven, Why
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.values.clock import SetClock
from footfall.values.errors import Refused

NOW_MS = 1_794_753_000_000
NOW_S = NOW_MS // 1_000
BODY = b'[{"assetId":"7"}]'
SERVER = Caller("abc", "s", frozenset({"hits", "write"}), is_public=False)
PAGE = Caller("abc", "p", frozenset({"hits"}), is_public=True)
PLAIN, STRICT = Brand("abc"), Brand("abc", requires_signature=True, requires_token=True)


@dataclass(slots=True)
class House:
    """A brand with a signing key, and the judge."""

    clock: SetClock = field(default_factory=lambda: SetClock(NOW_MS))
    keyring: Keyring = field(default_factory=Keyring)
    register: Register = field(init=False)
    proofs: Proofs = field(init=False)
    key: NewKey = field(init=False)
    used: int = 0

    def __post_init__(self) -> None:
        table = SqliteTable(":memory:", clock=self.clock)
        self.register = Register(table, clock=self.clock, random_bytes=Random(7).randbytes)
        self.register.add(Brand("abc"), zone_in_use=None)
        self.key = self.register.add_signing_key("abc")
        self.proofs = Proofs(self.keyring, Nonces(lambda: table), clock=self.clock)
        self.look()

    def look(self) -> None:
        self.keyring.replace("abc", self.register.keys("abc"))

    def signature(self, *keys: str, body: bytes = BODY, nonce: str = "") -> str:
        self.used += 1
        at_s = self.clock.now_ms() // 1_000
        return header_of(keys or (self.key.text,), body, at_s=at_s, nonce=nonce or f"nonce-of-tests-{self.used}")

    def token(self, *, brand: str = "abc", in_s: int = 900, origin: str = "", key: str = "") -> str:
        return new_token(key or self.key.text, Claims(brand, self.clock.now_ms() // 1_000 + in_s, origin))

    def why(self, caller: Caller | None, brand: Brand | None, shown: Shown) -> Why | None:
        try:
            self.proofs.require(caller, brand, shown)
        except Unproven as error:
            return error.why
        return None

    @property
    def counted(self) -> Mapping[tuple[str, str], int]:
        return {(line.why, line.outcome): count for line, count in self.proofs.counts.total.items()}


def test_nobody_has_to_prove_anything_unless_the_brand_asks_for_it() -> None:
    house = House()
    for caller in (SERVER, PAGE):
        assert house.why(caller, PLAIN, Shown(BODY)) is None
    assert house.why(None, None, Shown(BODY)) is None
    assert house.why(SERVER, STRICT, Shown(BODY)) is Why.SIGNATURE_MISSING
    assert house.why(PAGE, STRICT, Shown(BODY)) is Why.TOKEN_MISSING
    assert house.counted == {("signature-missing", REFUSED): 1, ("token-missing", REFUSED): 1}


@pytest.mark.parametrize("brand", [PLAIN, STRICT])
@pytest.mark.parametrize("caller", [SERVER, PAGE])
def test_a_signature_that_is_sent_has_to_be_right(brand: Brand, caller: Caller) -> None:
    house = House()
    good = house.signature()
    assert house.why(caller, brand, Shown(BODY, good)) is None
    assert house.why(caller, brand, Shown(BODY, good)) is Why.SIGNATURE_REPLAYED
    assert house.why(caller, brand, Shown(BODY + b" ", house.signature())) is Why.SIGNATURE_FORGED
    assert house.why(caller, brand, Shown(BODY, house.signature("ffsig_guess"))) is Why.SIGNATURE_FORGED
    assert house.why(caller, brand, Shown(BODY, "v1=00")) is Why.SIGNATURE_MALFORMED
    old = house.signature()
    house.clock.set(NOW_MS + 300_001)
    assert house.why(caller, brand, Shown(BODY, old)) is Why.SIGNATURE_STALE
    assert sum(house.counted.values()) == house.counted["signature-forged", REFUSED] + 3


def test_a_forged_request_does_not_use_up_the_nonce_of_an_honest_one() -> None:
    house = House()
    assert house.why(SERVER, STRICT, Shown(BODY, house.signature("guess", nonce="n" * 20))) is Why.SIGNATURE_FORGED
    assert house.why(SERVER, STRICT, Shown(BODY, house.signature(nonce="n" * 20))) is None


def test_a_replay_is_refused_until_its_signature_is_stale_anyway() -> None:
    house = House()
    house.clock.set(NOW_MS + 300_000)  # The sender's clock is behind by all that is allowed, or ahead.
    ahead = header_of([house.key.text], BODY, at_s=NOW_S + 600, nonce="ahead" * 4)
    assert house.why(SERVER, PLAIN, Shown(BODY, ahead)) is None
    for later_ms in (1, 300_000, 600_000):
        house.clock.set(NOW_MS + 300_000 + later_ms)
        assert house.why(SERVER, PLAIN, Shown(BODY, ahead)) is Why.SIGNATURE_REPLAYED
    house.clock.set(NOW_MS + 900_001)
    assert house.why(SERVER, PLAIN, Shown(BODY, ahead)) is Why.SIGNATURE_STALE


def test_a_retry_with_the_first_ones_idempotency_key_goes_on() -> None:
    house = House()
    signature = house.signature()
    for _ in range(3):
        assert house.why(SERVER, STRICT, Shown(BODY, signature, retry_key="one")) is None
    for other in ("", "two"):
        assert house.why(SERVER, STRICT, Shown(BODY, signature, retry_key=other)) is Why.SIGNATURE_REPLAYED


def test_a_signature_without_a_key_is_nobodys() -> None:
    house = House()
    assert house.why(None, None, Shown(BODY, house.signature())) is Why.SIGNATURE_FORGED
    assert house.counted == {}


def test_both_keys_sign_while_one_replaces_the_other_and_then_only_the_new_one() -> None:
    house = House()
    new = house.register.rotate("abc", house.key.record.id, grace_ms=60_000)
    house.look()
    assert new.text.startswith("ffsig_")
    assert house.why(SERVER, STRICT, Shown(BODY, house.signature())) is None
    assert house.why(SERVER, STRICT, Shown(BODY, house.signature(new.text))) is None
    house.clock.set(NOW_MS + 60_000)
    assert house.why(SERVER, STRICT, Shown(BODY, house.signature())) is Why.SIGNATURE_FORGED
    assert house.why(SERVER, STRICT, Shown(BODY, house.signature(house.key.text, new.text))) is None
    house.register.revoke("abc", new.record.id)
    house.look()
    assert house.why(SERVER, STRICT, Shown(BODY, house.signature(new.text))) is Why.SIGNATURE_FORGED


def test_the_last_use_of_a_signing_key_is_noted() -> None:
    house = House()
    house.keyring.turn_hour(now_ms=NOW_MS)
    assert house.why(SERVER, PLAIN, Shown(BODY, house.signature())) is None
    assert [record.id for record, _ in house.keyring.uses_to_note()] == [house.key.record.id]


def test_a_signing_key_that_is_sent_opens_nothing() -> None:
    house = House()
    for text in (house.key.text, house.key.text.replace("ffsig_", "ffsec_")):
        with pytest.raises(UnknownKey):
            house.keyring.caller(text, now_ms=NOW_MS)


def test_pages_send_with_a_fresh_token_as_often_as_they_like() -> None:
    house = House()
    token = house.token(origin="https://www.example.com")
    for _ in range(3):
        assert house.why(PAGE, STRICT, Shown(BODY, token=token, origin="https://www.example.com")) is None
    assert house.counted == {}


@pytest.mark.parametrize("brand", [PLAIN, STRICT])
def test_a_wrong_token_is_refused_where_one_is_needed_and_counted_everywhere(brand: Brand) -> None:
    house = House()
    page = "https://www.example.com"
    shown = {
        Why.TOKEN_MALFORMED: Shown(BODY, token="abc"),
        Why.TOKEN_FORGED: Shown(BODY, token=house.token(key="guess")),
        Why.TOKEN_ELSEWHERE: Shown(BODY, token=house.token(origin=page), origin="https://other.example"),
        Why.TOKEN_STALE: Shown(BODY, token=house.token(in_s=-301)),
    }
    for why, one in shown.items():
        assert house.why(PAGE, brand, one) is (why if brand.requires_token else None)
    outcome = REFUSED if brand.requires_token else LET_IN
    assert house.counted == {(why.value, outcome): 1 for why in shown}


def test_a_token_of_another_brand_or_for_longer_than_a_day_is_not_taken() -> None:
    house = House()
    assert house.why(PAGE, STRICT, Shown(BODY, token=house.token(brand="xyz"))) is Why.TOKEN_ELSEWHERE
    assert house.why(PAGE, STRICT, Shown(BODY, token=house.token(in_s=86_400))) is None
    assert house.why(PAGE, STRICT, Shown(BODY, token=house.token(in_s=86_701))) is Why.TOKEN_STALE


def test_a_token_found_good_ends_with_its_time_and_with_its_key() -> None:
    house = House()
    token = house.token(in_s=10)
    assert house.why(PAGE, STRICT, Shown(BODY, token=token)) is None
    house.clock.set(NOW_MS + 311_000)
    assert house.why(PAGE, STRICT, Shown(BODY, token=token)) is Why.TOKEN_STALE
    house.clock.set(NOW_MS)
    house.register.revoke("abc", house.key.record.id)
    house.look()
    assert house.why(PAGE, STRICT, Shown(BODY, token=token)) is Why.TOKEN_FORGED


def test_the_server_makes_tokens_with_the_newest_key_that_works() -> None:
    house = House()
    house.clock.set(NOW_MS + 1)
    new = house.register.add_signing_key("abc")
    house.look()
    claims = Claims("abc", NOW_S + 60)
    assert house.proofs.token(claims) == new_token(new.text, claims)
    for one in (house.key, new):
        house.register.revoke("abc", one.record.id)
    house.look()
    with pytest.raises(Refused, match="keys add --signing"):
        house.proofs.token(claims)
