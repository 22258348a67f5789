"""The description holds: whatever is sent to a route, the answer is one that it names, and never a failure."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from footfall.shells.http.openapi import OPERATIONS
from tests.scenarios.instance import Instance, Starter, footfall

LIVE = "/v1/live"  # Its answer ends when the listener leaves; tests/shells/http/test_live.py looks at it.
HOOKS = Path(__file__).with_name("openapi_hooks.py")
CHECKS = (
    "never_a_failure", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
    "response_headers_conformance", "allow_header_conformance",
)  # fmt: skip
ALL_PHASES = "examples,coverage,fuzzing"


def attacked(instance: Instance, folder: Path, *more: str, examples: int, phases: str = ALL_PHASES) -> None:
    """Send generated requests to every route and require that each answer is a documented one."""
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{instance.url}/openapi.json",
        "--phases", phases, "--max-examples", str(examples), "--seed", "20261115",
        "--checks", ",".join(CHECKS), "--suppress-health-check", "all", "--warnings", "off",
        "--generation-database", "none", "--exclude-path", LIVE, *more,
    ]  # fmt: skip
    variables = {**os.environ, "SCHEMATHESIS_HOOKS": str(HOOKS)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=variables, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout


def test_every_route_that_is_described_is_there_and_has_no_other_methods(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    assert instance.call("GET", "/openapi.json").status == 200  # It is not made where a route is not in it.
    methods: dict[str, set[str]] = {}
    for operation in OPERATIONS:
        methods.setdefault(operation.path.replace("{id}", "1"), set()).add(operation.method)
    del methods["/healthz"]  # Whoever looks after the process may ask in any way.
    methods["/v1/metrics/own"] |= methods["/v1/metrics/{name}"]  # A metric may be named so.
    for path, known in methods.items():
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            status = instance.call(method, path).status
            assert (status != 405) == (method in known), (method, path, status)


def test_no_request_to_an_open_instance_gets_an_answer_that_is_not_described(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    # By chance here and with a key; each part of a request in turn, too, in the long campaign.
    attacked(instance, data.parent, examples=2, phases="examples,fuzzing")


def test_no_request_with_a_key_gets_an_answer_that_is_not_described(starter: Starter, data: Path) -> None:
    key = administrator(data)
    instance = starter.start(data)
    attacked(instance, data.parent, "--header", f"Authorization: Bearer {key}", examples=1, phases="examples,fuzzing")


@pytest.mark.soak
def test_no_request_of_a_long_campaign_gets_an_answer_that_is_not_described(starter: Starter, data: Path) -> None:
    key = administrator(data)
    instance = starter.start(data)
    attacked(instance, data.parent, examples=400)
    attacked(instance, data.parent, "--header", f"Authorization: Bearer {key}", examples=400)


def administrator(data: Path) -> str:
    """Return the key of an administrator of a brand that is made for it."""
    data.mkdir()
    assert footfall("brands", "add", "abc", "--data", str(data)).returncode == 0
    made = footfall("keys", "add", "--brand", "abc", "--scope", "admin", "--data", str(data), "--json")
    assert made.returncode == 0, made.stderr
    return str(json.loads(made.stdout)["key"])
