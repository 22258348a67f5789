"""The archive's stack on AWS is sound: its machine is ours, and each role reaches what its function needs."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from footfall.adapters.aws.step_functions_machines import definition_for_aws
from footfall.app.archive_files import HANDED_OUT
from footfall.app.archive_machine import definition
from footfall.app.archive_on_aws import resources_by_state
from footfall.app.settings import NAMES
from tests.deploy.template_reading import DEPLOY, Loader, listed, named_in, of_type, statements
from tests.deploy.test_container import linted

TEMPLATE = DEPLOY / "aws" / "archive.yaml"
FUNCTIONS = ("Task", "Dispatch", "Replay")


@pytest.fixture(scope="module")
def resources() -> dict[str, Any]:
    return yaml.load(TEMPLATE.read_text(encoding="utf-8"), Loader)["Resources"]


def test_the_linters_find_nothing() -> None:
    linter = Path(sys.executable).with_name("cfn-lint")
    done = subprocess.run([linter, str(TEMPLATE)], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    ran = linted((DEPLOY / "archive.Containerfile").read_text(encoding="utf-8"))
    assert (ran.returncode, ran.stdout + ran.stderr) == (0, "")


def test_its_machine_is_the_one_that_runs_in_a_directory(resources: dict[str, Any]) -> None:
    functions = dict.fromkeys(resources_by_state().values(), "${TaskFunction.Arn}")
    assert resources["Machine"]["Properties"]["DefinitionString"] == {
        "Fn::Sub": definition_for_aws(definition(), functions)
    }


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_told_of_settings_and_its_role_names_resources(resources: dict[str, Any], name: str) -> None:
    function = of_type(resources, "Lambda::Function")[f"{name}Function"]
    variables = function["Environment"]["Variables"]
    assert set(variables) <= {setting.variable for setting in NAMES.values()}
    assert named_in(function["Role"]) == {f"{name}Role"}
    assert named_in(function["LoggingConfig"]) == {f"{name}Log"}
    for one in statements(resources[f"{name}Role"]["Properties"]):
        assert all("*" not in action for action in listed(one["Action"]))
        assert "*" not in listed(one["Resource"]) or one["Action"] == ["dynamodb:ListStreams"]


def test_who_captures_cannot_remove_what_is_kept(resources: dict[str, Any]) -> None:
    actions = {action for one in statements(resources["TaskRole"]["Properties"]) for action in listed(one["Action"])}
    assert "s3:DeleteObject" not in actions
    assert not {action for action in actions if action.startswith("states:")}


def test_who_replays_only_reads_and_is_asked_by_anybody(resources: dict[str, Any]) -> None:
    actions = {action for one in statements(resources["ReplayRole"]["Properties"]) for action in listed(one["Action"])}
    assert {action for action in actions if not action.startswith("logs:")} == {
        "dynamodb:DescribeTable", "dynamodb:GetItem", "s3:GetObject", "s3:ListBucket",
    }  # fmt: skip
    assert of_type(resources, "Lambda::Url")["ReplayUrl"]["AuthType"] == "NONE"
    expiring = {
        rule.get("Prefix"): rule for rule in resources["Bucket"]["Properties"]["LifecycleConfiguration"]["Rules"]
    }
    assert expiring[HANDED_OUT]["ExpirationInDays"] == 1


def test_what_the_stack_tells_is_what_footfall_s_own_takes(resources: dict[str, Any]) -> None:
    whole = yaml.load(TEMPLATE.read_text(encoding="utf-8"), Loader)
    other = yaml.load((DEPLOY / "aws" / "template.yaml").read_text(encoding="utf-8"), Loader)
    assert set(whole["Outputs"]) <= set(other["Parameters"])
    serve = of_type(other["Resources"], "Lambda::Function")["ServeFunction"]["Environment"]["Variables"]
    assert serve["FOOTFALL_ARCHIVE_REPLAY_URL"] == {"Ref": "ArchiveReplayUrl"}
    (writes,) = [
        one for one in statements(other["Resources"]["ServeRole"]["Properties"]) if "s3:PutObject" in one["Action"]
    ]
    assert [one["Fn::Sub"].rpartition("}/")[2] for one in writes["Resource"]] == [f"{HANDED_OUT}*"]
    assert resources["ReplayFunction"]["Properties"]["Environment"]["Variables"]["FOOTFALL_PEOPLE_URL"]


def test_the_image_runs_handlers_that_are_there(resources: dict[str, Any]) -> None:
    from footfall.shells.lambdas import archive_replay, archive_worker

    image = (DEPLOY / "archive.Containerfile").read_text(encoding="utf-8")
    named = [
        *re.findall(r'CMD \["([^"]+)"\]', image),
        *resources["DispatchFunction"]["Properties"]["ImageConfig"]["Command"],
    ]
    assert [one.rpartition(".")[0] for one in named] == [archive_worker.__name__] * 2
    assert all(callable(getattr(archive_worker, one.rpartition(".")[2])) for one in named)
    (replaying,) = resources["ReplayFunction"]["Properties"]["ImageConfig"]["Command"]
    assert replaying == f"{archive_replay.__name__}.{archive_replay.handler.__name__}"
