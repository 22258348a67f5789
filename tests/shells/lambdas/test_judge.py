"""The function that judges, on the real engines: raw hits come from the archive, verdicts go to the accounts."""

from contextlib import closing

import pytest

from footfall.app import aws_wiring, wiring
from footfall.app.judging_on_aws import open_judging
from footfall.screening.verdicts import State
from footfall.shells.lambdas.count import Count
from footfall.values.clock import SetClock
from tests.app.judged_stage import BRAND, MINUTE_MS, people_and_a_program, run
from tests.engines.aws_ground import AwsGround, NewGround
from tests.engines.lambda_runtime import RunHandler
from tests.shells.lambdas.events import CLOCK, SOURCES, Minutes, kinesis_events, metrics

HANDLER = "footfall.shells.lambdas.judge.handler"


@pytest.fixture
def ground(new_ground: NewGround) -> AwsGround:
    return new_ground(kinesis_shards=1)


def archived(ground: AwsGround) -> int:
    """Have people and a program come in the last half hour, and be counted; return their hits."""
    with closing(wiring.open_stream_to_write(ground.settings, CLOCK)) as stream:
        hits = people_and_a_program(stream, start_ms=CLOCK.now_ms() - 35 * MINUTE_MS)
    count = Count(ground.settings, CLOCK)
    for event in kinesis_events(ground):
        assert count.answer(event, Minutes()) == {"batchItemFailures": []}
    return hits


def told(ground: AwsGround) -> list[tuple[str, State, int]]:
    with closing(wiring.open_accounts(ground.settings, CLOCK, read_only=True)) as accounts:
        changes = accounts.register.verdicts.changes(BRAND)
    return [(one.subject, one.state, one.to_ms) for change in changes for one in change.verdicts]


def test_a_program_is_told_once_by_functions_that_come_and_go(ground: AwsGround, run_handler: RunHandler) -> None:
    hits = archived(ground)
    function = run_handler(SOURCES, HANDLER, ground.variables(), timeout_s=120)
    done = function.invoke({"source": "aws.events"})
    found = told(ground)
    assert done == {"judged": True, "hits": hits, "verdicts": len(found)}
    assert {(subject, state) for subject, state, _ in found} == {("story", State.HELD)}
    assert metrics(function.log())["Verdicts"][0]["Verdicts"] == len(found)
    assert metrics(function.log())["JudgingBehindSeconds"][0]["JudgingBehindSeconds"] < 120
    assert function.invoke({})["verdicts"] == 0
    # Another one reads the hour again, knows from S3 what was judged, and tells nothing a second time.
    another = open_judging(ground.settings, SetClock(CLOCK.now_ms()))
    run(another)
    assert another.report.verdicts == 0
    assert told(ground) == found


def test_a_function_that_is_switched_off_reads_nothing(ground: AwsGround, run_handler: RunHandler) -> None:
    variables = {**ground.variables(), "FOOTFALL_SCREENING_JUDGING": "false"}
    assert run_handler(SOURCES, HANDLER, variables, timeout_s=60).invoke({}) == {"judged": False}
    assert aws_wiring.open_blobs(ground.settings, ground.settings.aws_raw_bucket).page("judging/").blobs == []
