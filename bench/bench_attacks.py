"""What is kept out of the lists of a day with ten attacks in it, attack by attack, and what that costs people.

Sketch. A million hits of people and some 130,000 of attackers go through the door's rules as they are (the keyring, the
ids that a shard has seen, times, then `Screen`), and what it takes for persons' goes minute by minute through `Judge`:
some 7 us a hit at the door, 20 ms a minute of hits, and 10,000 points a second in the forests. What runs out first is
the processor. Botnets with many kinds of agent have a day of their own, and no part in any sum.

A hit is kept out of the top 100 when it is not counted for a person's, or its asset is not among the first 100 of the
day without what was kept out; for an hour's list likewise. A person's hit is held when a rule of the door or a verdict
leaves it out. A story is held from the minute in which a verdict was given until it ends. Limits were chosen on seeds
11 to 13; the judged seed is another, and steered nothing.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.attack_door import Doorway
from bench.attack_scenario import Scenario, scenario
from bench.attack_world import ATTACKS, HOUR_MS, HUMAN_HITS, MANY_KINDS, MINUTE_MS, START_MS, Truth
from bench.attacks import many_kinds
from bench.plan import SECONDS, Plan
from bench.results import RESULTS, Row, row, save, show
from footfall.screening.agent_codes import agent_code
from footfall.screening.findings import Cause, Finding, SubjectKind
from footfall.screening.hit_columns import HitColumns
from footfall.screening.judging import Judge, new_learned

SEED = 2_026
TOP = 100
KEPT_OUT_MIN, HELD_MAX, STORY_MS_MAX = 95.0, 0.1, 5 * MINUTE_MS
MINUTES = 24 * 60

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found in a scenario: by the door and by verdicts, of each hit, and the findings with their minutes."""

    by_door: Mask
    by_verdict: Mask  # once its window is counted again
    as_it_came: Mask  # by a verdict that was there before the hit
    findings: Sequence[tuple[int, Finding]]  # when it was given


def run(plan: Plan) -> list[Row]:
    """Measure the judged seed."""
    return rows(SEED, plan.scaled(HUMAN_HITS))


def rows(seed: int, human_hits: int) -> list[Row]:
    """Measure one seed."""
    day = scenario(seed, human_hits=human_hits)
    judged = judged_day(day)
    other = scenario(seed, human_hits=human_hits, attackers=many_kinds)
    return [*_attack_rows(day, judged), *_people_rows(day, judged), *_many_kinds_rows(other, judged_day(other))]


def judged_day(day: Scenario) -> Judged:
    """Return what the door and the judge find in a day."""
    by_door = Doorway(day).kept_out()
    columns = columns_of(day)
    judge = Judge(new_learned(seed=1))
    findings: list[tuple[int, Finding]] = []
    minute = (day.hits.arrived_ms - START_MS) // MINUTE_MS
    ends = np.searchsorted(minute, np.arange(MINUTES + 1))
    for at in range(MINUTES):
        places = np.arange(ends[at], ends[at + 1])
        end_ms = START_MS + (at + 1) * MINUTE_MS
        judge.add(columns.chosen(places[~by_door[places]]))
        findings += [(end_ms, finding) for finding in judge.closed(end_ms=end_ms)]
    return Judged(by_door, *held_by(findings, columns), findings)


def columns_of(day: Scenario) -> HitColumns:
    """Return the scenario's hits as a judge sees them."""
    hits = day.hits
    visitor = visitors_of(day)
    agent_codes = np.array([agent_code(agent) for agent in day.agents], np.uint64)
    return HitColumns(
        hits.asset.astype(np.uint64) + np.uint64(1),
        (hits.asset % 30).astype(np.uint64) + np.uint64(1),
        visitor,
        hits.referrer.astype(np.uint64),
        agent_codes[hits.agent],
        hits.at_ms,
        hits.arrived_ms,
    )


def visitors_of(day: Scenario) -> NDArray[np.uint64]:
    """Return each hit's visitor: a number of its address and agent, none if it asks for privacy."""
    hits = day.hits
    mixed = (hits.address.astype(np.uint64) << np.uint64(12)) + hits.agent.astype(np.uint64) + np.uint64(1)
    return np.where(hits.is_private == 1, np.uint64(0), mixed * np.uint64(0x9E3779B97F4A7C15))


