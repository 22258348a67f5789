"""What screening costs, judging included: the same hits, each with a visitor and an agent, with it and without.

First by processor time: three instances take turns at the same hits, and all is added up that their processes used
until every hit is counted and judged; so it is the same on a busy machine. Then by hits a second that are durable and
counted. Instances are started anew for each turn of that, so that none pays for what another still has to judge.
Senders take what is left of the machine, so the judge has the least of it: what it cannot follow it passes over.

Sketch. A record's hits are decoded once more, 0.4 us each, laid into columns, 0.5 us, and added to the windows of
visitors and assets, 1 us: a fifth of what collecting and counting them costs, at the lowest priority.
"""

import argparse
import random
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time, sleep

from bench.bench_ingest import sustained
from bench.client import post_request, send_all
from bench.instance import Instance, cpu_seconds, memory_bytes
from bench.plan import SECONDS, Plan
from bench.results import RESULTS, Row, row, save, show
from bench.traffic import Traffic, batches
from bench.wrk import Script, played
from footfall.app.judging_steps import HITS_MAX, VISITORS_MAX
from footfall.flow.count.suspects import Suspects
from footfall.flow.stream.records import RULES, VERSION, Pack, judged_from_record, record_from_pack
from footfall.screening.judging import MINUTE_MS, Judge, new_learned
from footfall.values.clock import SystemClock

RATIO_MIN = 0.75
HIT_US_MAX = 2.0
MEMORY_MAX = 120_000_000
ROUNDS = 5
LOAD_S = 5
HITS = 100_000
VISITORS = 20_000
AGENTS = 300
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:{0}.0) Gecko/20100101 Firefox/{0}.0"
TURNS, TURN_HITS, CONNECTIONS = 8, 40_000, 16
LOOK_S, IDLE_CPU_S = 1.5, 0.05
# Everything is counted, and nothing is too much: the few visitors here have thousands of hits.
NO_LIMITS = {"screening_visitor_per_minute": 1_000_000, "screening_repeats_max": 1_000_000}
WAYS = {  # what is switched on in each kind of instance
    "no screening": {"screening_rules": "false", "screening_judging": "false"},
    "rules": {"screening_rules": "true", "screening_judging": "false"},
    "rules and judging": {"screening_rules": "true", "screening_judging": "true"},
}


def run(plan: Plan) -> list[Row]:
    """Measure the three kinds of instance by turns, and the judge alone."""
    rows = _processor_rows(plan, list(batches(_hits()[:TURN_HITS])))
    script = played(plan.directory, "judged", [post_request(body) for body in batches(_hits())])
    rates: dict[str, list[float]] = {way: [] for way in WAYS}
    memory = 0
    for number in range(plan.scaled(ROUNDS)):
        for way in sorted(WAYS, reverse=bool(number & 1)):
            rate, judging_bytes = _measured(plan.directory / f"{number}-{way.replace(' ', '-')}", way, script)
            rates[way].append(rate)
            memory = max(memory, judging_bytes)
    return [
        *rows,
        *_rate_rows(rates),
        row("memory of the judging process", memory, "bytes", at_most=MEMORY_MAX),
        *_alone(),
    ]


def _hits() -> list[bytes]:
    """Return hits as a server sends them that tells of its readers."""
    chance, traffic, now_ms = random.Random(6), Traffic(seed=6), SystemClock().now_ms()
    full = traffic.full(HITS, from_ms=now_ms - MINUTE_MS, to_ms=now_ms)
    agents = [FIREFOX.format(60 + number).encode() for number in range(AGENTS)]
    return [
        hit.rpartition(b',"at":')[0]
        + b',"visitor":"v%d","agent":"%s"}' % (chance.randrange(VISITORS), chance.choice(agents))
        for hit in full
    ]


