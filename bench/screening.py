"""What the door's rules cost: the same hits taken with and without them, in turns, by processor time.

Sketch. A server's batch of the five counted fields costs nothing: nothing in it can be judged. With a visitor for each
hit, two looks into dicts of counts and one at the referrer's host, some 1.2 us of 7. A page's hit that comes alone: its
agent is remembered, its network is remembered, two counts, some 2.5 us of 15 without the HTTP around it. So HTTP, which
every hit pays and which is not measured here, makes the true ratios better. The processor runs out first.

Lists and rules are those of an operator who has all of them: 50,000 networks of data centres, 2,300 domains of
spammers, and rules of networks, agents and paths.
"""

import argparse
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

from bench.instance import BRAND
from bench.plan import SECONDS, Plan
from bench.results import RESULTS, Row, row, save, show
from bench.traffic import BATCH, Traffic, batches
from footfall.accounts.brands import Brand, Brands
from footfall.adapters.embedded.secret_table import SecretTable
from footfall.adapters.embedded.sqlite_stream import SqliteStream
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
        Sender(f"203.0.{number % 250}.{number // 250}", FIREFOX.format(90 + number % 40, 90 + number % 40), False)  # noqa: FBT003
        for number in range(VISITORS)
    ]
    senders = [chance.choice(readers) for _ in pages]
    rounds = plan.scaled(ROUNDS)
    return [
        *_compared(
            "batches of the five fields", lambda house: house.take_batches(lean), plan.directory / "lean", rounds
        ),
        *_compared("batches with visitors", lambda house: house.take_batches(visited), plan.directory / "full", rounds),
        *_compared(
            "pages, one by one", lambda house: house.take_alone(pages, senders), plan.directory / "alone", rounds
        ),
    ]


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


def full_screen(seed: int) -> Screen:
    """Return a screen that has every list and every kind of rule."""
    chance = random.Random(seed)
    networks = "\n".join(
        f"{chance.randrange(1, 200)}.{chance.randrange(256)}.{chance.randrange(256)}.0/24" for _ in range(NETWORKS)
    )
    domains = "\n".join(f"spam-{number}.example" for number in range(DOMAINS))
    lists = Lists()
    for text in (networks, domains):
        content = list_from_text(text)
        lists = with_list(lists, content.kind, content.data)
    screen = Screen(ScreenLimits(key_per_minute_max=10**9), secret=bytes(32))
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
        row(f"{what}, without rules", without / HITS * 1e6, "us/hit"),
        row(f"{what}, with rules", with_rules / HITS * 1e6, "us/hit"),
        row(f"{what}: rate with rules to rate without", ratio, "ratio", at_least=RATIO_MIN),
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
