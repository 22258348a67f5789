"""Keys, origins and limits where hits come in: who is let in, as whom, and what the answer says."""

import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from footfall.accounts.brands import Brand, BrandLimits, Brands
from footfall.accounts.keyring import Keyring
from footfall.accounts.keys import NewKey, new_public_key, new_secret_key
from footfall.accounts.limits import Limits, Rate, TooOften
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.collect.accept import Acceptance
from footfall.flow.collect.senders import Salts
from footfall.shells.http.commits import Committer
from footfall.shells.http.door import Door, HitLimits
from footfall.shells.http.hits import HitsRoute, PageHitsRoute
from footfall.shells.http.lane import Exchange
from footfall.shells.http.problems import problem_of
from footfall.shells.http.totals import Totals
from footfall.shells.http.wire import response
from footfall.values.clock import SetClock
from tests.shells.http.clients import NOON_MS, Answer, Client, echo, post, run, served
from tests.shells.http.doorkeepers import NO_LIMITS, doorkeeper

HIT = {"assetId": "1", "sectionId": 5, "resourceType": "article", "paidType": "free"}
LISTED = "https://www.example.com"
LIMITED = Limits(key=Rate(0, 0), address=Rate(per_s=1, burst=2))


def key_of(brand: str, *scopes: str) -> NewKey:
    made = iter((brand + "-").encode() * 20)

    def some_bytes(size: int) -> bytes:
        return bytes(next(made) for _ in range(size))

    if not scopes:
        return new_public_key(brand, label="", now_ms=NOON_MS, random_bytes=some_bytes)
    return new_secret_key(brand, scopes, label="", now_ms=NOON_MS, random_bytes=some_bytes, expires_at_ms=None)


PUBLIC, SECRET, READER = key_of("abc"), key_of("abc", "write"), key_of("abcr", "read")
OF_LISTED, OF_LIMITED = key_of("listed"), key_of("limited", "write")


@dataclass(slots=True)
class House:
    """A door with a few brands behind it."""

    client: Client
    path: Path
    clock: SetClock
    now_s: list[float] = field(default_factory=lambda: [1_000.0])

    async def send(self, sent: Any, *headers: str, target: str = "/v1/hits") -> Answer:
        return await self.client.ask(post(json.dumps(sent).encode(), *headers, target=target))

    def brands(self) -> dict[str, int]:
        """Return how many hits of each brand the stream has."""
        with closing(SqliteStream(self.path, clock=self.clock, read_only=True)) as stream:
            return dict(stream.appended())


@asynccontextmanager
async def house(folder: Path, *, limits: Limits = NO_LIMITS, proxy_secret: bytes = b"") -> AsyncGenerator[House]:
    clock, path, now_s = SetClock(NOON_MS), folder / "stream.db", [1_000.0]
    brands, keyring = Brands({"open": Brand("open")}, any_brand=False), Keyring()
    stored = [
        Brand("abc"),
        Brand("listed", origins=(LISTED,)),
        Brand("limited", limits=BrandLimits(key_per_s=1, key_burst=2)),
    ]
    brands.take_stored(stored, removed=["gone"])
    keyring.replace("abc", [PUBLIC.record, SECRET.record, READER.record])
    keyring.replace("listed", [OF_LISTED.record])
    keyring.replace("limited", [OF_LIMITED.record])
    access = doorkeeper(brands, keyring, clock, limits=limits, seconds=lambda: now_s[0], proxy_secret=proxy_secret)
    async with AsyncExitStack() as stack:
        table = stack.enter_context(closing(SqliteTable(":memory:", clock=clock)))
        acceptance = Acceptance(brands, Salts(table, random_bytes=lambda size: bytes(range(size))), shards=1)
        committer = Committer(lambda: SqliteStream(path, clock=clock), chores=lambda *_: None)
        await committer.start()
        stack.push_async_callback(committer.stop)
        hit_limits = HitLimits(inflated_bytes_max=50_000, batch_hits_max=50, pending_bytes_max=100_000)
        door = Door(acceptance, committer, limits=hit_limits, access=access, clock=clock, totals=Totals())
        routes = {b"/v1/hits": HitsRoute(door), b"/v1/pagehits": PageHitsRoute(door)}
        here = await stack.enter_async_context(served(routes, echo))
        yield House(await here.connect(), path, clock, now_s)


