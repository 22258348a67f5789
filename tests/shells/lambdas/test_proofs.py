"""Signed requests to functions: what one has taken no other takes, and what each refused is counted together."""

import json
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from random import Random

import pytest

from footfall.accounts.brands import Brand
from footfall.accounts.proof_counts import REFUSED
from footfall.accounts.register import Register
from footfall.app import wiring
from footfall.client.signing import signature_header
from footfall.values.clock import SetClock, SystemClock
from tests.engines.dynamodb import VARIABLES, DynamoDbEngine
from tests.engines.kinesis import KinesisEngine
from tests.shells.lambdas.api import place_on
from tests.shells.lambdas.sites import Staged, staged

BODY = b'[{"assetId": "7"}]'


@dataclass(slots=True)
class Two:
    """Two functions on one ground, and the keys of a brand that asks servers to sign."""

    left: Staged
    right: Staged
    clock: SetClock
    register: Register
    secret: str
    signing: str

    def send(self, to: Staged, signature: str, key: str = "") -> int:
        headers = {"authorization": f"Bearer {self.secret}", "footfall-signature": signature}
        if key:
            headers["idempotency-key"] = key
        return to.call("POST", "/v1/hits", BODY, headers).status


@pytest.fixture
def two(dynamodb: DynamoDbEngine, kinesis: KinesisEngine, monkeypatch: pytest.MonkeyPatch) -> Generator[Two]:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    settings, clock = place_on(dynamodb, kinesis, brands={}).settings, SetClock(SystemClock().now_ms())
    with closing(wiring.open_accounts(settings, clock)) as opened:
        register = Register(opened.table, clock=clock, random_bytes=Random(3).randbytes)
        register.add(Brand("abc"), zone_in_use=None)
        secret, signing = register.add_secret_key("abc", ["write"]).text, register.add_signing_key("abc").text
        register.change(Brand("abc", requires_signature=True))
        with staged(settings, clock) as left, staged(settings, clock) as right:
            yield Two(left, right, clock, register, secret, signing)


def test_a_nonce_that_one_function_took_is_refused_by_the_other_unless_its_key_says_that_it_is_a_retry(
    two: Two,
) -> None:
    at_s = two.clock.now_ms() // 1_000
    once, batch = (signature_header(two.signing, BODY, at_s=at_s) for _ in range(2))
    assert [two.send(one, once) for one in (two.left, two.right, two.left)] == [202, 401, 401]
    assert [two.send(one, batch, "key") for one in (two.left, two.right)] == [202, 202]
    assert two.send(two.right, batch, "other") == 401
    two.clock.set(two.clock.now_ms() + 301_000)
    assert two.send(two.right, once) == 401


def test_what_functions_refused_is_counted_together_and_told_in_the_log(
    two: Two, capsys: pytest.CaptureFixture[str]
) -> None:
    assert two.send(two.left, "nonsense") == 401
    for one in (two.left, two.right):
        assert two.send(one, signature_header("ffsig_guess", BODY, at_s=two.clock.now_ms() // 1_000)) == 401
        one.site.desk.store_counts()
        one.site.desk.store_counts()
    now_ms = two.clock.now_ms()
    counts = two.register.unproven("abc", from_ms=now_ms, to_ms=now_ms)
    assert {(line.why, line.outcome): count for line, count in counts.items()} == {
        ("signature-malformed", REFUSED): 1,
        ("signature-forged", REFUSED): 2,
    }
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines() if "UnprovenRequests" in line]
    assert [one["UnprovenRequests"] for one in told] == [2, 1]
