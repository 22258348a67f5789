"""Signed events and tokens on a running instance: forged, replayed and stale ones are refused and counted."""

import gzip
import itertools
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from footfall.app import control_socket, wiring
from footfall.app.settings import Settings
from footfall.client import Footfall, page_token
from footfall.client.signing import signature_header
from footfall.values.clock import SystemClock
from tests.scenarios.instance import Answer, Instance, Starter, footfall, until

HIT = {"assetId": "7", "sectionId": 1, "resourceType": "article", "paidType": "free"}
BODY = json.dumps([HIT, HIT]).encode()
PAGE = "https://www.example.com"
READER = {"User-Agent": "Mozilla/5.0 (X11; rv:132.0) Gecko/20100101 Firefox/132.0"}
numbers = itertools.count(1)


@dataclass(slots=True)
class House:
    """An instance with a brand that asks for all there is."""

    starter: Starter
    instance: Instance
    brand: str
    public: str
    secret: str
    admin: str
    signing: str

    def told(self, do: str, **more: Any) -> Any:
        return control_socket.ask(self.instance.data, {"do": do, "brand": self.brand, **more}, lambda _share: None)

    def signed(self, body: bytes = BODY, *, ago_s: int = 0, key: str = "", nonce: str = "") -> dict[str, str]:
        at_s = int(time.time()) - ago_s
        signature = signature_header(key or self.signing, body, at_s=at_s, nonce=nonce)
        return {"Authorization": f"Bearer {self.secret}", "Footfall-Signature": signature}

    def send(
        self, headers: Mapping[str, str], body: bytes = BODY, target: str = "/v1/hits", method: str = "POST"
    ) -> Answer:
        return self.instance.call(method, target, body, headers)

    def counted(self) -> int:
        def book() -> dict[str, Any]:
            return self.instance.call("GET", "/v1/ledger", headers={"Authorization": f"Bearer {self.admin}"}).json()

        return until(book, lambda it: it["inFlight"] == 0, seconds=15)["counted"]

    def gauge(self, why: str) -> int:
        lines = self.instance.get("/metrics").body.decode().splitlines()
        found = [
            line
            for line in lines
            if line.startswith("footfall_brand_unproven_requests_total") and why in line and self.brand in line
        ]
        return sum(int(float(line.rpartition(" ")[2])) for line in found if 'outcome="refused"' in line)


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starter]:
    starter = Starter(tmp_path_factory.mktemp("signing"))
    yield starter
    starter.end_all()


@pytest.fixture(scope="module")
def shared(starter: Starter) -> Instance:
    return starter.start(starter.folder / "data", "--brand", "open", dev=False)


@pytest.fixture
def house(starter: Starter, shared: Instance) -> House:
    """Return a brand of the test's own on the instance that all tests share."""
    return house_on(starter, shared)


@pytest.fixture
def own_house(tmp_path: Path) -> Iterator[House]:
    """Return an instance that the test may end."""
    starter = Starter(tmp_path)
    yield house_on(starter, starter.start(tmp_path / "data", "--brand", "open", dev=False))
    starter.end_all()


def house_on(starter: Starter, instance: Instance) -> House:
    house = House(starter, instance, f"abc{next(numbers)}", "", "", "", "")
    added = house.told("brands-add")
    house.public, house.secret = added["publicKey"], added["secretKey"]
    house.admin = house.told("keys-add", kind="secret", scopes=["admin"])["key"]
    house.signing = house.told("keys-add", kind="signing", label="newsroom")["key"]
    house.told("brands-change", changes={"requireSignature": True, "requireToken": True})
    return house