def held_by(findings: Sequence[tuple[int, Finding]], columns: HitColumns) -> tuple[Mask, Mask]:
    """Return which hits the findings leave out once their windows are counted again, and which as they come."""
    last: dict[tuple[SubjectKind, int, int], Finding] = {}
    came = np.zeros(len(columns), np.bool_)
    orders = {
        SubjectKind.VISITOR: np.argsort(columns.visitor, kind="stable"),
        SubjectKind.ASSET: np.argsort(columns.asset, kind="stable"),
    }
    ordered = {
        SubjectKind.VISITOR: columns.visitor[orders[SubjectKind.VISITOR]],
        SubjectKind.ASSET: columns.asset[orders[SubjectKind.ASSET]],
    }

    def places_of(finding: Finding) -> NDArray[np.intp]:
        key, column = np.uint64(finding.subject), ordered[finding.kind]
        start, stop = np.searchsorted(column, key), np.searchsorted(column, key, "right")
        places = orders[finding.kind][start:stop]
        at_ms = columns.at_ms[places]
        places = places[(at_ms >= finding.from_ms) & (at_ms < finding.to_ms)]
        if not finding.agents and not finding.visitors:
            return places
        is_kind = np.isin(columns.agent[places], np.array(finding.agents, np.uint64))
        return places[is_kind | np.isin(columns.visitor[places], np.array(finding.visitors, np.uint64))]

    for given_ms, finding in findings:
        if finding.is_held:
            last[finding.kind, finding.subject, finding.from_ms] = finding
            places = places_of(finding)
            came[places[columns.arrived_ms[places] >= given_ms]] = True
    held = np.zeros(len(columns), np.bool_)
    for finding in last.values():
        held[places_of(finding)] = True
    return held, came & held


