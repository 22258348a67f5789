"""The deploy command: a stack goes up, is looked at, changed and cleared, and nothing that holds data goes unasked."""

import hashlib
import json
import time
import zipfile
from pathlib import Path
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError, NoCredentialsError

from footfall import __version__
from footfall.adapters.aws.account_calls import CallRefused, NoIdentity, NotAllowed, NotThere, called
from footfall.adapters.aws.sessions import Ground, client_of
from footfall.adapters.aws.stacks import Change, ChangeSet, change_from_answer
from footfall.app import deploying_template
from footfall.app.deploying import endangered
from footfall.app.deploying_archive import Target, archive_name, version_in_name
from footfall.app.settings import NAMES
from footfall.shells.cli.command import Exit
from footfall.shells.cli.deploy_report import CHOSEN, SETTINGS
from tests.engines.seaweedfs import Store
from tests.shells.cli.conftest import Shell

REGION = "eu-north-1"


def small_archive(folder: Path, text: str = "def handler(event, context):\n    return {}\n") -> Path:
    """Make an archive that is quickly packed and named as ours are."""
    path = folder / "new.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name in ("collect", "serve", "count", "objects", "maintenance"):
            packed.writestr(f"footfall/shells/lambdas/{name}.py", text)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return path.rename(folder / archive_name(__version__, Target("3.12", "x86_64"), digest))


