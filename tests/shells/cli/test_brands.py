"""`footfall brands` and `footfall keys` on a directory: what they print, what they refuse, and with which code."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from footfall.app.kept_settings import keep_settings
from footfall.app.settings import Settings
from tests.shells.cli.conftest import Shell


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def run(*argv: str) -> Done:
    shell = Shell()
    code = shell.run(*argv)
    return Done(code, shell.printed(), shell.complained())


@pytest.mark.parametrize(
    ("host", "port", "url"),
    [
        ("192.0.2.7", 9090, "http://192.0.2.7:9090"),
        ("0.0.0.0", 80, "http://127.0.0.1:80"),
        ("::", 8081, "http://[::1]:8081"),
        ("127.0.0.1", 0, "http://127.0.0.1:8080"),
    ],
)
def test_the_line_to_paste_leads_to_where_the_instance_listens(tmp_path: Path, host: str, port: int, url: str) -> None:
    keep_settings(Settings(data_dir=str(tmp_path), http_host=host, http_port=port))
    done = run("brands", "add", "abc", "--data", str(tmp_path))
    assert f'src="{url}/footfall.js"' in done.out


def test_adding_a_brand_prints_its_keys_and_the_line_to_paste(tmp_path: Path) -> None:
    data = str(tmp_path / "new")
    done = run(
        "brands", "add", "abc", "--data", data, "--zone", "Europe/Helsinki", "--url", "https://stats.example.com/"
    )
    assert done.code == 0, done.err
    public = re.findall(r"ffpub_[a-z2-7]{24}", done.out)
    assert re.search(r"ffsec_[a-z2-7]{16}_[a-z2-7]{40}", done.out)
    line = f'<script async src="https://stats.example.com/footfall.js" data-key="{public[0]}"></script>'
    assert line in done.out
    assert "Europe/Helsinki" in done.out


def test_a_brand_is_changed_shown_and_listed(tmp_path: Path) -> None:
    here = ("--data", str(tmp_path))
    run("brands", "add", "abc", *here)
    changed = run(
        "brands", "change", "abc", *here, "--title", "T\x1b[31m"
    )  # fmt: skip
    assert (changed.code, "one line" in changed.err) == (4, True)
    changed = run(
        "brands", "change", "abc", *here, "--title", "T", "--origin", "https://www.example.com", "--public", "no",
        "--period", "twodays=48h/1h/120s", "--limit-key-per-s", "5", "--unlabelled", "hold", "--json",
    )  # fmt: skip
    document = json.loads(changed.out)
    assert document["periods"] == {"twodays": {"span": "2d", "grain": "1h", "cache": "2m"}}
    assert (document["isPublic"], document["limits"]["keyPerS"], document["unlabelled"]) == (False, 5, "hold")
    shown = run("brands", "show", "abc", *here).out
    for text in ("private", "https://www.example.com", "twodays=2d/1h/2m", "keyPerS 5", "ffsec_"):
        assert text in shown
    assert re.search(r"abc\s+UTC\s+private\s+2\s+T", run("brands", "list", *here).out)
    lifted = run(
        "brands", "change", "abc", *here, "--origin", "any", "--period", "none", "--limit-key-per-s", "none", "--json"
    )
    document = json.loads(lifted.out)
    assert (document["origins"], document["periods"], document["limits"]["keyPerS"]) == ([], {}, None)


def test_keys_are_added_listed_rotated_and_revoked(tmp_path: Path) -> None:
    here = ("--data", str(tmp_path), "--brand", "abc")
    run("brands", "add", "abc", "--data", str(tmp_path))
    made = run("keys", "add", *here, "--scope", "read", "--label", "desk")
    assert re.fullmatch(r"ffsec_[a-z2-7]{16}_[a-z2-7]{40}\n", made.out)  # Alone, so that it can go to a file.
    assert "shown this once" in made.err
    key_id = made.out.split("_")[1]
    rotated = run("keys", "rotate", key_id, *here, "--grace-hours", "2")
    assert "2 more hours" in rotated.err
    revoked = run("keys", "revoke", key_id, *here)
    assert (revoked.code, made.out.strip() in revoked.out) == (0, False)
    listed = run("keys", "list", *here).out
    assert rotated.out.split("_")[1] in listed
    assert key_id not in listed
    assert run("keys", "add", *here, "--public").out.startswith("ffpub_")


@pytest.mark.parametrize(
    ("argv", "code", "says"),
    [
        (["brands", "show"], 2, "Name one brand"),
        (["brands", "list", "abc"], 2, "only list takes none"),
        (["brands", "remove", "abc"], 2, "--yes"),
        (["brands", "change", "abc"], 2, "Say what is to change"),
        (["brands", "change", "abc", "--zone", "UTC"], 2, "A zone is chosen when a brand is added"),
        (["brands", "add", "def", "--period", "long"], 2, "NAME=SPAN/GRAIN/CACHE"),
        (["brands", "add", "def", "--period", "long=30d/1m/30s"], 4, "windows"),
        (["brands", "add", "def", "--zone", "Mars/Olympus"], 2, "Mars/Olympus"),
        (["brands", "add", "Def"], 2, "is not a brand name"),
        (["brands", "add", "def", "--origin", "www.example.com"], 2, "is not an origin"),
        (["keys", "list", "--brand", "Def"], 2, "is not a brand name"),
        (["brands", "add", "abc"], 1, "is a brand already"),
        (["brands", "show", "def"], 4, "is not a brand here"),
        (["keys", "add", "--brand", "abc"], 2, "--scope"),
        (["keys", "revoke", "--brand", "abc"], 2, "name one key"),
        (["keys", "revoke", "nokey", "--brand", "abc"], 4, "is not a key of 'abc'"),
        (["keys", "add", "--brand", "def", "--scope", "read"], 4, "brands add def"),
        (["keys", "add", "--brand", "abc", "--scope", "read", "--expires", "2001-01-01T00:00Z"], 4, "over already"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(
    tmp_path: Path, argv: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run("brands", "add", "abc", "--data", str(tmp_path))
    done = run(*argv, "--data", str(tmp_path))
    said = done.err + capsys.readouterr().err  # The parser writes by itself.
    assert (done.code, done.out) == (code, ""), said
    assert says in said
    assert said.endswith(".\n")
    assert not said.endswith("..\n")


def test_a_removed_brand_is_gone_from_the_list(tmp_path: Path) -> None:
    here = ("--data", str(tmp_path))
    run("brands", "add", "abc", *here)
    assert run("brands", "remove", "abc", *here, "--yes").code == 0
    assert "There are no brands" in run("brands", "list", *here).out


def test_a_directory_that_is_not_there_is_told_and_only_add_makes_it(tmp_path: Path) -> None:
    done = run("brands", "list", "--data", str(tmp_path / "none"))
    assert (done.code, "is not a directory with footfall's data" in done.err) == (1, True)
    assert not (tmp_path / "none").exists()
