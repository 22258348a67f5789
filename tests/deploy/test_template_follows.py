"""The template has follows told by the audience's table, and watches that they are."""

import json
from typing import Any

import pytest

from footfall.shells.lambdas.gauges import NAMESPACE, UNITS
from tests.deploy.template_reading import TEMPLATE, mappings_of, named_in, of_type, read, statements


@pytest.fixture(scope="module")
def resources() -> dict[str, Any]:
    return read(TEMPLATE)["Resources"]


def test_follows_are_told_by_the_table_and_nothing_else_wakes_their_function(resources: dict[str, Any]) -> None:
    tables = of_type(resources, "DynamoDB::Table")
    told = {name: one["StreamSpecification"] for name, one in tables.items() if "StreamSpecification" in one}
    assert told == {"AudienceTable": {"StreamViewType": "NEW_AND_OLD_IMAGES"}}
    (mapping,) = mappings_of(resources, "FollowsFunction").values()
    assert mapping["EventSourceArn"] == {"Fn::GetAtt": ["AudienceTable", "StreamArn"]}
    assert (mapping["MaximumRetryAttempts"], mapping["MaximumRecordAgeInSeconds"]) == (-1, -1)
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["StartingPosition"] == "TRIM_HORIZON"
    assert mapping["BisectBatchOnFunctionError"] is False  # It fails only when Kinesis does, whatever is in a batch.
    patterns = [json.loads(one["Pattern"]) for one in mapping["FilterCriteria"]["Filters"]]
    # The source looks at no other part of a record.
    assert [set(one) for one in patterns] == [{"dynamodb"}, {"dynamodb"}]
    role = {one["Sid"]: one for one in statements(resources["FollowsRole"]["Properties"])}
    assert role["ReadsWhatChanged"]["Resource"] == [{"Fn::GetAtt": ["AudienceTable", "StreamArn"]}]


def test_follows_that_wait_are_noticed_long_before_dynamodb_forgets_them(resources: dict[str, Any]) -> None:
    alarm = resources["FollowsAgeAlarm"]["Properties"]
    assert (alarm["MetricName"], named_in(alarm["Dimensions"])) == ("IteratorAge", {"FollowsFunction"})
    assert alarm["Threshold"] == {"Ref": "IteratorAgeAlarmMs"}


def test_one_change_that_could_not_be_read_rings(resources: dict[str, Any]) -> None:
    alarm = resources["UnreadableFollowsAlarm"]["Properties"]
    assert alarm["MetricName"] in UNITS
    assert (alarm["Namespace"], alarm["MetricName"]) == (NAMESPACE, "UnreadableFollows")
    assert alarm["Dimensions"] == [{"Name": "stack", "Value": {"Ref": "AWS::StackName"}}]
    assert (alarm["Statistic"], alarm["Threshold"], alarm["EvaluationPeriods"]) == ("Sum", 0, 1)
    assert (alarm["ComparisonOperator"], alarm["TreatMissingData"]) == ("GreaterThanThreshold", "notBreaching")
