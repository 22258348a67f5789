"""The thesis' figures 5.2 and 5.3 drawn again, with the lines where they belong."""

from decimal import Decimal

from footfall.planning.compared_compute import (
    FUNCTION_MB,
    THESIS_ALWAYS,
    THESIS_BATCH,
    THESIS_FUNCTION,
    batch_runs,
    equal_memory_mb,
    even_batch_seconds,
    even_requests,
    month_by_minutes_usd,
)
from footfall.planning.drawn_lines import Axis, Line, Mark, drawn

BATCH_S_MAX = 120
REQUESTS_LOW, REQUESTS_HIGH = 1e5, 1e9
DURATIONS_MS = (100, 200, 500, 1_000)
POINTS = 41


def batch_drawing() -> str:
    """Return figure 5.2: what a job costs a month that runs every 1.5 minutes, by how long it takes."""
    runs, equal = batch_runs(), equal_memory_mb()
    seconds = [Decimal(BATCH_S_MAX * place) / (POINTS - 1) for place in range(POINTS)]
    functions = [
        Line(
            f"Lambda, {memory_mb} MB",
            [
                (float(s), float(THESIS_FUNCTION.run_usd(duration_ms=s * 1_000, memory_mb=memory_mb) * runs))
                for s in seconds
            ],
        )
        for memory_mb in (FUNCTION_MB, equal)
    ]
    containers = Line(
        "Fargate, 0.25 vCPU, 0.5 GB", [(float(s), float(THESIS_BATCH.batch_usd(runs, seconds=s))) for s in seconds]
    )
    crossing = even_batch_seconds(THESIS_FUNCTION, THESIS_BATCH, memory_mb=equal)
    marks: list[Mark] = []
    if crossing is not None:
        minute_usd = float(THESIS_BATCH.batch_usd(runs, seconds=1))
        marks.append(Mark(float(crossing), minute_usd, f"{crossing:.1f} s, with as much processor for both"))
    return drawn(
        "Figure 5.2 again: a batch job, 28,800 times a month, prices of 2020",
        Axis("seconds that each run takes", 0, BATCH_S_MAX),
        Axis("USD a month", 0, 26),
        [*functions, containers],
        marks,
    )


def api_drawing() -> str:
    """Return figure 5.3: what answering requests costs a month, by how many there are."""
    numbers = [REQUESTS_LOW * (REQUESTS_HIGH / REQUESTS_LOW) ** (place / (POINTS - 1)) for place in range(POINTS)]
    functions = [
        Line(
            f"Lambda, 128 MB, {duration_ms} ms",
            [(one, one * float(THESIS_FUNCTION.run_usd(duration_ms=duration_ms))) for one in numbers],
        )
        for duration_ms in DURATIONS_MS
    ]
    wrong, right = month_by_minutes_usd(THESIS_ALWAYS), THESIS_BATCH.month_usd()
    lower = THESIS_ALWAYS.month_usd()
    flat = [
        Line(name, [(numbers[0], float(amount)), (numbers[-1], float(amount))], is_dashed=is_dashed)
        for name, amount, is_dashed in (
            (f"as the thesis has it, ${wrong:.2f}", wrong, True),
            (f"Fargate, its first prices, ${right:.2f}", right, False),
            (f"Fargate, its second prices, ${lower:.2f}", lower, False),
        )
    ]
    at = even_requests(THESIS_FUNCTION, right, duration_ms=DURATIONS_MS[0])
    return drawn(
        "Figure 5.3 again: the API, prices of 2020",
        Axis("requests a month", REQUESTS_LOW, REQUESTS_HIGH, is_log=True, told=lambda value: f"{value / 1e6:g} M"),
        Axis("USD a month", 0.01, 1_000, is_log=True, told=lambda value: f"{value:g}"),
        [*functions, *flat],
        [Mark(float(at), float(right), f"{at / 1e6:.1f} M")],
    )