def _processor_rows(plan: Plan, bodies: list[bytes]) -> list[Row]:
    """Return the processor time of a hit in each kind of instance, until it is counted and judged."""
    used = dict.fromkeys(WAYS, 0.0)
    turns = plan.scaled(TURNS)
    with ExitStack() as stack:
        instances = {
            way: stack.enter_context(Instance(plan.directory / f"turns-{number}", {**WAYS[way], **NO_LIMITS}))
            for number, way in enumerate(WAYS)
        }
        for number in range(turns + 1):
            for way in sorted(instances, reverse=bool(number & 1)):
                taken = _taken(instances[way], bodies)
                used[way] += taken if number else 0.0  # The first turn fills caches.
    each = {way: 1e6 * seconds / (turns * TURN_HITS) for way, seconds in used.items()}
    judged, ruled, plain = each["rules and judging"], each["rules"], each["no screening"]
    return [
        *(row(f"processor time of a hit with visitor and agent, {way}", one, "us") for way, one in each.items()),
        row("processor time with none to that with rules", plain / ruled, "ratio", at_least=RATIO_MIN),
        row("processor time with none to that with all of screening", plain / judged, "ratio", at_least=RATIO_MIN),
    ]


def _taken(instance: Instance, bodies: list[bytes]) -> float:
    """Send bodies, and return the processor time of all processes until none has anything to do."""
    began = cpu_seconds(instance.pid)
    send_all(instance.port, bodies, connections=CONNECTIONS)
    instance.drain()
    used, before = cpu_seconds(instance.pid), began
    while used - before > IDLE_CPU_S:  # The judge looks for hits once a second.
        before = used
        sleep(LOOK_S)
        used = cpu_seconds(instance.pid)
    return used - began


def _measured(folder: Path, way: str, script: Script) -> tuple[float, int]:
    """Return the rate of a new instance, and the memory of its judge."""
    with Instance(folder, {**WAYS[way], **NO_LIMITS}) as instance:
        found = sustained(instance, script, seconds=LOAD_S)
        with suppress(OSError):
            return found.rate, memory_bytes(instance.pid).get("judging", 0)
    return found.rate, 0


def _rate_rows(rates: dict[str, list[float]]) -> list[Row]:
    def ratio(one: str, other: str) -> float:
        return median(with_it / without for with_it, without in zip(rates[one], rates[other], strict=True))

    judged, ruled, plain = "rules and judging", "rules", "no screening"
    return [
        *(
            row(f"durable and counted, batches with visitors and agents, {way}", median(rates[way]), "hits/s")
            for way in WAYS
        ),
        row("rate with judging to rate without", ratio(judged, ruled), "ratio", at_least=RATIO_MIN),
        row("rate with all of screening to rate with none", ratio(judged, plain), "ratio", at_least=RATIO_MIN),
    ]


def _alone() -> list[Row]:
    """Return what a hit costs the judge, and what the end of a minute does, however many hits it had."""
    chance = random.Random(6)
    visitors = [chance.randbytes(8) for _ in range(VISITORS)]
    start_ms = 1_794_700_800_000
    records = [_record(chance, visitors, start_ms + number) for number in range(HITS // 100)]
    judge = Judge(new_learned(seed=1), hits_max=HITS_MAX, visitors_max=VISITORS_MAX)
    suspects = Suspects(judge)
    began = process_time()
    for record in records:
        suspects.add(judged_from_record(record))
    suspects.hand_over()
    added = process_time()
    suspects.verdicts(now_ms=start_ms + MINUTE_MS)
    ended = process_time()
    return [
        row("a hit, from its record into the windows", (added - began) / HITS * 1e6, "us", at_most=HIT_US_MAX),
        row(f"the end of a minute with {HITS:,} hits", (ended - added) * 1e3, "ms"),
    ]


def _record(chance: random.Random, visitors: list[bytes], at_ms: int) -> bytes:
    assets = [f"story-{min(3_000, int(chance.paretovariate(0.7)))}" for _ in range(100)]
    return record_from_pack(
        Pack(
            *(VERSION, RULES, at_ms, [(asset, asset[-2:], "article", "free") for asset in assets]),
            visitors=[chance.choice(visitors) for _ in assets],
            urls=[f"https://news.example/{asset}" for asset in assets],
            referrers=[chance.choice(("https://www.search.example/", "")) for _ in assets],
            agents=[chance.randrange(1, AGENTS) for _ in assets],
        )
    )


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.judging", description="What judging costs.")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="shorter runs write nothing")
    seconds: int = parser.parse_args().seconds
    with TemporaryDirectory() as directory:
        measured = run(Plan(Path(directory), seconds))
    if seconds >= SECONDS:
        save("judging", measured, RESULTS)
    show([("judging", measured)])


if __name__ == "__main__":
    main()
