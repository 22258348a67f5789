"""Packs become verdicts: what the door let through is gathered, judged minute by minute, and named again."""

from collections.abc import Sequence
from random import Random

import msgspec

from footfall.flow.count.suspects import Gathered, Suspects
from footfall.flow.stream.records import RULES, VERSION, Pack, judged_from_record, record_from_pack
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.hit_columns import HitColumns, code_of
from footfall.screening.judging import Judge, new_learned
from footfall.screening.verdicts import State, Verdict, applied

START_MS = 1_794_700_800_000
MINUTE_MS = 60_000
AGENTS = range(1, 41)


def pack(
    arrived_at_ms: int, assets: Sequence[str], *, visitors: list[bytes] | None = None, agents: list[int] | None = None
) -> Pack:
    keys = [(asset, "news", "article", "free") for asset in assets]
    return Pack(VERSION, RULES, arrived_at_ms, keys, visitors=visitors, agents=agents)


def told(*, with_agents: bool = True, is_filtering: bool = False, minutes: int = 30) -> list[Verdict]:
    """Return the verdicts on half an hour of people, in whose second half one agent loads one story."""
    chance, suspects = Random(5), Suspects(Judge(new_learned(seed=1)), is_filtering=is_filtering)
    found: list[Verdict] = []
    for minute in range(minutes):
        for second in range(60):
            assets = [f"asset {chance.randrange(30)}" for _ in range(4)]
            agents = [chance.choice(AGENTS) for _ in assets]
            if minute >= minutes // 2:
                assets, agents = [*assets, "story", "story"], [*agents, AGENTS[0], AGENTS[0]]
            at_ms = START_MS + minute * MINUTE_MS + second * 1_000 + chance.randrange(900)
            whose = [chance.randbytes(8) for _ in assets]
            suspects.add(pack(at_ms, assets, visitors=whose, agents=agents if with_agents else None))
        found += suspects.verdicts(now_ms=START_MS + (minute + 1) * MINUTE_MS + 5)
    return found


def test_a_story_that_is_pushed_by_one_agent_is_held_by_its_name() -> None:
    found = told()
    assert {(one.kind, one.subject, one.state, one.cause) for one in found} == {
        (SubjectKind.ASSET, "story", State.HELD, Cause.FEW_AGENTS)
    }
    assert len({one.id for one in found}) == 1
    assert found[-1].agents == (AGENTS[0],)
    at_ms = START_MS + 20 * MINUTE_MS
    reasons = [applied(found[-1:], visitor=b"", asset="story", at_ms=at_ms, agent=agent) for agent in AGENTS[:2]]
    assert reasons == ["verdict", ""]


def test_a_brand_that_filters_waits_for_nobody() -> None:
    assert {(one.state, one.by) for one in told(is_filtering=True)} == {(State.CONFIRMED, "judge")}


def test_without_agents_nothing_is_found_by_their_kinds() -> None:
    assert [one for one in told(with_agents=False) if one.cause is Cause.FEW_AGENTS] == []


def test_only_hits_of_persons_that_are_counted_are_judged() -> None:
    one = Pack(
        *(VERSION, RULES, START_MS, [(asset, "", "", "") for asset in "abcd"]),
        screened={0: "bot-agent", 1: "too-many-names"},
        referrers=["", "https://www.example.com/a", "https://www.example.com/b", ""],
        at_ms=[START_MS - place for place in range(4)],
    )
    gathered = Gathered()
    gathered.add(one, without={3})
    columns = gathered.columns()
    assert columns.asset.tolist() == [code_of("b"), code_of("c")]
    assert columns.referrer.tolist() == [code_of("www.example.com")] * 2
    assert columns.at_ms.tolist() == [START_MS - 1, START_MS - 2]
    assert columns.visitor.tolist() == [0, 0]


def test_a_record_is_judged_as_the_pack_that_it_holds() -> None:
    one = pack(START_MS, ["a", "b", "a", "é"])
    of_pack, of_record = Gathered(), Gathered()
    of_pack.add(one, without={2})
    of_record.add(judged_from_record(record_from_pack(one)), without={2})
    first, second = of_pack.columns(), of_record.columns()
    assert all((getattr(first, name) == getattr(second, name)).all() for name in HitColumns.__slots__)
    names = {code_of(name): name for name in ("a", "b", "é")}
    assert of_pack.names(first.asset, room=10) == of_record.names(second.asset, room=10) == names


def test_a_damaged_key_is_nothings() -> None:
    judged = judged_from_record(record_from_pack(pack(START_MS, ["a", "b"])))
    gathered = Gathered()
    gathered.add(msgspec.structs.replace(judged, keys=[judged.keys[0], msgspec.Raw(b"\x91\xa1\xff")]))
    assert gathered.columns().asset.tolist() == [code_of("a"), 0]
    assert gathered.names(gathered.columns().asset, room=10) == {code_of("a"): "a"}


def test_minutes_are_told_once_and_a_long_pause_is_not_walked_through() -> None:
    suspects = Suspects(Judge(new_learned(seed=1)))
    assert suspects.verdicts(now_ms=START_MS) == []
    suspects.add(pack(START_MS, ["a"]))
    assert suspects.verdicts(now_ms=START_MS + 365 * 24 * 60 * MINUTE_MS) == []
    assert suspects.verdicts(now_ms=START_MS) == []
