"""Install Debian packages for programs that are missing, so that one typed command is enough on a bare machine."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence


class NotInstalled(Exception):
    """A package could not be installed; the message says what to type."""


def install(packages: Sequence[str]) -> None:
    """Install the packages with apt-get, through sudo when not root."""
    if shutil.which("apt-get") is None:
        raise NotInstalled(
            f"This machine has no apt-get: install {' '.join(packages)} by its own means, then try again."
        )
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    if as_root and shutil.which("sudo") is None:
        raise NotInstalled(f"Not root and no sudo: run `apt-get install {' '.join(packages)}` as root, then try again.")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # A stale package list is the usual reason for a failed install, yet a failed update need not stop it.
    subprocess.run([*as_root, "apt-get", "-qq", "update"], env=quiet, stdin=subprocess.DEVNULL, check=False)
    command = [*as_root, "apt-get", "-qq", "install", "-y", "--no-install-recommends", *packages]
    if subprocess.run(command, env=quiet, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False).returncode != 0:
        raise NotInstalled(f"`{' '.join(command)}` failed: see its words above, then try again.")


def require_programs(package_of: dict[str, str]) -> None:
    """Install the package of every program that is not on the path."""
    # Servers lie where only root's path looks, and anybody may start them.
    places = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
    missing = sorted({package for program, package in package_of.items() if shutil.which(program, path=places) is None})
    if missing:
        install(missing)


def main(programs: Sequence[str]) -> int:
    """Install programs whose package has their own name."""
    try:
        require_programs({program: program for program in programs})
    except NotInstalled as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
