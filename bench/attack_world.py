"""People who read a news site for a day, hit by hit, with all that a door sees of them; seeded.

A daily rhythm, sessions, viral stories, newsletters, a breaking story that is read again and again, offices whose
readers share one address and agent, and some who ask for privacy. Nobody's page reloads itself: that looks like a drip.
"""

from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from bench.agents import fake_useragent_browsers

Ints = NDArray[np.int64]
Chance = np.random.Generator

START_MS = 1_794_700_800_000  # a midnight in UTC
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
MINUTE_MS = 60_000
ASSETS, SECTIONS = 20_000, 30
AGENTS = 600
PRIVATE = 0.08  # of senders ask for privacy, and leave no visitor behind
HUMAN_HITS = 1_000_000

REFERRERS = (
    *("", "https://www.brand.example/", "https://www.google.com/", "https://t.co/x", "https://www.facebook.com/"),
    *("https://www.reddit.com/r/news", "https://www.bing.com/", "https://news.example/", "https://duckduckgo.com/"),
)
NONE, OWN, SEARCH = 0, 1, 2
SPAM_LISTED = tuple(f"spam-{place}.example" for place in range(40))
SPAM_NEW = tuple(f"fresh-spam-{place}.example" for place in range(10))
REFERRER_TEXTS = (*REFERRERS, *(f"https://{domain}/win" for domain in (*SPAM_LISTED, *SPAM_NEW)))
CLIENTS = ("1920,GMT+0200", "390,GMT+0200", "412,GMT+0200", "1440,GMT+0100", "driven,800,GMT+0000", "800,GMT+0000")
DRIVEN, BARE_CLIENT = 4, 5
HEADLESS = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36"
)


class Truth(IntEnum):
    """What a hit truly is."""

    HUMAN = 0
    RELOADER = 1
    BOTNET = 2
    SLOW_DRIP = 3
    HEADLESS_FARM = 4
    REPLAY = 5
    REFERRER_SPAM = 6
    SCRAPER_WALK = 7
    CLICK_FARM = 8
    BAD_CLOCK = 9
    FORGED_KEYS = 10
    BOTNET_OF_20_AGENTS = 11  # a day of their own, in no sum: what judging cannot tell from people
    BOTNET_OF_40_AGENTS = 12


ATTACKS = tuple(Truth)[Truth.RELOADER : Truth.FORGED_KEYS + 1]
MANY_KINDS = {Truth.BOTNET_OF_20_AGENTS: 20, Truth.BOTNET_OF_40_AGENTS: 40}


