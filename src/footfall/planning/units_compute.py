"""What functions, containers and workflows are billed by: how vendors round time, memory and steps."""

from decimal import Decimal
from math import ceil
from typing import Final

MB_PER_GB: Final = 1_024
LAMBDA_STEP_MS: Final = 1
LAMBDA_STEP_MS_UNTIL_2020: Final = 100  # Until December 2020 the vendor rounded up to this.
LAMBDA_PROVISIONED_STEP_S: Final = 300
FARGATE_SECONDS_MIN: Final = 60
EXPRESS_STEP_MS: Final = 100
EXPRESS_STEP_MB: Final = 64
SECONDS_PER_HOUR: Final = 3_600


def lambda_billed_ms(duration_ms: Decimal | int, *, step_ms: int = LAMBDA_STEP_MS) -> int:
    """Return the milliseconds that a run is billed for: rounded up to whole steps, at least one."""
    return max(1, ceil(Decimal(duration_ms) / step_ms)) * step_ms


def lambda_gb_seconds(
    invocations: int, *, duration_ms: Decimal | int, memory_mb: int, step_ms: int = LAMBDA_STEP_MS
) -> Decimal:
    """Return what so many runs of one length are billed for."""
    billed_ms = lambda_billed_ms(duration_ms, step_ms=step_ms)
    return Decimal(invocations) * billed_ms * memory_mb / (1_000 * MB_PER_GB)


def lambda_provisioned_gb_seconds(concurrency: int, *, seconds: int, memory_mb: int) -> Decimal:
    """Return what keeping so many instances ready is billed for: by the started five minutes."""
    billed_s = -(-seconds // LAMBDA_PROVISIONED_STEP_S) * LAMBDA_PROVISIONED_STEP_S
    return Decimal(concurrency) * billed_s * memory_mb / MB_PER_GB


def fargate_hours(tasks: int, *, seconds: Decimal | int) -> Decimal:
    """Return the hours that tasks of one length are billed for: by the second, a minute at least."""
    billed_s = max(FARGATE_SECONDS_MIN, ceil(seconds))
    return Decimal(tasks) * billed_s / SECONDS_PER_HOUR


def standard_transitions(executions: int, *, steps: int, retries: int = 0) -> int:
    """Return the transitions of workflows of so many steps each; every retry is one more."""
    return executions * (steps + retries)


def express_gb_seconds(executions: int, *, duration_ms: Decimal | int, memory_mb: Decimal | int) -> Decimal:
    """Return what express workflows are billed for: by the started 100 ms and the started 64 MB."""
    billed_ms = max(1, ceil(Decimal(duration_ms) / EXPRESS_STEP_MS)) * EXPRESS_STEP_MS
    billed_mb = max(1, ceil(Decimal(memory_mb) / EXPRESS_STEP_MB)) * EXPRESS_STEP_MB
    return Decimal(executions) * billed_ms * billed_mb / (1_000 * MB_PER_GB)
