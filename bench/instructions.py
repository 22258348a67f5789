"""How many instructions each hot path takes, by callgrind, against budgets: `python -m bench.instructions [--write]`.

Instructions do not depend on what else a machine does, and hardly on which machine it is: valgrind shows every program
the same processor. Each path is counted at two sizes and the difference divided by what was done more of.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

HERE = Path(__file__).resolve().parent
BUDGETS = HERE / "instruction_budgets.json"
SLACK = 1.10  # A budget is so many times what was counted.
STALE_SHARE = 0.6  # Below, the budget says nothing any more, or the path did nothing.
REWRITE = "`.venv/bin/python -m bench.instructions --write` counts anew and rewrites them"
_TRIGGER = re.compile(r"^desc: Trigger: Client Request: (.+)\|(\d+)$", re.MULTILINE)
_TOTALS = re.compile(r"^totals: (\d+)$", re.MULTILINE)

Counted = dict[str, float]


class NotCounted(Exception):
    """Instructions could not be counted here."""


def ground() -> str:
    """Return what budgets hold for: another processor's code or another interpreter takes other instructions."""
    return f"{platform.machine()}, Python {sys.version_info.major}.{sys.version_info.minor}"


def counted(names: Sequence[str] = (), *, program: Sequence[str] = ("-m", "bench.counted_paths")) -> Counted:
    """Return the instructions of each hot path for one of what it is done to."""
    with tempfile.TemporaryDirectory(prefix="footfall-instructions-") as place:
        folder = Path(place)
        marks = folder / "marks.so"
        _run(["gcc", "-shared", "-fPIC", "-O2", str(HERE / "callgrind_marks.c"), "-o", str(marks)])
        callgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder / 'out'}"]
        _run([*callgrind, sys.executable, *program, str(marks), *names], **_surroundings())
        dumps = sorted(folder.glob("out.*"), key=lambda path: int(path.suffix[1:]))
        return _per_thing([path.read_text(encoding="utf-8") for path in dumps])


def problems(found: Mapping[str, float], budgets: Mapping[str, float]) -> list[str]:
    """Return a sentence for each path that is not within its budget."""
    return [*filter(None, (_problem(what, found.get(what), budgets.get(what)) for what in {**budgets, **found}))]


def budgets_here() -> dict[str, float] | None:
    """Return the budgets for this processor and interpreter; None when there are none."""
    stored = msgspec.json.decode(BUDGETS.read_bytes(), type=dict[str, dict[str, float]]) if BUDGETS.exists() else {}
    return stored.get(ground())


def write_budgets(found: Mapping[str, float]) -> None:
    """Write what was counted as the budgets of this processor and interpreter; those of others stay."""
    stored = msgspec.json.decode(BUDGETS.read_bytes(), type=dict[str, dict[str, float]]) if BUDGETS.exists() else {}
    stored[ground()] = {what: float(f"{SLACK * value:.4g}") for what, value in found.items()}
    BUDGETS.write_bytes(msgspec.json.format(msgspec.json.encode(stored, order="sorted"), indent=2) + b"\n")


def _problem(what: str, value: float | None, budget: float | None) -> str:
    if budget is None:
        return f"{what!r} has no budget of instructions; {REWRITE}."
    if value is None:
        return f"{what!r} has a budget and is not among the hot paths; {REWRITE}."
    if value > budget:
        return (
            f"{what!r} takes {value:,.0f} instructions where {budget:,.0f} are its budget: find what made it slower. "
            f"Where it is worth that much, {REWRITE}."
        )
    if value < STALE_SHARE * budget:
        return (
            f"{what!r} takes {value:,.0f} instructions, far less than its budget of {budget:,.0f}: see that it still "
            f"does what it says. If it does, hold it there: {REWRITE}."
        )
    return ""


def _per_thing(dumps: Sequence[str]) -> Counted:
    """Return the difference between the sizes of each path, for one of what it is done to."""
    sizes: dict[str, list[tuple[int, int]]] = {}
    for dump in dumps:
        trigger, totals = _TRIGGER.search(dump), _TOTALS.search(dump)
        if trigger is not None and totals is not None:
            sizes.setdefault(trigger[1], []).append((int(trigger[2]), int(totals[1])))
    found: Counted = {}
    for what, both in sizes.items():
        (few, less), (many, more) = sorted(both)
        found[what] = (more - less) / (many - few)
    return found


def _surroundings() -> dict[str, object]:
    """Return where and under which settings paths are counted: one thread, and texts that hash alike every time."""
    settings = {
        "PYTHONHASHSEED": "0",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join((str(HERE.parent), str(HERE.parent / "src"))),
    }
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    return {"env": kept | settings, "cwd": HERE.parent}


def _run(command: Sequence[str], **how: object) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, **how)  # pyright: ignore[reportArgumentType, reportCallIssue]
    except FileNotFoundError as error:
        raise NotCounted(f"{command[0]} is not installed; `make setup-tests` installs it") from error
    if done.returncode:
        raise NotCounted(f"`{' '.join(command)}` failed: {done.stderr[-2_000:]}")


def main() -> int:
    """Count, and say what is not within its budget or write new ones."""
    parser = argparse.ArgumentParser(prog="python -m bench.instructions", description="Count instructions.")
    parser.add_argument("--write", action="store_true", help="rewrite the budgets from what is counted")
    arguments = parser.parse_args()
    found = counted()
    for what, value in found.items():
        print(f"{what:<40} {value:>12,.1f}")
    if arguments.write:
        write_budgets(found)
        return 0
    wrong = problems(found, budgets_here() or {})
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
