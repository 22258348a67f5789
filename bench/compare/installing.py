"""Install the peers: Debian's servers, and Python packages in virtual environments of their own below build/compare.

None of this is a dependency of footfall. Flink has an environment to itself, because it asks for other versions of what
the others use. A peer that cannot be installed is told with the reason and the others go on: the table says why.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from bench.compare.peers import CONSTRAINTS, PEERS
from bench.compare.sides import BUILD, HOUSE
from scripts.debian import NotInstalled, install
from scripts.engines import DYNAMODB_LOCAL, NoEngine

PACKAGES = {
    "venv": ("boto3", "chdb", "duckdb", "hiredis", "msgspec", "numpy", "psycopg[binary]", "pyarrow", "redis"),
    "venv-flink": ("apache-flink", "msgspec"),
}
PROGRAMS = {"redis-server": "redis-server", "default-jre-headless": "java", "npm": "npm"}  # by Debian's package
SERVERS = {
    "postgres": ("postgresql",),
    "postgres-row-a-hit": ("postgresql",),
    "redis": ("redis-server",),
    "redis-everysec": ("redis-server",),
    "dynamodb": ("default-jre-headless", "npm"),
    "flink": ("default-jre-headless",),
}
UNITS = {"postgresql": "postgresql.service", "redis-server": "redis-server.service"}
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


def require_servers(peers: Sequence[str]) -> Iterator[str]:
    """Install the servers that these peers need and that are missing; yield what went wrong, each by itself."""
    for package in sorted({one for peer in peers for one in SERVERS.get(peer, ())}):
        if not _is_there(package):
            try:
                _install(package)
            except NotInstalled as error:
                yield str(error)
    if "dynamodb" in peers:
        try:
            DYNAMODB_LOCAL.require()
        except (NotInstalled, NoEngine) as error:
            yield str(error)


def _is_there(package: str) -> bool:
    program = PROGRAMS.get(package)
    if program is None:
        return any(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    return shutil.which(program, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin") is not None


def _install(package: str) -> None:
    """Install a package; a server that Debian starts with it and that did not run before is stopped again.

    The comparison starts its own, and what nobody asked for would take a port and memory from then on.
    """
    unit = UNITS.get(package)
    ran = unit is not None and _runs(unit)
    install([package])
    if unit is not None and not ran and _runs(unit):
        as_root = [] if os.geteuid() == 0 else ["sudo"]
        subprocess.run([*as_root, "systemctl", "disable", "--now", unit], stdin=subprocess.DEVNULL, check=False)


def _runs(unit: str) -> bool:
    """Tell whether systemd runs a unit; where there is none, Debian starts nothing by itself."""
    if not Path("/run/systemd/system").exists():
        return False
    return subprocess.run(["systemctl", "is-active", "--quiet", unit], check=False).returncode == 0


def wanted(words: Sequence[str]) -> list[str]:
    """Return the peers that a comparison with these words has: those that are named, or all."""
    reads = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    reads.add_argument("--only", action="append", choices=list(PEERS))
    return reads.parse_known_args(words)[0].only or list(PEERS)


def main() -> int:
    """Install what is needed, say what could not be, and let the comparison tell of it."""
    peers = wanted(sys.argv[1:])
    environments = {PEERS[peer].environment for peer in peers}
    made = (require_environment(name) for name in PACKAGES if name in environments)
    for trouble in (*require_servers(peers), *made):
        if trouble:
            print(trouble, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
