"""How many requests reading the audience takes on DynamoDB, by the adapter's own counter, which is that of the wire.

One query of a table may be several requests: DynamoDB ends a page at 1 MB. So the longest lists are read here as well.
"""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from footfall.adapters.aws.dynamodb_table import DynamoDbTable
from footfall.audience import following, keys
from footfall.audience.blocking import block, set_private
from footfall.audience.follows import FOLLOWS_MAX, Edge, Follows
from footfall.audience.history import Watching, record
from footfall.audience.history_next import episodes_of, keep_episodes
from footfall.audience.history_reading import RECENT_MAX, all_of, going_on, latest_of, recent, resume_point
from footfall.audience.history_rule import USUAL_RULE, Progress
from footfall.audience.playbacks_ended import LOOKED_AT_MAX, ended_of, ended_on
from footfall.audience.playbacks_kept import admit, end, held
from footfall.audience.things import ID_BYTES_MAX, KIND_LETTERS_MAX, Thing
from footfall.ports.table import BATCH_ITEMS_MAX, Item, Put
from footfall.values.clock import SetClock
from footfall.values.window import instant_text
from tests.audience.follow_stage import BRAND, NOW_MS, member, series
from tests.audience.history_stage import HOUR_MS, ask, means
from tests.engines.dynamodb import DynamoDbEngine, table_of

ME, DARK = member("me"), series("dark")
LONG_REQUESTS_MAX = 6  # All that one may follow, by ids of the most bytes; docs/formats/audience.md says so.


class Asked:
    """A table of DynamoDB Local, and how many requests went out to it."""

    def __init__(self, engine: DynamoDbEngine) -> None:
        client = engine.client()
        self.clock = SetClock(NOW_MS)
        names = engine.names(client, indexes=keys.AUDIENCE_INDEXES)
        self.table: DynamoDbTable = table_of(client, names, clock=self.clock, indexes=keys.AUDIENCE_INDEXES)
        self.follows = Follows(self.table, clock=self.clock)
        self._sent = 0
        client.meta.events.register("before-send.dynamodb", self._send)

    def _send(self, **_more: Any) -> None:
        self._sent += 1

    def requests(self, read: Callable[[], object]) -> int:
        """Return how many requests a read takes."""
        sent, reads = self._sent, self.table.counted.reads
        read()
        assert self._sent - sent == self.table.counted.reads - reads, "the counter tells what is sent"
        return self._sent - sent

    def let_follow(self, follower: Thing, targets: Sequence[Thing]) -> None:
        """Write follows as they are written one by one, in batches."""
        puts: list[Put] = []
        for number, target in enumerate(targets):
            edge = Edge(BRAND, follower, target)
            item: Item = {
                "mark": "as a write has",
                "to": keys.followers(BRAND, target, 0),
                "at_us": edge.at_us(NOW_MS + number),
            }
            puts.append(Put(edge.key, item))
        for start in range(0, len(puts), BATCH_ITEMS_MAX):
            self.table.write(puts[start : start + BATCH_ITEMS_MAX])


@pytest.fixture
def asked(dynamodb: DynamoDbEngine) -> Asked:
    return Asked(dynamodb)


def test_every_read_of_follows_is_one_request(asked: Asked) -> None:
    follows = asked.follows
    for number in range(130):
        follows.follow(BRAND, ME, series(number))
    for number in range(110):
        follows.follow(BRAND, member(number), DARK)
    set_private(follows, BRAND, member("shy"), is_private=True)
    follows.follow(BRAND, ME, member("shy"))
    block(follows, BRAND, ME, member("rude"))
    reads: dict[str, Callable[[], object]] = {
        "does it follow?": lambda: following.state_of(follows, BRAND, ME, series(7)),
        "which of 100": lambda: following.which_of(follows, BRAND, ME, [series(n) for n in range(50, 150)]),
        "what it follows": lambda: following.following(follows, BRAND, ME, limit=100),
        "of one kind": lambda: following.following(follows, BRAND, ME, limit=100, kind="series"),
        "who follows it": lambda: following.followers(follows, BRAND, DARK, limit=100),
        "how many": lambda: following.counts(follows, BRAND, DARK),
        "who asked": lambda: following.requests(follows, BRAND, member("shy"), limit=100),
        "whom it blocks": lambda: following.blocked(follows, BRAND, ME, limit=100),
    }
    assert {name: asked.requests(read) for name, read in reads.items()} == dict.fromkeys(reads, 1)
    assert asked.requests(lambda: following.state_of(follows, BRAND, ME, series("other"))) == 2  # It may have asked.


