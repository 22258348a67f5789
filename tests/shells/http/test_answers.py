"""Ready answers: bounded, renewed when counts change, and out of a stranger's reach."""

import asyncio
from collections.abc import Callable
from random import Random

import pytest

from footfall.app.link import Message
from footfall.shells.http import answers as answers_module
from footfall.shells.http.answers import ENTRY_BYTES, Answers, Ready, etag_matches
from tests.shells.http.clients import run, until

BODY = bytes(500)


class Teller:
    """The other process: what it was asked, and whether it can be asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.renewed: list[str] = []
        self.is_there = True

    def __call__(self, message: Message) -> bool:
        {"ask": self.asked, "renew": self.renewed}[message[0]].extend(message[1])
        return self.is_there


def name(what: object, brand: str = "abc") -> str:
    return f"brand={brand}&period=justnow&section={what}"


def tell(answers: Answers, canonical: str, *, version: int = 1, body: bytes = BODY, failed: str = "") -> None:
    answers.on_message(["answers", [[canonical, version, failed, f'"{version}"', 30, body]]])


def work(test: Callable[[Answers, Teller], object], bytes_max: int = 1_000_000) -> None:
    """Run a test with answers that hold at most so much."""

    async def inside() -> None:
        teller = Teller()
        outcome = test(Answers(teller, bytes_max=bytes_max), teller)
        if asyncio.iscoroutine(outcome):
            await outcome

    run(inside())


def test_what_was_not_asked_is_not_there_and_what_was_told_is() -> None:
    def test(answers: Answers, _teller: Teller) -> None:
        assert answers.find(name(1)) is None
        tell(answers, name(1))
        ready = answers.find(name(1))
        assert ready is not None
        assert ready.whole.startswith(b"HTTP/1.1 200 OK\r\n")
        assert ready.whole.endswith(b"\r\n\r\n" + BODY)
        for line in (
            b'etag: "1"', b"cache-control: public, max-age=30, stale-if-error=86400",
            b"content-location: /v1/popular?" + name(1).encode(), b"access-control-allow-origin: *",
        ):  # fmt: skip
            assert line + b"\r\n" in ready.whole
            assert line + b"\r\n" in ready.not_modified
        assert ready.not_modified.startswith(b"HTTP/1.1 304 Not Modified\r\n")
        assert ready.not_modified.endswith(b"\r\n\r\n")

    work(test)


def test_all_who_wait_for_one_answer_get_it_and_it_is_asked_for_once() -> None:
    def test(answers: Answers, teller: Teller) -> None:
        got: list[Ready | bytes] = []
        for _ in range(5):
            answers.wait_for(name(1), got.append)
        assert teller.asked == [name(1)]
        tell(answers, name(1))
        assert [isinstance(one, Ready) for one in got] == [True] * 5
        tell(answers, name(1))
        assert len(got) == 5

    work(test)


def test_a_failure_is_told_to_those_who_wait() -> None:
    def test(answers: Answers, _teller: Teller) -> None:
        got: list[Ready | bytes] = []
        answers.wait_for(name(1), got.append)
        tell(answers, name(1), failed="the store does not answer")
        (problem,) = got
        assert isinstance(problem, bytes)
        assert problem.startswith(b"HTTP/1.1 503 ")
        assert b"the store does not answer" in problem

    work(test)


def test_the_last_good_list_is_sent_when_a_new_one_fails() -> None:
    def test(answers: Answers, _teller: Teller) -> None:
        tell(answers, name(1))
        got: list[Ready | bytes] = []
        answers.wait_for(name(1), got.append)
        tell(answers, name(1), failed="the store does not answer")
        assert got == [answers.find(name(1))]

    work(test)


def test_nobody_waits_for_a_process_that_is_not_there() -> None:
    async def test(answers: Answers, teller: Teller) -> None:
        teller.is_there = False
        got: list[Ready | bytes] = []
        answers.wait_for(name(1), got.append)
        await until(lambda: bool(got))
        assert isinstance(got[0], bytes)
        assert b"try again" in got[0]

    work(test)


def test_waiting_ends_in_time_and_an_old_wait_does_not_end_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers_module, "WAIT_S_MAX", 0.2)

    async def test(answers: Answers, _teller: Teller) -> None:
        got: list[Ready | bytes] = []
        answers.wait_for(name(1), got.append)
        await asyncio.sleep(0.12)
        tell(answers, name(1))
        answers.forget()
        answers.wait_for(name(1), got.append)
        await asyncio.sleep(0.12)
        assert len(got) == 1
        await until(lambda: len(got) == 2)
        answers.wait_for(name(2), got.append)
        await until(lambda: len(got) == 3)
        assert isinstance(got[2], bytes)
        assert b"not ready in time" in got[2]

    work(test)


def test_what_was_asked_lately_is_renewed_when_its_brand_changes() -> None:
    def test(answers: Answers, teller: Teller) -> None:
        for number in range(3):
            tell(answers, name(number))
        tell(answers, name(9, brand="def"))
        answers.on_message(["changed", "abc", 2])
        assert sorted(teller.renewed) == [name(0), name(1), name(2)]
        tell(answers, name(0), version=2)
        teller.renewed.clear()
        answers.on_message(["changed", "abc", 2])
        assert sorted(teller.renewed) == [name(1), name(2)]

    work(test)


def test_what_nobody_asked_for_lately_is_not_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers_module, "ASKED_WITHIN_S", 0.05)

    async def test(answers: Answers, teller: Teller) -> None:
        for number in range(2):
            tell(answers, name(number))
        await asyncio.sleep(0.1)
        assert answers.find(name(1)) is not None
        answers.on_message(["changed", "abc", 2])
        assert teller.renewed == [name(1)]

    work(test)


def test_what_was_asked_last_is_renewed_first() -> None:
    async def test(answers: Answers, teller: Teller) -> None:
        for number in range(50):
            tell(answers, name(number))
        for number in (5, 7):
            await asyncio.sleep(0.005)
            answers.find(name(number))
        answers.on_message(["changed", "abc", 2])
        assert teller.renewed[:2] == [name(7), name(5)]
        assert len(teller.renewed) == 50

    work(test)


def test_many_answers_are_looked_through_in_pieces_and_the_last_change_renews_each_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answers_module, "LOOKED_AT_ONCE", 10)

    async def test(answers: Answers, teller: Teller) -> None:
        for number in range(45):
            tell(answers, name(number))
        answers.on_message(["changed", "abc", 2])
        assert teller.renewed == []  # Others have their turn before all are looked at.
        answers.on_message(["changed", "abc", 3])
        await until(lambda: len(teller.renewed) >= 45)
        await asyncio.sleep(0.02)
        assert sorted(teller.renewed) == sorted(name(number) for number in range(45))

    work(test)


def test_an_answer_that_goes_while_others_are_looked_at_is_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers_module, "LOOKED_AT_ONCE", 1)

    async def test(answers: Answers, teller: Teller) -> None:
        for number in range(3):
            tell(answers, name(number))
        answers.on_message(["changed", "abc", 2])
        for number in range(100):
            tell(answers, name(number, "def"), version=2)
        await asyncio.sleep(0.05)
        assert set(teller.renewed) <= {name(number) for number in range(3)}

    work(test, bytes_max=50_000)


def test_after_a_new_start_only_what_was_up_to_date_is_sent_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers_module, "STALE_S_MAX", 0.1)

    async def test(answers: Answers, _teller: Teller) -> None:
        tell(answers, name(1), version=50)
        tell(answers, name(2), version=51)
        answers.on_message(["changed", "abc", 51])
        answers.forget()
        assert answers.find(name(1)) is None
        assert answers.find(name(2)) is not None
        await asyncio.sleep(0.12)
        assert answers.find(name(2)) is None

    work(test)


def test_an_old_answer_is_sent_for_a_moment_only_however_often_counts_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers_module, "STALE_S_MAX", 0.1)

    async def test(answers: Answers, _teller: Teller) -> None:
        tell(answers, name(1))
        for version in range(2, 12):
            answers.on_message(["changed", "abc", version])
            if version == 2:
                assert answers.find(name(1)) is not None
            await asyncio.sleep(0.02)
        assert answers.find(name(1)) is None
        tell(answers, name(1), version=11)
        assert answers.find(name(1)) is not None

    work(test)


def test_an_answer_that_was_overtaken_on_its_way_is_old_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers_module, "STALE_S_MAX", 0.0)

    def test(answers: Answers, _teller: Teller) -> None:
        answers.on_message(["changed", "abc", 5])
        tell(answers, name(1), version=4)
        assert answers.find(name(1)) is None
        tell(answers, name(1), version=5)
        assert answers.find(name(1)) is not None

    work(test)


def test_nothing_old_is_sent_after_the_other_process_started_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers_module, "STALE_S_MAX", 0.0)

    def test(answers: Answers, teller: Teller) -> None:
        tell(answers, name(1), version=50)
        answers.forget()
        assert answers.find(name(1)) is None
        answers.on_message(["changed", "abc", 1])
        assert teller.renewed == [name(1)]
        tell(answers, name(1), version=1)
        assert answers.find(name(1)) is not None

    work(test)


@pytest.mark.parametrize("times", [1, 2])
def test_ten_thousand_random_filters_never_push_out_the_most_asked(times: int) -> None:
    def test(answers: Answers, _teller: Teller) -> None:
        chance = Random(1)
        for number in range(20):
            tell(answers, name(f"hot{number}"))
            answers.find(name(f"hot{number}"))
        for _ in range(10_000):
            asked = name(chance.randrange(10**9))
            for _ in range(times):
                if answers.find(asked) is None:
                    tell(answers, asked)
            assert answers.find(name(f"hot{chance.randrange(20)}")) is not None
        assert answers.size_bytes <= 1_000_000
        assert all(answers.find(name(f"hot{number}")) for number in range(20))

    work(test)


def test_renewing_does_not_change_which_answer_goes_first() -> None:
    def test(answers: Answers, _teller: Teller) -> None:
        for number in range(10):
            tell(answers, name(number))
            answers.find(name(number))
        for number in reversed(range(10)):
            tell(answers, name(number), version=2)
        assert list(answers._inner) == [name(number) for number in range(10)]

    work(test)


def test_answers_take_no_more_than_they_may_and_their_sizes_add_up() -> None:
    def test(answers: Answers, _teller: Teller) -> None:
        chance = Random(2)
        for _ in range(3_000):
            asked = name(chance.randrange(200))
            if answers.find(asked) is None or chance.randrange(5) == 0:
                tell(answers, asked, body=bytes(chance.randrange(3_000)))
            assert answers.size_bytes <= 200_000
        held = [*answers._inner.values(), *answers._outer.values()]
        assert answers.size_bytes == sum(ready.size for ready in held)
        assert len(answers) == len(held)
        assert all(ready.size == len(ready.whole) + len(ready.not_modified) + ENTRY_BYTES for ready in held)

    work(test, bytes_max=200_000)


@pytest.mark.parametrize(
    ("wanted", "matches"),
    [
        ('"1"', True), ('W/"1"', True), ('"0", "1"', True), ('"0",W/"1"', True), ("*", True),
        ('"11"', False), ("1", False), ("", False), ('"0", "2"', False),
    ],
)  # fmt: skip
def test_an_etag_is_found_in_what_a_client_has(wanted: str, matches: bool) -> None:
    assert etag_matches('"1"', wanted) == matches


def test_a_change_looks_at_the_answers_of_its_brand_alone_and_a_brand_without_answers_is_forgotten() -> None:
    def test(answers: Answers, teller: Teller) -> None:
        chance = Random(7)
        brands = [f"b{number}" for number in range(20)]
        for step in range(3_000):
            brand = chance.choice(brands)
            one = name(chance.randrange(40), brand)
            tell(answers, one, version=step, body=bytes(chance.randrange(2_000)))
            if chance.random() < 0.3:
                answers.find(name(chance.randrange(40), chance.choice(brands)))
            if chance.random() < 0.05:
                answers.on_message(["changed", brand, step + 1])
        ready = {**answers._inner, **answers._outer}  # pyright: ignore[reportPrivateUsage] - what it must agree with
        of_brand = answers._of_brand  # pyright: ignore[reportPrivateUsage]
        assert {one for of in of_brand.values() for one in of} == ready.keys()
        assert all(ready[one].brand == brand for brand, of in of_brand.items() for one in of)
        teller.renewed.clear()
        answers.on_message(["changed", "b3", 9_999])
        assert sorted(teller.renewed) == sorted(one for one, its in ready.items() if its.brand == "b3")

    work(test, bytes_max=200_000)


def test_with_its_last_answer_a_brands_version_goes() -> None:
    def test(answers: Answers, _teller: Teller) -> None:
        tell(answers, name(1, "gone"))
        answers.on_message(["changed", "gone", 7])
        for number in range(100):
            tell(answers, name(number, "abc"))
        assert "gone" not in answers._counts  # pyright: ignore[reportPrivateUsage] - nothing else shows it

    work(test, bytes_max=50_000)
