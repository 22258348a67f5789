"""Write docs/source-figures.md and its pictures: every figure of the sources beside ours; or check that it is fresh."""

import argparse
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOUSE))  # The benchmarks lie beside the scripts and are not installed.

from bench.results import RESULTS, load  # noqa: E402
from footfall.app.price_files import SHIPPED, shipped_prices  # noqa: E402
from footfall.planning.reproduced import Section  # noqa: E402
from footfall.planning.source_drawings import api_drawing, batch_drawing  # noqa: E402
from footfall.planning.source_figures import sections  # noqa: E402
from footfall.planning.source_figures_tables import Measured  # noqa: E402

DOCS = HOUSE / "docs"
PAGE = "source-figures.md"
BATCH, API = "source-figure-5-2.svg", "source-figure-5-3.svg"
ADVICE = "run `.venv/bin/python scripts/source_figures.py` and commit what it writes"
HEAD = f"""# Figures of the sources, computed again

Written by `scripts/source_figures.py` from `src/footfall/planning`; edit there. *Thesis* is the page-hit-counter
thesis, *talk* the DynamoDB talk, *Ark* the Ark report. What is said of today is us-east-1 in
[prices/{SHIPPED}](../prices/{SHIPPED}). What vendors compute in their own documentation is kept in
`tests/planning/vendor_examples.yaml`, each example a test.
"""
PICTURES = {
    "Functions against containers": f"""
![Figure 5.2 of the thesis, drawn again]({BATCH})

![Figure 5.3 of the thesis, drawn again]({API})
"""
}


def measured() -> Measured:
    """Return what the benchmark of DynamoDB's units found."""
    found = {row.what: Decimal(str(row.value)) for row in load(RESULTS)["dynamodb-cost"]}
    return Measured(
        rows_units=int(found["write units: A, the thesis' rows"]),
        rows_units_without_ties=int(found["write units: A, if ties with the 500th were left out"]),
        packed_units=int(found["write units: footfall at 60 s"]),
        rows_peak=found["peak-to-mean of A, five minutes"],
        packed_peak=found["peak-to-mean of footfall, five minutes"],
    )


def page(listed: list[Section]) -> str:
    """Return the page."""
    return HEAD + "".join("\n".join(_section(one)) + "\n" for one in listed)


def _section(section: Section) -> Iterator[str]:
    yield from ("", f"## {section.title}", "", section.says)
    if section.title in PICTURES:
        yield PICTURES[section.title].rstrip()
    yield from ("", f"| {' | '.join(section.columns)} |", "| --- | --- | --: | --: | --- |")
    for one in section.figures:
        yield f"| {one.what} | {one.place} | {one.theirs} | {one.ours} | {one.reason} |"


def main() -> int:
    """Write the page and its pictures, or with --check say which of them are stale."""
    parser = argparse.ArgumentParser(description="Write docs/source-figures.md from src/footfall/planning.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when something is stale")
    is_check: bool = parser.parse_args().check
    files = {PAGE: page(sections(shipped_prices(), measured())), BATCH: batch_drawing(), API: api_drawing()}
    stale = [name for name, text in files.items() if _on_disk(DOCS / name) != text]
    if is_check and stale:
        print(f"docs/{', docs/'.join(stale)} stale: {ADVICE}.", file=sys.stderr)
        return 1
    if not is_check:
        for name, text in files.items():
            (DOCS / name).write_text(text, encoding="utf-8")
    return 0


def _on_disk(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
