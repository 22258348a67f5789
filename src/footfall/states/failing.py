"""What a state fails with: error names that the language publishes, and which of them a retrier or catcher answers."""

from collections.abc import Sequence

from footfall.values.errors import FootfallError

ALL = "States.ALL"
TIMEOUT = "States.Timeout"
HEARTBEAT_TIMEOUT = "States.HeartbeatTimeout"
TASK_FAILED = "States.TaskFailed"
RUNTIME = "States.Runtime"
DATA_LIMIT_EXCEEDED = "States.DataLimitExceeded"
PARAMETER_PATH_FAILURE = "States.ParameterPathFailure"
RESULT_PATH_MATCH_FAILURE = "States.ResultPathMatchFailure"
INTRINSIC_FAILURE = "States.IntrinsicFailure"
NO_CHOICE_MATCHED = "States.NoChoiceMatched"

RESERVED = frozenset(
    {
        ALL, TIMEOUT, HEARTBEAT_TIMEOUT, TASK_FAILED, RUNTIME, DATA_LIMIT_EXCEEDED, PARAMETER_PATH_FAILURE,
        RESULT_PATH_MATCH_FAILURE, INTRINSIC_FAILURE, NO_CHOICE_MATCHED, "States.Permissions", "States.BranchFailed",
        "States.ExceedToleratedFailureThreshold", "States.ItemReaderFailed", "States.ResultWriterFailed",
        "States.QueryEvaluationError",
    }
)  # fmt: skip
# The wildcard does not stand for these: a retry would meet them again.
_NOT_IN_ALL = frozenset({RUNTIME, DATA_LIMIT_EXCEEDED})
_TIMEOUTS = frozenset({TIMEOUT, HEARTBEAT_TIMEOUT})


class StateFailed(FootfallError):
    """A state could not do its work: the error's name as the language has it, and the cause for people."""

    def __init__(self, error: str, cause: str) -> None:
        super().__init__(f"{error}: {cause}")
        self.error = error
        self.cause = cause


def is_answered(error: str, names: Sequence[str]) -> bool:
    """Tell whether a retrier or a catcher with these names is meant for the error."""
    return any(_matches(error, name) for name in names)


def _matches(error: str, name: str) -> bool:
    if name == error:
        return True
    if name == ALL:
        return error not in _NOT_IN_ALL
    if name == TIMEOUT:
        return error in _TIMEOUTS
    # Whatever a task fails with, as long as it was the task: what the machine itself meets has names of its own.
    return name == TASK_FAILED and error not in _TIMEOUTS and not error.startswith("States.")
