"""Install what only the tests need: programs outside Python, and in time the servers that adapters are tested on."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dashboard import NotBuilt, require_packages
from debian import NotInstalled, install, require_programs
from engines import DYNAMODB_LOCAL, KINESIS_LOCAL, NoEngine
from tracker import NoMinifier, require_esbuild

PACKAGE_OF = {
    "systemd-analyze": "systemd",  # reads the service's unit
    "zsh": "zsh",  # reads its completion, as bash does, which is there
    "fish": "fish",  # completes with its own
    "chromium": "chromium",  # opens the pages that the tests serve
    "git": "git",  # tests/tidy asks which files are in the repository.
    "nginx": "nginx",  # stands in front, as docs/caching.md has it
    "node": "nodejs",  # reads the page's script
    "redis-server": "redis-server",  # counts beside us, as bench/bench_uniques.py has it
    "mariadbd": "mariadb-server-core",  # holds what is moved, as does PostgreSQL; the core alone starts no service
    "mariadb-install-db": "mariadb-server-core",
    "my_print_defaults": "mariadb-client-core",  # which mariadb-install-db calls, and its package does not bring
    "npm": "npm",  # brings the minifier of the tracker
    "gcc": "gcc",  # builds native code once more, with its sanitizers
    "valgrind": "valgrind",  # counts the instructions of hot paths
}


def require_postgres() -> None:
    """Install PostgreSQL unless it is there; Debian keeps it off the path, and tests start one of their own."""
    if not any(Path("/usr/lib/postgresql").glob("*/bin/postgres")):
        install(["postgresql"])


def main() -> int:
    """Install what is missing and say which step failed."""
    try:
        require_programs(PACKAGE_OF)
        require_postgres()
        # Each has a folder of its own and mostly waits. Among the packages is axe: it looks for what keeps people out.
        steps = (require_esbuild, require_packages, KINESIS_LOCAL.require, DYNAMODB_LOCAL.require)
        with ThreadPoolExecutor() as pool:
            for done in [pool.submit(step) for step in steps]:
                done.result()
    except (NotInstalled, NotBuilt, NoMinifier, NoEngine) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
