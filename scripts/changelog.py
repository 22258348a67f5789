"""Move the fragments of changes/ into a new section of CHANGELOG.md when a version is released.

A file per change means that two changes made side by side never meet in the changelog.
"""

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
KINDS = ("Added", "Changed", "Fixed", "Removed", "Security")
FRAGMENT = re.compile(rf"({'|'.join(KINDS)}): (\S.*)", re.DOTALL)
MARK = "<!-- released versions below -->\n"


class NotAFragment(Exception):
    """A file in changes/ does not start with a kind of change."""


def section(title: str, fragments: Mapping[str, str]) -> str:
    """Return the section of a version: its fragments by kind, then by file name."""
    by_kind: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for name, text in sorted(fragments.items()):
        match = FRAGMENT.fullmatch(text.strip())
        if match is None:
            raise NotAFragment(f"changes/{name} must start with one of {', '.join(KINDS)}, a colon and a sentence.")
        by_kind[match[1]].append("- " + " ".join(match[2].split()))
    parts = [f"### {kind}\n\n" + "\n".join(lines) for kind, lines in by_kind.items() if lines]
    return "\n\n".join([f"## {title}", *parts]) + "\n"


def fragment_paths(folder: Path) -> list[Path]:
    """Return the fragments, README aside."""
    return [path for path in sorted(folder.glob("*.md")) if path.name != "README.md"]


def main() -> int:
    """Write the section and delete the fragments that it holds."""
    parser = argparse.ArgumentParser(description="Assemble CHANGELOG.md.")
    parser.add_argument("version", help="for example 0.2.0")
    parser.add_argument("date", help="for example 2027-01-31")
    asked = parser.parse_args()
    paths = fragment_paths(HOUSE / "changes")
    changelog = HOUSE / "CHANGELOG.md"
    try:
        new = section(f"{asked.version}, {asked.date}", {path.name: path.read_text("utf-8") for path in paths})
    except NotAFragment as error:
        print(error, file=sys.stderr)
        return 1
    changelog.write_text(changelog.read_text("utf-8").replace(MARK, f"{MARK}\n{new}", 1), "utf-8")
    for path in paths:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