def refused(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.json().get("field", "")


def test_only_what_was_signed_just_now_and_never_before_is_counted(house: House) -> None:
    signature = (401, "Footfall-Signature")
    good = house.signed()
    assert house.send(good).status == 202
    again = house.send(good)
    assert refused(again) == signature
    assert "was used before" in again.json()["detail"]
    assert again.headers["www-authenticate"] == "Footfall-Signature"
    assert refused(house.send({"Authorization": f"Bearer {house.secret}"})) == signature
    assert refused(house.send(house.signed(), BODY + b" ")) == signature
    assert refused(house.send(house.signed(key="ffsig_guess"))) == signature
    assert refused(house.send(house.signed(ago_s=400))) == signature
    assert refused(house.send(house.signed(ago_s=-400))) == signature
    assert refused(house.send({**house.signed(), "Footfall-Signature": "t=1"})) == signature
    whys = {"missing": 1, "forged": 2, "stale": 2, "malformed": 1, "replayed": 1}
    assert {why: house.gauge(f"signature-{why}") for why in whys} == whys
    assert house.counted() == 2


def test_a_replay_is_refused_by_the_next_process_too_and_a_retry_counts_once(own_house: House) -> None:
    plain, with_key = own_house.signed(), {**own_house.signed(), "Idempotency-Key": "batch-1"}
    assert [own_house.send(one).status for one in (plain, with_key)] == [202, 202]
    own_house.instance.kill()
    own_house.instance = own_house.starter.start(own_house.instance.data, "--brand", "open", dev=False)
    assert own_house.send(plain).status == 401
    retried = own_house.send(with_key)
    assert (retried.status, retried.json()) == (202, {"accepted": 2, "duplicates": 2})
    assert own_house.send({**with_key, "Idempotency-Key": "batch-2"}).status == 401
    anew = {**own_house.signed(), "Idempotency-Key": "batch-1"}
    assert own_house.send(anew).json() == {"accepted": 2, "duplicates": 2}
    assert own_house.counted() == 4


def test_the_bytes_that_travel_are_signed_on_every_route(house: House) -> None:
    packed = gzip.compress(BODY)
    assert house.send({**house.signed(packed), "Content-Encoding": "gzip"}, packed).status == 202
    assert house.send({**house.signed(), "Content-Encoding": "gzip"}, packed).status == 401
    pages = json.dumps([{**HIT, "hits": 5}]).encode()
    assert house.send(house.signed(pages), pages, "/v1/pagehits").status == 202
    one = json.dumps(HIT).encode()
    assert house.send(house.signed(one), one).status == 202
    bare = {"Authorization": f"Bearer {house.secret}"}
    for target in ("/v1/hits", "/v1/pagehits", "/v1/uniques/readers", "/hyperloglog/readers"):
        assert refused(house.send(bare, pages, target)) == (401, "Footfall-Signature"), target
    values = b'["a", "b"]'
    assert house.send(house.signed(values), values, "/v1/uniques/readers").status == 202
    assert house.send(bare, b"", "/v1/uniques/readers", "DELETE").status == 401
    assert house.send(house.signed(b""), b"", "/v1/uniques/readers", "DELETE").status == 202
    assert house.counted() == 2 + 5 + 1


def test_pages_need_a_fresh_token_of_their_own(house: House) -> None:
    hit = json.dumps(HIT).encode()

    def sent(token: str, *, origin: str = PAGE) -> tuple[int, str]:
        target = f"/v1/hits?key={house.public}" + (f"&token={token}" if token else "")
        answer = house.send({"Origin": origin, **READER}, hit, target)
        assert answer.headers["access-control-allow-origin"] == "*"
        return refused(answer)

    token = page_token(house.signing, house.brand, origin=PAGE)
    assert sent(token) == (202, "")
    assert sent(token) == (202, "")
    for wrong in (
        "",
        "x",
        page_token("ffsig_guess", house.brand),
        page_token(house.signing, house.brand, seconds=-400),
    ):
        assert sent(wrong) == (401, "token")
    assert sent(token, origin="https://other.example") == (401, "token")
    assert sent(f"{token}&token={token}") == (401, "token")
    assert sent(page_token(house.signing, "xyz")) == (401, "token")
    pixel = f"/v1/pixel.gif?key={house.public}&asset=7"
    tokened = f"{pixel}&token={page_token(house.signing, house.brand)}"
    assert house.instance.call("GET", tokened, headers=READER).status == 200
    bare = house.instance.get(pixel)
    assert (bare.status, bare.headers["content-type"]) == (401, "image/gif")
    assert "token" in bare.headers["footfall-problem"]
    value = house.send(
        {}, b'"a"', f"/v1/uniques/readers?key={house.public}&token={quote(page_token(house.signing, house.brand))}"
    )
    assert value.status == 202
    assert house.send({}, b'"a"', f"/v1/uniques/readers?key={house.public}").status == 401
    assert house.gauge("token-missing") == 3
    assert house.counted() == 3


def test_the_server_makes_tokens_for_those_who_sign_and_for_no_page(house: House) -> None:
    asked = b'{"expiresInSeconds": 60, "origin": "https://www.example.com"}'
    made = house.send(house.signed(asked), asked, "/v1/tokens")
    assert made.status == 201
    hit, target = json.dumps(HIT).encode(), f"/v1/hits?key={house.public}&token={made.json()['token']}"
    assert house.send({"Origin": PAGE}, hit, target).status == 202
    assert house.send({"Authorization": f"Bearer {house.secret}"}, asked, "/v1/tokens").status == 401
    assert house.send({}, b"", f"/v1/tokens?key={house.public}").status == 403
    for wrong in (b'{"expiresInSeconds": 0}', b'{"expiresInSeconds": 86401}', b'{"origin": 7}', b'{"visitor": "m"}'):
        assert house.send(house.signed(wrong), wrong, "/v1/tokens").status == 400
    assert house.send(house.signed(b'{"origin": "example"}'), b'{"origin": "example"}', "/v1/tokens").status == 400


def test_the_command_and_the_client_sign(house: House, tmp_path: Path) -> None:
    secret, signing = tmp_path / "secret.key", tmp_path / "signing.key"
    secret.write_text(house.secret)
    signing.write_text(house.signing)
    command = ["send", "--url", house.instance.url, "--asset", "7", "--secret-file", str(secret)]
    run = footfall(*command, "--sign", str(signing))
    assert (run.returncode, run.stdout) == (0, "1 accepted, 0 refused\n"), run.stderr
    run = footfall(*command)
    assert run.returncode != 0
    assert "Footfall-Signature" in run.stderr
    assert "--secret-file" in footfall("send", "--asset", "7", "--brand", "xyz", "--sign", str(signing)).stderr
    values = ["uniques", "add", "readers", "a", "b", "--url", house.instance.url, "--secret-file", str(secret)]
    run = footfall(*values, "--sign", str(signing))
    assert (run.returncode, run.stdout) == (0, "2 accepted, 0 refused\n"), run.stderr
    with Footfall(house.instance.url, key=house.secret, signing_key=house.signing) as client:
        for number in range(700):
            client.hit(number)
        assert client.flush()
        assert (client.counts().sent, client.counts().refused) == (700, 0)
    assert house.counted() == 701


def test_signing_keys_are_made_listed_rotated_and_revoked_like_others(house: House) -> None:
    admin = {"Authorization": f"Bearer {house.admin}"}
    made = house.send(admin, b'{"kind": "signing", "label": "second"}', "/v1/keys")
    assert (made.status, made.json()["kind"], made.json()["scopes"]) == (201, "signing", ["sign"])
    second = made.json()["key"]
    assert second.startswith("ffsig_")
    assert house.send(house.signed(key=second)).status == 202
    listed = house.instance.call("GET", "/v1/keys", headers=admin)
    assert second.rpartition("_")[2] not in listed.body.decode()
    rotated = house.send(admin, b'{"graceSeconds": 0}', f"/v1/keys/{made.json()['id']}/rotate").json()["key"]
    assert house.send(house.signed(key=second)).status == 401
    assert house.send(house.signed(key=rotated)).status == 202
    gone = house.instance.call("DELETE", f"/v1/keys/{rotated.split('_')[1]}", headers=admin)
    assert gone.status == 200
    assert house.send(house.signed(key=rotated)).status == 401
    for _ in range(4):
        assert house.send(admin, b'{"kind": "signing"}', "/v1/keys").status == 201
    assert house.send(admin, b'{"kind": "signing"}', "/v1/keys").status == 400
    assert house.send({"Authorization": f"Bearer {house.signing}"}).status == 401


def test_a_brand_asks_for_proofs_only_when_it_has_a_key_that_makes_them(house: House) -> None:
    control_socket.ask(house.instance.data, {"do": "brands-add", "brand": "xyz"}, lambda _share: None)
    data = str(house.instance.data)
    run = footfall("brands", "change", "xyz", "--data", data, "--require-signature", "yes")
    assert run.returncode != 0
    assert "keys add --signing" in run.stderr
    assert footfall("keys", "add", "--data", data, "--brand", "xyz", "--signing").stdout.startswith("ffsig_")
    run = footfall("brands", "change", "xyz", "--data", data, "--require-signature", "yes", "--require-token", "no")
    assert "must sign" in run.stdout
    admin = {"Authorization": f"Bearer {house.admin}"}
    changed = house.send(admin, b'{"requireSignature": false}', "/v1/brand", "PATCH")
    assert (changed.status, changed.json()["requireSignature"], changed.json()["requireToken"]) == (200, False, True)
    assert house.send({"Authorization": f"Bearer {house.secret}"}).status == 202


def test_counts_of_what_was_refused_are_kept_when_the_instance_ends(own_house: House) -> None:
    assert own_house.send(own_house.signed(key="ffsig_guess")).status == 401
    own_house.instance.terminate()
    clock = SystemClock()
    with closing(
        wiring.open_accounts(Settings(data_dir=str(own_house.instance.data)), clock, read_only=True)
    ) as opened:
        now_ms = clock.now_ms()
        counts = opened.register.unproven(own_house.brand, from_ms=now_ms - 86_400_000, to_ms=now_ms)
    assert {(line.why, line.outcome): count for line, count in counts.items()} == {("signature-forged", "refused"): 1}