@dataclass(frozen=True, slots=True)
class Hits:
    """Columns of hits; texts are places in the tables of their kind."""

    arrived_ms: Ints
    at_ms: Ints
    asset: Ints
    address: Ints  # an IPv4 address
    agent: Ints
    referrer: Ints
    client: Ints
    id: Ints  # 0: none
    is_private: Ints
    has_key: Ints  # 1: a good one, 0: a forged one
    truth: Ints

    def __len__(self) -> int:
        return len(self.asset)

    def chosen(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> "Hits":
        """Return some of the hits."""
        return Hits(*(getattr(self, field.name)[which] for field in fields(self)))


class World:
    """What people and attackers draw from."""

    def __init__(self, chance: Chance, scale: float) -> None:
        self.chance = chance
        self.scale = scale
        browsers = sorted(fake_useragent_browsers())
        drawn = chance.choice(len(browsers), AGENTS, replace=False)
        self.agents = (*(browsers[place] for place in drawn.tolist()), HEADLESS)
        weights = 1 / np.arange(1, AGENTS + 1) ** 0.9
        self.agent_weights = weights / weights.sum()
        # Readers of mail and of social networks hold telephones: a part of the agents.
        mobile = self.agent_weights * (chance.random(AGENTS) < 0.4)
        self.mobile_weights = mobile / mobile.sum()
        popular = chance.permutation(1 / (np.arange(ASSETS) + 8.0))
        self.asset_shares = np.cumsum(popular / popular.sum())
        self.order = np.argsort(-popular)
        self.next_id = 1
        self.stories: dict[str, tuple[int, ...]] = {}

    def sized(self, count: int) -> int:
        """Return an amount at the scale of the run."""
        return max(1, round(count * self.scale))

    def addresses(self, count: int) -> Ints:
        """Return addresses, none of which is a reserved one."""
        return self.chance.integers(0x0B00_0000, 0x7E00_0000, count)

    def popular(self, count: int) -> Ints:
        """Return assets by their popularity."""
        return np.minimum(np.searchsorted(self.asset_shares, self.chance.random(count)), ASSETS - 1)

    def ranked(self, low: int, high: int, count: int) -> tuple[int, ...]:
        """Return assets whose usual rank lies in a range."""
        return tuple(int(place) for place in self.order[self.chance.choice(np.arange(low, high), count, replace=False)])

    def drawn_agents(self, count: int, *, mobile: bool = False) -> Ints:
        """Return agents as people have them."""
        return self.chance.choice(AGENTS, count, p=self.mobile_weights if mobile else self.agent_weights)

    def hits(self, whose: Ints, senders: tuple[Ints, Ints], moments: Ints, assets: Ints, referrers: Ints) -> Hits:
        """Return hits of senders (addresses and agents) that are as people send them; `whose` names the sender."""
        addresses, agents = senders
        count = len(whose)
        private = (self.chance.random(len(addresses)) < PRIVATE).astype(np.int64)
        clients = self.chance.integers(0, DRIVEN, len(addresses))
        ids = np.arange(self.next_id, self.next_id + count)
        self.next_id += count
        return Hits(
            *(moments, moments.copy(), assets, addresses[whose], agents[whose], referrers, clients[whose], ids),
            *(private[whose], np.ones(count, np.int64), np.zeros(count, np.int64)),
        )


def people(world: World) -> list[Hits]:
    """Return hits of people, as many as asked for."""
    viral, mails, breaking = world.ranked(2_000, 9_000, 6), world.ranked(500, 9_000, 24), world.ranked(2_000, 9_000, 1)
    world.stories = {"viral": viral, "newsletter": mails, "breaking": breaking}
    special = [_viral(world, asset) for asset in viral]
    special += [_newsletter(world, mails[at : at + 8]) for at in range(0, 24, 8)]
    special += [_breaking(world, breaking[0]), _offices(world)]
    rest = world.sized(HUMAN_HITS) - sum(len(part) for part in special)
    return [_sessions(world, rest), *special]


def _moments(world: World, count: int) -> Ints:
    """Return moments with the rhythm of a day: little at night, most in the evening."""
    hours = np.arange(24)
    weights = 1.05 + np.sin((hours - 10) / 24 * 2 * np.pi) + 0.5 * np.exp(-((hours - 8) ** 2) / 3)
    hour = world.chance.choice(24, count, p=weights / weights.sum())
    return START_MS + hour * HOUR_MS + world.chance.integers(0, HOUR_MS, count)


def _walk(world: World, sizes: Ints, starts: Ints, gap_s: float) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Return whose each hit is, when it comes, and whether it is the first of its session."""
    whose = np.repeat(np.arange(len(sizes)), sizes)
    is_first = np.zeros(len(whose), np.bool_)
    first = np.cumsum(sizes) - sizes
    is_first[first] = True
    gaps = (1_000 * gap_s * world.chance.lognormal(0, 1.2, len(whose))).astype(np.int64)
    gaps[is_first] = 0
    run = np.cumsum(gaps)
    moments = starts[whose] + run - np.repeat(run[first], sizes)
    return whose, np.minimum(moments, START_MS + DAY_MS - 1), is_first


def _sessions(world: World, count: int) -> Hits:
    """Return what people read who come by themselves: mostly a page or two, some a hundred."""
    sizes = np.minimum(np.ceil(world.chance.lognormal(0.5, 1.0, count)), 150).astype(np.int64)
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), count))]
    sizes = np.append(sizes, count - sizes.sum()) if sizes.sum() < count else sizes
    whose, moments, is_first = _walk(world, sizes, _moments(world, len(sizes)), 45)
    came = world.chance.choice(len(REFERRERS), len(whose), p=(0.25, 0.2, 0.25, 0.08, 0.08, 0.04, 0.03, 0.04, 0.03))
    referrers = np.where(is_first | (world.chance.random(len(whose)) < 0.15), came, OWN)
    senders = world.addresses(len(sizes)), world.drawn_agents(len(sizes))
    return world.hits(whose, senders, moments, world.popular(len(whose)), referrers)


def _offices(world: World) -> Hits:
    """Return hits from offices: 25 readers behind each address, most with the same agent."""
    offices, readers = world.sized(60), 25
    sizes = np.minimum(np.ceil(world.chance.lognormal(0.5, 1.0, offices * readers)), 60).astype(np.int64)
    starts = START_MS + 7 * HOUR_MS + world.chance.integers(0, 10 * HOUR_MS, len(sizes))
    whose, moments, is_first = _walk(world, sizes, starts, 45)
    came = world.chance.integers(0, len(REFERRERS), len(whose))
    common = world.drawn_agents(offices)
    agents = np.where(world.chance.random(len(sizes)) < 0.6, np.repeat(common, readers), world.drawn_agents(len(sizes)))
    senders = np.repeat(world.addresses(offices), readers), agents
    return world.hits(whose, senders, moments, world.popular(len(whose)), np.where(is_first, came, OWN))


def _viral(world: World, asset: int) -> Hits:
    """Return a story that spreads: a rise within minutes, on telephones, from social networks or nowhere."""
    count = world.sized(int(world.chance.integers(6_000, 12_000)))
    start = START_MS + int(world.chance.integers(3 * HOUR_MS, 20 * HOUR_MS))
    moments = start + (world.chance.gamma(2, 25, count) * MINUTE_MS).astype(np.int64)
    referrers = world.chance.choice([NONE, 3, 4, 5], count, p=(0.3, 0.35, 0.25, 0.1))
    senders = world.addresses(count), world.drawn_agents(count, mobile=True)
    moments = np.minimum(moments, START_MS + DAY_MS - 1)
    return world.hits(np.arange(count), senders, moments, np.full(count, asset), referrers)


def _newsletter(world: World, assets: tuple[int, ...]) -> Hits:
    """Return what readers of a mail open, most in the first quarter of an hour, hardly any with a referrer."""
    count = world.sized(6_000)
    start = START_MS + int(world.chance.integers(5 * HOUR_MS, 20 * HOUR_MS))
    moments = start + (world.chance.exponential(12, count) * MINUTE_MS).astype(np.int64)
    chosen = np.array(assets)[np.minimum(world.chance.geometric(0.35, count) - 1, len(assets) - 1)]
    referrers = np.where(world.chance.random(count) < 0.85, NONE, OWN)
    senders = world.addresses(count), world.drawn_agents(count, mobile=True)
    return world.hits(np.arange(count), senders, np.minimum(moments, START_MS + DAY_MS - 1), chosen, referrers)


def _breaking(world: World, asset: int) -> Hits:
    """Return a story that breaks: everybody comes at once, and again every few minutes."""
    readers = world.sized(15_000)
    sizes = np.minimum(world.chance.geometric(0.38, readers), 25)
    start = START_MS + int(world.chance.integers(8 * HOUR_MS, 18 * HOUR_MS))
    starts = start + (world.chance.gamma(1.5, 40, readers) * MINUTE_MS).astype(np.int64)
    whose, moments, is_first = _walk(world, sizes, starts, 240)
    came = world.chance.choice([NONE, OWN, SEARCH, 3, 4, 7], len(whose), p=(0.3, 0.3, 0.15, 0.1, 0.1, 0.05))
    senders = world.addresses(readers), world.drawn_agents(readers)
    referrers = np.where(is_first, came, np.where(world.chance.random(len(whose)) < 0.5, NONE, came))
    return world.hits(whose, senders, moments, np.full(len(whose), asset), referrers)
