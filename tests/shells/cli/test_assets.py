"""`footfall assets`: files are loaded in batches, refusals have their number in the file, and lists can be read."""

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import zstandard

from footfall.shells.cli.command import Exit
from tests.shells.cli.conftest import Shell


@dataclass(frozen=True, slots=True)
class Told:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


def assets(server: Any, *argv: str) -> Told:
    """Run the command as a person would who has the brand abc."""
    shell = Shell()
    code = shell.run("assets", *argv, "--url", server.url, "--brand", "abc")
    return Told(code, shell.printed(), shell.complained())


def test_a_file_of_lines_is_put_with_its_brand(server: Any, tmp_path: Path) -> None:
    server.answer({"stored": 2, "version": 1})
    file = tmp_path / "assets.ndjson"
    file.write_text('{"assetId":1,"title":"One"}\n\n{"assetId":"2"}\n')
    told = assets(server, "load", str(file))
    assert (told.code, told.out) == (Exit.OK, "2 assets of abc stored, 0 refused\n")
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("PUT", "/v1/assets?brand=abc")
    assert [one["assetId"] for one in asked.json()] == [1, "2"]
    assert "authorization" not in asked.headers


def test_a_table_is_put_as_json_and_its_rows_keep_their_lines(server: Any, tmp_path: Path) -> None:
    server.answer({"stored": 1, "refused": [{"index": 1, "field": "published", "reason": "is not a moment"}]})
    file = tmp_path / "assets.CSV"
    file.write_text('assetId,title,tags,published\n1,"a, b",x; y,1700000000000\n2,c,d,e,f\n3,,,never\n')
    told = assets(server, "load", str(file))
    assert told.code == Exit.REFUSED
    assert told.out == "1 asset of abc stored, 2 refused\n"
    assert told.err.splitlines() == [
        "refused: line 3, asset 2: has 5 cells, the first row has 4",
        "refused: line 4, asset 3: published: is not a moment",
    ]
    assert server.asked[0].json() == [
        {"assetId": "1", "title": "a, b", "tags": ["x", "y"], "published": 1_700_000_000_000},
        {"assetId": "3", "published": "never"},
    ]


def test_a_large_file_comes_in_batches(server: Any, tmp_path: Path) -> None:
    server.answer({"stored": 500})
    file = tmp_path / "assets.json"
    file.write_text(json.dumps([{"assetId": number} for number in range(1_000)]))
    told = assets(server, "load", str(file))
    assert told.out == "1,000 assets of abc stored, 0 refused\n"
    assert [len(asked.json()) for asked in server.asked] == [500, 500]


def test_a_busy_server_is_asked_again_with_the_same_assets(server: Any, tmp_path: Path) -> None:
    server.answer({"detail": "busy"}, status=503)
    server.answer({"stored": 1})
    file = tmp_path / "assets.json"
    file.write_text('{"assetId":1}')
    told = assets(server, "load", str(file))
    assert told.code == Exit.OK
    assert server.asked[0].body == server.asked[1].body


def test_a_secret_key_comes_from_a_file(server: Any, tmp_path: Path) -> None:
    server.answer({"brand": "abc", "assetId": "a/b", "title": "One"})
    (tmp_path / "secret").write_text("ffsec_x_y\n")
    told = assets(server, "show", "a/b", "--secret-file", f"{tmp_path}/secret")
    assert told.code == Exit.OK
    assert '"title": "One"' in told.out
    assert server.asked[0].path == "/v1/assets/a%2Fb?brand=abc"
    assert server.asked[0].headers["authorization"] == "Bearer ffsec_x_y"


def test_a_page_of_the_catalogue_is_a_table_and_says_how_to_go_on(server: Any) -> None:
    server.answer({"items": [{"assetId": "1", "title": "One\x1b[31m", "sectionId": "7"}], "after": "1"})
    told = assets(server, "list", "--limit", "1")
    assert server.asked[0].path == "/v1/assets?brand=abc&after=&limit=1"
    assert "One" in told.out
    assert "\x1b[31m" not in told.out
    assert "There are more: --after 1" in told.out
    plain = assets(server, "list", "--json")
    assert json.loads(plain.out)["after"] == "1"


def test_an_empty_catalogue_is_said_to_be_empty(server: Any) -> None:
    server.answer({"items": []})
    assert assets(server, "list").out == "The catalogue of abc has no assets.\n"


def test_an_asset_is_deleted_and_one_that_is_not_there_is_said_so(server: Any) -> None:
    server.answer({"deleted": 1})
    server.answer({"detail": "assetId: '1' is not in the catalogue", "field": "assetId"}, status=404)
    told = assets(server, "delete", "1")
    assert (told.code, server.asked[0].method) == (Exit.OK, "DELETE")
    again = assets(server, "delete", "1")
    assert again.code == Exit.REFUSED
    assert "not in the catalogue" in again.err


