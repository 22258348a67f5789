"""The container file passes its linter, and what it says of the program holds."""

import json
import re
import subprocess
import sys
from pathlib import Path

from footfall.app.settings import NAMES
from footfall.app.settings_reading import read_settings
from footfall.shells.cli.main import parser
from footfall.shells.http.routes import ROUTES
from tests.tidy.sources import HOUSE

FILE = HOUSE / "deploy" / "Containerfile"
HADOLINT = Path(sys.executable).parent / "hadolint"


def linted(text: str) -> subprocess.CompletedProcess[str]:
    command = [str(HADOLINT), "--no-color", "--failure-threshold", "style", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=60)


def text() -> str:
    return FILE.read_text(encoding="utf-8")


def instruction(name: str) -> str:
    """Return the last instruction of a name, its lines joined."""
    joined = text().replace("\\\n", " ")
    return re.findall(rf"^{name} (.*)$", joined, re.MULTILINE)[-1].strip()


def test_the_linter_finds_nothing_wrong() -> None:
    ran = linted(text())
    assert (ran.returncode, ran.stdout + ran.stderr) == (0, "")


def test_the_linter_would_find_something_wrong() -> None:
    ran = linted(text().replace("python:3.11-slim-bookworm", "python") + "USER root\n")
    assert ran.returncode == 1
    assert {"DL3006", "DL3002"} <= set(re.findall(r"DL\d{4}", ran.stdout))


def test_the_container_runs_a_command_that_parses() -> None:
    assert json.loads(instruction("ENTRYPOINT")) == ["footfall"]
    assert parser().parse_args(json.loads(instruction("CMD"))).command == "serve"


def test_the_container_sets_settings_that_are_possible() -> None:
    given = dict(re.findall(r"(FOOTFALL_\w+)=(\S+)", instruction("ENV")))
    assert {name.removeprefix("FOOTFALL_").lower() for name in given} <= set(NAMES)
    settings = read_settings(variables=given)
    assert str(settings.http_port) == instruction("EXPOSE")
    # A restore puts one directory in the place of another, which the mounted one cannot be.
    (volume,) = json.loads(instruction("VOLUME"))
    assert Path(settings.data_dir).parent == Path(volume)


def test_the_health_check_asks_for_a_route_that_exists() -> None:
    command = json.loads(instruction("HEALTHCHECK").partition(" CMD ")[2])
    assert command[:2] == ["python", "-c"]
    compile(command[2], "healthcheck", "exec")
    (route,) = re.findall(r"\}(/\w+)'", command[2])
    assert route in ROUTES


def test_the_container_is_not_root() -> None:
    assert instruction("USER") == "10001:10001"


def test_the_build_has_a_compiler_and_fails_without_native_code() -> None:
    assert "--no-install-recommends gcc libc6-dev" in text()
    (program,) = re.findall(r'bin/python -c "([^"]+)"', text())
    ran = subprocess.run([sys.executable, "-c", program], check=False)
    assert ran.returncode == 0  # as here, where it is built
    assert "IS_BUILT" in program


def test_everything_that_is_copied_is_let_into_the_build() -> None:
    let_in = set(re.findall(r"^!(\S+)$", (HOUSE / ".dockerignore").read_text(encoding="utf-8"), re.MULTILINE))
    copied = [line for line in re.findall(r"^COPY (.*)$", text(), re.MULTILINE) if not line.startswith("--from")]
    names = {name for line in copied for name in line.split()[:-1]}
    assert {name.partition("/")[0] for name in names} == let_in
    assert all((HOUSE / name).exists() for name in names)
