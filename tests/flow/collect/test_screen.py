"""The door's rules: who is judged by what, and what is frozen into the record."""

import json
import random
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from footfall.accounts.brands import Brand, Brands
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.collect.accept import Acceptance, Request, entries_of_singles
from footfall.flow.collect.parse import parse_hits, parse_one
from footfall.flow.collect.screen import Screen, ScreenLimits
from footfall.flow.collect.senders import Salts, Sender
from footfall.flow.stream.records import pack_from_record
from footfall.screening.labels import Label, label_of
from footfall.screening.lists import Lists, list_from_text, with_list
from footfall.screening.rules import rules_from_document
from footfall.values.clock import SetClock

NOON_MS = 1_794_744_000_000
MINUTE_MS = 60_000
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"
GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
HEADLESS = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/130.0.0.0 Safari/537.36"
)
READER = Sender("203.0.113.7", FIREFOX, wants_privacy=False)
SERVER = Sender("198.51.100.1", "python-requests/2.32", wants_privacy=False, key_id="k1", is_server=True)
BRANDS = Brands({"abc": Brand("abc"), "def": Brand("def"), "hold": Brand("hold", unlabelled="hold")}, any_brand=False)


@pytest.fixture(scope="module")
def salts() -> Iterator[Salts]:
    with closing(SqliteTable(":memory:", clock=SetClock(NOON_MS))) as table:
        yield Salts(table, random_bytes=lambda size: bytes(range(size)))


class House:
    """A door with its screen, and what it freezes."""

    def __init__(self, salts: Salts, **limits: int) -> None:
        self.screen = Screen(ScreenLimits(**limits), secret=bytes(32))
        self.acceptance = Acceptance(BRANDS, salts, shards=1)
        self.acceptance.screen_with(self.screen)

    def one(self, sender: Sender = READER, *, at_ms: int = NOON_MS, **fields: Any) -> str:
        hit = parse_one(json.dumps({"brand": "abc", "assetId": "1", **fields}).encode())
        single = self.acceptance.single(hit, sender, arrived_at_ms=at_ms)
        (entry,) = entries_of_singles([single], shards=1)
        assert (pack_from_record(entry.data).screened or {}).get(0, "") == single.verdict
        return single.verdict

    def batch(self, hits: list[dict[str, Any]], sender: Sender = SERVER, *, at_ms: int = NOON_MS) -> dict[int, str]:
        body = json.dumps([{"brand": "abc", "assetId": "1", **hit} for hit in hits]).encode()
        request = Request(at_ms, sender, is_batch=True, body=body)
        entries = self.acceptance.entries(parse_hits(body, lines=False, hits_max=50_000), request)
        screened: dict[int, str] = {}
        for entry in entries:
            screened |= pack_from_record(entry.data).screened or {}
        return screened


def test_a_reader_is_a_person(salts: Salts) -> None:
    house = House(salts)
    assert house.one(referrer="https://news.example/", client="1920x1080 Europe/Helsinki") == ""


@pytest.mark.parametrize(
    ("agent", "reason", "label"),
    [
        (GOOGLEBOT, "bot-agent", Label.BOT),
        ("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "ai-agent", Label.AI),
        (HEADLESS, "headless", Label.BOT),
        ("curl/8.5.0", "bot-agent", Label.BOT),
        ("", "no-agent", Label.SUSPECTED),
        ("zzz", "no-browser", Label.SUSPECTED),
    ],
)
def test_a_page_is_judged_by_its_agent(salts: Salts, agent: str, reason: str, label: Label) -> None:
    assert House(salts).one(Sender("203.0.113.7", agent, wants_privacy=False)) == reason
    assert label_of(reason) is label


def test_what_is_fetched_ahead_is_prefetched(salts: Salts) -> None:
    assert House(salts).one(Sender("203.0.113.7", FIREFOX, wants_privacy=False, is_ahead=True)) == "prefetch"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"client": "1920x1080 Europe/Helsinki driven"}, "headless"),
        ({"client": "0x0 Europe/Helsinki"}, "impossible-client"),
        ({"referrer": "https://www.semalt.com/"}, "referrer-spam"),
    ],
)
def test_a_hit_is_judged_by_what_it_brings(salts: Salts, fields: dict[str, Any], reason: str) -> None:
    assert House(salts).one(**fields) == reason
    assert House(salts).batch([{}, fields]) == {1: reason}


