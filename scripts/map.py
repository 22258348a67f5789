"""Draw docs/map.md, the tree of src/footfall with what each module is for, or check that it is fresh.

The first line of a module's docstring is all the map says of it, so the map cannot drift from the code.
"""

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
PACKAGE = HOUSE / "src" / "footfall"
PAGE = HOUSE / "docs" / "map.md"
COLUMN = 34  # Where the words start: the longest branch and name fit before it.
HEAD = """# Map of the code

Drawn by `make map` from the first line of each module's docstring; edit there.
Imports go only downward:
shells > app, client > adapters > flow > catalog > accounts > ports > screening > sketches > values.

"""


def first_line(module: Path) -> str:
    """Return the first line of a module's docstring."""
    docstring = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))
    return docstring.splitlines()[0] if docstring else ""


def branches(folder: Path, indent: str) -> Iterator[str]:
    """Draw everything below a package, packages and modules in the order of their names."""
    inside = [path for path in sorted(folder.iterdir()) if is_shown(path)]
    for path in inside:
        is_last = path == inside[-1]
        name = f"{path.name}/" if path.is_dir() else path.name
        words = first_line(path / "__init__.py" if path.is_dir() else path)
        yield f"{indent}{'└── ' if is_last else '├── '}{name}".ljust(COLUMN) + f" {words}"
        if path.is_dir():
            yield from branches(path, indent + ("    " if is_last else "│   "))


def is_shown(path: Path) -> bool:
    """Tell whether the path is a package, or a module that is not a package's own file."""
    if path.is_dir():
        return (path / "__init__.py").exists()
    return path.suffix == ".py" and path.name != "__init__.py"


def page() -> str:
    """Return the whole page."""
    root = "src/footfall/".ljust(COLUMN) + f" {first_line(PACKAGE / '__init__.py')}"
    tree = "\n".join(line.rstrip() for line in [root, *branches(PACKAGE, "")])
    return f"{HEAD}```text\n{tree}\n```\n"


def main() -> int:
    """Write the page, or with --check say whether it is stale."""
    parser = argparse.ArgumentParser(description="Draw docs/map.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the page is stale")
    if not parser.parse_args().check:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page():
        return 0
    print("docs/map.md is stale: run `make map` and commit what it draws.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
