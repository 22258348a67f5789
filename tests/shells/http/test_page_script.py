"""The page's script is at least a script: Node reads it."""

import subprocess
from importlib import resources
from pathlib import Path


def test_the_page_s_script_has_no_syntax_error(tmp_path: Path) -> None:
    script = tmp_path / "page.mjs"
    script.write_text((resources.files("footfall.shells.http") / "static" / "page.js").read_text(encoding="utf-8"))
    found = subprocess.run(["node", "--check", str(script)], capture_output=True, text=True, check=False, timeout=60)
    assert found.returncode == 0, found.stderr
