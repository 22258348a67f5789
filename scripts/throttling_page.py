"""Write docs/throttling.md and its pictures: what the sources ran into, simulated; or check that it is fresh."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from footfall.planning.key_designs import KeyScore, score
from footfall.planning.key_schemas import schema_from_yaml
from footfall.planning.simulated_drawings import drawing
from footfall.planning.simulated_hot_key import hot_key
from footfall.planning.simulated_night import nightly_burst
from footfall.planning.simulated_scenarios import Scenario, Variant
from footfall.planning.simulated_snowball import snowball

HOUSE = Path(__file__).resolve().parent.parent
DOCS, EXAMPLES = HOUSE / "docs", HOUSE / "examples" / "key_designs"
PAGE = "throttling.md"
ADVICE = "run `.venv/bin/python scripts/throttling_page.py` and commit what it writes"
HEAD = """# Where a table throttles, and what helps

Written by `scripts/throttling_page.py`; edit there, or in `src/footfall/planning/simulated_*.py`. What the sources ran
into is simulated here, and the same work is done otherwise. The engines behave as their vendor documents them
(`simulated_limits.py` has every number with its page); where it says that something happens but not when, the number is
ours and says so. What the simulator leaves out is in [decision 56](decisions/0056-the-simulator.md). Throttled, written
in vain and given up are write units; one that is tried again and refused again counts each time.
"""
KEYS = """
## Key designs

`footfall plan keys --schema FILE` scores a design before it is built. These lie in
[examples/key_designs](../examples/key_designs); the file's form is in [formats/key-designs.md](formats/key-designs.md).

| design | verdict | throttled at first | after an hour | what it says |
| --- | --- | --: | --: | --- |
"""


def page(scenarios: Sequence[Scenario], designs: dict[str, KeyScore]) -> str:
    """Return the page."""
    text = HEAD + "".join("\n".join(_section(one)) + "\n" for one in scenarios)
    rows = [
        f"| {name} | {one.verdict} | {one.throttled_first:.1%} | {one.throttled_last:.1%} | {_said(one)} |\n"
        for name, one in designs.items()
    ]
    return text + KEYS + "".join(rows)


def _said(one: KeyScore) -> str:
    return one.suggestion or one.sentences[0]


def _section(scenario: Scenario) -> Iterator[str]:
    yield from ("", f"## {scenario.title}", "", f"{scenario.source}: *{scenario.theirs}*", "", scenario.ours)
    yield from ("", f"![{scenario.title}]({_picture(scenario)})", "")
    columns = ("variant", "what it is", "served", "throttled", "written in vain", "given up", "minutes behind")
    yield f"| {' | '.join(columns)} | peak to mean |"
    yield "| --- | --- | --: | --: | --: | --: | --: | --: |"
    yield from (_row(variant) for variant in scenario.variants)


def _row(variant: Variant) -> str:
    figures = variant.figures
    served = f"{figures['served share']:.1%}"
    if variant.name.startswith("day"):
        served = f"{figures['served of provisioned']:.1%} of what is provisioned"
    counts = [figures[name] for name in ("throttled units", "wasted units", "given up units", "minutes behind")]
    told = [variant.name, variant.says, served, *(f"{count:,.0f}" for count in counts)]
    return f"| {' | '.join(told)} | {figures['peak to mean, five minutes']:.1f} |"


def _picture(scenario: Scenario) -> str:
    return f"throttling-{scenario.name}.svg"


def main() -> int:
    """Write the page and its pictures, or with --check say which of them are stale."""
    parser = argparse.ArgumentParser(description="Write docs/throttling.md from src/footfall/planning.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when something is stale")
    is_check: bool = parser.parse_args().check
    scenarios = [hot_key(), nightly_burst(), snowball()]
    paths = sorted(EXAMPLES.glob("*.yaml"))
    designs = {path.stem: score(schema_from_yaml(path.read_bytes(), named=path.name)) for path in paths}
    files = {PAGE: page(scenarios, designs)} | {_picture(one): drawing(one) for one in scenarios}
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
