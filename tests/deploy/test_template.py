"""The AWS template is sound, and keeps what is promised of roles, tables, alarms and how count is called."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from footfall.accounts.sessions import COOKIE
from footfall.adapters.aws.dynamodb_items import Names
from footfall.app import deploying_template
from footfall.app.deploying import KEPT
from footfall.app.deploying_archive import RUNTIMES
from footfall.app.settings import NAMES
from footfall.app.settings_reading import PROXY_SECRET_MIN
from footfall.flow.store.rows import PARTITION_NAME, SORT_NAME
from footfall.planning.bill import ALARMS, DASHBOARDS
from footfall.shells.cli.deploy_report import CHOSEN
from footfall.shells.http.access import PROXY_HEADER, VIEWER_HEADER
from footfall.shells.http.openapi import OPERATIONS
from tests.deploy.template_reading import (
    DEPLOY,
    TEMPLATE,
    listed,
    mappings_of,
    named_in,
    of_type,
    read,
    statements,
)

FUNCTIONS = ("Collect", "Serve", "Count", "Objects", "Follows", "Maintenance", "Judge")
TABLES = ("StoreTable", "AccountsTable", "CatalogTable", "MetricsTable", "AudienceTable", "SaltsTable")
ARCHIVE = {"ArchiveTable", "ArchiveBucket"}  # of a stack of its own, if there is one
# What each function may touch, and of it what it may change. Whatever is not here is not for it.
TOUCHES = {
    "Collect": {"Stream", *TABLES, *ARCHIVE},
    "Serve": {*set(TABLES) - {"SaltsTable"}, "RawBucket", *ARCHIVE},
    "Count": {"Stream", "StoreTable", "AccountsTable", "CatalogTable", "RawBucket"},
    "Objects": {
        *("Stream", "StoreTable", "AccountsTable", "CatalogTable", "SaltsTable"),
        *("ObjectsFailed", "SourceBucket", "SourceQueueArn"),
    },
    "Follows": {"Stream", "AudienceTable"},
    "Maintenance": {"Stream", *set(TABLES) - {"MetricsTable"}, "RawBucket", "RowsTable", *ARCHIVE},
    "Judge": {"StoreTable", "AccountsTable", "RawBucket"},
}
CHANGES = {
    "Collect": {"Stream", *set(TABLES) - {"StoreTable"}, "ArchiveTable"},
    "Serve": {"ArchiveBucket"},  # of which it writes only what it hands out
    "Count": {"StoreTable", "RawBucket"},
    "Objects": {"Stream", "StoreTable", "SaltsTable", "ObjectsFailed", "SourceQueueArn"},
    "Follows": {"Stream"},
    "Maintenance": {"Stream", "StoreTable", "AccountsTable", "SaltsTable", "RawBucket", "RowsTable", "ArchiveTable"},
    "Judge": {"AccountsTable", "RawBucket"},
}
CHANGING = re.compile(r":(Put|Update|Delete|BatchWrite|Send|Abort)")


@pytest.fixture(scope="module")
def template() -> dict[str, Any]:
    return read(TEMPLATE)


@pytest.fixture(scope="module")
def resources(template: dict[str, Any]) -> dict[str, Any]:
    return template["Resources"]


def test_the_linter_finds_nothing() -> None:
    linter = Path(sys.executable).with_name("cfn-lint")
    done = subprocess.run([linter, str(TEMPLATE)], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_every_parameter_but_the_archive_and_the_secret_has_a_default_and_says_what_it_is_for(
    template: dict[str, Any],
) -> None:
    parameters = template["Parameters"]
    assert [name for name, one in parameters.items() if "Default" not in one] == [
        "CodeBucket",
        "CodeKey",
        "ProxySecret",
    ]
    assert [name for name, one in parameters.items() if not one["Description"].endswith(".")] == []
    assert set(parameters) <= named_in(template["Resources"]) | named_in(template["Conditions"])


def test_each_function_has_its_handler_its_role_and_a_log_that_ends(resources: dict[str, Any]) -> None:
    functions = of_type(resources, "Lambda::Function")
    assert set(functions) == {f"{name}Function" for name in FUNCTIONS}
    for name in FUNCTIONS:
        one = functions[f"{name}Function"]
        assert one["Handler"] == f"footfall.shells.lambdas.{name.lower()}.handler"
        assert named_in(one["Role"]) == {f"{name}Role"}
        assert named_in(one["LoggingConfig"]) == {f"{name}Log"}
        assert named_in(resources[f"{name}Log"]["Properties"]["RetentionInDays"]) == {"LogDays"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_role_reaches_its_own_resources_and_changes_only_those_it_must(resources: dict[str, Any], name: str) -> None:
    role = resources[f"{name}Role"]["Properties"]
    assert set(role) == {"AssumeRolePolicyDocument", "Policies"}
    touched: set[str] = set()
    changed: set[str] = set()
    for one in statements(role):
        assert one["Effect"] == "Allow"
        assert all("*" not in action for action in listed(one["Action"])), one["Sid"]
        assert "*" not in listed(one["Resource"]), one["Sid"]
        assert "NotAction" not in one
        assert "NotResource" not in one
        touched |= named_in(one["Resource"])
        if any(CHANGING.search(action) for action in listed(one["Action"]) if not action.startswith("logs:")):
            changed |= named_in(one["Resource"])
    assert touched == TOUCHES[name] | {f"{name}Log"}
    assert changed == CHANGES[name]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_told_of_what_it_may_touch_and_nothing_else(resources: dict[str, Any], name: str) -> None:
    variables = resources[f"{name}Function"]["Properties"]["Environment"]["Variables"]
    told = named_in(variables) - {"FreshnessSeconds", "CountingShards", "RawDays", "Uniques", "ProxySecret"}
    told -= {"Judging", "Referrers", "ArchiveReplayUrl"}
    about_people = {one for one in told if one.startswith(("People", "Smtp"))}
    assert bool(about_people) == (name in ("Collect", "Maintenance"))  # Those two alone mail: links, and alerts.
    told -= about_people | {chosen for chosen in CHOSEN.values() if name in ("Collect", "Serve")}
    assert told == TOUCHES[name] - {"ObjectsFailed", "SourceBucket", "SourceQueueArn"}
    assert set(variables) <= {setting.variable for setting in NAMES.values()}
    assert variables["FOOTFALL_GROUND"] == "aws"
    assert variables["FOOTFALL_STREAM_SHARDS"] == {"Ref": "CountingShards"}


def test_one_judge_runs_at_a_time_and_none_when_it_is_not_wanted(
    template: dict[str, Any], resources: dict[str, Any]
) -> None:
    function = resources["JudgeFunction"]["Properties"]
    assert function["ReservedConcurrentExecutions"] == {"Fn::If": ["HasJudging", 1, {"Ref": "AWS::NoValue"}]}
    schedule = resources["JudgeSchedule"]["Properties"]
    assert schedule["ScheduleExpression"] == "rate(1 minute)"
    assert schedule["State"] == {"Fn::If": ["HasJudgeRuns", "ENABLED", "DISABLED"]}
    wanted = [{"Fn::Equals": [{"Ref": name}, "true"]} for name in ("Judging", "Referrers")]
    assert template["Conditions"]["HasJudgeRuns"] == {"Fn::Or": wanted}


def test_every_parameter_lies_within_what_its_setting_takes(template: dict[str, Any]) -> None:
    settings = {
        "CountingShards": "stream_shards",
        "FreshnessSeconds": "aws_freshness_s",
        "RawDays": "stream_keep_days",
    }
    for name, setting in settings.items():
        one = template["Parameters"][name]
        assert NAMES[setting].lowest <= one["MinValue"] <= one["Default"] <= one["MaxValue"] <= NAMES[setting].highest


def test_the_command_reads_the_same_parameters_as_cloudformation(template: dict[str, Any]) -> None:
    assert deploying_template.parameters() == tuple(template["Parameters"])
    assert deploying_template.parts() == len(template["Resources"])
    assert set(template["Parameters"]) >= deploying_template.OURS | set(deploying_template.FIXED)
    kept = {name for name, one in template["Resources"].items() if one.get("DeletionPolicy") == "Retain"}
    assert kept == set(KEPT)


def test_the_runtimes_are_those_that_archives_are_packed_for(template: dict[str, Any]) -> None:
    runtime = template["Parameters"]["Runtime"]
    assert runtime["AllowedValues"] == [f"python{one}" for one in RUNTIMES]
    assert runtime["Default"] == f"python{RUNTIMES[0]}"
    for one in of_type(template["Resources"], "Lambda::Function").values():
        assert one["Runtime"] == {"Ref": "Runtime"}


def test_tables_have_our_keys_and_remove_what_expired(resources: dict[str, Any]) -> None:
    tables = of_type(resources, "DynamoDB::Table")
    assert set(tables) == {*TABLES, "RowsTable"}
    for name, one in tables.items():
        names = Names("any", PARTITION_NAME, SORT_NAME) if name == "RowsTable" else Names("any")
        assert one["BillingMode"] == "PAY_PER_REQUEST"
        keys = [(key["AttributeName"], key["KeyType"]) for key in one["KeySchema"]]
        assert keys == [(names.partition, "HASH"), (names.sort, "RANGE")]
        assert one["TimeToLiveSpecification"] == {"AttributeName": names.expiry, "Enabled": True}


def test_every_table_but_that_of_salts_can_be_brought_back(resources: dict[str, Any]) -> None:
    for name in (*TABLES, "RowsTable"):
        is_kept = name != "SaltsTable"
        recovery = resources[name]["Properties"]["PointInTimeRecoverySpecification"]
        assert recovery == {"PointInTimeRecoveryEnabled": is_kept}, name
        assert resources[name]["DeletionPolicy"] == ("Retain" if is_kept else "Delete")
        assert ("DeletionProtectionEnabled" in resources[name]["Properties"]) == is_kept


def test_every_way_of_telling_of_objects_is_allowed(resources: dict[str, Any]) -> None:
    allowed = {one["Sid"]: one for one in statements(resources["ObjectsRole"]["Properties"])}
    # A bucket that keeps versions is asked for one of them, which is another permission.
    assert allowed["ReadsTheSource"]["Action"] == ["s3:GetObject", "s3:GetObjectVersion"]
    callers = {
        one["Principal"]: one
        for one in of_type(resources, "Lambda::Permission").values()
        if one["FunctionName"] == {"Ref": "ObjectsFunction"}
    }
    assert set(callers) == {"s3.amazonaws.com", "sns.amazonaws.com", "events.amazonaws.com"}
    assert all("SourceArn" in one for one in callers.values())
    assert ":${AWS::AccountId}:rule/" in callers["events.amazonaws.com"]["SourceArn"]["Fn::Sub"]
    queues = mappings_of(resources, "ObjectsFunction")
    for name, sid in (
        ("ObjectsFromQueueMapping", "IsToldByTheQueue"),
        ("ObjectsFailedMapping", "LeavesWhatFailedAndTakesItAgain"),
    ):
        one = queues.pop(name)
        assert one["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
        assert named_in(one["EventSourceArn"]) == named_in(allowed[sid]["Resource"])
        assert {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"} <= set(allowed[sid]["Action"])
    assert queues == {}


def test_what_failed_is_taken_again_only_when_that_is_wanted(template: dict[str, Any]) -> None:
    resources = template["Resources"]
    mapping = resources["ObjectsFailedMapping"]["Properties"]
    assert mapping["Enabled"] == {"Fn::If": ["RetriesFailed", True, False]}
    assert template["Parameters"]["RetryFailedObjects"]["Default"] == "false"
    # Lambda refuses a queue whose messages come again while the function still works on them.
    lasts_s = resources["ObjectsFunction"]["Properties"]["Timeout"]
    assert resources["ObjectsFailed"]["Properties"]["VisibilityTimeout"] >= 6 * lasts_s


def test_a_stack_that_is_not_told_otherwise_has_no_shard_that_is_idle(template: dict[str, Any]) -> None:
    parameters = template["Parameters"]
    assert parameters["ShardCount"]["Default"] <= parameters["CountingShards"]["Default"]


def test_count_is_called_once_at_a_time_for_a_shard_and_gives_nothing_up(resources: dict[str, Any]) -> None:
    (mapping,) = mappings_of(resources, "CountFunction").values()
    assert named_in(mapping["EventSourceArn"]) == {"Stream"}
    assert mapping["ParallelizationFactor"] == 1
    assert mapping["MaximumBatchingWindowInSeconds"] == {"Ref": "FreshnessSeconds"}
    assert (mapping["MaximumRetryAttempts"], mapping["MaximumRecordAgeInSeconds"]) == (-1, -1)
    # What is poison is set aside inside, so dividing a batch would only make more calls to a store that is down.
    assert mapping["BisectBatchOnFunctionError"] is False
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["StartingPosition"] == "TRIM_HORIZON"
    assert "DestinationConfig" not in mapping


def test_raw_hits_are_private_and_go_after_their_days(resources: dict[str, Any]) -> None:
    bucket = resources["RawBucket"]["Properties"]
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    rules = {rule["Id"]: rule for rule in bucket["LifecycleConfiguration"]["Rules"]}
    assert rules["raw-hits-go"]["ExpirationInDays"] == {"Ref": "RawDays"}
    assert rules["parts-of-broken-uploads-go"]["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 1}


def test_every_alarm_goes_to_the_topic_and_says_what_to_look_at(resources: dict[str, Any]) -> None:
    alarms = of_type(resources, "CloudWatch::Alarm")
    for name, one in alarms.items():
        assert named_in(one["AlarmActions"]) == named_in(one["OKActions"]) == {"AlarmTopicArn"}, name
        assert one["AlarmDescription"].endswith("."), name
        assert one["TreatMissingData"] in ("notBreaching", "breaching"), name


def test_what_must_be_watched_is(resources: dict[str, Any]) -> None:
    watched = {
        (one["MetricName"], *sorted(named_in(one["Dimensions"])))
        for one in of_type(resources, "CloudWatch::Alarm").values()
    }
    assert {("IteratorAge", "CountFunction"), ("WriteProvisionedThroughputExceeded", "Stream")} <= watched
    assert {("DeadLetters",), ("SecondsSinceLastHit",), ("HottestShardPercent",), ("5xx", "Api")} <= watched
    assert {(f"{kind}ThrottleEvents", table) for kind in ("Read", "Write") for table in TABLES} <= watched
    assert {(kind, f"{name}Function") for kind in ("Errors", "Throttles") for name in FUNCTIONS} <= watched
    alarms = of_type(resources, "CloudWatch::Alarm")
    assert alarms["HottestShardAlarm"]["Threshold"] == 70
    assert alarms["NoHitsAlarm"]["TreatMissingData"] == "breaching"


def test_a_plan_is_billed_for_every_alarm_and_dashboard_that_is_made(resources: dict[str, Any]) -> None:
    made = [len(of_type(resources, f"CloudWatch::{kind}")) for kind in ("Alarm", "Dashboard")]
    assert made == [ALARMS, DASHBOARDS]


def test_the_dashboard_is_json_and_shows_what_exists(resources: dict[str, Any]) -> None:
    body = resources["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
    assert named_in({"Fn::Sub": body}) <= set(resources)
    widgets = json.loads(re.sub(r"\$\{[^}]+\}", "x", body))["widgets"]
    assert len({(one["x"], one["y"]) for one in widgets}) == len(widgets) == 9


def test_whatever_writes_goes_to_collect_and_the_rest_to_serve(resources: dict[str, Any]) -> None:
    targets = {
        one["RouteKey"]: next(iter(named_in(one["Target"])))
        for one in of_type(resources, "ApiGatewayV2::Route").values()
    }
    assert targets.pop("$default") == "ServeIntegration"
    assert set(targets.values()) == {"CollectIntegration"}
    # An id may have a slash in it, escaped or not; the API would take the rest for another path.
    assert "DELETE /v1/assets/{id+}" in targets
    assert {"PUT /v1/edits/pins/{id+}", "PUT /v1/edits/hidden/{id+}"} <= targets.keys()
    targets = {route.replace("+}", "}"): target for route, target in targets.items()}
    routes = {f"{one.method} {one.path}" for one in OPERATIONS}
    # What takes the rest of a path stands at its end, so one route is for all that is posted behind the metrics' path.
    del targets["POST /v1/metrics/{name}"]
    behind = {route for route in routes if route.startswith("POST /v1/metrics/")}
    assert behind
    routes -= behind
    assert set(targets) <= routes
    assert {route for route in routes if route.split()[0] in ("POST", "PUT", "PATCH", "DELETE")} <= set(targets)


def test_both_templates_give_a_question_the_same_text() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (TEMPLATE, DEPLOY / "cloudfront" / "footfall-cache.yaml")]
    codes = [re.search(r"FunctionCode: \|\n((?: {8}.*\n|\n)+)", text) for text in texts]
    assert codes[0] is not None
    assert codes[1] is not None
    assert codes[0][1] == codes[1][1]


def test_lists_are_cached_by_the_question_alone_and_hits_never(resources: dict[str, Any]) -> None:
    distribution = resources["Distribution"]["Properties"]["DistributionConfig"]
    lists = {one["PathPattern"]: one for one in distribution["CacheBehaviors"]}
    assert named_in(lists["/v1/popular"]["CachePolicyId"]) == {"ListCachePolicy"}
    assert named_in(lists["/v1/popular"]["FunctionAssociations"]) == {"CanonicalQuestion"}
    assert distribution["DefaultCacheBehavior"]["CachePolicyId"] == "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
    key = resources["ListCachePolicy"]["Properties"]["CachePolicyConfig"]["ParametersInCacheKeyAndForwardedToOrigin"]
    assert key["CookiesConfig"] == {"CookieBehavior": "whitelist", "Cookies": [COOKIE]}
    assert key["HeadersConfig"] == {"HeaderBehavior": "none"}


def test_cloudfront_proves_itself_and_tells_whom_it_asks_for(template: dict[str, Any]) -> None:
    resources = template["Resources"]
    assert template["Parameters"]["ProxySecret"]["NoEcho"] is True
    assert template["Parameters"]["ProxySecret"]["MinLength"] >= PROXY_SECRET_MIN
    distribution = resources["Distribution"]["Properties"]["DistributionConfig"]
    (origin,) = distribution["Origins"]
    assert origin["OriginCustomHeaders"] == [
        {"HeaderName": PROXY_HEADER.decode(), "HeaderValue": {"Ref": "ProxySecret"}}
    ]
    for name in FUNCTIONS:
        variables = resources[f"{name}Function"]["Properties"]["Environment"]["Variables"]
        assert ("FOOTFALL_HTTP_PROXY_SECRET" in variables) == (name in ("Collect", "Serve"))
    for one in distribution["CacheBehaviors"]:
        (policy,) = named_in(one["OriginRequestPolicyId"])
        headers = resources[policy]["Properties"]["OriginRequestPolicyConfig"]["HeadersConfig"]
        assert [header.lower().encode() for header in headers["Headers"]] == [VIEWER_HEADER]
    # What a viewer sends goes on as it is; but for the host, which is the origin's.
    (policy,) = named_in(distribution["DefaultCacheBehavior"]["OriginRequestPolicyId"])
    headers = resources[policy]["Properties"]["OriginRequestPolicyConfig"]["HeadersConfig"]
    assert headers == {"HeaderBehavior": "allExcept", "Headers": ["Host"]}


def test_every_alarm_and_every_parameter_that_the_page_names_is_there() -> None:
    page = (DEPLOY.parent / "docs" / "deploying.md").read_text(encoding="utf-8")
    template = TEMPLATE.read_text(encoding="utf-8")
    alarms = re.findall(r"^  (\w+Alarm):$", template, re.MULTILINE)
    endings = re.findall(r"`…(\w+Alarm)`", page)
    assert [one for one in alarms if f"`{one}`" not in page and not one.endswith(tuple(endings))] == []
    named = set(re.findall(r"`([A-Z][a-z]+[A-Z]\w+)`", page.split("## 3.")[0].partition("| parameter |")[2]))
    assert named
    assert [one for one in named if f"  {one}:\n    Type: " not in template] == []
