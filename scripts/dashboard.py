"""Build the dashboard of web/ into the package, with Node and npm from Debian where they are missing.

What is built is no part of the repository. `make run`, `make test` and the build of a wheel call this when it is stale.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from debian import NotInstalled, require_programs

HOUSE = Path(__file__).resolve().parent.parent
WEB = HOUSE / "web"
STAMP = WEB / "node_modules" / ".package-lock.json"  # npm writes it last of all.


class NotBuilt(Exception):
    """npm failed; its words are above, and the message says which step it was."""


def build_dashboard() -> None:
    """Install what the lockfile names, and build."""
    require_programs({"node": "nodejs", "npm": "npm"})
    require_packages()
    npm("run", "build", "--silent")


def require_packages() -> None:
    """Install what the lockfile names, unless it is there already."""
    lock = WEB / "package-lock.json"
    if not STAMP.exists() or STAMP.stat().st_mtime < lock.stat().st_mtime:
        # No script of a package runs at its install.
        npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


def npm(*words: str) -> None:
    """Run npm in web/, and raise NotBuilt when it fails."""
    command = ["npm", *words]
    if subprocess.run(command, cwd=WEB, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False).returncode != 0:
        raise NotBuilt(f"`{' '.join(command)}` in {WEB} failed: see its words above, then try again.")


def main() -> int:
    """Build, or check types, style and units of what is built."""
    parser = argparse.ArgumentParser(description="Build the dashboard.")
    parser.add_argument("--check", action="store_true", help="types, lint and unit tests instead")
    is_check: bool = parser.parse_args().check
    try:
        if is_check:
            require_programs({"node": "nodejs", "npm": "npm"})
            require_packages()
            for step in ("types", "lint", "test"):
                npm("run", step, "--silent")
        else:
            build_dashboard()
    except (NotInstalled, NotBuilt) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
