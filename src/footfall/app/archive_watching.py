"""A round of the watch list: what is due is asked for, and what came of it is told to whoever wants to know.

Nothing here waits for a network. Whoever runs the rounds (an instance's front, or the function that keeps house on AWS)
has the lists of what is read most, and gives them; requests wait for the archive's own worker, behind those of people.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from msgspec import structs

from footfall.accounts.alert_evaluation import AssetHits, Raised
from footfall.accounts.alert_store import AlertStore
from footfall.accounts.alerts import UnknownAlert
from footfall.app.archive_comparing import passages
from footfall.app.archive_control import Archive
from footfall.app.archive_told import moment_text, permanent_path
from footfall.archive import finding, keys, requests
from footfall.archive.addresses import Address
from footfall.archive.captures import Capture, Request, State
from footfall.archive.requests import NoSuchRequest
from footfall.archive.stored import new_id
from footfall.archive.watch_store import WatchStore
from footfall.archive.watching import (
    PageRule,
    PopularRule,
    Sought,
    Turn,
    Watch,
    has_address,
    is_due,
    next_turn,
    sought_of_list,
)
from footfall.flow.serve.query import PopularQuery, canonical
from footfall.values.errors import Refused

WATCHING = "watching"  # who acts when a watch tells
PAGE_CHANGED = "page-changed"
WAITING_MAX = 100  # requests of one watch that nobody knows the end of; older ones are forgotten
PASSAGES_MAX, PASSAGE_CHARACTERS_MAX = 5, 200  # of what was added and removed, in a message
ID_RANDOM_BYTES = 10

Lists = Mapping[str, Sequence[AssetHits]]  # by the question for it


@dataclass(frozen=True, slots=True)
class Means:
    """What a round needs beside the archive."""

    address_of: Callable[[str], Address]  # Raises Refused for what could never be archived.
    random_bytes: Callable[[int], bytes]
    captures_per_day: int  # that the watches of one brand may ask for
    site: str = ""  # where people open the pages, for links


@dataclass(frozen=True, slots=True)
class Due:
    """A watch whose turn it is."""

    watch: Watch
    turn: Turn


@dataclass(frozen=True, slots=True)
class News:
    """What came of a watch's requests: what to tell, and which of them are settled with that."""

    watch: Watch
    turn: Turn
    settled: Sequence[str]
    raised: Sequence[tuple[Raised, int]]  # with the moment of each
    says: str


def due_watches(archive: Archive, *, now_ms: int, is_brand: Callable[[str], bool]) -> list[Due]:
    """Return the watches whose turn it is; those of a brand that was removed rest."""
    store = WatchStore(archive.table)
    turns = ((watch, store.turn_of(watch)) for watch in store.all() if watch.is_on and is_brand(watch.brand))
    return [Due(watch, turn) for watch, turn in turns if is_due(watch, turn, now_ms=now_ms)]


def question_of(rule: PageRule | PopularRule, brand: str) -> str:
    """Return the question for the list that a rule looks at, as it was counted; empty for none."""
    if isinstance(rule, PageRule):
        return ""
    sections = (rule.section,) if rule.section else ()
    return canonical(PopularQuery(brand, rule.period, sections, limit=rule.top, edited=False))


def questions_of(due: Sequence[Due]) -> frozenset[str]:
    """Return the questions for all lists that are looked at now."""
    return frozenset(question_of(one.watch.rule, one.watch.brand) for one in due) - {""}


def take_turns(archive: Archive, due: Sequence[Due], lists: Lists, means: Means, *, now_ms: int) -> int:
    """Ask for the pages of every watch that is due, and return how many that were."""
    asked = 0
    for one in due:
        question = question_of(one.watch.rule, one.watch.brand)
        if question and question not in lists:
            continue  # It could not be had, and is asked for again in the next round.
        asked += _take_turn(archive, one, lists.get(question, ()), means, now_ms=now_ms)
    return asked


def news_of(archive: Archive, means: Means) -> list[News]:
    """Return what came of the requests of all watches since it was last looked at."""
    store, found = WatchStore(archive.table), list[News]()
    for watch in store.all():
        turn = store.turn_of(watch)
        news = _news(archive, watch, turn, means) if turn.waiting else None
        if news is not None:
            found.append(news)
    return found


def tell(store: AlertStore, news: Sequence[News]) -> int:
    """Put what there is to tell into the outbox of alerts, once however often it is tried; return how much was new."""
    told = 0
    for one in news:
        for alert_id in one.watch.alerts:
            try:
                alert = store.one(one.watch.brand, alert_id)
            except UnknownAlert:
                continue  # It was removed since, and whoever looks at the watch sees that.
            told += sum(store.tell(alert, raised, at_ms=at_ms) for raised, at_ms in one.raised)
    return told


def settle(archive: Archive, news: Sequence[News]) -> None:
    """Remember that what came of requests was told; who ends before it tells again what is known by then."""
    store = WatchStore(archive.table)
    for one in news:
        left = tuple(id for id in one.turn.waiting if id not in one.settled)
        store.take_turn(one.watch, one.turn, structs.replace(one.turn, waiting=left, says=one.says or one.turn.says))


