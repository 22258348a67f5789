"""What operators are told of verdicts, and of the past that a decision acts on."""

from typing import Any

import msgspec
import pytest

from footfall.accounts.audit import Trail
from footfall.accounts.verdict_documents import decided, document_of_verdict, state_of_decision
from footfall.accounts.verdict_store import VerdictStore
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.screening.features import FeatureNote
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.verdicts import State, Verdict
from footfall.values.clock import SetClock
from footfall.values.errors import Refused

NOON_MS, HOUR_MS = 1_794_744_000_000, 3_600_000
HELD = Verdict(
    *(SubjectKind.ASSET, "1", NOON_MS - HOUR_MS, NOON_MS, Cause.FEW_AGENTS, State.HELD, NOON_MS),
    notes=(FeatureNote("agents", 3.0, 1.5, "low", 0.9), FeatureNote("of another release", 1.0, 0.5, "high", 0.1)),
)


@pytest.fixture
def store() -> VerdictStore:
    clock = SetClock(NOON_MS)
    table = SqliteTable(":memory:", clock=clock)
    made = VerdictStore(table, Trail(table, clock=clock), clock=clock)
    made.find("abc", [HELD], since={})
    return made


def test_features_are_put_into_words(store: VerdictStore) -> None:
    told = document_of_verdict(store.verdict("abc", HELD.id))
    assert [note["words"] for note in told["explanation"]] == [
        "kinds of agent, against what is usual",
        "of another release",
    ]
    assert [(note["value"], note["unit"]) for note in told["explanation"]] == [(8.0, "times"), (1.0, "")]
    assert (told["label"], told["from"], told["by"]) == ("suspected", "2026-11-15T11:00Z", "judge")


def test_it_is_told_to_how_many_kinds_or_visitors_a_hold_is_narrowed(store: VerdictStore) -> None:
    assert document_of_verdict(HELD)["narrowedTo"] is None
    store.find("abc", [msgspec.structs.replace(HELD, agents=(3, 9), visitors=("00000000000000ff",))], since={})
    assert document_of_verdict(store.verdict("abc", HELD.id))["narrowedTo"] == {"agents": 2, "visitors": 1}


@pytest.mark.parametrize(
    ("raw_since_ms", "recount"),
    [
        (0, {"from": "2026-11-15T11:00Z", "to": "2026-11-15T12:00Z"}),
        (NOON_MS - HOUR_MS // 2, {"from": "2026-11-15T11:30Z", "to": "2026-11-15T12:00Z", "note": "since"}),
        (NOON_MS + HOUR_MS, {"note": "since"}),
    ],
)
def test_a_decision_says_of_which_past_no_raw_hits_are_kept(
    store: VerdictStore, raw_since_ms: int, recount: dict[str, Any]
) -> None:
    told = decided(store, "abc", HELD.id, State.RELEASED, by="key", raw_since_ms=raw_since_ms)
    assert told["recount"].keys() == recount.keys()
    assert {**told["recount"], **{name: recount[name] for name in recount if name == "note"}} == recount
    assert "stays as it is" in told["recount"].get("note", "stays as it is")
    again = decided(store, "abc", HELD.id, State.RELEASED, by="key", raw_since_ms=raw_since_ms)
    assert again["recount"] is None


def test_only_two_things_can_be_decided() -> None:
    assert state_of_decision("confirm") is State.CONFIRMED
    for wrong in ("hold", None, ["confirm"]):
        with pytest.raises(Refused, match="confirm or release"):
            state_of_decision(wrong)
