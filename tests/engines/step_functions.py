"""Step Functions for tests: moto's server with its interpreter on, and Lambda under AWS's own runtime client.

moto has no redrive, so the program that runs it adds one: the execution goes on from the state that it ended in.
"""

import io
import json
import os
import sys
import urllib.request
import zipfile
from collections.abc import Generator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from footfall.adapters.aws.sessions import Ground, client_of
from tests.engines.seaweedfs import ACCESS_KEY, SECRET, free_ports
from tests.engines.serving import serving

HOUSE = Path(__file__).resolve().parents[2]
REGION = "eu-central-1"


@dataclass(frozen=True, slots=True)
class StepFunctionsEngine:
    """A server that speaks Step Functions, Lambda and IAM."""

    endpoint: str

    def client(self, service: str = "stepfunctions") -> Any:
        """Return the client that all tests share."""
        return _client(self.endpoint, service)

    def role(self) -> str:
        """Return the ARN of a role that machines and functions run with."""
        return _role(self.endpoint)

    def function(self, name: str, handler: str) -> str:
        """Make a function of a handler that lies in this repository, and return its ARN."""
        code = io.BytesIO()
        with zipfile.ZipFile(code, "w") as archive:
            archive.writestr("empty.txt", "The handler is imported from the repository.")
        made = self.client("lambda").create_function(
            FunctionName=name,
            Runtime="python3.11",
            Role=self.role(),
            Handler=handler,
            Code={"ZipFile": code.getvalue()},
            Timeout=30,
        )
        return str(made["FunctionArn"])


@cache
def _client(endpoint: str, service: str) -> Any:
    ground = Ground(region=REGION, endpoint=endpoint, access_key=ACCESS_KEY, secret_key=SECRET, read_timeout_ms=30_000)
    return client_of(service, ground)


@cache
def _role(endpoint: str) -> str:
    made = _client(endpoint, "iam").create_role(RoleName="workflows", AssumeRolePolicyDocument="{}")
    return str(made["Role"]["Arn"])


@pytest.fixture(scope="session")
def step_functions(tmp_path_factory: pytest.TempPathFactory) -> Generator[StepFunctionsEngine]:
    folder = tmp_path_factory.mktemp("step-functions")
    (port,) = free_ports(1)
    engine = StepFunctionsEngine(f"http://127.0.0.1:{port}")
    variables = {
        "MOTO_PORT": str(port),
        "PYTHONPATH": os.pathsep.join([str(HOUSE), str(HOUSE / "src")]),
        "PYTHONWARNINGS": "ignore",  # The server's own affair.
        "TMPDIR": str(folder),
    }
    command = [sys.executable, "-m", "tests.engines.step_functions_program", str(port)]
    with serving(command, folder, variables=variables, ask=engine.client().list_state_machines):
        config = json.dumps({"stepfunctions": {"execute_state_machine": True}}).encode()
        asked = urllib.request.Request(f"{engine.endpoint}/moto-api/config", data=config, method="POST")
        with urllib.request.urlopen(asked):
            pass
        yield engine