@pytest.mark.parametrize("words", [("load",), ("show",), ("delete",), ("list", "1")])
def test_a_word_too_many_or_too_few_is_wrong_usage(server: Any, words: tuple[str, ...]) -> None:
    assert assets(server, *words).code == Exit.USAGE
    assert server.asked == []


def test_a_table_without_ids_and_a_file_that_is_not_there_are_told(server: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("title\nOne\n")
    told = assets(server, "load", str(file))
    assert told.code == Exit.FAILED
    assert "a.csv: assetId is not in the first row of the table, 'title'" in told.err
    gone = assets(server, "load", str(tmp_path / "b.csv"))
    assert gone.code == Exit.FAILED
    assert "cannot be read" in gone.err


TABLE = "assetId;title\r\n1;a, b\r\n"


@pytest.mark.parametrize(
    ("name", "wrap"),
    [
        ("a.csv", bytes),
        ("a.txt", bytes),
        ("a.csv.gz", gzip.compress),
        ("a.csv.zst", zstandard.ZstdCompressor().compress),
        ("export", gzip.compress),
    ],
)
def test_a_table_is_known_by_name_or_content_plain_or_compressed(
    server: Any, tmp_path: Path, name: str, wrap: Callable[[bytes], bytes]
) -> None:
    server.answer({"stored": 1})
    (tmp_path / name).write_bytes(wrap(b"\xef\xbb\xbf" + TABLE.encode()))
    told = assets(server, "load", str(tmp_path / name))
    assert (told.code, told.out, told.err) == (Exit.OK, "1 asset of abc stored, 0 refused\n", "")
    assert server.asked[0].json() == [{"assetId": "1", "title": "a, b"}]


@pytest.mark.parametrize("wrap", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_compressed_json_is_read_and_damaged_data_is_told(
    server: Any, tmp_path: Path, wrap: Callable[[bytes], bytes]
) -> None:
    server.answer({"stored": 1})
    whole = wrap(b'\n {"assetId":1}\n')
    (tmp_path / "a.json").write_bytes(whole)
    assert assets(server, "load", str(tmp_path / "a.json")).code == Exit.OK
    (tmp_path / "a.json").write_bytes(wrap(b'{"assetId":1}\n' * 9)[:-6] + b"xxxxxx")
    told = assets(server, "load", str(tmp_path / "a.json"))
    assert (told.code, "damaged" in told.err) == (Exit.FAILED, True)


def test_a_table_in_latin_1_is_told_with_its_line_and_nothing_is_put(server: Any, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("assetId;title\n1;a\n2;Jyväskylä\n".encode("latin-1"))
    told = assets(server, "load", str(tmp_path / "a.csv"))
    assert told.code == Exit.FAILED
    assert told.err == f"footfall: {tmp_path}/a.csv: is not UTF-8 in line 3; save it as UTF-8.\n"
    assert server.asked == []


def test_refusals_come_in_the_order_of_the_file_and_other_columns_are_told_once(server: Any, tmp_path: Path) -> None:
    server.answer({"stored": 1, "refused": [{"index": 0, "field": "title", "reason": "is too long"}]})
    (tmp_path / "a.csv").write_text('assetId,views,title\n7,1,a\n8,1,b,c\n9,1,d\n10,1,"e\n11,1,f\n')
    told = assets(server, "load", str(tmp_path / "a.csv"))
    assert (told.code, told.out) == (Exit.REFUSED, "1 asset of abc stored, 3 refused\n")
    assert told.err.splitlines() == [
        "Not a field of an asset, and left aside: views.",
        "refused: line 2, asset 7: title: is too long",
        "refused: line 3, asset 8: has 4 cells, the first row has 3",
        "refused: line 5: opens a quote that is never closed; nothing from line 5 on was read",
    ]


def test_entries_of_an_array_are_counted_and_named(server: Any, tmp_path: Path) -> None:
    server.answer({"stored": 1, "refused": [{"index": 1, "field": "title", "reason": "is too long"}]})
    (tmp_path / "a.json").write_text('[{"assetId": 1}, {"assetId": "x/2"}]')
    assert assets(server, "load", str(tmp_path / "a.json")).err == "refused: entry 2, asset x/2: title: is too long\n"


def test_a_key_says_whose_assets_they_are(server: Any, tmp_path: Path) -> None:
    server.answer({"stored": 1})
    (tmp_path / "secret").write_text("ffsec_x_y")
    (tmp_path / "a.json").write_text('{"assetId": 1}')
    shell = Shell()
    words = ("assets", "load", str(tmp_path / "a.json"), "--url", server.url)
    assert shell.run(*words) == Exit.USAGE
    assert "--secret-file" in shell.complained()
    assert shell.run(*words, "--secret-file", f"{tmp_path}/secret") == Exit.OK
    assert shell.printed() == "1 asset stored, 0 refused\n"
    assert (server.asked[0].path, server.asked[0].json()) == ("/v1/assets?", [{"assetId": 1}])
