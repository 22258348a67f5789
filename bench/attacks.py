"""What ten attackers do to a news site, each hit as a door sees it."""

from dataclasses import replace

import numpy as np

from bench.attack_world import (
    AGENTS,
    ASSETS,
    BARE_CLIENT,
    DAY_MS,
    DRIVEN,
    HOUR_MS,
    MANY_KINDS,
    MINUTE_MS,
    NONE,
    REFERRERS,
    SEARCH,
    SPAM_LISTED,
    SPAM_NEW,
    START_MS,
    Hits,
    Ints,
    Truth,
    World,
)


def attacks(world: World, people: Hits) -> list[Hits]:
    """Return the hits of all ten."""
    return [
        _labelled(_reloader(world), Truth.RELOADER),
        _labelled(_botnet(world), Truth.BOTNET),
        _labelled(_slow_drip(world), Truth.SLOW_DRIP),
        _labelled(_headless_farm(world), Truth.HEADLESS_FARM),
        _labelled(_replay(world, people), Truth.REPLAY),
        _labelled(_referrer_spam(world), Truth.REFERRER_SPAM),
        _labelled(_scraper_walk(world), Truth.SCRAPER_WALK),
        _labelled(_click_farm(world), Truth.CLICK_FARM),
        _labelled(_bad_clock(world), Truth.BAD_CLOCK),
        _labelled(_forged_keys(world), Truth.FORGED_KEYS),
    ]


def many_kinds(world: World, _people: Hits) -> list[Hits]:
    """Return botnets as the one of the ten, with more kinds of agent, one after the other on assets of their own."""
    found: list[Hits] = []
    for place, (truth, agents) in enumerate(MANY_KINDS.items()):
        bots, count = world.sized(5_000), world.sized(25_000)
        pool = world.chance.choice(AGENTS, agents, replace=False, p=world.agent_weights)
        senders = world.addresses(bots), pool[world.chance.integers(0, agents, bots)]
        referrers = np.where(world.chance.random(count) < 0.7, NONE, SEARCH)
        moments = _within(world, count, start_hour=10 + 4 * place, hours=3)
        asset = world.ranked(1_000, 5_000, 1)[0]
        whose = world.chance.integers(0, bots, count)
        found.append(_labelled(world.hits(whose, senders, moments, np.full(count, asset), referrers), truth))
    return found


def _labelled(hits: Hits, truth: Truth) -> Hits:
    return replace(hits, truth=np.full(len(hits), int(truth)))


def _senders(world: World, count: int, agents: int) -> tuple[Ints, Ints]:
    """Return senders of their own addresses that share some agents of browsers."""
    pool = world.drawn_agents(agents)
    return world.addresses(count), pool[world.chance.integers(0, agents, count)]


def _within(world: World, count: int, *, start_hour: float, hours: float) -> Ints:
    start = START_MS + int(start_hour * HOUR_MS)
    return np.sort(start + world.chance.integers(0, int(hours * HOUR_MS), count))


def _reloader(world: World) -> Hits:
    """Three browsers load one asset every three seconds, for two hours."""
    each = world.sized(2_400)
    whose = np.repeat(np.arange(3), each)
    moments = START_MS + 9 * HOUR_MS + np.tile(np.arange(each) * 3_000, 3) + world.chance.integers(0, 900, 3 * each)
    asset = world.ranked(1_000, 5_000, 1)[0]
    return world.hits(whose, _senders(world, 3, 3), moments, np.full(3 * each, asset), np.full(3 * each, NONE))


def _botnet(world: World) -> Hits:
    """5,000 addresses with six agents load one asset, five times each, within three hours."""
    bots, count = world.sized(5_000), world.sized(25_000)
    referrers = np.where(world.chance.random(count) < 0.7, NONE, SEARCH)
    moments = _within(world, count, start_hour=13, hours=3)
    asset = world.ranked(1_000, 5_000, 1)[0]
    whose = world.chance.integers(0, bots, count)
    return world.hits(whose, _senders(world, bots, 6), moments, np.full(count, asset), referrers)


def _slow_drip(world: World) -> Hits:
    """25 programs load one of two assets every ninety seconds, a tenth more or less, for twelve hours."""
    programs, each = world.sized(25), 480
    gaps = (90_000 * world.chance.uniform(0.9, 1.1, (programs, each))).astype(np.int64)
    moments = (START_MS + 8 * HOUR_MS + np.cumsum(gaps, axis=1)).ravel()
    pair = np.array(world.ranked(1_000, 5_000, 2))
    assets = np.repeat(pair[world.chance.integers(0, 2, programs)], each)
    whose = np.repeat(np.arange(programs), each)
    return world.hits(whose, _senders(world, programs, 10), moments, assets, np.full(len(whose), NONE))