def bearer(key: NewKey) -> str:
    return f"authorization: Bearer {key.text}"


@pytest.mark.parametrize("target", ["/v1/hits", f"/v1/hits?key={PUBLIC.text}", f"/v1/hits?privacy=1&key={PUBLIC.text}"])
@pytest.mark.parametrize("sent", [HIT, [HIT, HIT], {**HIT, "brand": "abc"}, [{**HIT, "brand": "abc"}, HIT]])
def test_the_brand_comes_from_the_key(tmp_path: Path, target: str, sent: Any) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            headers = () if "key=" in target else (bearer(SECRET),)
            answer = await here.send(sent, *headers, target=target)
            count = len(sent) if isinstance(sent, list) else 1
            assert (answer.status, answer.json()["accepted"]) == (202, count)
            assert here.brands() == {"abc": count}

    run(work())


def test_a_retry_of_a_batch_that_names_its_brand_only_here_and_there_counts_once(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            sent = [{**HIT, "brand": "abc"}, HIT, HIT]
            first = await here.send(sent, bearer(SECRET), "idempotency-key: one")
            again = await here.send(sent, bearer(SECRET), "idempotency-key: one")
            assert first.json() == {"accepted": 3, "duplicates": 0}
            assert again.json() == {"accepted": 3, "duplicates": 3}

    run(work())


@pytest.mark.parametrize("brand", ["listed", "open", "gone", "nobody"])
@pytest.mark.parametrize("many", [False, True])
def test_a_brand_in_the_body_that_is_not_the_keys_is_refused(tmp_path: Path, brand: str, many: bool) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            hit = {**HIT, "brand": brand}
            answer = await here.send([hit] if many else hit, bearer(SECRET))
            assert answer.status == 403
            assert answer.json()["detail"] == f"brand: is '{brand}' and the key is not that brand's; leave it out"
            assert here.brands() == {}

    run(work())


def test_hits_of_another_brand_are_refused_one_by_one_beside_those_of_the_keys(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            answer = await here.send([HIT, {**HIT, "brand": "listed"}], bearer(SECRET))
            assert (answer.status, answer.json()["accepted"], answer.json()["refusedCount"]) == (202, 1, 1)
            assert here.brands() == {"abc": 1}

    run(work())


@pytest.mark.parametrize("brand", ["abc", "gone", "nobody"])
@pytest.mark.parametrize("many", [False, True])
def test_without_a_key_a_brand_that_has_keys_is_as_unknown_as_none(tmp_path: Path, brand: str, many: bool) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            hit = {**HIT, "brand": brand}
            answer = await here.send([hit, hit] if many else hit)
            assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
            assert answer.json()["detail"].replace(brand, "NAME").startswith("brand: 'NAME' is not open to everybody")
            assert here.brands() == {}

    run(work())


def test_a_brand_without_keys_stays_open(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            assert (await here.send({**HIT, "brand": "open"})).status == 202
            assert (await here.send(HIT)).status == 401

    run(work())


@pytest.mark.parametrize(
    ("target", "headers", "status"),
    [
        ("/v1/hits", [f"authorization: bearer  {SECRET.text}"], 202),
        ("/v1/hits", [f"authorization: Bearer {SECRET.text}x"], 401),
        ("/v1/hits", ["authorization: Bearer ffsec_"], 401),
        ("/v1/hits", ["authorization: Bearer " + "x" * 5_000], 401),
        ("/v1/hits", ["authorization: Basic YWJjOmRlZg=="], 401),  # Somebody else's: as if there were none.
        ("/v1/hits", [f"authorization: {SECRET.text}"], 401),
        ("/v1/hits", [f"x-api-key: {SECRET.text}"], 401),
        ("/v1/hits", [f"cookie: key={SECRET.text}"], 401),
        (f"/v1/hits?key={SECRET.text}", [], 401),  # A secret has no place in an address.
        (f"/v1/hits?key={PUBLIC.text}&key={PUBLIC.text}", [], 401),
        (f"/v1/hits?key={PUBLIC.text}", [bearer(SECRET)], 401),
        (f"/v1/hits?xkey={PUBLIC.text}", [], 401),
        (f"/v1/hits?KEY={PUBLIC.text}", [], 401),
        (f"/v1/hits?key={PUBLIC.text.replace('_', '%5F')}", [], 202),
        ("/v1/hits?key=", [], 401),
        ("/v1/hits?key=%FF%00", [], 401),
        ("/v1/hits", [bearer(READER)], 403),
        ("/v1/hits", [bearer(PUBLIC)], 202),
    ],
)
def test_a_key_counts_where_it_belongs_and_nowhere_else(
    tmp_path: Path, target: str, headers: list[str], status: int
) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            answer = await here.send(HIT, *headers, target=target)
            assert answer.status == status
            assert SECRET.text not in answer.body.decode()

    run(work())


def test_a_key_of_any_kind_stands_for_the_brand_of_old_senders(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            sent = [{"assetId": 1, "hits": 3, "sectionId": 5, "resourceType": "article", "paidType": "free"}]
            assert (await here.send(sent, target="/v1/pagehits")).status == 401
            assert (await here.send(sent, bearer(SECRET), target="/v1/pagehits?brand=listed")).status == 403
            assert (await here.send(sent, bearer(SECRET), target="/v1/pagehits")).status == 202
            assert here.brands() == {"abc": 3}

    run(work())


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([f"origin: {LISTED}"], 202),
        ([f"referer: {LISTED}/a/page?x=1"], 202),
        (["origin: https://evil.test"], 403),
        ([f"origin: https://evil.test\r\nreferer: {LISTED}/"], 403),
        (["referer: https://evil.test/?https://www.example.com"], 403),
        (["origin: null"], 403),
        ([], 403),
    ],
)
def test_a_public_key_works_on_the_brands_pages_alone(tmp_path: Path, headers: list[str], status: int) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            answer = await here.send(HIT, *headers, target=f"/v1/hits?key={OF_LISTED.text}")
            assert answer.status == status
            echoed = answer.headers.get("access-control-allow-origin")
            assert (echoed, answer.headers.get("vary")) == ((LISTED, "origin") if status == 202 else (None, None))

    run(work())


def test_a_preflight_echoes_listed_origins_alone(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:

            async def asked(target: str, origin: str) -> str | None:
                head = f"OPTIONS {target} HTTP/1.1\r\nhost: x\r\norigin: {origin}\r\n\r\n"
                answer = await here.client.ask(head.encode())
                assert answer.status == 204
                assert "authorization" in answer.headers["access-control-allow-headers"]
                return answer.headers.get("access-control-allow-origin")

            assert await asked("/v1/hits", "https://evil.test") == "*"
            assert await asked(f"/v1/hits?key={PUBLIC.text}", "https://evil.test") == "*"
            assert await asked(f"/v1/hits?key={OF_LISTED.text}", LISTED) == LISTED
            assert await asked(f"/v1/hits?key={OF_LISTED.text}", "https://evil.test") is None
            assert await asked("/v1/hits?key=ffpub_nobody", "https://evil.test") is None

    run(work())


def test_an_address_that_comes_too_often_is_told_when_to_come_again(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path, limits=LIMITED) as here:
            hit, from_one = {**HIT, "brand": "open"}, "x-forwarded-for: 192.0.2.1"
            first = await here.send(hit, from_one)
            assert first.headers["ratelimit-policy"] == '"address";q=2;w=2'
            assert first.headers["ratelimit"] == '"address";r=1;t=1'
            assert (await here.send(hit, from_one)).status == 202
            third = await here.send(hit, from_one)
            assert (third.status, third.headers["retry-after"]) == (429, "1")
            assert third.headers["ratelimit"] == '"address";r=0;t=2'
            assert (await here.send(hit, "x-forwarded-for: 192.0.2.2")).status == 202
            here.now_s[0] += 1.0
            assert (await here.send(hit, from_one)).status == 202
            assert here.brands() == {"open": 4}

    run(work())


def test_guesses_at_keys_are_limited_as_well(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path, limits=LIMITED) as here:
            guess = ("authorization: Bearer ffsec_a_b", "x-forwarded-for: 192.0.2.1")
            assert [(await here.send(HIT, *guess)).status for _ in range(3)] == [401, 401, 429]

    run(work())


def test_an_ipv6_network_is_one_address_and_a_mapped_ipv4_one_is_itself(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path, limits=LIMITED) as here:
            hit = {**HIT, "brand": "open"}

            async def status(address: str) -> int:
                return (await here.send(hit, f"x-forwarded-for: {address}")).status

            assert [await status(f"2001:db8:0:1::{number}") for number in range(3)] == [202, 202, 429]
            assert await status("2001:db8:0:2::1") == 202
            assert [await status(one) for one in ("::ffff:192.0.2.9", "192.0.2.9", "192.0.2.9")] == [202, 202, 429]

    run(work())


def test_a_proxy_that_forwards_no_address_is_not_limited_for_everybody_behind_it(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path, limits=LIMITED) as here:
            answers = [await here.send({**HIT, "brand": "open"}) for _ in range(5)]
            assert [(one.status, "ratelimit" in one.headers) for one in answers] == [(202, False)] * 5

    run(work())


def test_a_secret_key_is_limited_by_itself_and_not_by_its_address(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path, limits=LIMITED) as here:
            from_one = "x-forwarded-for: 192.0.2.1"
            assert [(await here.send(HIT, bearer(SECRET), from_one)).status for _ in range(4)] == [202] * 4
            answers = [await here.send(HIT, bearer(OF_LIMITED), from_one) for _ in range(3)]
            assert [one.status for one in answers] == [202, 202, 429]
            assert answers[0].headers["ratelimit-policy"] == '"key";q=2;w=2'
            on_pages = [await here.send(HIT, from_one, target=f"/v1/hits?key={PUBLIC.text}") for _ in range(3)]
            assert [one.status for one in on_pages] == [202, 202, 429]

    run(work())


def test_a_question_that_has_to_be_worked_on_counts_against_its_address_at_the_brand() -> None:
    brands = Brands({"open": Brand("open")}, any_brand=False)
    brands.take_stored([Brand("own", limits=BrandLimits(address_per_s=1, address_burst=1))])
    access = doorkeeper(brands, Keyring(), SetClock(NOON_MS), limits=LIMITED)

    def asked(exchange: Exchange) -> None:
        brand = exchange.target.partition(b"?")[2].decode()
        try:
            access.count_question(exchange, dict(exchange.headers), brand=brand)
        except TooOften as error:
            exchange.reply(problem_of(error))
        else:
            exchange.reply(response(200, b""))

    async def work() -> None:
        async with served({b"/ask": asked}, echo) as here:
            client = await here.connect()

            async def statuses(brand: str) -> list[int]:
                head = f"GET /ask?{brand} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 192.0.2.1\r\n\r\n".encode()
                return [(await client.ask(head)).status for _ in range(3)]

            assert await statuses("open") == [200, 200, 429]
            assert await statuses("own") == [200, 429, 429]

    run(work())


@pytest.mark.parametrize("address", ["198.51.100.1", "2001:db8:9::5", "2001:db8:9:0:2:3:4:5"])
def test_a_proxy_with_the_secret_says_whom_it_asks_for(tmp_path: Path, address: str) -> None:
    async def work() -> None:
        async with house(tmp_path, limits=LIMITED, proxy_secret=b"the secret of a proxy") as here:
            hit, viewer = {**HIT, "brand": "open"}, f"cloudfront-viewer-address: {address}:46532"
            proof = "x-footfall-proxy: the secret of a proxy"
            # Loopback is trusted and says nothing of an address itself: it speaks for everybody.
            for said in ((), ("x-footfall-proxy: the secret of a proxx",), ("x-footfall-proxy:",)):
                assert [(await here.send(hit, viewer, *said)).status for _ in range(4)] == [202] * 4
            assert [(await here.send(hit, viewer, proof)).status for _ in range(3)] == [202, 202, 429]
            # The last hop is the proxy's word, what stands before it is anybody's.
            chain = f"x-forwarded-for: 192.0.2.66, {address}"
            assert (await here.send(hit, chain, proof)).status == 429
            assert (await here.send(hit, "cloudfront-viewer-address: 192.0.2.9:1", proof)).status == 202

    run(work())
