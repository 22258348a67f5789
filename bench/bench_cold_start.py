"""Cold start: seconds from the start of a function's process to its first answer, and what of it are imports.

Sketch. The interpreter and Lambda's runtime client take 0.1 s, boto3 0.2 s, asyncio 0.05 s, our own modules 0.1 s; the
functions that add up columns load numpy, another 0.1 s. Then the first event makes the clients, 0.1 s for the first and
little for the others. Imports run out first, as long as nothing is imported that a function does not need: the
framework of the rare pages is loaded when one is asked for.

The engines run on the same machine, and here a function has a whole core; on Lambda it has one while it starts, and
then a share that grows with its memory. Imports are judged by processor time, and of several starts the shortest
counts, because a busy machine makes all of them longer and none of them shorter.
"""

import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.plan import Plan
from bench.results import Row, row
from footfall.accounts.brands import Brand
from tests.engines import dynamodb, kinesis
from tests.engines.lambda_runtime import Function
from tests.shells.lambdas.api import SOURCES, event_of, place_on

ROUNDS = 5
WARM = 50
IMPORTS_S_MAX = 1.0
SHOWN_S_MIN = 0.005
PACKAGES_SHOWN = ("boto3", "numpy", "asyncio", "msgspec", "apsw", "zstandard", "starlette")
_LINE = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \| ( *)(\S+)")


@dataclass(frozen=True, slots=True)
class Measured:
    """One function: from its start to its wish for an event, to its first answer, and a later one."""

    ready_s: float
    first_s: float
    warm_s: float


def run(plan: Plan) -> list[Row]:
    """Start each function a few times, and look into its imports."""
    (plan.directory / "d").mkdir()
    (plan.directory / "k").mkdir()
    with dynamodb.running(plan.directory / "d") as tables, kinesis.running(plan.directory / "k") as streams:
        place = place_on(tables, streams, brands={"abc": Brand("abc")}, aws_raw_bucket="raw")
        rows: list[Row] = []
        for name, event in _events().items():
            measured = [_measured(plan.directory, name, event, place.variables) for _ in range(ROUNDS)]
            rows += _rows(name, measured)
    return rows


def _events() -> Mapping[str, dict[str, Any]]:
    hit = json.dumps({"brand": "abc", "assetId": "7"}).encode()
    return {
        "collect": event_of("POST", "/v1/hits", body=hit),
        "serve": event_of("GET", "/v1/popular?brand=abc"),
        "count": {"Records": []},
    }


def _measured(directory: Path, name: str, event: Mapping[str, Any], variables: Mapping[str, str]) -> Measured:
    folder = directory / f"{name}-{time.monotonic_ns()}"
    folder.mkdir()
    function = Function(SOURCES, f"footfall.shells.lambdas.{name}.handler", variables, folder)
    try:
        began = time.monotonic()
        function.invoke(event)
        first_s = time.monotonic() - began
        began = time.monotonic()
        for _ in range(WARM):
            function.invoke(event)
        return Measured(function.cold_ms[0] / 1_000, first_s, (time.monotonic() - began) / WARM)
    finally:
        function.close()


def _rows(name: str, measured: list[Measured]) -> list[Row]:
    shown = {one: seconds for one, seconds in _packages(name).items() if seconds >= SHOWN_S_MIN}
    return [
        row(f"{name}: start until it wishes for an event", min(one.ready_s for one in measured), "s"),
        row(f"{name}: start until the first answer", min(one.first_s for one in measured), "s"),
        row(f"{name}: a later answer", min(one.warm_s for one in measured) * 1_000, "ms"),
        row(f"{name}: imports, processor time", _imports_s(name), "s", at_most=IMPORTS_S_MAX),
        *(row(f"{name}: of that, {one} and what it is first to bring", seconds, "s") for one, seconds in shown.items()),
    ]


def _imports_s(name: str) -> float:
    """Return the processor time of the imports: of a process that does nothing else, less one that does nothing."""
    return _least_cpu_s(f"import footfall.shells.lambdas.{name}") - _least_cpu_s("pass")


def _least_cpu_s(code: str) -> float:
    spent: list[float] = []
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def _packages(name: str) -> Mapping[str, float]:
    """Return the seconds that packages took with what each was first to bring."""
    found: list[dict[str, float]] = []
    for _ in range(ROUNDS):
        command = [sys.executable, "-X", "importtime", "-c", f"import footfall.shells.lambdas.{name}"]
        said = subprocess.run(command, capture_output=True, check=True, text=True).stderr
        lines = [match for line in said.splitlines() if (match := _LINE.match(line))]
        found.append({line[4]: int(line[2]) / 1e6 for line in lines})
    return {one: min(times.get(one, 0.0) for times in found) for one in PACKAGES_SHOWN}
