"""What the door's rules cost: the same hits taken with and without them, in turns, by processor time.

Two instances get the same hits over HTTP and take turns; what their processes used until all is counted is compared.
Beside it, the door alone: from a body to the disk in this process, without HTTP and counting.

Sketch. A server's batch of the five counted fields costs nothing more: nothing in it can be judged. With a visitor for
each hit: two counts in dicts, the referrer's host remembered, the page's path, some 1.5 us of 11. A page's hit that
comes alone: its sender is remembered, then the same, some 3 us of 50. The processor runs out first.

Lists and rules are those of an operator who has all of them: 50,000 networks of data centres, 2,300 domains of
spammers, and rules of networks, agents and paths.
"""

import argparse
import random
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from http import HTTPStatus
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

from bench.instance import BRAND, Instance, cpu_seconds
from bench.plan import SECONDS, Plan
from bench.results import RESULTS, Row, row, save, show
from bench.traffic import BATCH, Traffic, batches
from footfall.accounts.brands import Brand, Brands
from footfall.adapters.embedded.secret_table import SecretTable
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.app.control_socket import ask
from footfall.app.rules_control import request_from_content
from footfall.flow.collect.accept import Acceptance, Request, entries_of_singles
from footfall.flow.collect.parse import parse_alone, parse_hits
from footfall.flow.collect.screen import Screen, ScreenLimits
from footfall.flow.collect.senders import Salts, Sender
from footfall.screening.lists import Lists, list_from_text, with_list
from footfall.screening.rules import rules_from_document
from footfall.values.clock import SetClock
from footfall.values.window import MINUTE_MS

RATIO_MIN = 0.75
NOW_MS = 1_794_700_000_000
ROUNDS = 15
HITS = 20_000  # of each round
WHOLE_ROUNDS = 9
ALONE = 4_000  # of the hits, where each is a request of its own
CONNECTIONS = 32
TOGETHER = 50  # single hits that come in one turn of the loop
VISITORS = 8_000
NETWORKS, DOMAINS = 50_000, 2_300
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:{}.0) Gecko/20100101 Firefox/{}.0"
_RULES = {
    "addresses": ["198.51.100.0/24"],
    "agents": ["ExampleReader", "OtherReader"],
    "paths": ["/preview/*", "/staff"],
}


def run(plan: Plan) -> list[Row]:
    """Measure each way in which hits come."""
    chance = random.Random(6)
    traffic = Traffic(seed=6)
    full = traffic.full(HITS, from_ms=NOW_MS - MINUTE_MS, to_ms=NOW_MS)
    visited = [hit[:-1] + b',"visitor":"v%d"}' % chance.randrange(VISITORS) for hit in full]
    lean = traffic.lean(HITS)
    pages = [hit.rpartition(b',"at":')[0] + b',"client":"false,1920,GMT+0200"}' for hit in full]
    readers = [
        Sender(
            f"203.0.{number % 250}.{number // 250}",
            FIREFOX.format(90 + number % 40, 90 + number % 40),
            wants_privacy=False,
        )
        for number in range(VISITORS)
    ]
    senders = [chance.choice(readers) for _ in pages]
    rounds = plan.scaled(ROUNDS)
    return [
        *_whole("batches of the five fields", [_posted(body) for body in batches(lean)], HITS, plan),
        *_whole("batches with visitors", [_posted(body) for body in batches(visited)], HITS, plan),
        *_whole("pages, one by one", _of_readers(pages[:ALONE], senders), ALONE, plan),
        *_compared(
            "batches of the five fields", lambda house: house.take_batches(lean), plan.directory / "lean", rounds
        ),
        *_compared("batches with visitors", lambda house: house.take_batches(visited), plan.directory / "full", rounds),
        *_compared(
            "pages, one by one", lambda house: house.take_alone(pages, senders), plan.directory / "alone", rounds
        ),
    ]


def _of_readers(hits: Sequence[bytes], senders: Sequence[Sender]) -> list[bytes]:
    """Return requests as readers' browsers send them, through a proxy that is trusted."""
    return [
        _posted(hit, f"user-agent: {sender.agent}\r\nx-forwarded-for: {sender.address}\r\norigin: https://news.example")
        for hit, sender in zip(hits, senders, strict=False)
    ]


def _posted(body: bytes, lines: str = "user-agent: bench") -> bytes:
    head = f"POST /v1/hits HTTP/1.1\r\nhost: x\r\n{lines}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode("ascii") + body


def _whole(what: str, requests: Sequence[bytes], hits: int, plan: Plan) -> list[Row]:
    """Return what hits cost whole instances until they are counted, those with rules and those without."""
    folder = plan.directory / what.replace(" ", "-")
    used = {"false": 0.0, "true": 0.0}
    rounds = plan.scaled(WHOLE_ROUNDS)
    with ExitStack() as stack:
        instances = {
            switch: stack.enter_context(Instance(folder / switch, {"screening_rules": switch})) for switch in used
        }
        _bring_lists(instances["true"], folder)
        for number in range(rounds + 1):
            for switch in sorted(instances, reverse=bool(number & 1)):
                taken = _used(instances[switch], requests)
                used[switch] += taken if number else 0.0  # The first round fills caches.
        book = instances["true"].ledger()
    assert book["accepted"] == hits * (rounds + 1), book
    each = {switch: seconds / (hits * rounds) * 1e6 for switch, seconds in used.items()}
    return [
        row(f"{what}, instance without rules", each["false"], "us/hit"),
        row(f"{what}, instance with rules", each["true"], "us/hit"),
        row(f"{what}, hits that rules labelled", sum(book["screened"].values()) / book["accepted"], "share"),
        row(f"{what}: rate with rules to rate without", each["false"] / each["true"], "ratio", at_least=RATIO_MIN),
    ]


