"""The code of the page on workflows runs as it stands, and its machine is one."""

import re
from pathlib import Path

import pytest

from footfall.states.definition import machine_from_json

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "workflows.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_machine_of_the_page_keeps_the_rules() -> None:
    (definition,) = blocks("json")
    assert machine_from_json(definition).resources == {"migrate-one-metric", "clean-up"}


def test_the_code_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = blocks("python")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "workflows.md", "exec"), {})
    assert capsys.readouterr().out == "{'migrated': 'visits'}\n"
