"""Rounds of the watch list on a simulated clock: what is asked for when, what is kept, and who is told of changes."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from footfall.accounts.alert_evaluation import AssetHits
from footfall.accounts.alert_store import AlertStore
from footfall.accounts.alerts import Alert
from footfall.accounts.brands import Brand
from footfall.accounts.register import Register
from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.adapters.embedded.fts_search import FtsSearch
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import archive_watching as watching
from footfall.app.archive_control import Archive
from footfall.app.archive_watching import Means
from footfall.archive import finding, keeping, keys, queueing, requests
from footfall.archive.addresses import Address, UnfitAddress, address_from
from footfall.archive.captures import Request
from footfall.archive.watch_store import WatchStore, new_watch
from footfall.archive.watching import Watch
from footfall.ports.capturing import Reason
from footfall.values.clock import SetClock
from tests.archive.archive_world import seen

NOW_MS = 1_794_753_000_000
MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
BRAND = "daily"
FRONT = {"kind": "page", "url": "https://news.example/", "everyMinutes": 15}
TOP = {"kind": "popular", "period": "day", "top": 3, "everyMinutes": 60}


@dataclass
class Newsroom:
    """A brand with an archive, alerts, and a browser that sees what the test says."""

    archive: Archive
    register: Register
    clock: SetClock
    means: Means
    pages: dict[str, str] = field(default_factory=dict)  # what each page says now
    kept: list[str] = field(default_factory=list)  # addresses, in the order in which they were kept
    top: list[AssetHits] | None = field(default_factory=list)

    @property
    def alerts(self) -> AlertStore:
        return self.register.acting(watching.WATCHING).alerts

    def is_brand(self, name: str) -> bool:
        return self.register.brand(name) is not None

    def watch(self, rule: dict[str, Any], **more: Any) -> Watch:
        store = WatchStore(self.archive.table)
        number = len(store.of(BRAND))
        new = new_watch(f"wa_{number}", BRAND, by="eve", now_ms=self.clock.now_ms())
        made = store.planned(new, {"rule": rule, **more}, require_address=address_from, periods=("day",))
        store.add(made)
        return made

    def turn(self) -> int:
        """Do the first half of a round: ask for what is due."""
        due = watching.due_watches(self.archive, now_ms=self.clock.now_ms(), is_brand=self.is_brand)
        lists = {} if self.top is None else dict.fromkeys(watching.questions_of(due), self.top)
        return watching.take_turns(self.archive, due, lists, self.means, now_ms=self.clock.now_ms())

    def tell(self) -> int:
        """Do the second half: tell what came of it."""
        news = watching.news_of(self.archive, self.means)
        told = watching.tell(self.alerts, news)
        watching.settle(self.archive, news)
        return told

    def work(self) -> list[Request]:
        """Do what the worker does with everything that waits."""
        done: list[Request] = []
        for waiting in queueing.waiting(self.archive.table, limit=100):
            begun = queueing.begin(self.archive.table, waiting, now_ms=self.clock.now_ms())
            assert begun is not None
            self.clock.advance(1)
            done.append(self._seen(begun))
        return done

    def _seen(self, begun: Request) -> Request:
        table, now_ms = self.archive.table, self.clock.now_ms()
        if begun.url not in self.pages:
            says = "There is no such page."
            return requests.fail(table, begun, reason=Reason.NOT_FOUND, says=says, now_ms=now_ms)
        captured = seen(begun.url, self.pages[begun.url], at_us=now_ms * 1_000)
        keeping.store(table, self.archive.blobs, begun, captured, keywords=[], now_ms=now_ms)
        ended = keeping.keep(table, begun.id, attempt=begun.attempts, now_ms=now_ms)
        if ended.capture == begun.id:
            self.kept.append(begun.url)
        return ended

    def round(self) -> list[Request]:
        self.turn()
        done = self.work()
        self.tell()
        return done

    def says(self, watch: Watch) -> str:
        return WatchStore(self.archive.table).turn_of(watch).says

    def events(self) -> Sequence[dict[str, Any]]:
        items, _ = self.alerts.outbox.page(BRAND, limit=50)
        return [{**item, "about": msgspec.json.decode(str(item["about"]))} for item in items]


@pytest.fixture
def room(tmp_path: Path) -> Generator[Newsroom]:
    clock, chance = SetClock(NOW_MS), Random(7)
    table, search = SqliteTable(":memory:", clock=clock), FtsSearch(":memory:")
    register = Register(
        SqliteTable(":memory:", clock=clock), clock=clock, random_bytes=chance.randbytes, audit_keep_ms=10**9
    )
    register.add(Brand(BRAND), zone_in_use=None)
    means = Means(address_from, chance.randbytes, 500, "https://footfall.example.com")
    yield Newsroom(Archive(table, FileBlobs(tmp_path), search, "full-text"), register, clock, means)
    search.close()
    table.close()


def an_alert(room: Newsroom) -> Alert:
    document = {"name": "Changes", "kind": "page-changes", "webhooks": ["https://hooks.example.com/"]}
    return room.register.alerts.add(BRAND, document, require_webhook=lambda _: None, has_mail=False)


def test_the_front_page_is_kept_every_fifteen_minutes_for_a_day(room: Newsroom) -> None:
    room.watch(FRONT)
    for minute in range(0, 24 * 60, 5):
        room.clock.set(NOW_MS + minute * MINUTE_MS)
        room.pages["https://news.example/"] = f"minute {minute}"
        room.round()
    assert len(room.kept) == 96
    lines = finding.captures(room.archive.table, [keys.brand_space(BRAND)], "news.example/", limit=200).items
    begun = [(line.at_us // 1_000 - NOW_MS) // MINUTE_MS for line in lines]
    assert begun == list(range(0, 24 * 60, 15))
    assert {line.by for line in lines} == {"watch:wa_0"}


def test_people_go_before_watches(room: Newsroom) -> None:
    room.watch(FRONT)
    room.turn()
    waiting = queueing.waiting(room.archive.table, limit=1)[0].request
    person = replace(
        waiting,
        id="0" * 26,
        space="member:p_1",
        by="p_1",
        priority=0,
        key="other.example/",
        url="https://other.example/",
    )
    requests.ask(room.archive.table, person, now_ms=NOW_MS)
    order = [one.request.by for one in queueing.waiting(room.archive.table, limit=10)]
    assert order == ["p_1", "watch:wa_0"]


def test_a_page_that_is_kept_only_when_it_changed_is_not_kept_again_until_then(room: Newsroom) -> None:
    room.watch({**FRONT, "onlyChanged": True})
    for number, text in enumerate(("one", "one", "two", "two", "two", "one")):
        room.clock.set(NOW_MS + number * 15 * MINUTE_MS)
        room.pages["https://news.example/"] = text
        room.round()
    assert len(room.kept) == 3


def test_the_most_read_are_kept_when_new_when_changed_and_once_a_day(room: Newsroom) -> None:
    room.watch(TOP)
    room.top = [AssetHits(str(n), 10 - n, f"Story {n}", f"https://news.example/{n}") for n in range(3)]
    room.pages = {one.address: "as it was" for one in room.top}
    room.round()
    assert sorted(room.kept) == [one.address for one in room.top]
    room.clock.set(NOW_MS + HOUR_MS)
    room.pages["https://news.example/1"] = "corrected"
    room.round()
    assert room.kept[3:] == ["https://news.example/1"]
    room.clock.set(NOW_MS + 25 * HOUR_MS)
    room.round()
    assert sorted(room.kept[4:]) == ["https://news.example/0", "https://news.example/2"]  # 1 is a day old in an hour


def test_what_has_no_address_in_the_catalogue_is_told(room: Newsroom) -> None:
    watch = room.watch(TOP)
    room.top = [AssetHits("a", 9, "", "https://news.example/a"), AssetHits("b", 8), AssetHits("c", 7, "", "/c")]
    assert room.turn() == 1
    assert room.says(watch) == "Asked for 1 page; 2 of the list have no address in the catalogue: b, c."


def test_a_page_that_may_not_be_reached_any_more_is_told_and_holds_up_no_other(room: Newsroom) -> None:
    inner = room.watch({"kind": "page", "url": "https://inner.example/", "everyMinutes": 15})
    front = room.watch(FRONT)
    allowed = room.means.address_of

    def address_of(url: str) -> Address:
        if "inner" in url:
            raise UnfitAddress("inner.example is not public any more")
        return allowed(url)

    room.means = replace(room.means, address_of=address_of)
    assert room.turn() == 1
    assert room.says(inner) == "Asked for 0 pages; inner.example is not public any more."
    assert room.says(front) == "Asked for 1 page."


def test_a_list_that_cannot_be_had_is_asked_for_again_in_the_next_round(room: Newsroom) -> None:
    room.watch(TOP)
    room.top = None
    assert room.turn() == 0
    room.top = [AssetHits("a", 9, "", "https://news.example/a")]
    assert room.turn() == 1


def test_a_brands_day_has_so_many_captures_for_its_watches_and_no_more(room: Newsroom) -> None:
    room.means = replace(room.means, captures_per_day=2)
    watch = room.watch(TOP)
    room.top = [AssetHits(str(n), 9, "", f"https://news.example/{n}") for n in range(3)]
    assert room.turn() == 2
    assert "the 2 captures of the brand's day (UTC) are spent" in room.says(watch)
    room.work()
    room.clock.set(NOW_MS + 24 * HOUR_MS)
    assert room.turn() == 2


def test_two_who_take_the_same_turn_ask_once(room: Newsroom) -> None:
    room.watch(FRONT)
    due = watching.due_watches(room.archive, now_ms=NOW_MS, is_brand=room.is_brand)
    for _ in range(2):  # The second one has looked before the first one was done.
        watching.take_turns(room.archive, due, {}, room.means, now_ms=NOW_MS)
    assert len(queueing.waiting(room.archive.table, limit=10)) == 1
    assert WatchStore(room.archive.table).spent(BRAND, now_ms=NOW_MS) == 1


def test_a_change_is_told_once_with_what_changed_and_where_it_is_kept(room: Newsroom) -> None:
    alert = an_alert(room)
    room.watch(FRONT, alert={"places": [alert.id]})
    room.pages["https://news.example/"] = "Weather\nHarbour open"
    room.round()
    assert room.events() == []  # There was nothing before it that it could differ from.
    room.clock.set(NOW_MS + 15 * MINUTE_MS)
    room.pages["https://news.example/"] = "Weather\nHarbour closed\nFerry cancelled"
    room.turn()
    (done,) = room.work()
    news = watching.news_of(room.archive, room.means)
    assert watching.tell(room.alerts, news) == 1
    assert room.tell() == 0  # Whoever ended before it was settled tells it again, and it was told.
    assert room.tell() == 0
    (event,) = room.events()
    assert event["type"] == "page-changed"
    assert event["about"]["added"] == ["Harbour closed", "Ferry cancelled"]
    assert event["about"]["removed"] == ["Harbour open"]
    assert event["about"]["link"] == f"https://footfall.example.com/archive/capture/{done.id}?brand={BRAND}"
    assert "2 passages added, 1 passage removed" in event["text"]
    (delivery,) = room.alerts.outbox.due(limit=10)
    assert (delivery.place, delivery.alert) == ("https://hooks.example.com/", alert.id)


def test_what_stayed_the_same_or_nobody_wants_to_know_of_is_not_told(room: Newsroom) -> None:
    alert = an_alert(room)
    room.watch(FRONT, alert={"places": [alert.id, "al_gone"]})
    for number in range(3):
        room.clock.set(NOW_MS + number * 15 * MINUTE_MS)
        room.pages["https://news.example/"] = "the same"
        room.round()
    room.register.alerts.remove(BRAND, alert.id)
    room.clock.set(NOW_MS + HOUR_MS)
    room.pages["https://news.example/"] = "another"
    room.round()
    assert room.events() == []


def test_the_watches_of_a_brand_that_was_removed_rest(room: Newsroom) -> None:
    room.watch(FRONT)
    room.register.remove(BRAND)
    assert room.turn() == 0


def test_a_page_that_could_not_be_kept_is_told_by_its_watch(room: Newsroom) -> None:
    watch = room.watch(FRONT)
    room.round()
    assert room.says(watch) == "https://news.example/ could not be kept: There is no such page."
    room.clock.set(NOW_MS + 15 * MINUTE_MS)
    room.pages["https://news.example/"] = "back again"
    room.round()
    assert room.says(watch) == "Asked for 1 page."
