"""Install the peers: Debian's servers, and Python packages in virtual environments of their own below build/compare.

None of this is a dependency of footfall. Flink has an environment to itself, because it asks for other versions of what
the others use. A peer that cannot be installed is told with the reason and the others go on: the table says why.
"""

import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

from bench.compare.peers import CONSTRAINTS
from bench.compare.sides import BUILD, HOUSE
from scripts.debian import NotInstalled, install, require_programs
from scripts.engines import DYNAMODB_LOCAL, NoEngine

PACKAGES = {
    "venv": ("boto3", "chdb", "duckdb", "hiredis", "msgspec", "numpy", "psycopg[binary]", "pyarrow", "redis"),
    "venv-flink": ("apache-flink", "msgspec"),
}
PROGRAMS = {"redis-server": "redis-server", "java": "default-jre-headless", "npm": "npm"}
INSTALL_S_MAX = 900.0


def require_environment(name: str, build: Path = BUILD) -> str:
    """Make a virtual environment with the packages of a name, unless it is as it should be; return what went wrong."""
    home = build / name
    stamp = home / ".installed"
    wanted = sha256(repr((sys.version, PACKAGES[name])).encode() + _constraints(name).read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text(encoding="ascii") == wanted:
        return ""
    trouble = home.with_suffix(".trouble")
    trouble.unlink(missing_ok=True)
    print(f"Installing {', '.join(PACKAGES[name])} into {home.relative_to(HOUSE)}: once.", file=sys.stderr, flush=True)
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    steps = [
        [sys.executable, "-m", "venv", "--clear", str(home)],
        [*pip, "-c", str(_constraints(name)), *PACKAGES[name]],
    ]
    for step in steps:
        why = _trouble(step)
        if why:
            shutil.rmtree(home, ignore_errors=True)  # The table says why, and nobody starts a half of it.
            trouble.write_text(f"{' '.join(PACKAGES[name])} cannot be installed: {why}", encoding="utf-8")
            return trouble.read_text(encoding="utf-8")
    stamp.write_text(wanted, encoding="ascii")
    return ""


def _trouble(step: list[str]) -> str:
    try:
        done = subprocess.run(
            step, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=INSTALL_S_MAX, check=False
        )
    except subprocess.TimeoutExpired:
        return f"not done within {INSTALL_S_MAX:.0f} s"
    return done.stderr.strip()[-300:] or "no word" if done.returncode != 0 else ""


def _constraints(name: str) -> Path:
    return Path(__file__).resolve().parent / CONSTRAINTS[name]


def require_servers() -> str:
    """Install the servers that are missing; return what went wrong."""
    try:
        require_programs(PROGRAMS)
        if not any(Path("/usr/lib/postgresql").glob("*/bin/postgres")):
            install(["postgresql"])
        DYNAMODB_LOCAL.require()
    except (NotInstalled, NoEngine) as error:
        return str(error)
    return ""


def main() -> int:
    """Install all, say what could not be, and let the comparison tell of it."""
    for trouble in (require_servers(), *(require_environment(name) for name in PACKAGES)):
        if trouble:
            print(trouble, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
