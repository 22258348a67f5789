"""The program of the Step Functions engine: moto's server, with functions that run and executions that redrive."""

import atexit
import datetime
import json
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from jsonata import Jsonata
from moto.awslambda.models import LambdaFunction
from moto.core.exceptions import AWSError
from moto.core.responses import ActionResult
from moto.server import main
from moto.stepfunctions.exceptions import ExecutionDoesNotExist
from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.asl.jsonata import jsonata as moto_jsonata
from moto.stepfunctions.parser.backend.execution import Execution
from moto.stepfunctions.responses import StepFunctionResponse

from tests.engines.lambda_runtime import Function, HandlerFailed

HOUSE = Path(__file__).resolve().parents[2]
FOLDER = Path(tempfile.mkdtemp(prefix="functions-"))


class Pool:
    """Processes of one function: as many as are called at once, as on Lambda."""

    def __init__(self, handler: str, folder: Path) -> None:
        self._handler = handler
        self._folder = folder
        self._idle: list[Function] = []
        self._made = 0
        self._lock = threading.Lock()

    def invoke(self, event: Any) -> Any:
        with self._lock:
            function = self._idle.pop() if self._idle else self._new()
        try:
            return function.invoke(event)
        finally:
            with self._lock:
                self._idle.append(function)

    def _new(self) -> Function:
        self._made += 1
        folder = self._folder / str(self._made)
        folder.mkdir(parents=True)
        function = Function(HOUSE, self._handler, {}, folder)
        atexit.register(function.close)
        return function


POOLS: dict[str, Pool] = {}
POOLS_LOCK = threading.Lock()


def invoke(function: Any, event: Any = None) -> tuple[str, bool, str]:
    with POOLS_LOCK:
        pool = POOLS.setdefault(function.handler, Pool(function.handler, FOLDER / function.function_name))
    try:
        return json.dumps(pool.invoke(event)), False, ""
    except HandlerFailed as failed:
        told = {"errorType": failed.error_type, "errorMessage": failed.message, "stackTrace": failed.trace}
        return json.dumps(told), True, ""


def described(response: Any) -> ActionResult:
    """Say what moto leaves out: a text that is an output is JSON, too, and how often it was redriven."""
    told = DESCRIBED(response)
    execution = found(response.stepfunction_backend, response._get_param("executionArn"))
    if isinstance(execution.output, str) and "output" in told._result:
        told._result["output"] = json.dumps(execution.output)
    told._result["redriveCount"] = getattr(execution, "redrives", 0)
    return told


def redrive(response: Any) -> ActionResult:
    arn = response._get_param("executionArn")
    execution = found(response.stepfunction_backend, arn)
    if execution.exec_status not in (ExecutionStatus.FAILED, ExecutionStatus.ABORTED, ExecutionStatus.TIMED_OUT):
        return refused(execution)
    events = list(execution.to_history_output()["events"])
    name, given = ended_in(events, json.loads(execution.state_machine.definition)["States"])
    execution.history_before = [*getattr(execution, "history_before", []), *events]
    execution.redrives = getattr(execution, "redrives", 0) + 1
    whole = execution.state_machine.definition
    execution.state_machine.definition = json.dumps({**json.loads(whole), "StartAt": name})
    execution.input_data, first = json.loads(given), execution.input_data
    execution.exec_worker = execution.error = execution.cause = execution.stop_date = None
    execution.start()
    execution.input_data, execution.state_machine.definition = first, whole
    return ActionResult({"redriveDate": datetime.datetime.now(tz=datetime.UTC)})


def evaluated(expression: str) -> Any:
    return Jsonata(expression).evaluate(None)


def found(backend: Any, arn: str) -> Any:
    for machine in backend.state_machines:
        for execution in machine.executions:
            if execution.execution_arn == arn:
                return execution
    raise ExecutionDoesNotExist(f"Execution Does Not Exist: '{arn}'")


def refused(execution: Any) -> ActionResult:
    raise AWSError(f"Execution '{execution.execution_arn}' cannot be redriven", "ExecutionNotRedrivable")


def ended_in(events: list[Any], outermost: Any) -> tuple[str, str]:
    """Return the last outermost state that was entered, and what it was given."""
    entered = [event["stateEnteredEventDetails"] for event in events if "stateEnteredEventDetails" in event]
    last = [one for one in entered if one["name"] in outermost][-1]
    return last["name"], last["input"]


def whole_history(execution: Any) -> Any:
    told = HISTORY(execution)
    before = getattr(execution, "history_before", [])
    if before:
        renumbered = [redriven(event, len(before)) for event in told["events"]]
        told["events"] = [*before, *renumbered]
    return told


def redriven(event: Any, by: int) -> Any:
    event = {**event, "id": event["id"] + by, "previousEventId": event.get("previousEventId", 0) + by}
    if event["type"] == "ExecutionStarted":
        event = {"id": event["id"], "previousEventId": by, "timestamp": event["timestamp"], "type": "ExecutionRedriven"}
    return event


DESCRIBED: Any = StepFunctionResponse.describe_execution
HISTORY: Any = Execution.to_history_output

if __name__ == "__main__":
    moto: Any = (LambdaFunction, StepFunctionResponse, Execution)
    moto[0]._invoke_lambda = invoke
    moto[1].redrive_execution = redrive
    moto[1].describe_execution = described
    moto[2].to_history_output = whole_history
    # References to variables go through JSONata there, of which moto brings no interpreter.
    moto_jsonata._eval_jsonata = evaluated
    main(["-p", sys.argv[1]])