def _attack_rows(day: Scenario, judged: Judged) -> list[Row]:
    hits = day.hits
    out = judged.by_door | judged.by_verdict
    is_attack = hits.truth != Truth.HUMAN
    in_day = _in_top(day, ~out, np.zeros(len(hits), np.int64))
    in_hours = _in_top(day, ~out, (hits.at_ms - START_MS) // HOUR_MS)
    plain = _in_top(day, np.ones(len(hits), np.bool_), np.zeros(len(hits), np.int64))
    told: list[Row] = []
    for truth in ATTACKS:
        name, whose = truth.name.lower().replace("_", " "), hits.truth == truth
        by_verdict = whose & judged.by_verdict & ~judged.by_door
        told += [
            row(f"{name}: hits", int(whose.sum()), "hits"),
            row(f"{name}: kept out by the door", _percent(judged.by_door[whose]), "%"),
            row(f"{name}: kept out by verdicts", _percent(by_verdict[whose]), "%"),
            row(f"{name}: out of the day's top {TOP}, nothing screened", _percent(~plain[whose]), "%"),
            row(f"{name}: out of the day's top {TOP}", _percent(~in_day[whose]), "%", at_least=KEPT_OUT_MIN),
            row(f"{name}: out of the hours' top {TOP}", _percent(~in_hours[whose]), "%"),
        ]
    is_judged = is_attack & ~np.isin(hits.truth, (Truth.REPLAY, Truth.FORGED_KEYS))
    return [
        *told,
        row(f"attacks without replay and forged keys: out of the day's top {TOP}", _percent(~in_day[is_judged]), "%"),
        row(f"all attacks: out of the day's top {TOP}", _percent(~in_day[is_attack]), "%", at_least=KEPT_OUT_MIN),
        row(f"all attacks: out of the hours' top {TOP}", _percent(~in_hours[is_attack]), "%", at_least=KEPT_OUT_MIN),
        row("all attacks: kept out of all counts", _percent(out[is_attack]), "%"),
        row("all attacks: kept out as they came", _percent((judged.by_door | judged.as_it_came)[is_attack]), "%"),
    ]


def _many_kinds_rows(day: Scenario, judged: Judged) -> list[Row]:
    """Return what becomes of botnets with many kinds of agent; no goal: docs/screening.md says why they pass."""
    out = judged.by_door | judged.by_verdict
    in_day = _in_top(day, ~out, np.zeros(len(day.hits), np.int64))
    told: list[Row] = []
    for truth in MANY_KINDS:
        name, whose = truth.name.lower().replace("_", " "), day.hits.truth == truth
        asset = int(day.hits.asset[whose][0]) + 1
        causes = {one.cause for _, one in judged.findings if one.kind is SubjectKind.ASSET and one.subject == asset}
        told += [
            row(f"apart, {name}: hits", int(whose.sum()), "hits"),
            row(f"apart, {name}: kept out by verdicts", _percent(judged.by_verdict[whose]), "%"),
            row(f"apart, {name}: out of the day's top {TOP}", _percent(~in_day[whose]), "%"),
            row(f"apart, {name}: its asset is told to an operator", len(causes & {Cause.UNUSUAL_ASSET}), "assets"),
        ]
    return told


def _people_rows(day: Scenario, judged: Judged) -> list[Row]:
    is_human = day.hits.truth == Truth.HUMAN
    out = judged.by_door | judged.by_verdict
    told = [
        row("people: hits", int(is_human.sum()), "hits"),
        row("people: held by the door", _percent(judged.by_door[is_human]), "%"),
        row("people: held by verdicts", _percent((judged.by_verdict & ~judged.by_door)[is_human]), "%"),
        row("people: held in all", _percent(out[is_human]), "%", at_most=HELD_MAX),
    ]
    findings = [finding for _, finding in judged.findings if finding.kind is SubjectKind.ASSET]
    held_assets = {finding.subject for finding in findings if finding.is_held}
    attacked = set((day.hits.asset[~is_human] + 1).tolist())
    told += [
        row("assets held", len(held_assets), "assets"),
        row("assets held that no attack had a hit on", len(held_assets - attacked), "assets"),
        row("assets told to an operator, not held", len({one.subject for one in findings} - held_assets), "assets"),
        row("visitors held", len({one.subject for _, one in judged.findings if one.kind is SubjectKind.VISITOR}), ""),
    ]
    for kind, assets in day.stories.items():
        longest = max(held_ms(judged.findings, asset + 1) for asset in assets)
        told.append(
            row(f"{kind}: assets held at any time", len(held_assets & {asset + 1 for asset in assets}), "assets")
        )
        told.append(row(f"{kind}: longest hold", longest / MINUTE_MS, "min", at_most=STORY_MS_MAX / MINUTE_MS))
    return told


def held_ms(findings: Sequence[tuple[int, Finding]], asset: int) -> int:
    """Return for how long an asset was held at a stretch, from the minute in which the first verdict was given."""
    longest, began_ms, until_ms = 0, 0, -1
    for given_ms, finding in findings:
        if finding.kind is SubjectKind.ASSET and finding.subject == asset and finding.is_held:
            began_ms = given_ms if given_ms > until_ms else began_ms
            until_ms = finding.to_ms
            longest = max(longest, until_ms - began_ms)
    return longest


def _in_top(day: Scenario, is_counted: Mask, window: NDArray[np.int64]) -> Mask:
    """Return which hits are counted on an asset that is among the first 100 of its window."""
    pair = window * 1_000_000 + day.hits.asset
    found, places, counts = np.unique(pair[is_counted], return_inverse=True, return_counts=True)
    of_window = found // 1_000_000
    order = np.lexsort((found, -counts, of_window))
    first = np.searchsorted(of_window[order], of_window[order])
    is_top = np.zeros(len(found), np.bool_)
    is_top[order[np.arange(len(found)) - first < TOP]] = True
    inside = np.zeros(len(pair), np.bool_)
    inside[is_counted] = is_top[places]
    return inside


def _percent(truths: Mask) -> float:
    return 100 * float(truths.mean()) if len(truths) else 0.0


def main() -> None:
    """Measure a seed, and write the results if it is the judged one."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_attacks", description="What attacks come to.")
    parser.add_argument("--seed", type=int, default=SEED, help=f"another day; {SEED} is the judged one")
    parser.add_argument("--hits", type=int, default=HUMAN_HITS, help="of people")
    asked = parser.parse_args()
    measured = rows(asked.seed, asked.hits) if asked.seed != SEED else run(Plan(Path(), SECONDS))
    if asked.seed == SEED:
        save("attacks", measured, RESULTS)
    show([("attacks", measured)])


if __name__ == "__main__":
    main()
