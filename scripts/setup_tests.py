"""Install what only the tests need: programs outside Python, and in time the servers that adapters are tested on."""

import sys

from debian import NotInstalled, require_programs

PACKAGE_OF = {
    "git": "git",  # tests/tidy asks which files are in the repository.
    "node": "nodejs",  # reads the page's script
}


def main() -> int:
    """Install what is missing and say which step failed."""
    try:
        require_programs(PACKAGE_OF)
    except NotInstalled as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
