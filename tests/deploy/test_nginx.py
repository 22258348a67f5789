"""nginx's configuration names folders that Debian's package brings, so that it starts as it is copied."""

import re
import subprocess
from pathlib import Path, PurePosixPath

import pytest

SHIPPED = Path(__file__).resolve().parents[2] / "deploy" / "nginx" / "footfall.conf"


def packaged() -> set[str]:
    """Return every path that the package brings."""
    listed = subprocess.run(["dpkg", "-L", "nginx-common"], capture_output=True, text=True, check=True, timeout=60)
    return set(listed.stdout.splitlines())


@pytest.mark.parametrize("line", ["proxy_cache_path", "access_log"])
def test_what_nginx_writes_is_in_a_folder_that_its_package_brings(line: str) -> None:
    paths = re.findall(rf"^\s*{line} (/\S+)", SHIPPED.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert paths
    assert {str(PurePosixPath(path).parent) for path in paths} <= packaged()
