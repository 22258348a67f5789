"""User agents: how many crawlers are known, how many browsers are taken for one, and what a look costs.

Sketch. One automaton over some 1,500 patterns reads an agent of 130 letters once: 2 us for a browser's, in which next to
nothing is found, 5 us for a crawler's, in which many patterns are. A look into a dict costs 0.05 us. What runs out first is
the cache of the automaton's states, when agents come that are like none before.

The rules were written with crawler-user-agents' own examples, the npm package user-agents, random_user_agent, and the half of
device-detector's lists whose checksums are even. Judged are the other half, of which no agent was looked at (its totals
were, while the rules grew), and fake-useragent's browsers. A crawler is in the half of its name, so no name is in both.
"""

import importlib.util
import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time, thread_time
from typing import Any
from zlib import crc32

import msgspec
import yaml
from crawleruseragents import is_crawler  # pyright: ignore[reportMissingTypeStubs]

from bench.plan import Plan
from bench.results import Row, row
from footfall.screening.agents import Agents
from footfall.screening.labels import Label

RECALL_MIN = 99.0
US_MAX, CACHED_US_MAX = 5.0, 0.3
ROUNDS = 5
SLOW = 200  # agents that the list's own matcher is timed on
MADE_UP = 2_000


def run(plan: Plan) -> list[Row]:
    """Measure what is known and what a look costs."""
    crawlers, browsers = device_detector_crawlers(), device_detector_browsers()
    others = fake_useragent_browsers()
    agents = Agents()
    return [
        *_recall_rows(agents, crawlers),
        *_mistake_rows(agents, browsers, others),
        *_time_rows(sorted(others), sorted({agent for agent, _ in crawlers}), plan.scaled(ROUNDS)),
    ]


def _recall_rows(agents: Agents, crawlers: Sequence[tuple[str, str]]) -> list[Row]:
    judged = sorted({agent for agent, name in crawlers if is_judged(name)})
    known = sorted({agent for agent, name in crawlers if not is_judged(name)})
    sure = (Label.BOT, Label.AI, Label.PREFETCH)
    what = f"device-detector's {len(judged)} crawlers, names that no rule was written for"
    labels = [agents.label_of(agent).label for agent in judged]
    return [
        row(
            f"{what}: not taken for a person", _percent(Label.PERSON != one for one in labels), "%", at_least=RECALL_MIN
        ),
        row(f"{what}: more than suspected", _percent(one in sure for one in labels), "%"),
        row(f"{what}: by crawler-user-agents alone", _percent(is_crawler(one) for one in judged), "%"),
        row(f"its other {len(known)}, which were seen", _percent(_is_no_person(agents, one) for one in known), "%"),
    ]


def _mistake_rows(agents: Agents, browsers: set[str], others: set[str]) -> list[Row]:
    judged = [agent for agent in browsers if is_judged(agent)]
    seen = [agent for agent in browsers if not is_judged(agent)]
    rows: list[Row] = []
    for what, some, most in (
        (f"fake-useragent's {len(others)} browsers", others, 0),
        (f"device-detector's {len(judged):,} browsers that were not looked at", judged, 0),
        (f"its other {len(seen):,}, which were seen", seen, None),
    ):
        labels = [agents.label_of(agent).label for agent in some]
        wrong, sure = sum(one is not Label.PERSON for one in labels), sum(one is Label.BOT for one in labels)
        rows.append(row(f"{what}: not taken for a person", wrong, "agents", at_most=most))
        rows.append(row(f"{what}: taken for a known program", sure, "agents"))
    alone = sum(is_crawler(one) for one in judged)
    rows.append(row("the same not looked at: by crawler-user-agents alone", alone, "agents"))
    return rows


def _time_rows(browsers: Sequence[str], crawlers: Sequence[str], rounds: int) -> list[Row]:
    started = process_time()
    agents = Agents()
    built_ms = 1_000 * (process_time() - started)
    first_us = _us(agents.label_of, browsers)
    chance = random.Random(3)  # noqa: S311 - made-up agents, nothing secret
    made_up = ["".join(chance.choices("abcdefghijkmnoprstuvwxyzABCDEF /;().0123456789", k=120)) for _ in range(MADE_UP)]
    made_up_us = _us(agents.label_of, made_up)
    both = [*browsers, *crawlers]
    _us(agents.label_of, both)
    times = {
        "a browser's agent": partial(_us, agents.label_of, browsers),
        "a crawler's agent": partial(_us, agents.label_of, crawlers),
        "an agent that was asked for before": partial(_us_remembered, agents, both),
    }
    measured = {what: median(measure() for _ in range(rounds)) for what, measure in times.items()}
    most = dict(zip(times, (US_MAX, US_MAX, CACHED_US_MAX), strict=True))
    return [
        *(row(what, us, "us", at_most=most[what]) for what, us in measured.items()),
        row("a browser's agent, the first of its kind", first_us, "us"),
        row("120 letters at random, the first time", made_up_us, "us"),
        row("making the automaton", built_ms, "ms"),
        row("a browser's agent, crawler-user-agents' own matcher", _us(is_crawler, browsers[:SLOW]), "us"),
    ]


def _us(look: Callable[[str], object], agents: Sequence[str]) -> float:
    started = thread_time()
    for agent in agents:
        look(agent)
    return 1e6 * (thread_time() - started) / len(agents)


def _us_remembered(remembered: Agents, agents: Sequence[str]) -> float:
    for agent in agents:
        remembered[agent]
    started = thread_time()
    for _ in range(20):
        for agent in agents:
            remembered[agent]
    return 1e6 * (thread_time() - started) / len(agents) / 20


def is_judged(text: str) -> bool:
    """Return whether an agent, or a crawler's name, is in the half that was not looked at."""
    return crc32(text.encode()) % 2 == 1


def device_detector_crawlers() -> list[tuple[str, str]]:
    """Return agents and names of the crawlers on which device-detector is tested."""
    return [(entry["user_agent"], entry["bot"]["name"]) for entry in _entries(_fixtures() / "bots.yml")]


def device_detector_browsers() -> set[str]:
    """Return the browsers' agents on which device-detector is tested, of every kind of device."""
    files = [path for path in sorted(_fixtures().glob("*.yml")) if path.name != "bots.yml"]
    return {
        str(entry["user_agent"])
        for path in files
        for entry in _entries(path)
        if "headers" not in entry and (entry.get("client") or {}).get("type") == "browser"
    }


def fake_useragent_browsers() -> set[str]:
    """Return the browsers' agents that fake-useragent draws from."""
    lines = (_folder("fake_useragent") / "data" / "browsers.jsonl").read_bytes().splitlines()
    return {msgspec.json.decode(line)["useragent"] for line in lines}


def _fixtures() -> Path:
    return _folder("device_detector") / "tests" / "fixtures" / "upstream"


def _folder(package: str) -> Path:
    # Without importing it: only its data is wanted.
    spec = importlib.util.find_spec(package)
    assert spec is not None, f"{package} is not installed: pip install -e '.[dev]'"
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


def _entries(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return yaml.load(file, yaml.CSafeLoader)


def _percent(truths: Any) -> float:
    found = list(truths)
    return 100 * sum(found) / len(found)


def _is_no_person(agents: Agents, agent: str) -> bool:
    return agents.label_of(agent).label is not Label.PERSON
