"""Follows under crashes: whatever is killed between the two files, windows equal a plain recount of the acts.

The relay is the instance's own, on real files. A crash before the append loses what the round had in hand; one after
it leaves what was stored in the feed as well; then everything is opened anew, as another process would.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from enum import Enum
from pathlib import Path
from random import Random

import pytest

from footfall.accounts.brands import Brand
from footfall.adapters.embedded.snapshot import Snapshot
from footfall.app import wiring
from footfall.app.audience_opening import open_audience
from footfall.app.backup_file import DATABASES
from footfall.app.counting import Counting
from footfall.app.settings import Settings
from footfall.audience import blocking
from footfall.audience.follows import Blocked, Follows, NotAsked, State
from footfall.audience.personal import erase_some
from footfall.audience.things import Thing
from footfall.flow.collect.accept import Single
from footfall.flow.collect.plain import Taken, entries_of
from footfall.flow.store.checkpoints import Checkpoint, Lines, load_checkpoint
from footfall.ports.errors import Unavailable
from footfall.ports.stream import Stream
from footfall.shells.http.commits import Done, SinglesDone
from footfall.shells.http.follow_rounds import FollowRounds
from footfall.values.clock import SetClock, SystemClock
from footfall.values.groups import follows_name, unfollows_name
from footfall.values.window import MINUTE_MS
from tests.audience.followed_windows import Followed, by_window, followed, in_all

BRANDS = ("abc", "kathmandu", "plain")
MEMBERS = [Thing("member", f"{number}") for number in range(6)]
TARGETS = [*MEMBERS[:2], Thing("series", "dark"), Thing("series", "a#b"), Thing("author", "7"), Thing("asset", "7")]
SEEDS, SEEDS_OF_A_CAMPAIGN = 25, 400
ACTS = 120


class Crash(Enum):
    """Where a round is cut short."""

    NOWHERE = "nowhere"
    BEFORE = "before the append"
    AFTER = "after the append and before the feed forgets"


class CrashingCommits:
    """Appends to a stream at once, or is killed on the way."""

    def __init__(self, stream: Stream, crash: Crash) -> None:
        self._stream = stream
        self._crash = crash
        self.pending_bytes = 0

    def submit(self, entries: Sequence[Taken], done: Done) -> None:
        if self._crash is Crash.BEFORE:
            raise Unavailable("killed before the append")
        done(self._stream.append(entries_of(entries)[0]))
        if self._crash is Crash.AFTER:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()

    def submit_singles(self, singles: Sequence[Single], done: SinglesDone) -> None:
        raise AssertionError(f"{len(singles)} hits were sent, {done}")


class World:
    """A directory, the acts of its members, and what they come to."""

    def __init__(self, folder: Path, chance: Random) -> None:
        brands = {"abc": Brand("abc"), "kathmandu": Brand("kathmandu", zone="Asia/Kathmandu"), "plain": Brand("plain")}
        self.settings = Settings(
            data_dir=str(folder), brands=brands, audience_uncounted_brands="plain", stream_shards=3
        )
        self.chance = chance
        self.began_ms = SystemClock().now_ms()  # The feed's own moments are the machine's.
        self.clock = SetClock(self.began_ms)
        self.live: set[tuple[str, Thing, Thing]] = set()
        self.asked: set[tuple[str, Thing, Thing]] = set()
        self.follows: Counter[tuple[str, int, Followed]] = Counter()
        self.unfollows: Counter[tuple[str, Followed]] = Counter()

    def act(self) -> None:
        """Do something in the follow graph, in a process of its own, and note what it comes to."""
        brand, member, target = self.chance.choice(BRANDS), self.chance.choice(MEMBERS), self.chance.choice(TARGETS)
        if member == target:
            return
        self.clock.advance(self.chance.choice((0, 1, 700, 20_000)))
        way = self.chance.choices(
            (self._follow, self._unfollow, self._block, self._privacy, self._approve, self._erase),
            (40, 25, 8, 6, 15, 6),
        )[0]
        opened = open_audience(self.settings, self.clock)
        try:
            way(opened.audience.follows, brand, member, target)
        except (Blocked, NotAsked):
            pass
        finally:
            opened.close()

    def _follow(self, follows: Follows, brand: str, member: Thing, target: Thing) -> None:
        came = follows.follow(brand, member, target)
        if came.is_new and came.state is State.FOLLOWING:
            self._came(brand, member, target, came.at_us)
        self._is_asked(brand, member, target, is_on=came.state is State.REQUESTED)

    def _unfollow(self, follows: Follows, brand: str, member: Thing, target: Thing) -> None:
        is_known = (brand, member, target) in self.live | self.asked
        assert follows.unfollow(brand, member, target) == is_known
        self._went(brand, member, target)

    def _block(self, follows: Follows, brand: str, member: Thing, target: Thing) -> None:
        if self.chance.random() < 0.5:
            blocking.unblock(follows, brand, target, member)
        else:
            blocking.block(follows, brand, target, member)
            self._went(brand, member, target)

    def _privacy(self, follows: Follows, brand: str, _member: Thing, target: Thing) -> None:
        blocking.set_private(follows, brand, target, is_private=self.chance.random() < 0.5)

    def _approve(self, follows: Follows, brand: str, member: Thing, target: Thing) -> None:
        came = follows.approve(brand, target, member)
        if came.is_new:
            self._came(brand, member, target, came.at_us)
        self._is_asked(brand, member, target, is_on=False)

    def _erase(self, follows: Follows, brand: str, member: Thing, _target: Thing) -> None:
        while erase_some(follows, brand, member, 3):
            pass
        for edge in [one for one in self.live | self.asked if one[0] == brand and member in one[1:]]:
            self._went(*edge)

    def _came(self, brand: str, member: Thing, target: Thing, at_us: int) -> None:
        assert (brand, member, target) not in self.live
        self.live.add((brand, member, target))
        self.follows[brand, at_us // 1_000 // MINUTE_MS * MINUTE_MS, followed(member, target)] += 1

    def _went(self, brand: str, member: Thing, target: Thing) -> None:
        self.asked.discard((brand, member, target))
        if (brand, member, target) in self.live:
            self.live.discard((brand, member, target))
            self.unfollows[brand, followed(member, target)] += 1

    def _is_asked(self, brand: str, member: Thing, target: Thing, *, is_on: bool) -> None:
        (self.asked.add if is_on else self.asked.discard)((brand, member, target))

    def relay(self, crash: Crash) -> None:
        """Let an instance begin, relay, and be killed or not."""

        async def one_round() -> None:
            with ExitStack() as stack:
                stream = stack.enter_context(closing(wiring.open_stream_to_write(self.settings, self.clock)))
                rounds = FollowRounds(self.settings, self.clock, stream, CrashingCommits(stream, crash))
                task = asyncio.get_running_loop().create_task(rounds.go_round())
                (outcome,) = await asyncio.gather(task, return_exceptions=True)
                if not isinstance(outcome, float):
                    assert isinstance(outcome, Unavailable | asyncio.CancelledError), outcome
                    assert crash is not Crash.NOWHERE

        asyncio.run(one_round())

    def check(self) -> None:
        """Count all that is in the stream, and compare every window and every ledger."""
        self.clock.advance(2_000)
        with ExitStack() as stack:
            stream = stack.enter_context(closing(wiring.open_stream_to_write(self.settings, self.clock)))
            store = stack.enter_context(closing(wiring.open_store(self.settings, self.clock)))
            Counting(self.settings, stream, store, clock=self.clock).drain()
            ends_ms = max(self.clock.now_ms(), SystemClock().now_ms()) + MINUTE_MS
            shards = range(stream.shards)
            for brand in BRANDS:
                zone = self.settings.brands[brand].zone
                came, went = (
                    by_window(store, self.clock, name, from_ms=self.began_ms, to_ms=ends_ms, zone=zone)
                    for name in (follows_name(brand), unfollows_name(brand))
                )
                assert came == {(at, what): n for (one, at, what), n in self.follows.items() if one == brand}
                assert in_all(went) == {what: n for (one, what), n in self.unfollows.items() if one == brand}
                for name, windows in ((follows_name(brand), came), (unfollows_name(brand), went)):
                    lines = Lines()
                    for shard in shards:
                        lines.add((load_checkpoint(store, shard) or Checkpoint()).lines.get(name, Lines()))
                    total = windows.total()
                    assert (lines.counted, stream.appended().get(name, 0)) == (total, total)
                    assert (lines.duplicate, lines.late, lines.future, lines.dead) == (0, 0, 0, 0)


def told(folder: Path, seed: int) -> World:
    chance = Random(seed)
    world = World(folder, chance)
    for _ in range(ACTS):
        world.act()
        if chance.random() < 0.25:
            world.relay(chance.choice(list(Crash)))
        if chance.random() < 0.02:
            world.relay(Crash.NOWHERE)
            world.check()
    world.relay(Crash.NOWHERE)
    world.relay(Crash.NOWHERE)
    world.check()
    return world


@pytest.mark.parametrize("seed", range(SEEDS))
def test_windows_of_follows_equal_a_recount_of_the_acts_wherever_the_relay_was_killed(
    tmp_path: Path, seed: int
) -> None:
    world = told(tmp_path, seed)
    assert world.follows.total() > 10
    assert world.unfollows.total() > 3


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SEEDS, SEEDS_OF_A_CAMPAIGN))
def test_more_of_the_same(tmp_path: Path, seed: int) -> None:
    told(tmp_path, seed)


def held(world: World, name: str, target: Path) -> None:
    """Copy one moment of a file, as a backup does."""
    with closing(Snapshot(Path(world.settings.data_dir) / name)) as snapshot:
        snapshot.copy_to(target / name, between=lambda: None)


@pytest.mark.parametrize("is_relayed_between", [False, True], ids=["nothing relayed", "relayed"])
@pytest.mark.parametrize("seed", range(6))
def test_a_backup_that_was_made_while_follows_came_counts_none_of_them_twice_and_loses_none(
    tmp_path: Path, seed: int, *, is_relayed_between: bool
) -> None:
    assert DATABASES.index(wiring.AUDIENCE_FILE) < DATABASES.index(wiring.STREAM_FILE)
    world, kept = World(tmp_path / "data", Random(seed)), tmp_path / "kept"
    for folder in (tmp_path / "data", kept):
        folder.mkdir()
    for _ in range(60):
        world.act()
    world.relay(Crash.AFTER)  # Some lie in both files.
    world.check()
    for _ in range(20):
        world.act()
    held(world, wiring.STORE_FILE, kept)
    held(world, wiring.AUDIENCE_FILE, kept)
    live, asked, follows, unfollows = set(world.live), set(world.asked), world.follows.copy(), world.unfollows.copy()
    for _ in range(20):
        world.act()
    if is_relayed_between:  # They are in the stream's moment, though the graph of the backup does not have them.
        world.relay(Crash.NOWHERE)
        follows, unfollows = world.follows.copy(), world.unfollows.copy()
    held(world, wiring.STREAM_FILE, kept)
    for _ in range(20):
        world.act()
    world.relay(Crash.NOWHERE)
    world.settings = replace(world.settings, data_dir=str(kept))
    world.live, world.asked, world.follows, world.unfollows = live, asked, follows, unfollows
    world.relay(Crash.NOWHERE)
    world.check()
    for _ in range(40):
        world.act()
    world.relay(Crash.NOWHERE)
    world.check()