def test_lists_are_gone_by_from_the_moment_they_are_taken(salts: Salts) -> None:
    house = House(salts)
    assert house.one(assetId="2", referrer="https://spam.example/") == ""
    lists = Lists()
    for text in ("203.0.113.0/24\n", "spam.example\n"):
        content = list_from_text(text)
        lists = with_list(lists, content.kind, content.data)
    house.screen.take_lists(lists)
    assert house.one() == "data-centre"
    other = Sender("192.0.2.1", FIREFOX, wants_privacy=False)
    assert house.one(other, referrer="https://spam.example/") == "referrer-spam"
    assert house.batch([{"visitor": "a"}]) == {}  # A server's own network says nothing of its readers.


def test_a_visitor_that_reloads_counts_so_often_and_no_more(salts: Salts) -> None:
    house = House(salts, repeats_max=3)
    assert [house.one(at_ms=NOON_MS + n) for n in range(5)] == ["", "", "", "reload", "reload"]
    assert house.one(assetId="2") == ""
    assert house.one(brand="def") == ""
    assert house.one(Sender("203.0.113.8", FIREFOX, wants_privacy=False)) == ""
    assert house.one(at_ms=NOON_MS + 10 * MINUTE_MS) == ""


def test_privacy_does_not_escape_repeats_and_rates_and_leaves_no_visitor(salts: Salts) -> None:
    house = House(salts, repeats_max=2, visitor_per_minute_max=4)
    private = Sender("203.0.113.7", FIREFOX, wants_privacy=True)
    assert [house.one(private) for _ in range(3)] == ["", "", "reload"]
    assert [house.one(private, assetId=str(n)) for n in range(5, 8)] == ["", "rate", "rate"]
    hit = parse_one(b'{"brand":"abc","assetId":"9"}')
    assert house.acceptance.single(hit, private, arrived_at_ms=NOON_MS).visitor == b""


def test_a_page_that_makes_up_visitors_is_still_one_sender(salts: Salts) -> None:
    house = House(salts, repeats_max=2)
    assert [house.one(visitor=f"v{n}") for n in range(4)] == ["", "", "reload", "reload"]
    together = [{"visitor": f"v{n}"} for n in range(4)]
    assert House(salts, repeats_max=2).batch(together, READER) == {2: "reload", 3: "reload"}
    assert House(salts, repeats_max=2).batch([{}] * 4, READER) == {2: "reload", 3: "reload"}


def test_an_address_that_makes_up_agents_is_still_one_address(salts: Salts) -> None:
    house = House(salts, address_repeats_max=5)
    said = [house.one(Sender("203.0.113.7", f"{FIREFOX} {number}", wants_privacy=False)) for number in range(8)]
    assert said == [""] * 5 + ["one-address"] * 3
    assert house.one(Sender("203.0.113.8", FIREFOX, wants_privacy=False)) == ""
    assert house.one(READER, assetId="2") == ""
    assert house.one(READER, at_ms=NOON_MS + 10 * MINUTE_MS) == ""


def test_a_household_has_one_address_of_the_new_kind(salts: Salts) -> None:
    house = House(salts, address_repeats_max=1)
    first, second, other = ("2001:db8:1:1::1", "2001:db8:1:1:9::2", "2001:db8:1:2::1")
    assert house.one(Sender(first, FIREFOX, wants_privacy=False)) == ""
    assert house.one(Sender(second, FIREFOX, wants_privacy=True)) == "one-address"
    assert house.one(Sender(other, FIREFOX, wants_privacy=False)) == ""


def test_a_servers_own_address_says_nothing_of_its_readers(salts: Salts) -> None:
    house = House(salts, address_repeats_max=1)
    assert house.batch([{"visitor": str(number)} for number in range(5)]) == {}


def test_a_server_is_judged_by_what_it_says_of_its_readers(salts: Salts) -> None:
    house = House(salts, repeats_max=2, visitor_per_minute_max=3)
    assert house.batch([{"sectionId": 1, "resourceType": "article", "paidType": "free"}] * 50) == {}
    assert house.batch([{"visitor": "a"}] * 4 + [{"visitor": "b"}]) == {2: "reload", 3: "rate"}
    assert house.one(SERVER) == ""
    assert house.one(SERVER, visitor="a") == "rate"
    assert house.batch([{"agent": GOOGLEBOT}, {"agent": FIREFOX}]) == {0: "bot-agent"}
    assert house.batch(
        [{"purpose": "prefetch"}, {"purpose": "click"}, {"agent": GOOGLEBOT, "purpose": "prefetch"}]
    ) == {
        0: "prefetch",
        2: "bot-agent",
    }
    private = Sender("198.51.100.1", "python-requests/2.32", wants_privacy=True, is_server=True)
    assert house.batch([{"visitor": "p"}] * 3, private) == {2: "reload"}


