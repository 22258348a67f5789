"""The systemd unit is one that systemd understands, is closed as far as it can be, and starts what exists."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from footfall.app.settings import NAMES, Settings
from footfall.shells.cli.main import parser
from tests.tidy.sources import HOUSE

UNIT = HOUSE / "deploy" / "footfall.service"
PROGRAM = "/opt/footfall/bin/footfall"
EXPOSURE_MAX = 2.0  # systemd's own measure, from 0 (closed) to 10.


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """Return the unit with a program that exists on this machine, which systemd looks for."""
    text = UNIT.read_text(encoding="utf-8")
    assert PROGRAM in text
    path = tmp_path / "footfall.service"
    path.write_text(text.replace(PROGRAM, str(Path(sys.executable).parent / "footfall")), encoding="utf-8")
    return path


def analyzed(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, check=False, timeout=60)


def values(name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)


def test_systemd_finds_nothing_wrong(unit: Path) -> None:
    verified = analyzed("verify", "--man=no", str(unit))
    assert (verified.returncode, verified.stdout + verified.stderr) == (0, "")


def test_systemd_would_find_something_wrong(unit: Path) -> None:
    # The check above is worth nothing if it takes anything.
    unit.write_text(unit.read_text().replace("ProtectSystem=strict", "ProtectSystm=strict"))
    assert "ProtectSystm" in analyzed("verify", "--man=no", str(unit)).stderr


def test_the_service_is_closed(unit: Path) -> None:
    ran = analyzed("security", "--offline=true", f"--threshold={EXPOSURE_MAX * 10:.0f}", str(unit))
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", ran.stdout)
    assert found is not None, ran.stderr
    assert float(found[1]) <= EXPOSURE_MAX
    assert ran.returncode == 0


def test_the_service_starts_a_command_that_parses() -> None:
    (start,) = values("ExecStart")
    program, *argv = shlex.split(start)
    assert program == PROGRAM
    assert parser().parse_args(argv).command == "serve"


def test_the_service_sets_settings_that_exist() -> None:
    given = dict(text.split("=", 1) for text in values("Environment"))
    assert {name.removeprefix("FOOTFALL_").lower() for name in given} <= set(NAMES)
    assert given["FOOTFALL_DATA_DIR"] == f"/var/lib/{values('StateDirectory')[0]}"


def test_the_service_leaves_room_for_connections_and_time_for_a_stop() -> None:
    assert int(values("LimitNOFILE")[0]) > Settings().http_connections_max + 256
    assert int(values("TimeoutStopSec")[0]) * 1_000 > 2 * Settings().shutdown_ms_max
