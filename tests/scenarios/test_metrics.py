"""The metric catalogue of a running instance: over HTTP and by the command line at once, and after a restart."""

import json
from collections import Counter
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.scenarios.instance import Instance, Starter, footfall


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[Instance, str, Path]]:
    folder = tmp_path_factory.mktemp("metrics")
    data = folder / "data"
    assert footfall("brands", "add", "abc", "--data", str(data)).returncode == 0
    made = footfall("keys", "add", "--brand", "abc", "--scope", "admin", "--data", str(data), "--json")
    starter = Starter(folder)
    yield starter.start(data), str(json.loads(made.stdout)["key"]), folder
    starter.end_all()


def command(instance: Instance, *words: str) -> Any:
    done = footfall("metrics", *words, "--brand", "abc", "--data", str(instance.data), "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]) if done.stdout else None


def send(place: tuple[Instance, str, Path], method: str, target: str, body: Any = None) -> Any:
    instance, key, _ = place
    data = None if body is None else json.dumps(body).encode()
    return instance.call(method, f"/v1/metrics{target}", data, {"Authorization": f"Bearer {key}"})


def test_people_and_the_command_line_see_one_catalogue(place: tuple[Instance, str, Path]) -> None:
    instance, _, folder = place
    name = "Lecteurs / été, 100 % 読者"
    assert send(place, "POST", "", {"name": name, "valueType": "SCALAR", "unit": "hits"}).status == 201
    assert command(instance, "get", name)["unit"] == "hits"
    formula = f'"{name}" * 2'
    assert command(instance, "add", "twice", "--value-type", "HYBRID", "--formula", formula)["version"] == 1
    lineage = send(place, "GET", f"/{quote(name, safe='')}/lineage").json()
    assert [one["name"] for one in lineage["usedBy"]] == ["twice"]
    files = folder / "files"
    command(instance, "export", str(files))
    (files / "more.yaml").write_text("name: more\nvalueType: HYBRID\nhybridFormula: twice * 2\n")
    plan = command(instance, "apply", str(files), "--dry-run")
    assert ([one["name"] for one in plan["added"]], plan["unchanged"]) == (["more"], 2)
    assert send(place, "GET", "/more").status == 404
    assert command(instance, "apply", str(files))["applied"]
    assert send(place, "GET", "/more").json()["hybridFormula"] == "twice * 2"
    trail = instance.call("GET", "/v1/audit", None, {"Authorization": f"Bearer {place[1]}"}).json()["items"]
    assert {"metric-added", "metrics-applied"} <= {one["act"] for one in trail}


def test_of_many_who_save_at_once_each_version_is_one_persons(place: tuple[Instance, str, Path]) -> None:
    assert send(place, "POST", "", {"name": "contended", "valueType": "SCALAR"}).status == 201

    def save(number: int) -> int:
        document = {"valueType": "SCALAR", "title": f"Title {number}", "version": 1}
        return int(send(place, "PUT", "/contended", document).status)

    with ThreadPoolExecutor(max_workers=4) as pool:
        told = Counter(pool.map(save, range(4)))
    assert told == {200: 1, 409: 3}
    assert [one["version"] for one in send(place, "GET", "/contended/versions").json()["items"]] == [2, 1]


def test_metrics_are_there_after_a_restart_and_in_a_backup(place: tuple[Instance, str, Path], tmp_path: Path) -> None:
    instance, _, folder = place
    assert send(place, "POST", "", {"name": "kept", "valueType": "SCALAR"}).status == 201
    backup, restored = tmp_path / "b.footfall", tmp_path / "restored"
    assert footfall("backup", str(backup), "--data", str(instance.data)).returncode == 0
    done = footfall("restore", str(backup), "--data", str(restored))
    assert done.returncode == 0, done.stderr
    starter = Starter(tmp_path)
    try:
        again = starter.start(restored)
        assert command(again, "get", "kept")["version"] == 1
    finally:
        starter.end_all()
    assert folder.exists()


def test_a_refusal_has_the_same_code_whether_or_not_a_server_runs(place: tuple[Instance, str, Path]) -> None:
    instance, _, _ = place
    for words in (("get", "nothing"), ("add", "x", "--formula", "nothing + 1"), ("lineage", "nothing")):
        done = footfall("metrics", *words, "--brand", "abc", "--data", str(instance.data))
        assert (done.returncode, "nothing" in done.stderr) == (4, True), done
