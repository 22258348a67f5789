"""Minify the scripts that pages carry from web/ into the package, or say with --check that one there is stale.

The results are in the repository, because `pip install .` has to work on a machine without Node.
"""

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
STATIC = HOUSE / "src" / "footfall" / "shells" / "http" / "static"
TOOLS = HOUSE / ".venv" / "web-tools"

ESBUILD = "0.28.2"
TARGET = "es2019"  # Every browser since 2020; older ones see a syntax error, are not counted and show no box.


@dataclass(frozen=True, slots=True)
class PageScript:
    """A script that pages carry, and what we promise them of its size."""

    source: Path
    bytes_max: int

    @property
    def result(self) -> Path:
        """Return where the minified one is."""
        return STATIC / self.source.name


TRACKER = PageScript(HOUSE / "web" / "tracker" / "footfall.js", 2_047)  # under 2 KB
WIDGET = PageScript(HOUSE / "web" / "widget" / "widget.js", 5_119)  # under 5 KB
PLAYER = PageScript(HOUSE / "web" / "player" / "player.js", 4_095)  # under 4 KB
SCRIPTS = (TRACKER, WIDGET, PLAYER)


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
    # The dashboard's tsconfig.json lies above them and would make them strict code, which they are not on purpose.
    options = ["--minify", f"--target={TARGET}", "--tsconfig-raw={}", "--log-level=error"]
    command = [str(require_esbuild()), str(source), *options]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoMinifier(f"esbuild does not take {source.relative_to(HOUSE)}:\n{done.stderr.strip()}")
    return done.stdout


def complaint(script: PageScript, *, fresh: str, present: str) -> str:
    """Return what is wrong with a script that is in the package; empty when nothing is."""
    size = len(fresh.encode())
    if size > script.bytes_max:
        return f"{script.result.name} has {size:,} bytes, at most {script.bytes_max:,} are allowed: make it smaller."
    if fresh != present:
        return f"{script.result.relative_to(HOUSE)} is stale: run `make tracker`."
    return ""


def _said(command: list[str]) -> str:
    """Return what a program says, or nothing when it fails or is not there."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def main() -> int:
    """Write the scripts, or compare them."""
    parser = argparse.ArgumentParser(description="Minify the tracker, the most-read box and the script for players.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when one is stale or too large")
    is_check: bool = parser.parse_args().check
    said: list[str] = []
    for script in SCRIPTS:
        try:
            fresh = minified(script.source)
        except NoMinifier as error:
            print(error, file=sys.stderr)
            return 1
        if not is_check:
            script.result.write_text(fresh, encoding="utf-8")
        present = script.result.read_text(encoding="utf-8") if script.result.exists() else ""
        said.append(complaint(script, fresh=fresh, present=present))
    for one in filter(None, said):
        print(one, file=sys.stderr)
    return 1 if any(said) else 0


if __name__ == "__main__":
    sys.exit(main())
