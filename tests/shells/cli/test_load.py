"""The load command: every row once into the table, whatever stops it, and a reason for each that is not."""

import json
import socket
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from footfall.adapters.aws.dynamodb_items import Names
from footfall.adapters.aws.sessions import Ground
from footfall.app import loading
from footfall.app.loading import LoadOrder, mark_path, marked_rows, put_from_row
from footfall.app.row_file import NotARowFile, Row, row_file, rows
from footfall.ports.table import Item, Key, Put, everything
from footfall.shells.cli.command import Exit
from footfall.values.clock import SetClock
from tests.engines.dynamodb import REGION, VARIABLES, DynamoDbEngine, table_of
from tests.engines.seaweedfs import free_ports
from tests.shells.cli.conftest import Shell

NOON_MS = 1_794_744_000_000
NAMES = Names("t")


@pytest.fixture(scope="module")
def client(dynamodb: DynamoDbEngine) -> Any:
    return dynamodb.client()


@pytest.fixture
def names(dynamodb: DynamoDbEngine, client: Any, monkeypatch: pytest.MonkeyPatch) -> Names:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    return dynamodb.names(client)


def items(client: Any, names: Names, partition: str) -> dict[str, Item]:
    table = table_of(client, names, clock=SetClock(NOON_MS))
    return {found.key.sort: found.item for found in everything(table, partition)}


def where(dynamodb: DynamoDbEngine, names: Names) -> tuple[str, ...]:
    return ("--table", names.table, "--endpoint", dynamodb.endpoint, "--region", REGION)


def write_csv(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("pk,sk,title,n,expirationTime\n" + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_every_row_of_a_file_is_an_item_and_every_other_has_a_reason(
    dynamodb: DynamoDbEngine, client: Any, names: Names, shell: Shell, tmp_path: Path
) -> None:
    lines = [f"p,{number:05d},tïtle {number},{number},{NOON_MS // 1_000 + 60}" for number in range(4_500)]
    lines += ['p,quoted,"two\nlines, one cell",,', "p,00007,replaced,1.5,", "p,short", "p,,no key,1,", "p,x,t,many,"]
    file = write_csv(tmp_path / "rows.csv", lines)
    code = shell.run("load", str(file), *where(dynamodb, names), "--numbers", "n", "--processes", "2", "--json")
    assert code == Exit.REFUSED
    told = json.loads(shell.out.getvalue())
    assert (told["written"], told["rowsOfEarlierRuns"]) == (4_502, 0)
    assert {why: which["rows"] for why, which in told["refused"].items()} == {
        "has 2 cells, not 5": 1,
        "has no text in pk and sk, the table's keys": 1,
        "n is not a number": 1,
    }
    found = items(client, names, "p")
    assert len(found) == 4_501
    assert found["00012"] == {"title": "tïtle 12", "n": 12}
    assert found["00007"] == {"title": "replaced", "n": 1.5}
    assert found["quoted"] == {"title": "two\nlines, one cell"}
    assert not mark_path(file).exists()


def test_a_load_that_was_stopped_goes_on_where_it_was(
    dynamodb: DynamoDbEngine, client: Any, names: Names, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "rows.ndjson"
    rows_of_it = [{"pk": "p", "sk": f"{number:03d}", "data": [number, None, 0.5]} for number in range(100)]
    file.write_text("\n".join(json.dumps(row) for row in rows_of_it) + "\n\nnot json\n")
    monkeypatch.setattr(loading, "CHUNK_ROWS", 10)
    whole = loading._dealt
    chunks = 0

    def stopped(*given: Any) -> Any:
        nonlocal chunks
        chunks += 1
        if chunks == 8:
            raise KeyboardInterrupt
        return whole(*given)

    monkeypatch.setattr(loading, "_dealt", stopped)
    assert shell.run("load", str(file), *where(dynamodb, names), "--processes", "1") == 130
    assert "goes on where it stopped" in shell.err.getvalue()
    order = LoadOrder(row_file(file), names.table, Ground(endpoint=dynamodb.endpoint), 1)
    kept = marked_rows(order)
    assert 0 < kept < 70
    monkeypatch.setattr(loading, "_dealt", whole)
    assert shell.run("load", str(file), *where(dynamodb, names), "--processes", "1") == Exit.REFUSED
    assert f"{kept:,} rows were dealt with before" in shell.out.getvalue()
    assert "Refused 1: is not a JSON object (line 102)." in shell.out.getvalue()
    assert items(client, names, "p") == {f"{number:03d}": {"data": [number, None, 0.5]} for number in range(100)}


def test_another_file_or_another_table_starts_from_its_first_row(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "rows.csv", ["a,b,c,1,"])
    order = LoadOrder(row_file(file), "one", Ground(), 1)
    loading._keep_mark(order, 17)
    assert marked_rows(order) == 17
    assert marked_rows(LoadOrder(row_file(file), "two", Ground(), 1)) == 0
    write_csv(file, ["a,b,c,1,", "a,c,d,2,"])
    assert marked_rows(order) == 0
    mark_path(file).write_text("{")
    assert marked_rows(order) == 0


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("rows.txt", "a,b\n", "neither .csv"),
        ("rows.csv", "", "column names"),
        ("rows.csv", "a,a\n", "column names"),
        ("rows.csv", 'a,b\n"open,1\n', "cannot be read"),
    ],
)
def test_a_file_that_holds_no_rows_is_refused_with_the_reason(tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(NotARowFile, match=says):
        list(rows(row_file(tmp_path / name)))


def test_a_column_of_numbers_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(NotARowFile, match="no column m"):
        list(rows(row_file(write_csv(tmp_path / "rows.csv", []), numbers=frozenset("m"))))


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ({"pk": "p", "sk": 5}, "no text"),
        ({"pk": "p", "sk": "s", "a": "x" * 400_000}, "larger"),
        ({"pk": "p", "sk": "s", "a": 10**40 + 1}, "no table"),
        ({"pk": "p", "sk": "s", "expirationTime": "soon"}, "no moment"),
    ],
)
def test_a_row_that_is_no_item_has_a_reason(item: Item, says: str) -> None:
    assert says in str(put_from_row(NAMES, Row(1, item)))


