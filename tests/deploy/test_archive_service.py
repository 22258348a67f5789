"""The archive's own unit: systemd understands it, Chromium starts behind it, and two users share one folder alone."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from footfall.app.settings import NAMES
from footfall.shells.cli.main import parser
from tests.app.archive_campaign import Site
from tests.deploy import confined
from tests.deploy.test_service import PROGRAM, UNIT, analyzed
from tests.tidy.sources import HOUSE

WORKER = HOUSE / "deploy" / "footfall-archive.service"
DROP_IN = HOUSE / "deploy" / "footfall.service.d" / "archive.conf"
EXPOSURE_MAX = 3.0  # systemd's own measure; the namespaces and calls that Chromium's sandbox is made of cost the rest.
# The machine's own interpreter, which other users may run as well: the house's may lie in somebody's home.
PYTHON = "/usr/bin/python3"
LIBRARIES = os.pathsep.join((str(HOUSE / "src"), sysconfig.get_path("platlib")))
SERVER_USER, WORKER_USER, GROUP = 23_001, 23_002, 23_000


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """Return a folder of both units as they are installed, with a program that this machine has."""
    program = str(Path(sys.executable).parent / "footfall")
    for unit in (UNIT, WORKER):
        (tmp_path / unit.name).write_text(unit.read_text(encoding="utf-8").replace(PROGRAM, program), encoding="utf-8")
    shutil.copytree(DROP_IN.parent, tmp_path / DROP_IN.parent.name)
    return tmp_path


def test_systemd_finds_nothing_wrong_with_both_units_and_what_changes_the_server(units: Path) -> None:
    verified = analyzed("verify", "--man=no", str(units / UNIT.name), str(units / WORKER.name))
    assert (verified.returncode, verified.stdout + verified.stderr) == (0, "")
    drop_in = units / DROP_IN.parent.name / DROP_IN.name
    drop_in.write_text(drop_in.read_text().replace("StateDirectoryMode", "StateDirectryMode"))
    assert "StateDirectryMode" in analyzed("verify", "--man=no", str(units / UNIT.name)).stderr


def test_the_worker_is_closed_but_for_what_chromium_needs(units: Path) -> None:
    ran = analyzed("security", "--offline=true", f"--threshold={EXPOSURE_MAX * 10:.0f}", str(units / WORKER.name))
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", ran.stdout)
    assert found is not None, ran.stderr
    assert float(found[1]) <= EXPOSURE_MAX


def test_the_worker_starts_a_command_that_parses_with_settings_that_exist() -> None:
    text = WORKER.read_text(encoding="utf-8")
    (command,) = confined.values(text, "ExecStart")
    program, *argv = shlex.split(command)
    arguments = parser().parse_args(argv)
    assert (program, arguments.command, arguments.what) == (PROGRAM, "archive", ["worker"])
    for unit in (text, DROP_IN.read_text(encoding="utf-8")):
        given = {word.partition("=")[0] for line in confined.values(unit, "Environment") for word in line.split()}
        assert {name.removeprefix("FOOTFALL_").lower() for name in given - {"HOME"}} <= set(NAMES)


def test_users_and_folders_are_made_as_both_units_need_them(tmp_path: Path) -> None:
    commands = (
        ("systemd-sysusers", f"--root={tmp_path}", str(HOUSE / "deploy" / "sysusers.d" / "footfall.conf")),
        ("systemd-tmpfiles", "--create", f"--root={tmp_path}", str(HOUSE / "deploy/tmpfiles.d/footfall-archive.conf")),
    )
    (tmp_path / "etc").mkdir()
    for command in commands:
        subprocess.run(command, check=True, capture_output=True, timeout=60)
    lines = [line.split(":") for line in (tmp_path / "etc" / "passwd").read_text().splitlines()]
    group = (tmp_path / "etc" / "group").read_text().splitlines()
    assert group == [f"footfall:x:{lines[0][3]}:"]
    users = {line[0]: line[3] for line in lines}
    text = WORKER.read_text(encoding="utf-8")
    assert users == {"footfall": lines[0][3], confined.values(text, "User")[0]: lines[0][3]}
    folder = tmp_path / "var" / "lib" / "footfall"
    assert [one.stat().st_mode & 0o7777 for one in (folder, folder / "archive")] == [0o710, 0o770]
    assert confined.values(text, "ReadWritePaths") == ["/var/lib/footfall/archive"]


@contextmanager
def as_user(user: int, unit: Path, variables: Mapping[str, str], *words: str) -> Generator[subprocess.Popen[str]]:
    """Run footfall as a user, behind what a unit forbids."""
    command = [PYTHON, "-I", str(unit.parent / "confined.py"), str(unit), *footfall(*words)]
    process = subprocess.Popen(
        command, env=dict(variables), user=user, group=GROUP, extra_groups=[], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, cwd="/", umask=0o077,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=60)


def footfall(*words: str) -> Sequence[str]:
    return (PYTHON, "-m", "footfall.shells.cli.main", *words)


@pytest.fixture
def shared() -> Iterator[Path]:
    """Return a folder that others may go through, with a data directory as tmpfiles makes it, and what runs there."""
    if os.geteuid() != 0:
        pytest.skip("only root can be two users")
    with tempfile.TemporaryDirectory(prefix="footfall-shared-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        for source in (UNIT, WORKER, Path(confined.__file__)):
            shutil.copy(source, folder / source.name)
            (folder / source.name).chmod(0o644)
        for path, mode in ((folder / "data", 0o710), (folder / "data" / "archive", 0o770)):
            path.mkdir()
            path.chmod(mode)
            os.chown(path, SERVER_USER, GROUP)
        for user in (SERVER_USER, WORKER_USER):
            (folder / f"home{user}").mkdir()
            os.chown(folder / f"home{user}", user, GROUP)
        yield folder


def until(true: Callable[[], bool], *, seconds: float) -> None:
    give_up_at = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < give_up_at
        time.sleep(0.05)


def require_sandboxed(user: int, worker: int, *, secret: str) -> None:
    """Pages are drawn in a user namespace of their own, by processes that know nothing of the settings."""
    browsers = [path for path in Path("/proc").glob("[0-9]*") if is_browser_of(user, path)]
    assert browsers
    assert not [path for path in browsers if b"--no-sandbox" in (path / "cmdline").read_bytes()]
    assert not [path for path in browsers if secret.encode() in (path / "environ").read_bytes()]
    assert {(path / "ns" / "user").readlink() for path in browsers} - {Path(f"/proc/{worker}/ns/user").readlink()}


def is_browser_of(user: int, path: Path) -> bool:
    with suppress(OSError):  # It may have ended.
        return f"\nUid:\t{user}\t" in (path / "status").read_text() and b"/chromium" in (path / "cmdline").read_bytes()
    return False


def test_a_worker_of_another_user_captures_behind_its_unit_for_a_server_behind_its_own(shared: Path) -> None:
    site, data = Site(), shared / "data"

    def variables(user: int) -> Mapping[str, str]:
        home = str(shared / f"home{user}")
        return {
            "PATH": os.environ["PATH"], "PYTHONPATH": LIBRARIES, "HOME": home, "TMPDIR": home,
            "FOOTFALL_DATA_DIR": str(data), "FOOTFALL_ARCHIVE_ALLOWED": f"127.0.0.1:{site.port}",
            "FOOTFALL_DEV": "true", "FOOTFALL_HTTP_PORT": "0",
            "FOOTFALL_ARCHIVE": "true", "FOOTFALL_ARCHIVE_WORKER_APART": "true",
        }  # fmt: skip

    def said(user: int, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            footfall(*words), env=dict(variables(user)), user=user, group=GROUP, extra_groups=[], cwd="/", text=True,
            capture_output=True, timeout=120, check=False, umask=0o077,
        )  # fmt: skip

    page = f"http://127.0.0.1:{site.port}/page/1"
    with as_user(SERVER_USER, shared / UNIT.name, variables(SERVER_USER), "serve") as server:
        until(lambda: (data / "control.sock").exists(), seconds=60)
        told = {**variables(WORKER_USER), "FOOTFALL_SMTP_PASSWORD": "not for pages"}
        with as_user(WORKER_USER, shared / WORKER.name, told, "archive", "worker") as worker:
            asked = said(SERVER_USER, "archive", page, "--brand", "daily", "--wait", "--json")
            assert [one["state"] for one in json.loads(asked.stdout)] == ["done"], asked.stderr
            require_sandboxed(WORKER_USER, worker.pid, secret="not for pages")
            children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
            running = [Path(f"/proc/{pid}/cmdline").read_text() for pid in children]
            assert not any("archiving" in line for line in running), running
        assert "/page/1" in said(SERVER_USER, "archive", "search", "page", "--brand", "daily").stdout
        assert "all of them what was written" in said(SERVER_USER, "archive", "admin", "verify").stdout
        forbidden = subprocess.run(
            ["cat", str(data / "accounts.db")], user=WORKER_USER, group=GROUP, extra_groups=[], capture_output=True,
            check=False,
        )  # fmt: skip
        assert b"Permission denied" in forbidden.stderr
    site.close()


def test_chromium_does_not_start_behind_the_server_s_unit(shared: Path) -> None:
    command = [PYTHON, "-I", str(shared / "confined.py"), str(shared / UNIT.name), "chromium", "--headless"]
    home = str(shared / f"home{WORKER_USER}")
    ran = subprocess.run(
        [*command, "--disable-gpu", f"--user-data-dir={home}/profile", "--dump-dom", "data:text/html,<p>here</p>"],
        env={"PATH": os.environ["PATH"], "HOME": home}, user=WORKER_USER, group=GROUP, extra_groups=[], cwd="/",
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert ran.returncode != 0
    assert b"here" not in ran.stdout
