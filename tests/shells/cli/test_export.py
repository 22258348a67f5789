"""The export command: every count of a span in a file, in three kinds, whole or not there at all."""

import csv
import importlib
import io
import json
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from footfall.accounts.brands import Brand
from footfall.app import wiring
from footfall.app.counting import Counting
from footfall.app.settings import Settings
from footfall.flow.store.visitors import group_of_asset, save_visitors
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.shells.cli import export_files
from footfall.shells.cli.export_files import UNIQUES, NotInstalled, arrow_modules
from footfall.values.clock import SetClock
from footfall.values.window import DAY_MS, HOUR_MS, Grain, window_of
from tests.flow.serve.visits import sketches_of
from tests.shells.cli.conftest import NOW_MS

PARQUET: Any = importlib.import_module("pyarrow.parquet")  # It has no types.
ASSETS = ("1", "1", "=HYPERLINK(1)", "/nyheter/å")
SPAN = ("--from", "2026-11-13T00:00Z", "--to", "2026-11-15T15:00Z")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data directory with hits of three days, the oldest of them final and cut."""
    directory = tmp_path / "data"
    directory.mkdir()
    (directory / "footfall.toml").write_text(
        'store_keep_rows = 1\nstream_shards = 2\n[brands.abc]\nscreening = "filter"\n'
    )
    settings = Settings(
        data_dir=str(directory), brands={"abc": Brand("abc")}, store_keep_rows=1, stream_shards=2, dev=True
    )
    clock = SetClock(NOW_MS - 2 * DAY_MS)
    with closing(wiring.open_stream_to_write(settings, clock)) as stream:
        counting = Counting(settings, stream, wiring.open_store(settings, clock), clock=clock)
        for _ in range(3):
            for shard in range(2):
                keys = [(asset, "news", "article", "") for asset in ASSETS[: 2 + shard * 2]]
                keys += [("7", "news", "article", "")] * 2
                verdicts = {len(keys) - 2: "bot-agent", len(keys) - 1: "reload"}
                pack = Pack(VERSION, RULES, clock.now_ms(), keys, screened=verdicts)
                stream.append([Entry(shard, "abc", len(keys), record_from_pack(pack), clock.now_ms())])
            for _ in range(6):
                clock.advance(3 * HOUR_MS)
                counting.drain()
                while counting.step():
                    pass
            clock.set(clock.now_ms() + 6 * HOUR_MS)
    return directory


def sums(rows: list[dict[str, Any]]) -> Counter[str]:
    found = Counter[str]()
    for row in rows:
        found[str(row["from"])[:10]] += int(row["hits"])
    return found


EXPECTED = {"2026-11-13": 6, "2026-11-14": 6, "2026-11-15": 6}


def test_labels_that_are_included_have_rows_and_a_column_of_their_own(shell: Any, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    asked = ("export", "--data", str(data), "--brand", "abc", *SPAN, str(file), "--overwrite")
    for include, labels, hits in ((("bot",), {"", "bot"}, 8), (("all",), {"", "bot", "suspected"}, 10)):
        assert shell.run(*asked, *(word for label in include for word in ("--include", label))) == 0
        rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"), newline="")))
        assert {row["label"] for row in rows} == labels
        assert sums(rows) == dict.fromkeys(EXPECTED, hits)
    parquet = tmp_path / "out.parquet"
    assert shell.run(*asked[:-2], str(parquet), "--format", "parquet", "--include", "all", "--uniques") == 0
    assert PARQUET.read_table(str(parquet)).column_names[-4:] == ["label", *UNIQUES]


def test_a_csv_has_all_counts_and_no_formula(shell: Any, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    assert shell.run("export", "--data", str(data), "--brand", "abc", *SPAN, str(file)) == 0
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"), newline="")))
    assert sums(rows) == EXPECTED
    assert {row["kind"] for row in rows} == {"asset", "leftOut"}  # The oldest day was cut to its first row.
    assert "'=HYPERLINK(1)" in {row["assetId"] for row in rows}
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
    assert "Exported" in shell.complained()
    assert "exporting: " in shell.complained()
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".part"] == []


def test_ndjson_goes_to_the_standard_output(shell: Any, data: Path) -> None:
    flags = ("--grain", "hour", "--format", "ndjson")
    assert shell.run("export", "--data", str(data), "--brand", "abc", *SPAN, *flags, "-") == 0
    rows = [json.loads(line) for line in shell.printed().splitlines()]
    assert sums(rows) == EXPECTED
    assert rows[0]["paidType"] is None


def test_parquet_holds_the_same_with_types(shell: Any, data: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(export_files, "ROWS_PER_GROUP", 2)
    file = tmp_path / "out.parquet"
    assert shell.run("export", "--data", str(data), "--brand", "abc", *SPAN, "--format", "parquet", str(file)) == 0
    table = PARQUET.read_table(file)
    assert sums(table.to_pylist()) == EXPECTED
    assert str(table.schema.field("from").type) == "timestamp[ms, tz=UTC]"
    assert "=HYPERLINK(1)" in table.column("assetId").to_pylist()  # A type says that it is a text; nothing is added.
    assert PARQUET.ParquetFile(file).num_row_groups > 1


def test_an_export_of_nothing_is_a_whole_file(shell: Any, data: Path, tmp_path: Path) -> None:
    for kind in ("csv", "parquet"):
        file = tmp_path / f"none.{kind}"
        span = ("--from", "2026-11-01T00:00Z", "--to", "2026-11-02T00:00Z")
        assert shell.run("export", "--data", str(data), "--brand", "abc", *span, "--format", kind, str(file)) == 0
    assert (tmp_path / "none.csv").read_text() == "from,to,kind,assetId,sectionId,resourceType,paidType,hits\n"
    empty = PARQUET.read_table(tmp_path / "none.parquet")
    assert empty.num_rows == 0


def test_a_file_that_is_there_stays_unless_it_may_be_replaced(shell: Any, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    file.write_text("mine")
    asked = ("export", "--data", str(data), "--brand", "abc", *SPAN, str(file))
    assert shell.run(*asked) == 2
    assert file.read_text() == "mine"
    assert shell.run(*asked, "--overwrite") == 0
    assert file.read_text() != "mine"


@pytest.mark.parametrize(
    ("flags", "code", "says"),
    [
        (("--brand", "xyz", *SPAN, "out.csv"), 4, "no counts here"),
        (("--brand", "abc", "--from", "2026-11-16T00:00Z", "--to", "2026-11-15T00:00Z", "out.csv"), 2, "not before"),
        (("--brand", "abc", *SPAN, "--format", "parquet", "-"), 2, "name a file"),
        (("--brand", "abc", *SPAN, "/no/such/folder/out.csv"), 1, "cannot be written"),
    ],
)
def test_what_cannot_be_exported_is_said_in_a_sentence(
    shell: Any, data: Path, flags: tuple[str, ...], code: int, says: str
) -> None:
    assert shell.run("export", "--data", str(data), *flags) == code
    assert says in shell.complained()
    assert not Path("out.csv").exists()


def test_without_arrow_the_command_that_installs_it_is_told() -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    with pytest.raises(NotInstalled, match=r"footfall\[parquet\]"):
        arrow_modules(missing)


def with_visitors(data: Path) -> None:
    """Store who came on the second day."""
    settings = Settings(data_dir=str(data), brands={"abc": Brand("abc")}, stream_shards=2, dev=True)
    clock = SetClock(NOW_MS)
    window = window_of(NOW_MS - DAY_MS, Grain.DAY, "UTC")
    found = sketches_of({group_of_asset("1"): {1, 2, 3}})
    table = wiring.open_store(settings, clock)
    save_visitors(table, "abc", window, found, part="s00", through=1, expires_at_ms=NOW_MS + DAY_MS)


@pytest.mark.parametrize("kind", ["csv", "ndjson", "parquet"])
def test_visitors_are_a_column_when_they_are_asked_for(shell: Any, data: Path, tmp_path: Path, kind: str) -> None:
    with_visitors(data)
    file = tmp_path / f"out.{kind}"
    flags = ("--uniques", "--format", kind)
    assert shell.run("export", "--data", str(data), "--brand", "abc", *SPAN, *flags, str(file)) == 0
    if kind == "csv":
        rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"), newline="")))
    elif kind == "ndjson":
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    else:
        rows = PARQUET.read_table(file).to_pylist()
    found = {(str(row["from"])[:10], row["assetId"]): row["uniques"] for row in rows if row["kind"] == "asset"}
    assert str(found["2026-11-14", "1"]) == "3"
    assert {str(row[name]) for row in rows if row["assetId"] == "1" for name in UNIQUES} == {"0", "3"}
    assert {str(one) for key, one in found.items() if key != ("2026-11-14", "1")} == {"0"}
