"""The archive beside a running instance: asked for from a shell, captured by a child that a kill -9 does not stop."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.archive_campaign import Site, browsers_of
from tests.scenarios.instance import Starter, footfall, until

ARCHIVING = "footfall.app.archiving"


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


def archive(data: Path, *arguments: str, site: Site, code: int = 0) -> str:
    """Return what a command says, having checked how it ended."""
    allowed = {"FOOTFALL_ARCHIVE_ALLOWED": f"127.0.0.1:{site.port}"}
    ran = footfall("archive", *arguments, "--data", str(data), variables=allowed)
    assert ran.returncode == code, ran.stderr
    return ran.stdout if code == 0 else ran.stderr


def test_pages_are_kept_found_verified_and_cleared_and_a_killed_worker_goes_on(starter: Starter, site: Site) -> None:
    data = starter.folder / "data"
    there, gone = f"http://127.0.0.1:{site.port}/page/1", f"http://127.0.0.1:{site.port}/gone/1"
    instance = starter.start(
        data, env={"FOOTFALL_ARCHIVE": "true", "FOOTFALL_ARCHIVE_ALLOWED": f"127.0.0.1:{site.port}"}
    )
    said = archive(data, there, gone, "--brand", "daily", "--wait", site=site, code=1)
    assert "could not be kept" in said
    asked = json.loads(archive(data, "requests", "--brand", "daily", "--json", site=site))
    assert [(one["state"], one["reason"]) for one in asked] == [("failed", "not-found"), ("done", None)]
    pid = instance.child(ARCHIVING)
    assert pid is not None
    browsers = browsers_of(pid)
    assert browsers
    os.kill(pid, signal.SIGKILL)
    until(lambda: instance.child(ARCHIVING), lambda found: found not in (None, pid), seconds=30)
    until(lambda: [one for one in browsers if Path(f"/proc/{one}").exists()], lambda left: not left, seconds=30)
    archive(data, f"{there}?again", "--brand", "daily", "--wait", site=site)
    assert len(json.loads(archive(data, "list", "--brand", "daily", "--json", site=site))) == 2
    assert "/page/1" in archive(data, "search", "page", "--brand", "daily", site=site)
    assert "all of them what was written" in archive(data, "admin", "verify", site=site)
    assert "say --yes" in archive(data, "admin", "clear", site=site, code=2)
    assert "2 captures were taken away" in archive(data, "admin", "clear", "--yes", site=site)
    assert "There is nothing." in archive(data, "list", "--brand", "daily", site=site)
    assert "public web" in archive(data, "http://10.0.0.1/", "--brand", "daily", site=site, code=4)
    instance.terminate()