@pytest.fixture
def aws(ministack: Store, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ministack.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", ministack.secret)
    shell.on_pause = lambda _seconds: time.sleep(0.02)
    return ministack


def ground(aws: Store) -> Ground:
    return Ground(region=REGION, endpoint=aws.endpoint, access_key=aws.access_key, secret_key=aws.secret)


def deploy(shell: Shell, aws: Store, name: str, action: str, *more: str) -> int:
    for stream in (shell.out, shell.err):
        stream.seek(0)
        stream.truncate()
    return shell.run("deploy", action, "--name", name, "--region", REGION, "--endpoint", aws.endpoint, *more)


def new_name() -> str:
    return f"footfall-{uuid4().hex[:8]}"


def tables(aws: Store, name: str) -> list[str]:
    return [one for one in client_of("dynamodb", ground(aws)).list_tables()["TableNames"] if one.startswith(name)]


def proxy_secret(aws: Store, name: str, function: str) -> str:
    about = client_of("lambda", ground(aws)).get_function_configuration(FunctionName=f"{name}-{function}")
    secret = about["Environment"]["Variables"]["FOOTFALL_HTTP_PROXY_SECRET"]
    assert len(secret) >= 32
    return secret


def test_a_stack_goes_up_is_looked_at_changed_and_cleared_and_data_stay_until_told(
    aws: Store, shell: Shell, tmp_path: Path
) -> None:
    name, archive = new_name(), str(small_archive(tmp_path))
    assert deploy(shell, aws, name, "up", "--archive", archive, "--freshness", "5") == Exit.OK, shell.complained()
    assert f"{name} is up." in shell.printed()
    assert "footfall brands add BRAND" in shell.printed()
    assert "/v1/popular?brand=BRAND" in shell.printed()

    assert deploy(shell, aws, name, "status", "--json") == Exit.OK
    told = json.loads(shell.printed())
    assert (told["state"], told["deployed"], told["alarms"]) == ("CREATE_COMPLETE", __version__, {})
    assert told["counting"] == "Enabled"
    assert told["outputs"]["FreshnessSeconds"] == "5"
    mappings = client_of("lambda", ground(aws)).list_event_source_mappings(FunctionName=f"{name}-count")
    assert [one["MaximumBatchingWindowInSeconds"] for one in mappings["EventSourceMappings"]] == [5]

    assert deploy(shell, aws, name, "up", "--archive", archive) == Exit.FAILED
    assert f"`footfall deploy update --name {name}`" in shell.complained()

    made_up = proxy_secret(aws, name, "serve")
    another = str(small_archive(tmp_path, "def handler(event, context):\n    return {'status': 200}\n"))
    assert deploy(shell, aws, name, "update", "--archive", another, "--dry-run") == Exit.OK, shell.complained()
    assert "CollectFunction" in shell.printed()
    assert "Nothing was changed" in shell.printed()
    assert deploy(shell, aws, name, "update", "--archive", another, "--set", "ServeMemory=2048") == Exit.OK
    assert "UPDATE_COMPLETE" in shell.printed()
    serve = client_of("lambda", ground(aws)).get_function_configuration(FunctionName=f"{name}-serve")
    assert serve["MemorySize"] == 2048
    assert serve["Environment"]["Variables"]["FOOTFALL_AWS_FRESHNESS_S"] == "5"  # It stayed as it was given.

    # Made up when the stack was made, kept since, and the same for both.
    assert {proxy_secret(aws, name, one) for one in ("collect", "serve")} == {made_up}

    kept = tables(aws, name)
    assert deploy(shell, aws, name, "clear", "--yes", name) == Exit.OK, shell.complained()
    assert shell.printed().count("Stays: ") == 7
    assert {one for one in kept if "SaltsTable" not in one} == set(tables(aws, name))
    assert deploy(shell, aws, name, "status") == Exit.FAILED
    assert "There is no stack" in shell.complained()


def test_a_stack_that_is_cleared_with_its_data_leaves_nothing(aws: Store, shell: Shell, tmp_path: Path) -> None:
    name, archive = new_name(), str(small_archive(tmp_path))
    topics = [client_of("sns", ground(aws)).create_topic(Name=f"{name}-{one}")["TopicArn"] for one in ("new", "alarms")]
    queues = client_of("sqs", ground(aws))
    queue = queues.create_queue(QueueName=name, Attributes={"VisibilityTimeout": "1800"})["QueueUrl"]
    told = queues.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    options = ("Rows=true", "SourceBucket=firehose", f"SourceTopicArn={topics[0]}", f"SourceQueueArn={told}")
    options = (*options, "RetryFailedObjects=true", "Protected=false")
    given = [word for one in options for word in ("--set", one)]
    code = deploy(shell, aws, name, "up", "--archive", archive, "--alarm-topic", topics[1], *given)
    assert code == Exit.OK, shell.complained()
    mappings = client_of("lambda", ground(aws)).list_event_source_mappings(FunctionName=f"{name}-objects")
    assert [one["State"] for one in mappings["EventSourceMappings"]] == ["Enabled", "Enabled"]
    deploy(shell, aws, name, "status", "--json")
    outputs = json.loads(shell.printed())["outputs"]
    raw = client_of("s3", ground(aws), config={"s3": {"addressing_style": "path"}})
    raw.put_object(Bucket=outputs["RawBucket"], Key="raw/abc/1", Body=b"hits")
    assert len(tables(aws, name)) == 7

    shell.stdin = b"something else\n"
    assert deploy(shell, aws, name, "clear", "--with-data") == Exit.USAGE
    assert "Nothing was removed" in shell.complained()
    assert len(tables(aws, name)) == 7
    shell.stdin = f"{name}\n".encode()
    assert deploy(shell, aws, name, "clear", "--with-data") == Exit.OK, shell.complained()
    assert tables(aws, name) == []
    assert outputs["RawBucket"] not in [one["Name"] for one in raw.list_buckets()["Buckets"]]


def test_a_change_that_would_make_a_table_anew_or_remove_one_is_refused_and_nothing_changes(
    aws: Store, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, archive = new_name(), str(small_archive(tmp_path))
    ours = deploying_template.TEMPLATE.read_text(encoding="utf-8")
    store, after = ours.split("  AccountsTable:\n", 1)
    former = store.replace("AttributeName: sk", "AttributeName: rk")  # Keys of a table cannot be changed.
    assert former != store
    table = after.split("\n  # What is known of assets.")[0]
    (tmp_path / "former.yaml").write_text(f"{former}  OldTable:\n{table}\n  AccountsTable:\n{after}", encoding="utf-8")
    with monkeypatch.context() as earlier:
        earlier.setattr(deploying_template, "TEMPLATE", tmp_path / "former.yaml")
        assert deploy(shell, aws, name, "up", "--archive", archive) == Exit.OK, shell.complained()
    before = tables(aws, name)
    assert deploy(shell, aws, name, "update", "--archive", archive) == Exit.FAILED
    assert "Nothing was changed: " in shell.complained()
    assert "OldTable (remove)" in shell.complained()
    assert "StoreTable (" in shell.complained()
    assert tables(aws, name) == before
    assert deploy(shell, aws, name, "clear", "--with-data", "--yes", name) == Exit.OK, shell.complained()


def test_alarms_of_another_stack_are_not_this_ones_whatever_it_is_called(
    aws: Store, shell: Shell, tmp_path: Path
) -> None:
    name, archive = new_name(), str(small_archive(tmp_path))
    assert deploy(shell, aws, name, "up", "--archive", archive) == Exit.OK, shell.complained()
    watch = client_of("cloudwatch", ground(aws))
    own = [one["AlarmName"] for one in watch.describe_alarms(AlarmNamePrefix=f"{name}-DeadLetters")["MetricAlarms"]]
    another = f"{name}-test-DeadLettersAlarm"
    figure = {"Namespace": "footfall", "MetricName": "DeadLetters", "Statistic": "Sum", "Period": 60}
    rule = {"EvaluationPeriods": 1, "Threshold": 0.0, "ComparisonOperator": "GreaterThanThreshold"}
    watch.put_metric_alarm(AlarmName=another, **figure, **rule)
    watch.set_alarm_state(AlarmName=another, StateValue="ALARM", StateReason="another stack's")
    assert deploy(shell, aws, name, "status", "--json") == Exit.OK, shell.printed()
    watch.set_alarm_state(AlarmName=own[0], StateValue="ALARM", StateReason="this one's")
    assert deploy(shell, aws, name, "status", "--json") == Exit.FAILED
    assert list(json.loads(shell.printed())["alarms"]) == own
    assert deploy(shell, aws, name, "clear", "--with-data", "--yes", name) == Exit.OK


def test_the_settings_of_a_stack_are_printed_for_a_shell(aws: Store, shell: Shell, tmp_path: Path) -> None:
    name, archive = new_name(), str(small_archive(tmp_path))
    chosen = ("CountingShards=4", "AudiencePlans=basic=1,family=4", "AudienceFull=refuse-newest")
    flags = [flag for one in chosen for flag in ("--set", one)]
    assert deploy(shell, aws, name, "up", "--archive", archive, *flags) == Exit.OK, shell.complained()
    assert deploy(shell, aws, name, "status", "--exports") == Exit.OK
    lines = dict(line.removeprefix("export ").split("=", 1) for line in shell.printed().splitlines())
    assert lines["FOOTFALL_GROUND"] == "aws"
    assert lines["FOOTFALL_STREAM_SHARDS"] == "4"
    assert lines["FOOTFALL_AWS_DYNAMODB_ENDPOINT"] == aws.endpoint
    assert (lines["FOOTFALL_AUDIENCE_FULL"], lines["FOOTFALL_AUDIENCE_BEAT_MS"]) == ("refuse-newest", "30000")
    assert lines["FOOTFALL_AUDIENCE_PLANS"] == "basic=1,family=4"
    assert lines["FOOTFALL_AUDIENCE_UNCOUNTED_BRANDS"] == "''"  # whatever a file of this machine says
    assert lines.pop("ADDRESS").startswith("https://")
    assert "execute-api" in lines.pop("API_ADDRESS")  # Not the cache, which hears no keys.
    assert set(lines) <= {setting.variable for setting in NAMES.values()}
    assert {*SETTINGS, *CHOSEN} - set(lines) == {"FOOTFALL_AWS_ROWS_TABLE"}

    assert deploy(shell, aws, name, "update", "--archive", archive, "--set", "CountingShards=5") == Exit.FAILED
    assert "stays so, because every hit" in shell.complained()
    assert deploy(shell, aws, name, "update", "--archive", archive, "--shards", "5") == Exit.FAILED
    assert "more than the 4 parts" in shell.complained()
    assert deploy(shell, aws, name, "update", "--archive", archive) == Exit.OK
    assert "nothing was changed" in shell.printed()
    assert deploy(shell, aws, name, "clear", "--with-data", "--yes", name) == Exit.OK


def test_a_stack_that_fails_says_what_failed_first_and_how_to_go_on(aws: Store, shell: Shell, tmp_path: Path) -> None:
    name, archive = new_name(), str(small_archive(tmp_path))
    config = {"Comment": "taken", "Runtime": "cloudfront-js-2.0"}
    taken = {"Name": f"{name}-canonical-question", "FunctionConfig": config, "FunctionCode": b"function handler(e) {}"}
    client_of("cloudfront", ground(aws)).create_function(**taken)
    assert deploy(shell, aws, name, "up", "--archive", archive) == Exit.FAILED
    assert f"{name} is ROLLBACK_COMPLETE: CanonicalQuestion (AWS::CloudFront::Function): " in shell.complained()
    assert "already exists" in shell.complained()
    assert deploy(shell, aws, name, "up", "--archive", archive) == Exit.FAILED
    assert f"`footfall deploy clear --with-data --name {name}`, then up again" in shell.complained()
    assert tables(aws, name) != []  # What was made before the failure is retained whatever happens.
    assert deploy(shell, aws, name, "clear", "--with-data", "--yes", name) == Exit.OK, shell.complained()
    assert tables(aws, name) == []
    assert deploy(shell, aws, new_name(), "up", "--archive", archive, "--set", "LogDays=2") == Exit.FAILED
    assert "LogDays" in shell.complained()


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("up", "--set", "Shards=3"), "Shards is no parameter of the template; there are ShardCount, CountingShards,"),
        (("up", "--set", "CodeKey=a.zip"), "follows from the archive"),
        (("up", "--shards", "3"), "3 shards of Kinesis are more than the 2 parts"),
        (("up", "--shards", "4", "--set", "CountingShards=3"), "4 shards of Kinesis are more than the 3 parts"),
        (("up", "--set", "ShardCount"), "is not NAME=VALUE"),
        (("up", "--shards", "2", "--set", "ShardCount=3"), "given as '2' and as '3'"),
        (("status", "--shards", "2"), "takes no parameters"),
        (("clear", "--yes", "another"), "'another' is not 'footfall'"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_called(
    shell: Shell, argv: tuple[str, ...], says: str
) -> None:
    assert shell.run("deploy", *argv) in (Exit.USAGE, Exit.FAILED)
    assert says in shell.complained()


def test_an_archive_of_another_making_is_refused(aws: Store, shell: Shell, tmp_path: Path) -> None:
    path = small_archive(tmp_path)
    path.write_bytes(path.read_bytes() + b" ")
    assert deploy(shell, aws, new_name(), "up", "--archive", str(path)) == Exit.FAILED
    assert "not an archive as package has made" in shell.complained()
    assert deploy(shell, aws, new_name(), "up", "--archive", str(tmp_path / "none.zip")) == Exit.FAILED
    assert "cannot be read" in shell.complained()


@pytest.mark.parametrize(
    ("kind", "action", "replaces", "is_endangered"),
    [
        ("AWS::DynamoDB::Table", "Modify", "yes", True),
        ("AWS::Kinesis::Stream", "Modify", "perhaps", True),
        ("AWS::S3::Bucket", "Remove", "no", True),
        ("AWS::DynamoDB::Table", "Modify", "no", False),
        ("AWS::Lambda::Function", "Modify", "yes", False),
    ],
)
def test_a_change_that_costs_data_is_told_from_one_that_does_not(
    kind: str, action: str, replaces: str, is_endangered: bool
) -> None:
    change = Change(action, "One", kind, replaces, ())
    assert (endangered(ChangeSet("id", (change,))) == (change,)) == is_endangered


@pytest.mark.parametrize(("said", "replaces"), [("True", "yes"), ("Conditional", "perhaps"), ("False", "no")])
def test_a_change_is_read_in_the_form_that_cloudformation_documents(said: str, replaces: str) -> None:
    answer = {
        "Action": "Modify",
        "LogicalResourceId": "StoreTable",
        "PhysicalResourceId": "footfall-StoreTable-1",
        "ResourceType": "AWS::DynamoDB::Table",
        "Replacement": said,
        "Scope": ["Properties"],
        "Details": [
            {"Target": {"Attribute": "Properties", "Name": "KeySchema", "RequiresRecreation": "Always"}},
            {"Target": {"Attribute": "Tags", "RequiresRecreation": "Never"}},
        ],
    }
    change = change_from_answer(answer)
    assert change == Change("Modify", "StoreTable", "AWS::DynamoDB::Table", replaces, ("KeySchema", "Tags"))


def test_an_archive_is_known_by_its_name() -> None:
    name = archive_name("1.2.0-rc1", Target("3.13", "arm64"), "ab" * 32)
    assert version_in_name(name) == "1.2.0-rc1"
    assert version_in_name("something.zip") == ""


@pytest.mark.parametrize(
    ("code", "kind", "says"),
    [
        ("AccessDenied", NotAllowed, "not allowed cloudformation:CreateStack"),
        ("ExpiredToken", NoIdentity, "sign in again"),
        ("NoSuchBucket", NotThere, "as AWS said"),
        ("LimitExceededException", CallRefused, "cloudformation:CreateStack: as AWS said"),
    ],
)
def test_a_refusal_names_the_permission_or_what_to_do(code: str, kind: type[Exception], says: str) -> None:
    def call() -> None:
        raise ClientError({"Error": {"Code": code, "Message": "as AWS said"}}, "CreateStack")

    with pytest.raises(kind, match=says):
        called("cloudformation:CreateStack", call)


def test_a_machine_without_credentials_is_told_to_sign_in() -> None:
    def call() -> None:
        raise NoCredentialsError

    with pytest.raises(NoIdentity, match="sign in"):
        called("sts:GetCallerIdentity", call)