def _used(instance: Instance, requests: Sequence[bytes]) -> float:
    """Send requests over some connections, one waiting on each, and return the processor time until all is counted."""
    began = cpu_seconds(instance.pid)
    clients = [instance.client() for _ in range(CONNECTIONS)]
    for start in range(0, len(requests), CONNECTIONS):
        together = list(zip(clients, requests[start : start + CONNECTIONS], strict=False))
        for client, request in together:
            client.send(request)
        for client, _ in together:
            answer = client.answer()
            assert answer.status == HTTPStatus.ACCEPTED, answer
    for client in clients:
        client.close()
    instance.drain()
    return cpu_seconds(instance.pid) - began


def _bring_lists(instance: Instance, folder: Path) -> None:
    for text in list_texts(seed=7):
        ask(instance.directory, request_from_content(list_from_text(text)), lambda _share: None)
    ask(instance.directory, {"do": "rules-set", "brand": BRAND, "rules": _RULES}, lambda _share: None)


class House:
    """The way of hits from a body to the disk."""

    def __init__(self, directory: Path, screen: Screen | None) -> None:
        directory.mkdir(parents=True)
        clock = SetClock(NOW_MS)
        salts = Salts(SecretTable(directory / "salts.db", clock=clock), random_bytes=lambda size: bytes(size))
        self._acceptance = Acceptance(Brands({BRAND: Brand(BRAND)}, any_brand=False), salts, shards=1)
        if screen is not None:
            self._acceptance.screen_with(screen)
        self._stream = SqliteStream(directory / "stream.db", clock=clock)
        self._server = Sender("192.0.2.1", "bench", wants_privacy=False, key_id="k", is_server=True)
        self._now_ms = NOW_MS

    def take_batches(self, hits: Sequence[bytes]) -> None:
        """Take hits of a server, a hundred a request."""
        self._now_ms += MINUTE_MS
        request = Request(self._now_ms, self._server, is_batch=True)
        self._stream.append(
            [
                entry
                for body in batches(hits)
                for entry in self._acceptance.entries(parse_hits(body, lines=False, hits_max=BATCH), request)
            ]
        )

    def take_alone(self, hits: Sequence[bytes], senders: Sequence[Sender]) -> None:
        """Take hits of pages, as many in a turn as a busy loop has."""
        self._now_ms += MINUTE_MS
        for start in range(0, len(hits), TOGETHER):
            parsed = parse_alone(hits[start : start + TOGETHER])
            singles = [
                self._acceptance.single(hit, sender, arrived_at_ms=self._now_ms)
                for hit, sender in zip(parsed, senders[start : start + TOGETHER], strict=True)
                if not isinstance(hit, Exception)
            ]
            self._stream.append(entries_of_singles(singles, shards=1))


def list_texts(seed: int) -> list[str]:
    """Return a list of networks and one of domains, as an operator's files have them."""
    chance = random.Random(seed)
    networks = [
        f"{chance.randrange(1, 200)}.{chance.randrange(256)}.{chance.randrange(256)}.0/24" for _ in range(NETWORKS)
    ]
    return ["\n".join(networks), "\n".join(f"spam-{number}.example" for number in range(DOMAINS))]


def full_screen(seed: int) -> Screen:
    """Return a screen that has every list and every kind of rule."""
    lists = Lists()
    for text in list_texts(seed):
        content = list_from_text(text)
        lists = with_list(lists, content.kind, content.data)
    screen = Screen(ScreenLimits(), secret=bytes(32))
    screen.take_lists(lists)
    screen.take_rules({BRAND: rules_from_document(_RULES)})
    return screen


def _compared(what: str, take: Callable[[House], None], directory: Path, rounds: int) -> list[Row]:
    """Return what hits cost with and without the rules; the two take turns, so that a busy machine is fair to both."""
    houses = {"without": House(directory / "without", None), "with": House(directory / "with", full_screen(seed=7))}
    taken: dict[str, list[float]] = {name: [] for name in houses}
    for number in range(rounds + 1):
        for name in sorted(houses, reverse=bool(number & 1)):
            began = process_time()
            take(houses[name])
            if number:  # The first makes the automaton of agents and fills the caches.
                taken[name].append(process_time() - began)
    without, with_rules = (median(taken[name]) for name in ("without", "with"))
    ratio = median(one / other for one, other in zip(taken["without"], taken["with"], strict=True))
    return [
        row(f"{what}, the door alone, without rules", without / HITS * 1e6, "us/hit"),
        row(f"{what}, the door alone, with rules", with_rules / HITS * 1e6, "us/hit"),
        row(f"{what}, the door alone: rate with rules to rate without", ratio, "ratio"),
    ]


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.screening", description="What the door's rules cost.")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="shorter runs write nothing")
    seconds: int = parser.parse_args().seconds
    with TemporaryDirectory() as directory:
        measured = run(Plan(Path(directory), seconds))
    if seconds >= SECONDS:
        save("screening", measured, RESULTS)
    show([("screening", measured)])


if __name__ == "__main__":
    main()