@pytest.mark.parametrize("seed", range(5))
def test_hits_are_judged_together_as_they_are_one_by_one(salts: Salts, seed: int) -> None:
    chance = random.Random(seed)
    usual: dict[str, list[str]] = {
        "visitor": ["a", "b", "c", ""],
        "agent": [FIREFOX, ""],
        "referrer": ["https://news.example/", ""],
        "client": ["1920x1080 Europe/Helsinki", ""],
        "url": ["https://x.example/1", ""],
        "assetId": ["1", "2", "/3"],
    }
    suspicious = {"agent": GOOGLEBOT, "referrer": "https://semalt.com/", "client": "0x0", "purpose": "prefetch"}
    blocked = {"url": "https://x.example/preview/1?a", "assetId": "/preview/2", "agent": "Blocked/1"}
    rules = {"abc": rules_from_document({"agents": ["blocked"], "paths": ["/preview/*"]})}
    together, one_by_one = (House(salts, repeats_max=3, visitor_per_minute_max=12) for _ in range(2))
    for house in (together, one_by_one):
        house.screen.take_rules(rules)
    seen: set[str] = set()
    for _ in range(20):
        hits = [{name: chance.choice(texts) for name, texts in usual.items()} for _ in range(6)]
        for bad in (suspicious, blocked):
            if chance.random() < 0.3:
                name = chance.choice(list(bad))
                chance.choice(hits)[name] = bad[name]
        alone = [one_by_one.batch([hit]).get(0, "") for hit in hits]
        assert together.batch(hits) == {place: reason for place, reason in enumerate(alone) if reason}
        seen.update(alone)
    assert {"", "reload", "rate"} < seen


def test_a_key_that_sends_more_than_it_may_is_suspected_for_the_rest_of_the_minute(salts: Salts) -> None:
    house = House(salts, key_per_minute_max=3)
    assert house.batch([{}] * 2) == {}
    assert house.batch([{}] * 2) == {0: "key-rate", 1: "key-rate"}
    assert house.one(SERVER) == "key-rate"
    assert house.one(READER) == ""
    assert house.batch([{}], at_ms=NOON_MS + MINUTE_MS) == {}


def test_an_operator_blocks_before_anything_else_speaks(salts: Salts) -> None:
    house = House(salts)
    rules = {"addresses": ["203.0.113.0/24"], "agents": ["googlebot"], "paths": ["/preview/*"], "countries": ["FI"]}
    house.screen.take_rules({"abc": rules_from_document(rules)})
    content = list_from_text("192.0.2.0/24,FI\n")
    house.screen.take_lists(with_list(Lists(), content.kind, content.data))
    assert house.one() == "rule-address"
    assert house.one(Sender("192.0.2.9", FIREFOX, wants_privacy=False)) == "rule-country"
    assert house.one(Sender("198.51.100.9", GOOGLEBOT, wants_privacy=False)) == "rule-agent"
    assert house.one(brand="def") == ""
    previews = [{"url": "https://x.example/preview/1"}, {"assetId": "/preview/2"}, {"agent": GOOGLEBOT}, {}]
    assert house.batch(previews) == {0: "rule-path", 1: "rule-path", 2: "rule-agent"}
    lean = [{"assetId": "/preview/3", "sectionId": 1, "resourceType": "article", "paidType": "free"}]
    assert house.batch(lean) == {0: "rule-path"}


def test_a_brand_may_switch_the_door_off(salts: Salts) -> None:
    house = House(salts, repeats_max=1)
    house.screen.take_rules({"abc": rules_from_document({"isOn": False, "addresses": ["203.0.113.0/24"]})})
    bot = Sender("203.0.113.7", GOOGLEBOT, wants_privacy=False)
    assert [house.one(bot) for _ in range(3)] == ["", "", ""]
    assert house.batch([{"visitor": "a"}] * 3) == {}


def test_late_hits_stay_late_and_unlabelled_ones_of_programs_are_the_programs(salts: Salts) -> None:
    house = House(salts)
    bot = Sender("203.0.113.7", GOOGLEBOT, wants_privacy=False)
    old = NOON_MS - 48 * 60 * MINUTE_MS
    assert house.one(bot, at=old) == "late"
    assert house.one(bot, brand="hold") == "bot-agent"
    assert house.one(brand="hold") == "unlabelled"
    mixed = [{"at": old, "agent": GOOGLEBOT}, {"agent": GOOGLEBOT}, {"at": old}, {}]
    assert house.batch(mixed) == {0: "late", 1: "bot-agent", 2: "late"}


def test_memory_is_bounded_whatever_is_sent(salts: Salts) -> None:
    house = House(salts, entries_max=50)
    for number in range(300):
        house.one(Sender(f"10.0.{number // 200}.{number % 200}", FIREFOX, wants_privacy=True), assetId=str(number))
    assert len(house.screen) <= 3 * 51
