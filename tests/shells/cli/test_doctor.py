"""`footfall doctor`: what it prints and how it ends."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.directories import give_key, make_directory, record_of


@pytest.fixture
def data(tmp_path: Path) -> Path:
    give_key(make_directory(tmp_path / "data", record_of("1")))
    return tmp_path / "data"


def test_a_healthy_directory_is_code_0(shell: Any, data: Path) -> None:
    assert shell.run("doctor", "--data", str(data)) == 0
    lines = shell.printed().splitlines()
    assert lines[-1] == "Nothing has to be done."
    assert all(line.startswith("ok ") for line in lines[:-1])


def test_something_to_do_is_code_1_and_says_what(shell: Any, data: Path) -> None:
    (data / "stream.db").chmod(0o644)
    assert shell.run("doctor", "--data", str(data)) == 1
    lines = shell.printed().splitlines()
    (place,) = [number for number, line in enumerate(lines) if line.startswith("TO DO")]
    assert "stream.db" in lines[place]
    assert lines[place + 1].strip() == f"-> chmod -R go= {data}"
    assert lines[-1] == "1 to do."


def test_the_answer_may_be_json(shell: Any, data: Path) -> None:
    assert shell.run("doctor", "--data", str(data), "--json") == 0
    answer = json.loads(shell.printed())
    assert (answer["directory"], answer["running"], answer["toDo"]) == (str(data), False, 0)
    assert {"check", "level", "says", "do"} == set(answer["findings"][0])


def test_a_setting_that_stops_a_start_is_a_finding_and_no_error(shell: Any, data: Path) -> None:
    (data / "footfall.toml").write_text("http_prt = 1\n")
    (data / "footfall.toml").chmod(0o600)
    assert shell.run("doctor", "--data", str(data)) == 1
    assert "did you mean http_port?" in shell.printed()
    assert shell.complained() == ""
