"""Write the README's figures from bench/results, or check that they are fresh: no figure is typed by hand."""

import argparse
import sys
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOUSE))  # The benchmarks lie beside the scripts and are not installed.

from bench.results import RESULTS, Row, load, number  # noqa: E402

PAGE = HOUSE / "README.md"
BEGIN, END = "<!-- figures: written by scripts/figures.py from bench/results -->", "<!-- end of figures -->"
ADVICE = "run `.venv/bin/python scripts/figures.py` and commit what it writes"


class NoPlace(Exception):
    """The README has no place for the figures."""


def block(results: dict[str, list[Row]]) -> str:
    """Return what stands between the marks: every measured goal, then the machine and the day."""
    judged = [(name, one) for name, rows in results.items() for one in rows if one.goal is not None]
    if not judged:
        return "\nNothing has been measured yet: `make bench` does it.\n\n"
    lines = ["", "| bench | what | measured | goal | met |", "| --- | --- | --: | --- | --- |"]
    for name, one in judged:
        measured = f"{number(one.value)} {one.unit}"
        lines.append(f"| {name} | {one.what} | {measured} | {one.goal} | {'yes' if one.met else '**no**'} |")
    grounds = sorted({f"{one.machine}, {one.date}" for _, one in judged})
    by = "Measured by `make bench`, and the goals of `compare` by `make compare`"
    return "\n".join([*lines, "", f"{by}, on: {'; '.join(grounds)}.", "", ""])


def page_with(text: str, figures: str) -> str:
    """Return the README with these figures between its marks."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise NoPlace(f"README.md must have the lines `{BEGIN}` and `{END}`: the figures go between them.")
    return f"{head}{BEGIN}\n{figures.rstrip()}\n\n{END}{tail}"


def main() -> int:
    """Write the figures, or with --check say whether they are stale."""
    parser = argparse.ArgumentParser(description="Write the README's figures from bench/results.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the figures are stale")
    is_check: bool = parser.parse_args().check
    try:
        before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        after = page_with(before, block(load(RESULTS)))
    except NoPlace as error:
        print(error, file=sys.stderr)
        return 1
    if is_check and before != after:
        print(f"The README's figures are stale: {ADVICE}.", file=sys.stderr)
        return 1
    if not is_check:
        PAGE.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
