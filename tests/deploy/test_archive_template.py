"""The archive's stack on AWS is sound: its machine is ours, and each role reaches what its function needs."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from footfall.adapters.aws.step_functions_machines import definition_for_aws
from footfall.app.archive_machine import definition
from footfall.app.archive_on_aws import resources_by_state
from footfall.app.settings import NAMES
from tests.deploy.test_container import linted
from tests.deploy.test_template import DEPLOY, Loader, listed, named_in, of_type, statements

TEMPLATE = DEPLOY / "aws" / "archive.yaml"
FUNCTIONS = ("Task", "Dispatch")


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


def test_the_image_runs_handlers_that_are_there(resources: dict[str, Any]) -> None:
    from footfall.shells.lambdas import archive_worker

    image = (DEPLOY / "archive.Containerfile").read_text(encoding="utf-8")
    named = [
        *re.findall(r'CMD \["([^"]+)"\]', image),
        *resources["DispatchFunction"]["Properties"]["ImageConfig"]["Command"],
    ]
    assert [one.rpartition(".")[0] for one in named] == [archive_worker.__name__] * 2
    assert all(callable(getattr(archive_worker, one.rpartition(".")[2])) for one in named)
