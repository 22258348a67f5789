"""Verdicts apply to hits of their subject in their range, one by one and pack by pack alike, as of a version."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.screening.covering import Covering
from footfall.screening.features import FeatureNote
from footfall.screening.findings import Cause, Finding, SubjectKind
from footfall.screening.hit_columns import codes, visitor_code
from footfall.screening.verdicts import (
    Applying,
    Change,
    State,
    Verdict,
    applied,
    as_of,
    changed_ranges,
    reason_of,
    settled,
    verdict_from_finding,
    version_at,
    visitor_subject,
)
from footfall.values.errors import Refused

VISITORS = [b"", b"abcdefgh", b"ijklmnop"]
ASSETS = ["a", "b", "132141398"]
NOTE = FeatureNote("hits", 9.5, 2.5, "high", 1.0)


def verdict(
    kind: SubjectKind = SubjectKind.ASSET,
    subject: str = "a",
    span: tuple[int, int] = (100, 200),
    *,
    state: State = State.HELD,
    cause: Cause = Cause.FEW_AGENTS,
    agents: tuple[int, ...] = (),
    visitors: tuple[str, ...] = (),
) -> Verdict:
    return Verdict(kind, subject, *span, cause, state, 1_000, agents=agents, visitors=visitors)


def subject_of(kind: SubjectKind, place: int) -> str:
    return ASSETS[place] if kind is SubjectKind.ASSET else visitor_subject(visitor_code(VISITORS[1 + place % 2]))


verdicts = st.builds(
    lambda kind, place, start, length, state, cause, agents, visitors: verdict(
        *(kind, subject_of(kind, place), (start, start + length)),
        state=state,
        cause=cause,
        agents=tuple(sorted(agents)),
        visitors=tuple(sorted(subject_of(SubjectKind.VISITOR, place) for place in visitors)),
    ),
    st.sampled_from(SubjectKind),
    st.integers(0, 2),
    st.integers(0, 50),
    st.integers(0, 30),
    st.sampled_from(State),
    st.sampled_from(Cause),
    st.sets(st.integers(0, 3), max_size=2),
    st.sets(st.integers(0, 1), max_size=1),
)
Hit = tuple[bytes, str, int, int]
hits = st.tuples(st.sampled_from(VISITORS), st.sampled_from(ASSETS), st.integers(0, 90), st.integers(0, 3))


@given(st.lists(verdicts, max_size=12), st.lists(hits, max_size=30))
def test_a_pack_is_judged_as_its_hits_are(given_verdicts: list[Verdict], pack: list[Hit]) -> None:
    applying = Applying(given_verdicts)
    visitors = np.array([visitor_code(one[0]) for one in pack], np.uint64)
    assets, moments = codes(one[1] for one in pack), np.array([one[2] for one in pack], np.int64)
    agents = np.array([one[3] for one in pack], np.uint64)
    expected = {
        place: reason
        for place, (visitor, asset, at_ms, agent) in enumerate(pack)
        if (reason := applied(given_verdicts, visitor=visitor, asset=asset, at_ms=at_ms, agent=agent))
    }
    assert applying.reasons(visitor=visitors, asset=assets, at_ms=moments, agent=agents) == expected
    covering = Covering(given_verdicts)
    for place, (visitor, asset, at_ms, agent) in enumerate(pack):
        found = covering.of_hit(visitor=visitor, asset=asset, at_ms=at_ms, agent=agent)
        assert ("" if found is None else reason_of(found).value) == expected.get(place, "")


@given(st.lists(verdicts, max_size=8), hits)
def test_where_no_verdict_touches_no_hit_is_left_out(given_verdicts: list[Verdict], hit: Hit) -> None:
    visitor, asset, at_ms, agent = hit
    if not Applying(given_verdicts).touches(at_ms, at_ms + 1):
        assert applied(given_verdicts, visitor=visitor, asset=asset, at_ms=at_ms, agent=agent) == ""


def test_a_range_has_its_beginning_and_not_its_end() -> None:
    reasons = [applied([verdict()], visitor=b"", asset="a", at_ms=at_ms) for at_ms in (99, 100, 199, 200)]
    assert reasons == ["", "verdict", "verdict", ""]


@pytest.mark.parametrize(("state", "reason"), [("found", ""), ("held", "verdict"), ("released", "")])
def test_only_what_is_held_or_confirmed_is_left_out(state: str, reason: str) -> None:
    assert applied([verdict(state=State(state))], visitor=b"", asset="a", at_ms=150) == reason
    assert len(Applying([verdict(state=State(state))])) == (1 if reason else 0)


def test_a_hit_without_a_visitor_is_nobodys() -> None:
    nobody = verdict(SubjectKind.VISITOR, visitor_subject(0))
    assert applied([nobody], visitor=b"", asset="a", at_ms=150) == ""
    assert (
        Applying([nobody]).reasons(visitor=np.zeros(1, np.uint64), asset=codes(["b"]), at_ms=np.array([150], np.int64))
        == {}
    )


def test_a_narrowed_verdict_speaks_of_its_kinds_of_agent_or_its_visitors_alone() -> None:
    ann = visitor_subject(visitor_code(VISITORS[1]))
    kinds, whose = verdict(agents=(3, 7)), verdict(visitors=(ann,))
    assert [applied([kinds], visitor=b"", asset="a", at_ms=150, agent=agent) for agent in (0, 3, 4, 7)] == [
        *("", "verdict", "", "verdict")
    ]
    reasons = [applied([whose], visitor=visitor, asset="a", at_ms=150, agent=3) for visitor in VISITORS]
    assert reasons == ["", "verdict", ""]


def test_another_narrowing_gives_all_of_a_case_another_label() -> None:
    assert changed_ranges(verdict(), verdict(agents=(3,))) == [(100, 200)]
    assert changed_ranges(verdict(agents=(3,)), verdict(agents=(3,), span=(100, 300))) == [(200, 300)]


def test_a_finding_becomes_a_verdict_that_waits_unless_the_brand_filters() -> None:
    def finding(cause: Cause) -> Finding:
        return Finding(SubjectKind.ASSET, 5, 100, 200, cause, 2.5, (NOTE,), "why")

    states = [
        verdict_from_finding(finding(cause), subject="a", is_filtering=is_filtering, now_ms=7).state
        for cause in (Cause.FEW_AGENTS, Cause.UNUSUAL_ASSET)
        for is_filtering in (False, True)
    ]
    assert states == [State.HELD, State.CONFIRMED, State.FOUND, State.FOUND]


def test_an_operator_confirms_or_releases_and_does_nothing_else() -> None:
    released = settled(verdict(), State.RELEASED, by="key-1", now_ms=5)
    assert (released.state, released.by, released.changed_at_ms) == (State.RELEASED, "key-1", 5)
    with pytest.raises(Refused, match="confirms or releases"):
        settled(verdict(), State.HELD, by="key-1", now_ms=5)


def test_a_verdict_survives_being_written() -> None:
    full = msgspec.structs.replace(verdict(), notes=(NOTE,), words="why", version=3)
    assert msgspec.convert(msgspec.to_builtins(full), type=Verdict) == full


def test_a_record_is_counted_by_the_version_stated_before_it() -> None:
    changes = [Change(1, 0, "judge", (), {"s0": 10, "s1": 4}), Change(2, 0, "judge", (), {"s0": 20, "s1": 4})]
    assert [version_at(changes, shard="s0", sequence=at) for at in (10, 11, 20, 21)] == [0, 1, 1, 2]
    assert version_at(changes, shard="s1", sequence=5) == 2
    assert version_at(changes, shard="new", sequence=0) == 2
    assert version_at([], shard="s0", sequence=9) == 0


def test_verdicts_are_told_as_they_stood() -> None:
    first, other = verdict(), verdict(subject="b")
    released = settled(first, State.RELEASED, by="me", now_ms=9)
    changes = [Change(2, 0, "judge", (other,)), Change(1, 0, "judge", (first,)), Change(3, 0, "me", (released,))]
    assert [as_of(changes, version) for version in (0, 1)] == [[], [first]]
    assert {one.state for one in as_of(changes, 2)} == {State.HELD}
    assert {one.subject: one.state for one in as_of(changes, 3)} == {"a": State.RELEASED, "b": State.HELD}