def test_a_divided_thing_is_asked_for_by_its_shards(asked: Asked) -> None:
    follows = asked.follows
    assert follows.spread(BRAND, DARK, followers=20_000) == 16
    for number in range(100):
        follows.follow(BRAND, member(number), DARK)
    assert asked.requests(lambda: following.counts(follows, BRAND, DARK)) == 16
    assert 16 <= asked.requests(lambda: following.followers(follows, BRAND, DARK, limit=20)) <= 32


@pytest.mark.parametrize(
    ("kind", "digits", "most"),
    [("series", 24, 1), ("k" * KIND_LETTERS_MAX, ID_BYTES_MAX, LONG_REQUESTS_MAX)],
    ids=["usual", "longest"],
)
def test_all_that_one_may_follow_is_one_request_for_each_megabyte(
    asked: Asked, kind: str, digits: int, most: int
) -> None:
    def of_length(number: int) -> Thing:
        return Thing(kind, f"{number:05d}".rjust(digits, "x"))

    me, targets = of_length(FOLLOWS_MAX), [of_length(number) for number in range(FOLLOWS_MAX)]
    asked.let_follow(me, targets)
    some = targets[:: FOLLOWS_MAX // 99][: following.ASKED_MAX - 1] + targets[-1:]
    assert len(some) == following.ASKED_MAX
    reads: dict[str, Callable[[], object]] = {
        "all": lambda: following.followed(asked.follows, BRAND, me),
        "a page": lambda: following.following(asked.follows, BRAND, me, limit=100),
        "which of 100": lambda: following.which_of(asked.follows, BRAND, me, some),
    }
    took = {name: asked.requests(read) for name, read in reads.items()}
    assert max(took.values()) <= most, took
    assert set(following.which_of(asked.follows, BRAND, me, some)) == set(some)


def test_every_read_of_a_history_is_one_request(asked: Asked) -> None:
    table, long = asked.table, "x" * (ID_BYTES_MAX - 4)
    for number in range(RECENT_MAX + 20):
        at_ms = NOW_MS - number * 1_800_000
        progress = Progress(HOUR_MS // 2, HOUR_MS)
        told = Watching("ann", f"e{number:03d}{long}", f"s{number:03d}{long}", progress, at_ms, device="tv" * 30)
        record(table, BRAND, told, now_ms=NOW_MS)
    some, asset = f"s001{long}", f"e001{long}"
    keep_episodes(table, BRAND, some, [f"e{number:03d}{long}" for number in range(1_000)])
    reads: dict[str, Callable[[], object]] = {
        "where in this?": lambda: resume_point(table, BRAND, "ann", series=some, asset=asset),
        "what last of a series?": lambda: latest_of(table, BRAND, "ann", series=some),
        "all of a series": lambda: all_of(table, BRAND, "ann", series=some),
        "the order of its episodes": lambda: episodes_of(table, BRAND, some),
        "the last series": lambda: recent(table, BRAND, "ann", limit=RECENT_MAX),
        "what may be continued": lambda: going_on(table, BRAND, "ann", limit=60, rule=USUAL_RULE),
    }
    assert {name: asked.requests(read) for name, read in reads.items()} == dict.fromkeys(reads, 1)
    assert len(recent(table, BRAND, "ann", limit=RECENT_MAX).entries) == RECENT_MAX


def test_every_read_of_playbacks_is_one_request(asked: Asked) -> None:
    table = asked.table
    for number in range(LOOKED_AT_MAX + 10):
        admit(table, BRAND, "ann", ask(f"s{number}", limit=1), now_ms=NOW_MS + number, means=means())
    end(table, BRAND, "ann", f"s{LOOKED_AT_MAX + 9}", now_ms=NOW_MS + 1_000, means=means())
    reads: dict[str, Callable[[], object]] = {
        "what plays": lambda: held(table, BRAND, "ann"),
        "what has ended": lambda: ended_of(table, BRAND, "ann", limit=LOOKED_AT_MAX),
        "what ended on a day": lambda: ended_on(table, BRAND, instant_text(NOW_MS)[:10], limit=100),
    }
    assert {name: asked.requests(read) for name, read in reads.items()} == dict.fromkeys(reads, 1)
    assert len(ended_of(table, BRAND, "ann", limit=LOOKED_AT_MAX).endings) == LOOKED_AT_MAX