def test_a_row_becomes_an_item_under_the_tables_own_keys() -> None:
    names = Names("t", partition="brand", sort="rank", expiry="goneAt")
    row = Row(1, {"brand": "abc", "rank": "00000258#132141398", "goneAt": "1794744000", "pk": "kept"})
    assert put_from_row(names, row) == Put(Key("abc", "00000258#132141398"), {"pk": "kept"}, expires_at_ms=NOON_MS)


def test_units_by_second_and_key_can_be_read_while_it_loads(
    dynamodb: DynamoDbEngine, names: Names, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_csv(tmp_path / "rows.csv", [f"p{number % 3},{number:04d},t,1," for number in range(300)])
    (port,) = free_ports(1)
    read: list[str] = []
    keep = loading._keep_mark

    def kept(order: LoadOrder, count: int) -> None:
        keep(order, count)
        read.append(urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10).read().decode())

    monkeypatch.setattr(loading, "_keep_mark", kept)
    code = shell.run("load", str(file), *where(dynamodb, names), "--processes", "2", "--metrics-port", str(port))
    assert code == Exit.OK
    assert f"http://127.0.0.1:{port}/metrics" in shell.complained()
    assert f'footfall_table_units_total{{kind="written",table="{names.table}"}} 300.0' in read[-1]
    assert f'footfall_table_partition_units{{kind="written",partition="p1",table="{names.table}"}} 100.0' in read[-1]


def test_a_port_that_is_taken_is_named(dynamodb: DynamoDbEngine, names: Names, shell: Shell, tmp_path: Path) -> None:
    file = write_csv(tmp_path / "rows.csv", ["p,s,t,1,"])
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert shell.run("load", str(file), *where(dynamodb, names), "--metrics-port", port) == Exit.FAILED
    assert f"127.0.0.1:{port}" in shell.complained()
    assert "choose another --metrics-port" in shell.complained()
