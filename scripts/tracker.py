"""Minify the tracker from web/tracker into the package, or say with --check that the minified one is stale.

The result is in the repository, because `pip install .` has to work on a machine without Node.
"""

import argparse
import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
SOURCE = HOUSE / "web" / "tracker" / "footfall.js"
RESULT = HOUSE / "src" / "footfall" / "shells" / "http" / "static" / "footfall.js"
TOOLS = HOUSE / ".venv" / "web-tools"

ESBUILD = "0.28.2"
BYTES_MAX = 2_047  # Under 2 KB is what we promise to the pages that carry it.
TARGET = "es2019"  # Every browser since 2020; older ones see a syntax error and are not counted.


class NoMinifier(Exception):
    """esbuild could not be installed or did not run; the message says what to type."""


def require_esbuild() -> Path:
    """Return the minifier of the pinned version, installed below .venv when it is not there."""
    program = TOOLS / "node_modules" / ".bin" / "esbuild"
    if _said([str(program), "--version"]) == ESBUILD:
        return program
    # No script of a package runs at its install: esbuild's only makes its start a little quicker.
    options = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    command = ["npm", "install", "--prefix", str(TOOLS), *options, f"esbuild@{ESBUILD}"]
    _said(command)
    if _said([str(program), "--version"]) != ESBUILD:
        raise NoMinifier(f"esbuild {ESBUILD} is not there; try `{' '.join(command)}`, which needs Node 20 and npm.")
    return program


def minified(source: Path) -> str:
    """Return the script as it is served."""
    command = [str(require_esbuild()), str(source), "--minify", f"--target={TARGET}", "--log-level=error"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoMinifier(f"esbuild does not take {source.relative_to(HOUSE)}:\n{done.stderr.strip()}")
    return done.stdout


def complaint(fresh: str, present: str) -> str:
    """Return what is wrong with the script that is in the package; empty when nothing is."""
    size = len(fresh.encode())
    if size > BYTES_MAX:
        return f"{RESULT.name} has {size:,} bytes, at most {BYTES_MAX:,} are allowed: make the tracker smaller."
    if fresh != present:
        return f"{RESULT.relative_to(HOUSE)} is stale: run `make tracker`."
    return ""


def _said(command: list[str]) -> str:
    """Return what a program says, or nothing when it fails or is not there."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def main() -> int:
    """Write the script, or compare it."""
    parser = argparse.ArgumentParser(description="Minify the tracker.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when it is stale or too large")
    is_check: bool = parser.parse_args().check
    try:
        fresh = minified(SOURCE)
    except NoMinifier as error:
        print(error, file=sys.stderr)
        return 1
    if not is_check:
        RESULT.write_text(fresh, encoding="utf-8")
    said = complaint(fresh, RESULT.read_text(encoding="utf-8") if RESULT.exists() else "")
    if said:
        print(said, file=sys.stderr)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