def _headless_farm(world: World) -> Hits:
    """400 browsers without a screen load three assets for four hours; half say so, a third is told by the tracker."""
    browsers, count = world.sized(400), world.sized(20_000)
    whose = world.chance.integers(0, browsers, count)
    addresses, agents = _senders(world, browsers, 8)
    kind = world.chance.random(browsers)
    agents = np.where(kind < 0.5, AGENTS, agents)
    clients = np.where(kind < 0.8, DRIVEN, BARE_CLIENT)
    assets = np.array(world.ranked(1_000, 5_000, 3))[world.chance.integers(0, 3, count)]
    moments = _within(world, count, start_hour=10, hours=4)
    hits = world.hits(whose, (addresses, agents), moments, assets, np.full(count, NONE))
    return replace(hits, client=clients[whose])


def _replay(world: World, people: Hits) -> Hits:
    """300 requests of people are sent again and again as they were, ids included, from five addresses."""
    some = people.chosen(world.chance.choice(len(people), world.sized(300), replace=False))
    again = some.chosen(np.repeat(np.arange(len(some)), 30))
    after = again.arrived_ms + world.chance.integers(MINUTE_MS, 3 * HOUR_MS, len(again))
    arrived_ms = np.minimum(after, START_MS + DAY_MS - 1)
    addresses = world.addresses(5)[world.chance.integers(0, 5, len(again))]
    return replace(again, arrived_ms=arrived_ms, at_ms=np.minimum(again.at_ms, arrived_ms), address=addresses)


def _referrer_spam(world: World) -> Hits:
    """200 addresses name domains that want to be seen; four fifths of these are on a list."""
    count = world.sized(8_000)
    first, listed, fresh = len(REFERRERS), len(SPAM_LISTED), len(SPAM_NEW)
    is_listed = world.chance.random(count) < 0.8
    on_list = first + world.chance.integers(0, listed, count)
    referrers = np.where(is_listed, on_list, first + listed + world.chance.integers(0, fresh, count))
    whose = world.chance.integers(0, world.sized(200), count)
    moments = _within(world, count, start_hour=6, hours=12)
    return world.hits(whose, _senders(world, world.sized(200), 20), moments, world.popular(count), referrers)


def _scraper_walk(world: World) -> Hits:
    """Two programs load one asset after the other, every two and a half seconds, for five hours."""
    each = world.sized(7_200)
    whose = np.repeat(np.arange(2), each)
    steps = np.arange(each)
    assets = np.concatenate([steps % ASSETS, (steps + ASSETS // 2) % ASSETS])
    moments = START_MS + 7 * HOUR_MS + np.tile(steps * 2_500, 2) + world.chance.integers(0, 1_500, 2 * each)
    return world.hits(whose, _senders(world, 2, 2), moments, assets, np.full(2 * each, NONE))


def _click_farm(world: World) -> Hits:
    """250 telephones of twelve kinds load one asset every two or three minutes, for three hours."""
    phones, each = world.sized(250), 72
    gaps = (130_000 * world.chance.lognormal(0, 0.5, (phones, each))).astype(np.int64)
    moments = (START_MS + 17 * HOUR_MS + np.cumsum(gaps, axis=1)).ravel()
    whose = np.repeat(np.arange(phones), each)
    referrers = np.where(world.chance.random(len(whose)) < 0.5, NONE, 4)
    asset = world.ranked(1_000, 5_000, 1)[0]
    return world.hits(whose, _senders(world, phones, 12), moments, np.full(len(whose), asset), referrers)


def _bad_clock(world: World) -> Hits:
    """100 devices tell times that were not: a third of the future, a third of days ago, a third of hours ago."""
    devices, count = world.sized(100), world.sized(6_000)
    whose = world.chance.integers(0, devices, count)
    turn = np.arange(devices) % 3
    low = np.choose(turn, [10 * MINUTE_MS, -96 * HOUR_MS, -20 * HOUR_MS])
    high = np.choose(turn, [5 * HOUR_MS, -25 * HOUR_MS, -HOUR_MS])
    moments = _within(world, count, start_hour=11, hours=3)
    hits = world.hits(whose, _senders(world, devices, 15), moments, world.popular(count), np.full(count, NONE))
    return replace(hits, at_ms=moments + world.chance.integers(low[whose], high[whose]))


def _forged_keys(world: World) -> Hits:
    """Batches with keys that nobody was given, for one asset."""
    count = world.sized(10_000)
    moments = _within(world, count, start_hour=15, hours=2)
    asset = world.ranked(1_000, 5_000, 1)[0]
    whose = world.chance.integers(0, 20, count)
    hits = world.hits(whose, _senders(world, 20, 2), moments, np.full(count, asset), np.full(count, NONE))
    return replace(hits, has_key=np.zeros(count, np.int64))
