"""Which version was measured, as servers, libraries and git tell it; where nobody tells, nothing is said."""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path

from bench.compare.peers import PEERS
from bench.compare.sides import BUILD, HOUSE
from footfall import __version__
from scripts.engines import DYNAMODB_LOCAL, ENGINES

SAYS_S_MAX = 20.0
LIBRARIES = {
    "peer_dictionary": ("msgspec",),
    "peer_duckdb": ("duckdb", "pyarrow"),
    "peer_clickhouse": ("chdb", "chdb-core", "pyarrow"),
    "peer_postgres": ("psycopg",),
    "peer_redis": ("redis", "hiredis"),
    "peer_dynamodb": ("boto3",),
    "peer_flink": ("apache-flink",),
}  # by the peer's module
PROGRAMS = {
    "peer_postgres": ("PostgreSQL", "postgres", r"\(PostgreSQL\) (.+)"),
    "peer_redis": ("Redis", "redis-server", r"v=(\S+)"),
    "peer_dynamodb": ("Java", "java", r'version "(.+?)"'),
    "peer_flink": ("Java", "java", r'version "(.+?)"'),
}


@cache
def version_of(peer: str) -> str:
    """Return the version of a peer: its server's, and its libraries'."""
    module = PEERS[peer].made_by.partition(":")[0].rpartition(".")[2]
    told = [*_own(module)]
    if module in PROGRAMS:
        name, program, pattern = PROGRAMS[module]
        told += [f"{name} {found}"] if (found := said(_place(program), pattern)) else []
    held = ", ".join(libraries(PEERS[peer].environment, LIBRARIES.get(module, ())))
    return ", ".join([*told, f"Python's {held}"] if held else told)


def _own(module: str) -> Iterator[str]:
    """Yield what is known by other means than a program's word."""
    if module == "peer_footfall":
        yield f"{__version__}{commit_of(HOUSE)}"
    engine = DYNAMODB_LOCAL
    if module == "peer_dynamodb" and (ENGINES / f"{engine.package}-{engine.version}" / engine.program).exists():
        yield f"{engine.package} {engine.version} of npm"


def commit_of(house: Path) -> str:
    """Return the commit of a clone, and whether the product differs from it; nothing outside a clone."""
    if not (house / ".git").exists():
        return ""
    commit = said(["git", "-C", str(house), "rev-parse", "--short", "HEAD"], r"^(\w+)$")
    changed = said(["git", "-C", str(house), "status", "--porcelain", "--", "src"], r"(\S)")
    return f" at {commit}{' with changes' if changed else ''}" if commit else ""


def libraries(environment: str, names: Sequence[str], build: Path = BUILD) -> Iterator[str]:
    """Yield the versions of those libraries that an environment has; that of the clone has no name."""
    homes = (build / environment).glob("lib/python*/site-packages") if environment else map(Path, sys.path)
    places = [str(one) for one in homes]
    for name in names:
        yield from (f"{name} {one.version}" for one in list(metadata.distributions(name=name, path=places))[:1])


def said(command: Sequence[str], pattern: str) -> str:
    """Return what is looked for in a program's words, or nothing if it does not run."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SAYS_S_MAX, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(pattern, f"{done.stdout}\n{done.stderr}", re.MULTILINE) if done.returncode == 0 else None
    return found[1] if found else ""


def _place(program: str) -> list[str]:
    """Return how a program is asked, from where its peer starts it."""
    if program == "java":
        return [program, "-version"]
    if program == "postgres":
        places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parts[-2]))
        return [str(places[-1] / program) if places else program, "--version"]
    return [program, "--version"]
