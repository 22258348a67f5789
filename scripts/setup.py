"""Make .venv with footfall and its tools in it, from whatever Python 3.11 or newer the machine has.

Runs before anything is installed, and is started by the machine's `python3`, which may be as old as 3.9 and
yet stand beside a newer one: standard library only, and no syntax newer than that.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from debian import NotInstalled, install

HOUSE = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
HEADERS = "import sys, sysconfig; print('%d.%d' % sys.version_info[:2]); print(sysconfig.get_paths()['include'])"
NAMES = ("python3", "python3.14", "python3.13", "python3.12", "python3.11")


class NoPython(Exception):
    """The machine has no interpreter that is new enough."""


def suitable_python() -> str:
    """Return an interpreter that is new enough: this one, else the first on the path."""
    if sys.version_info[:2] >= OLDEST:
        return sys.executable
    test = f"import sys; sys.exit(sys.version_info < {OLDEST!r})"
    for name in NAMES:
        path = shutil.which(name)
        if path and succeeds([path, "-c", test]):
            return path
    raise NoPython(f"footfall needs Python 3.11 or newer, and none was found as {', '.join(NAMES)}: install one.")


def make_environment(python: str, home: Path) -> None:
    """Create the virtual environment, or keep one that works."""
    if succeeds([str(home / "bin" / "python"), "-m", "pip", "--version"]):
        return
    create = [python, "-m", "venv", "--clear", str(home)]
    if succeeds(create):
        return
    # Debian keeps ensurepip in a package of its own, and its absence shows only when venv is tried.
    version = subprocess.check_output([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], text=True)
    install([f"python{version.strip()}-venv"])
    subprocess.run(create, stdin=subprocess.DEVNULL, check=True)


def install_compiler(home: Path) -> None:
    """Install what native code is built with; without it footfall does the same in Python."""
    command = [str(home / "bin" / "python"), "-c", HEADERS]
    version, headers = subprocess.check_output(command, text=True).split("\n")[:2]
    missing = [] if shutil.which("cc") or shutil.which("gcc") else ["gcc", "libc6-dev"]
    missing += [] if (Path(headers) / "Python.h").exists() else [f"python{version}-dev"]
    if not missing:
        return
    try:
        install(missing)
    except NotInstalled as error:
        print(f"{error}\nWithout it footfall works, and takes several times as long for a hit.", file=sys.stderr)


def install_footfall(home: Path) -> None:
    """Install footfall and its development tools at the versions of constraints.txt."""
    python = str(home / "bin" / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    command = [*pip, "-c", "constraints.txt", "-e", ".[dev]"]
    subprocess.run(command, cwd=HOUSE, stdin=subprocess.DEVNULL, check=True)
    # pip would compile on one core; what cannot be compiled is some package's template, and nobody's loss.
    succeeds([python, "-m", "compileall", "-qq", "-j", "0", str(home / "lib")])


def succeeds(command: "list[str]") -> bool:
    """Tell whether the command ends well; what it says is of no interest."""
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def main() -> int:
    """Set up, and leave the stamp that makes the next time quick."""
    parser = argparse.ArgumentParser(description="Make .venv with footfall and its tools in it.")
    parser.add_argument("--stamp", type=Path, required=True, help="touched at the end, inside the environment")
    stamp: Path = HOUSE / parser.parse_args().stamp
    try:
        python = suitable_python()
        print(f"Setting up {stamp.parent.name} with {python}: a minute, once.", flush=True)
        make_environment(python, stamp.parent)
        install_compiler(stamp.parent)
        install_footfall(stamp.parent)
    except (NoPython, NotInstalled) as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"Setup stopped: `{' '.join(map(str, error.cmd))}` failed; its words are above.", file=sys.stderr)
        return 1
    stamp.touch()
    return 0


if __name__ == "__main__":
    sys.exit(main())