def _take_turn(archive: Archive, due: Due, items: Sequence[AssetHits], means: Means, *, now_ms: int) -> int:
    """Ask first and remember it then: what is open is asked for once, and a turn that nobody remembers comes again."""
    store, watch = WatchStore(archive.table), due.watch
    pages, says = _pages(archive, watch, items, means, now_ms=now_ms)
    asked: list[str] = []
    for sought, address in pages:
        if store.spent(watch.brand, now_ms=now_ms) >= means.captures_per_day:
            says.append(f"the {means.captures_per_day:,} captures of the brand's day (UTC) are spent")
            break
        new = _request(watch, sought, address, now_ms=now_ms, random=means.random_bytes(ID_RANDOM_BYTES))
        try:
            opened = requests.ask(archive.table, new, now_ms=now_ms, quotas=archive.quotas)
        except Refused as refused:
            says.append(refused.reason)
            break
        if opened.id == new.id:
            store.spend(watch.brand, now_ms=now_ms)
        asked.append(opened.id)
    after = next_turn(watch, due.turn, now_ms=now_ms)
    waiting = tuple(dict.fromkeys((*due.turn.waiting, *asked)))[-WAITING_MAX:]
    told = "; ".join([f"asked for {_counted(len(asked), 'page')}", *says])
    store.take_turn(watch, due.turn, structs.replace(after, waiting=waiting, says=f"{told[:1].upper()}{told[1:]}."))
    return len(asked)


def _pages(
    archive: Archive, watch: Watch, items: Sequence[AssetHits], means: Means, *, now_ms: int
) -> tuple[list[tuple[Sought, Address]], list[str]]:
    """Return the pages that a watch is about now, and what there is to say of those that it cannot keep."""
    if isinstance(watch.rule, PageRule):
        try:
            return [(Sought(watch.rule.url, watch.rule.only_changed), means.address_of(watch.rule.url))], []
        except Refused as refused:  # It was allowed when the watch was made.
            return [], [refused.reason]
    pages: list[tuple[Sought, Address]] = []
    nowhere: list[str] = []
    space = keys.brand_space(watch.brand)
    for one in items:
        try:
            address = means.address_of(one.address) if has_address(one.address) else None
        except Refused:
            address = None
        if address is None:
            nowhere.append(one.asset)
            continue
        latest = finding.latest(archive.table, [space], address.key)
        pages.append((sought_of_list(one.address, latest, now_ms=now_ms), address))
    if not nowhere:
        return pages, []
    named = ", ".join(nowhere[:3]) + (", …" if len(nowhere) > 3 else "")
    return pages, [f"{len(nowhere)} of the list have no address in the catalogue: {named}"]


def _request(watch: Watch, sought: Sought, address: Address, *, now_ms: int, random: bytes) -> Request:
    return Request(
        id=new_id(now_ms=now_ms, random=random), brand=watch.brand, space=keys.brand_space(watch.brand),
        by=f"watch:{watch.id}", typed=sought.url, url=address.url, key=address.key, at_us=now_ms * 1_000,
        if_changed=sought.if_changed, priority=1,
    )  # fmt: skip


def _news(archive: Archive, watch: Watch, turn: Turn, means: Means) -> News | None:
    settled: list[str] = []
    raised: list[tuple[Raised, int]] = []
    says = ""
    for request_id in turn.waiting:
        try:
            request = requests.one(archive.table, request_id)
        except NoSuchRequest:
            settled.append(request_id)
            continue
        if request.state in requests.OPEN:
            continue
        settled.append(request_id)
        if request.state is State.FAILED:
            says = f"{request.url} could not be kept: {request.says}"
        elif watch.alerts and (change := _change(archive, watch, request, means)) is not None:
            raised.append(change)
    return News(watch, turn, settled, raised, says) if settled else None


def _change(archive: Archive, watch: Watch, request: Request, means: Means) -> tuple[Raised, int] | None:
    """Return what to tell of a request's capture; nothing unless its text differs from the one before it."""
    capture = None if request.capture is None else finding.capture(archive.table, request.capture)
    if not isinstance(capture, Capture) or capture.id != request.id:
        return None  # Nothing was kept, for it was the same as before.
    space = keys.brand_space(watch.brand)
    lines = finding.captures(
        archive.table, [space], capture.key, to_us=capture.at_us - 1, limit=1, newest_first=True
    ).items
    before = finding.capture(archive.table, lines[0].id) if lines else None
    if not isinstance(before, Capture) or before.text.sha256 == capture.text.sha256:
        return None
    return _raised(archive, watch, before, capture, means), capture.at_us // 1_000


def _raised(archive: Archive, watch: Watch, before: Capture, capture: Capture, means: Means) -> Raised:
    added, removed = passages(archive.text(before), archive.text(capture))
    about = {
        "watch": watch.id,
        "name": watch.name,
        "url": capture.final_url,
        "title": capture.title or None,
        "capture": capture.id,
        "at": moment_text(capture.at_us),
        "before": before.id,
        "beforeAt": moment_text(before.at_us),
        "added": [_short(one) for one in added[:PASSAGES_MAX]],
        "removed": [_short(one) for one in removed[:PASSAGES_MAX]],
        "link": means.site + permanent_path(capture.id, watch.brand),
    }
    counts = f"{_counted(len(added), 'passage')} added, {_counted(len(removed), 'passage')} removed"
    text = f"{capture.title or capture.final_url} has changed: {counts}. It is kept at {about['link']}"
    return Raised(PAGE_CHANGED, capture.id, capture.at_us // 1_000, text, about)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= PASSAGE_CHARACTERS_MAX else f"{text[: PASSAGE_CHARACTERS_MAX - 1]}…"
