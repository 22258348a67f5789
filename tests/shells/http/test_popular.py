"""The route of the lists: who may ask, what is refused before any work, and what caches are told."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from footfall.accounts.brands import Brand, Brands
from footfall.accounts.keyring import Keyring
from footfall.accounts.keys import NewKey, new_public_key, new_secret_key
from footfall.accounts.limits import Limits, Rate
from footfall.app.link import Message
from footfall.app.settings import Settings
from footfall.flow.serve import spans
from footfall.shells.http.answers import Answers
from footfall.shells.http.popular import PopularRoute
from footfall.values import window as window_module
from footfall.values.clock import SetClock
from footfall.values.period import Period
from footfall.values.window import Grain, Window, window_of
from tests.shells.http.clients import NOON_MS, Answer, Client, echo, run, served
from tests.shells.http.doorkeepers import NO_LIMITS, doorkeeper

BODY = b'{"items":[]}'
HOURS = {"hours": Period("hours", count=3, grain=Grain.HOUR, cache_s=60)}
BRANDS = {
    "abc": Brand("abc"),
    "kol": Brand("kol", zone="Asia/Kolkata", periods=HOURS),
    "shy": Brand("shy", is_public=False, periods=HOURS),
    "two": Brand("two", is_public=False),
}


def key_of(brand: str, *scopes: str) -> NewKey:
    def some_bytes(size: int) -> bytes:
        return (brand.encode() * size)[:size]

    if not scopes:
        return new_public_key(brand, label="", now_ms=NOON_MS, random_bytes=some_bytes)
    return new_secret_key(brand, scopes, label="", now_ms=NOON_MS, random_bytes=some_bytes, expires_at_ms=None)


KEYS = {"shy": key_of("shy", "read"), "two": key_of("two", "read"), "abc": key_of("abc", "read")}


@dataclass(slots=True)
class House:
    """A route, whoever asks it, and the answering side."""

    client: Client
    brands: Brands
    asked: list[str] = field(default_factory=list[str])

    async def get(self, query: str, *headers: str, method: str = "GET") -> Answer:
        lines = "".join(f"{line}\r\n" for line in headers)
        await self.client.send(f"{method} /v1/popular?{query} HTTP/1.1\r\nHost: x\r\n{lines}\r\n".encode())
        return await self.client.answer(bodiless=method == "HEAD")


@asynccontextmanager
async def a_house(limits: Limits) -> AsyncGenerator[House]:
    brands, keyring, asked = Brands({}, any_brand=False), Keyring(), list[str]()
    brands.take_stored(BRANDS.values())
    for brand, key in KEYS.items():
        keyring.replace(brand, [key.record])

    def answered(message: Message) -> bool:
        asked.extend(message[1])
        told = [[canonical, 1, "", '"tag"', 30, BODY] for canonical in message[1]]
        answers.on_message(["answers", told])
        return True

    answers = Answers(answered, bytes_max=1_000_000)
    clock = SetClock(NOON_MS)
    access = doorkeeper(brands, keyring, clock, limits=limits)
    route = PopularRoute(answers, brands, Settings(), access=access, clock=clock)
    async with served({b"/v1/popular": route}, echo) as here:
        yield House(await here.connect(), brands, asked)


def work(test: Callable[[House], Awaitable[None]], limits: Limits = NO_LIMITS) -> None:
    """Run a test in a house."""

    async def inside() -> None:
        async with a_house(limits) as house:
            await test(house)

    run(inside())


def bearer(brand: str) -> str:
    return f"Authorization: Bearer {KEYS[brand].text}"


def test_one_question_in_any_spelling_is_asked_once_and_has_one_address() -> None:
    async def test(house: House) -> None:
        spellings = ["brand=abc&section=b,a", "section=a&brand=abc&section=b", "brand=abc&section=a%2Cb&limit=100"]
        answers = [await house.get(query) for query in (*spellings, *spellings)]
        assert {answer.headers["content-location"] for answer in answers} == {
            "/v1/popular?brand=abc&period=justnow&section=a,b"
        }
        assert {answer.status for answer in answers} == {200}
        assert len(house.asked) == 1

    work(test)


def test_head_and_304_come_from_ready_bytes() -> None:
    async def test(house: House) -> None:
        whole = await house.get("brand=abc")
        head = await house.get("brand=abc", method="HEAD")
        assert (head.status, head.body) == (200, b"")
        assert {**head.headers, "date": ""} == {**whole.headers, "date": ""}
        same = await house.get("brand=abc", 'If-None-Match: "tag"')
        assert (same.status, same.body, same.headers["etag"]) == (304, b"", '"tag"')
        assert same.headers["cache-control"] == whole.headers["cache-control"]
        assert (await house.get("brand=abc", 'If-None-Match: "tog"')).status == 200
        assert len(house.asked) == 1

    work(test)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_lists_are_only_read(method: str) -> None:
    async def test(house: House) -> None:
        await house.get("brand=abc")
        answer = await house.get("brand=abc", "Content-Length: 0", method=method)
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS")

    work(test)


def test_a_span_is_refused_at_the_door_unless_its_ends_are_the_brands_boundaries() -> None:
    async def test(house: House) -> None:
        good = await house.get("brand=kol&from=2026-10-01T18:30Z&to=2026-10-02T18:30Z")
        assert good.headers["content-location"].endswith("from=2026-10-01T18%3A30Z&to=2026-10-02T18%3A30Z")
        bad = await house.get("brand=kol&from=2026-10-01T18:00Z&to=2026-10-02T18:30Z")
        assert (bad.status, bad.json()["field"]) == (400, "from")
        assert "use the boundary 2026-10-01T17:30Z or 2026-10-01T18:30Z" in bad.json()["detail"]
        assert bad.headers["cache-control"] == "no-store"
        assert len(house.asked) == 1

    work(test)


def test_a_brands_own_periods_are_known_as_long_as_it_has_them() -> None:
    async def test(house: House) -> None:
        assert (await house.get("brand=kol&period=hours")).status == 200
        assert (await house.get("brand=kol&period=day")).status == 200
        assert (await house.get("brand=abc&period=hours")).status == 400
        house.brands.take_stored([Brand("kol", zone="Asia/Kolkata")])
        assert (await house.get("brand=kol&period=hours")).status == 400

    work(test)


def test_lists_that_are_not_for_everybody_need_a_key_of_the_brand_and_stay_out_of_shared_caches() -> None:
    async def test(house: House) -> None:
        for headers in ((), ("Authorization: Bearer ffsec_nonsense",), (bearer("two"),), (bearer("abc"),)):
            answer = await house.get("brand=shy", *headers)
            assert answer.status in (401, 403)
            assert BODY not in answer.body
        # Not even its periods are told.
        assert b"hours" not in (await house.get("brand=shy&period=x")).body
        assert house.asked == []
        for headers in ((bearer("shy"),), (bearer("shy"), 'If-None-Match: "tag"')):
            answer = await house.get("brand=shy", *headers)
            assert answer.status in (200, 304)
            assert answer.headers["cache-control"].startswith("private, max-age=30")
            assert answer.headers["vary"] == "authorization, cookie"
        # What is ready now is still for nobody else.
        assert (await house.get("brand=shy")).status == 401

    work(test)


def test_the_brand_comes_from_the_key_and_such_an_answer_is_private() -> None:
    async def test(house: House) -> None:
        answer = await house.get("limit=5", bearer("abc"))
        assert answer.headers["content-location"] == "/v1/popular?brand=abc&limit=5&period=justnow"
        assert answer.headers["cache-control"].startswith("private,")
        assert (await house.get("limit=5")).status == 400
        public = await house.get("brand=abc&limit=5")
        assert public.headers["cache-control"].startswith("public,")
        assert "vary" not in public.headers

    work(test)


def test_a_brand_that_closes_its_lists_closes_them_at_once() -> None:
    async def test(house: House) -> None:
        assert (await house.get("brand=abc")).status == 200
        house.brands.take_stored([Brand("abc", is_public=False)])
        assert (await house.get("brand=abc")).status == 401
        house.brands.take_stored([], removed=["abc"])
        answer = await house.get("brand=abc")
        assert answer.status != 200

    work(test)


def test_questions_that_have_to_be_worked_on_are_counted_and_ready_ones_are_not() -> None:
    async def test(house: House) -> None:
        sender = "X-Forwarded-For: 192.0.2.7"
        for _ in range(5):
            assert (await house.get("brand=abc", sender)).status == 200
        assert (await house.get("brand=abc&limit=7", sender)).status == 200
        answer = await house.get("brand=abc&limit=8", sender)
        assert answer.status == 429
        assert int(answer.headers["retry-after"]) >= 1
        assert (await house.get("brand=abc&limit=7", sender)).status == 200

    work(test, Limits(key=Rate(0, 0), address=Rate(per_s=1, burst=2)))


def test_a_page_may_read_with_a_key() -> None:
    async def test(house: House) -> None:
        answer = await house.get("brand=shy", "Origin: https://www.example.com", method="OPTIONS")
        assert (answer.status, answer.body) == (204, b"")
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["access-control-allow-methods"] == "GET, HEAD, OPTIONS"
        assert answer.headers["access-control-allow-headers"] == "authorization"
        assert house.asked == []

    work(test)


def test_questions_that_make_no_sense_and_keys_that_nobody_has_are_limited() -> None:
    queries = ["brand=abc&period=x", "brand=abc&nonsense=1", "limit=5", "brand=nobody", "brand=shy"]
    span = "brand=abc&from=2026-10-01T18:30Z&to=2026-10-02T18:00Z"

    async def test(house: House) -> None:
        for number, query in enumerate([*queries, span]):
            sender = f"X-Forwarded-For: 192.0.2.{number}"
            statuses = [(await house.get(query, sender)).status for _ in range(3)]
            assert statuses[2] == 429, query
            assert 429 not in statuses[:2], query
        guess = ("Authorization: Bearer ffsec_nonsense", "X-Forwarded-For: 192.0.2.99")
        assert [(await house.get("brand=shy", *guess)).status for _ in range(3)] == [401, 401, 429]
        assert house.asked == []

    work(test, Limits(key=Rate(0, 0), address=Rate(per_s=1, burst=2)))


def test_private_lists_are_limited_by_their_secret_key_and_not_by_address() -> None:
    async def test(house: House) -> None:
        sender = "X-Forwarded-For: 192.0.2.7"
        statuses = [(await house.get(f"brand=shy&limit={n}", sender, bearer("shy"))).status for n in range(1, 5)]
        assert statuses == [200, 200, 200, 429]
        assert (await house.get("brand=two", sender, bearer("two"))).status == 200

    work(test, Limits(key=Rate(per_s=1, burst=3), address=Rate(per_s=1, burst=1)))


def test_random_spans_are_limited_before_they_cost_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def counted(moment_ms: int, grain: Grain, zone: str) -> Window:
        looks.append(moment_ms)
        return window_of(moment_ms, grain, zone)

    monkeypatch.setattr(spans, "window_of", counted)
    monkeypatch.setattr(window_module, "window_of", counted)
    years = [f"brand=abc&from={year}-01-01T00:00Z&to={year + 1}-01-02T00:00Z" for year in range(1980, 2020)]

    async def test(house: House) -> None:
        sender = "X-Forwarded-For: 192.0.2.7"
        statuses = [(await house.get(query, sender)).status for query in years]
        assert statuses.count(200) < 10
        assert statuses.count(429) > 30
        # The ends alone are looked at, and only of those that are let through.
        assert 0 < len(looks) <= 3 * statuses.count(200)

    work(test, Limits(key=Rate(0, 0), address=Rate(per_s=1, burst=2)))
