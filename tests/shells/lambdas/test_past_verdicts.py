"""Verdicts where the ground is AWS: functions count by them, and the one that keeps house puts the past right."""

from contextlib import closing

import pytest

from footfall.app import wiring
from footfall.app.maintaining import open_maintenance
from footfall.flow.store.merging import merge
from footfall.flow.store.summaries import Summaries
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.verdicts import State, Verdict
from footfall.shells.lambdas.count import Count
from footfall.values.window import Grain, window_of
from tests.engines.aws_ground import AwsGround, NewGround
from tests.flow.store.counts import counts_of
from tests.shells.lambdas.events import CLOCK, Minutes, append, entries_of, hits_of, kinesis_events, ledger

HOUR_MS = 3_600_000


@pytest.fixture
def ground(new_ground: NewGround) -> AwsGround:
    return new_ground(kinesis_shards=2)


def sent(ground: AwsGround, count: Count) -> None:
    """Send fourteen hits of seven assets and have them counted."""
    append(ground, entries_of(ground, hits_of(14)))
    for event in kinesis_events(ground):
        assert count.answer(event, Minutes()) == {"batchItemFailures": []}


def by_label(ground: AwsGround) -> dict[str, int]:
    """Return the hits of the hours that the test lies in, by label."""
    found: dict[str, int] = {}
    with closing(wiring.open_store(ground.settings, CLOCK)) as store:
        for minutes in range(120):
            window = window_of(CLOCK.now_ms() - minutes * 60_000, Grain.MINUTE, "UTC")
            parts = Summaries(store, CLOCK).live("abc", window)
            for key, hits in counts_of(merge([part.columns for part in parts])).items():
                label = key[4] if len(key) == 5 else ""
                found[label] = found.get(label, 0) + hits
    return found


def test_a_warm_function_learns_of_a_verdict_and_the_past_is_put_right_once(ground: AwsGround) -> None:
    count, now_ms = Count(ground.settings, CLOCK), CLOCK.now_ms()
    sent(ground, count)
    with closing(wiring.open_accounts(ground.settings, CLOCK)) as accounts:
        verdicts = accounts.register.verdicts
        held = Verdict(
            *(SubjectKind.ASSET, "1", now_ms - HOUR_MS, now_ms + HOUR_MS, Cause.FEW_AGENTS, State.HELD, now_ms)
        )
        verdicts.find("abc", [held], since={})
        sent(ground, count)
        assert by_label(ground) == {"": 26, "suspected": 2}  # What came before is as it was.
        assert (ledger(ground).counted, dict(ledger(ground).screened)) == (26, {"verdict": 2})
        maintenance = open_maintenance(ground.settings, CLOCK)
        assert maintenance.run(lambda: True).recounted == 0  # There is no time.
        done = maintenance.run(lambda: False)
        assert (done.failures, done.recounted > 0) == ([], True)
        assert by_label(ground) == {"": 24, "suspected": 4}
        assert maintenance.run(lambda: False).recounted == 0
        sent(ground, count)
        verdicts.settle("abc", held.id, State.RELEASED, by="key", since={})
        assert open_maintenance(ground.settings, CLOCK).run(lambda: False).failures == []
        assert by_label(ground) == {"": 42}
