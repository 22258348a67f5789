"""`footfall import` as a person runs it, on a directory that no server runs on."""

import contextlib
import gzip
import io
import os
import signal
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footfall.app.settings_reading import read_settings
from footfall.app.wiring import open_stream
from footfall.flow.collect.logfile.formats import FORMATS
from footfall.flow.stream.records import Pack, pack_from_record
from footfall.shells.cli.import_logs import INCLUDES
from footfall.shells.cli.import_report import REASONS
from footfall.shells.cli.main import main
from footfall.values.clock import SystemClock

AGENT = "Mozilla/5.0 (X11; Linux x86_64) Firefox/119.0"


def line(path: str, second: int = 0, *, status: int = 200, agent: str = AGENT) -> str:
    at = f"01/Nov/2023:{second // 3_600:02}:{second // 60 % 60:02}:{second % 60:02} +0000"
    return f'192.0.2.77 - - [{at}] "GET {path} HTTP/1.1" {status} 5 "https://example.com/" "{agent}"\n'


TEXT = "".join([line("/a", 1), line("/b", 2), line("/a?x=1", 3), line("/a.css", 4), line("/c", 5, status=404)])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    directory = tmp_path / "data"
    directory.mkdir()
    (directory / "footfall.toml").write_text('store_days_days = 36600\n[brands.abc]\nzone = "Europe/Helsinki"\n')
    return directory


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "access.log"
    path.write_text(TEXT)
    return path


def packs(data: Path) -> list[Pack]:
    """Return all that the stream holds."""
    settings = read_settings([], config=data / "footfall.toml", variables={"FOOTFALL_DATA_DIR": str(data)})
    with closing(open_stream(settings, SystemClock(), read_only=True)) as stream:
        records = [record for shard in range(stream.shards) for record in stream.read(shard, after=0)]
    return [pack_from_record(record.data) for record in records]


def stored(data: Path) -> Counter[str]:
    return Counter(key[0] for pack in packs(data) for key in pack.keys)


def arguments(data: Path, *more: str) -> tuple[str, ...]:
    return ("import", "--data", str(data), "--brand", "abc", *more)


def test_an_import_stores_the_hits_and_reports_every_line(shell: Any, data: Path, log: Path) -> None:
    assert shell.run(*arguments(data, str(log))) == 0
    assert shell.printed() == (
        "Imported: 5 lines read, 3 counted.\n"
        "  format                     5  combined\n"
        "  left out                   1  static files; count them with --include static\n"
        "  left out                   1  errors (status 4xx and 5xx); count them with --include errors\n"
    )
    assert shell.complained() == f"{log}: combined (Apache, nginx: combined), 5 of its first 5 lines read so.\n"
    assert stored(data) == {"/a": 2, "/b": 1}
    (pack,) = packs(data)
    assert pack.trusted
    assert pack.at_ms == [1_698_796_801_000, 1_698_796_802_000, 1_698_796_803_000]
    assert pack.urls == ["/a", "/b", "/a"]
    assert pack.referrers == ["https://example.com/"] * 3
    assert pack.visitors is not None
    assert len(set(pack.visitors)) == 1


def test_a_log_that_is_given_again_counts_nothing_and_says_so(shell: Any, data: Path, log: Path) -> None:
    assert shell.run(*arguments(data, str(log), str(log))) == 0
    assert shell.run(*arguments(data, str(log))) == 0
    assert shell.complained().count(f"{log}: {len(TEXT):,} bytes of its text were imported before.") == 2
    assert "Imported: 0 lines read, 0 counted." in shell.printed()
    assert stored(data) == {"/a": 2, "/b": 1}


def test_no_address_of_a_log_reaches_the_disk_or_the_screen(shell: Any, data: Path, log: Path) -> None:
    log.write_text(TEXT + "192.0.2.77 nonsense\n")
    assert shell.run(*arguments(data, str(log))) == 0
    assert "line 6: it is not a line of the combined format" in shell.printed()
    assert "192.0.2.77" not in shell.printed() + shell.complained()
    held = b"".join(path.read_bytes() for path in data.iterdir() if path.is_file())
    assert b"192.0.2.77" not in held
    assert b"Firefox" not in held


def test_a_dry_run_says_what_would_be_counted_and_touches_nothing(shell: Any, data: Path, log: Path) -> None:
    assert shell.run(*arguments(data, str(log), "--dry-run")) == 0
    assert shell.printed().startswith("Would import: 5 lines read, 3 counted.\n")
    assert [path.name for path in data.iterdir()] == ["footfall.toml"]


def test_a_dry_run_with_the_data_tells_what_is_new(shell: Any, data: Path, log: Path) -> None:
    assert shell.run(*arguments(data, str(log))) == 0
    before = stored(data)
    log.write_text(TEXT + line("/new", 9))
    assert shell.run(*arguments(data, str(log), str(log), "--dry-run")) == 0
    assert "Would import: 1 line read, 1 counted.\n" in shell.printed()
    assert shell.complained().count("bytes of its text were imported before.") == 2
    assert stored(data) == before
    assert shell.run("import", "--data", str(data), "--brand", "abd", str(log), "--dry-run") == 4
    assert "'abd' is not a brand" in shell.complained()


def test_a_dry_run_without_the_data_says_what_it_does_not_know(shell: Any, log: Path) -> None:
    assert shell.run("import", "--brand", "abc", str(log), "--dry-run") == 0
    assert "Without --data nobody looks" in shell.complained()
    assert shell.printed().startswith("Would import: 5 lines read, 3 counted.\n")


def test_a_damaged_compressed_log_counts_nothing_and_fails(shell: Any, data: Path, log: Path) -> None:
    text = "".join(line(f"/{number}", number) for number in range(3_000)).encode()
    packed = bytearray(gzip.compress(text))
    packed[len(packed) // 2] ^= 1
    log.write_bytes(packed)
    assert shell.run(*arguments(data, str(log))) == 1
    assert f"footfall: {log} is damaged: " in shell.complained()
    shell.stdin = gzip.compress(text)[:-100]
    assert shell.run(*arguments(data, "-")) == 1
    assert "footfall: - is cut off: its compressed data ends early. Nothing was taken of it" in shell.complained()
    assert stored(data) == {}


@pytest.mark.parametrize("flags", [("--format", "s3"), ("--asset", "^/none/(?P<asset>x)")])
def test_wrong_flags_fail_and_the_right_ones_count_afterwards(
    shell: Any, data: Path, log: Path, flags: tuple[str, ...]
) -> None:
    assert shell.run(*arguments(data, str(log), *flags)) == 1
    assert "none of its first 5 lines" in shell.complained() or "no line of it counts" in shell.complained()
    assert shell.run(*arguments(data, str(log))) == 0
    assert stored(data) == {"/a": 2, "/b": 1}


def test_a_log_that_is_too_old_throughout_may_be_given_again_when_more_days_are_kept(
    shell: Any, data: Path, log: Path
) -> None:
    settings = data / "footfall.toml"
    before = settings.read_text()
    settings.write_text(before.replace("36600", "30"))
    assert shell.run(*arguments(data, str(log))) == 1
    assert "3  hits older than any window that is kept (store_days_days)" in shell.printed()
    assert "Imported: 5 lines read, 0 counted." in shell.printed()
    settings.write_text(before)
    assert shell.run(*arguments(data, str(log))) == 0
    assert stored(data) == {"/a": 2, "/b": 1}


def test_an_expression_finds_ids_in_the_query(shell: Any, data: Path, log: Path) -> None:
    log.write_text(line("/?p=17&utm_source=x") + line("/about"))
    assert shell.run(*arguments(data, str(log), "--asset", r"[?&]p=(?P<asset>\d+)")) == 0
    assert stored(data) == {"17": 1}


def test_the_help_names_the_formats(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.suppress(SystemExit):
        shell.run("import", "--help")
    said = " ".join((shell.printed() + capsys.readouterr().out).split())
    assert ", ".join(FORMATS) in said


def test_the_standard_input_is_a_log(shell: Any, data: Path) -> None:
    shell.stdin = TEXT.encode()
    assert shell.run(*arguments(data, "-")) == 0
    assert stored(data) == {"/a": 2, "/b": 1}


def test_flags_bring_lines_in_and_leave_lines_out(shell: Any, data: Path, log: Path) -> None:
    log.write_text(TEXT + line("/d", agent="ExampleBot/1.0"))
    assert shell.run(*arguments(data, str(log), "--include", "static", "--include", "errors", "--no-robots")) == 0
    assert stored(data) == {"/a": 2, "/b": 1, "/a.css": 1, "/c": 1}
    assert "1  programs that say so (--no-robots)" in shell.printed()


def test_an_expression_gives_ids_and_labels(shell: Any, data: Path, log: Path) -> None:
    log.write_text(line("/sport/goal-17") + line("/"))
    assert shell.run(*arguments(data, str(log), "--asset", r"^/(?P<section>\w+)/.*?(?P<asset>\d+)$")) == 0
    assert [pack.keys for pack in packs(data)] == [[("17", "sport", "", "")]]
    assert "1  addresses that name no asset (--asset)" in shell.printed()


def test_fields_tell_how_any_json_is_read(shell: Any, data: Path, log: Path) -> None:
    log.write_text('{"when":"2023-11-01T10:00:00+02:00","req":{"uri":"/a"},"code":200}\n')
    assert shell.run(*arguments(data, str(log), "--fields", "time=when,path=req.uri,status=code")) == 0
    assert stored(data) == {"/a": 1}


def test_one_log_that_is_wrong_does_not_stop_the_others(shell: Any, data: Path, log: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("dear diary\n")
    assert shell.run(*arguments(data, str(tmp_path / "notes.txt"), str(tmp_path / "none.log"), str(log))) == 1
    assert "notes.txt: none of its first 1 lines reads like" in shell.complained()
    assert "none.log cannot be read: No such file or directory." in shell.complained()
    assert stored(data) == {"/a": 2, "/b": 1}


def test_a_host_is_asked_only_of_a_log_that_names_hosts(shell: Any, data: Path, log: Path) -> None:
    assert shell.run(*arguments(data, str(log), "--host", "www.example.com")) == 1
    assert "combined format, which names no host; leave out --host." in shell.complained()


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--asset", "("), "is not a regular expression"),
        (("--asset", "a"), "has no group named asset"),
        (("--fields", "path=uri"), "must say where `time` and `path` are"),
        (("--fields", "when=ts"), "is not PART=NAME"),
        (("--fields", "time=a,path=b", "--format", "combined"), "--fields is for JSON lines"),
        (("--asset", "(?P<asset>a)", "--origin", "https://example.com"), "give one of them"),
        (("--format", "nonsense"), "invalid choice"),
    ],
)
def test_flags_that_make_no_sense_are_refused(
    shell: Any, data: Path, log: Path, flags: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shell.run(*arguments(data, str(log), *flags)) == 2
    assert says in shell.complained() + capsys.readouterr().err


def test_a_brand_that_nobody_added_is_refused(shell: Any, data: Path, log: Path) -> None:
    assert shell.run("import", "--data", str(data), "--brand", "abd", str(log)) == 4
    assert "'abd' is not a brand" in shell.complained()


class Interrupting(io.BytesIO):
    """A standard input during whose third reading somebody presses Ctrl+C."""

    readings = 0

    def read1(self, size: int | None = -1, /) -> bytes:
        self.readings += 1
        if self.readings == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return super().read1(size)


def test_ctrl_c_stops_between_two_stretches_and_the_same_command_goes_on(shell: Any, data: Path) -> None:
    text = "".join(line(f"/{number % 7}", number) for number in range(6_000)).encode()
    around = replace(shell.surroundings(), stdin=Interrupting(text))
    before = signal.getsignal(signal.SIGINT)
    assert main(arguments(data, "-"), around) == 130
    assert "Stopped: " in shell.printed()
    assert "it goes on where it stopped and counts no line twice" in shell.complained()
    assert 0 < sum(stored(data).values()) < 6_000
    shell.stdin = text
    assert shell.run(*arguments(data, "-")) == 0
    assert stored(data) == Counter(f"/{number % 7}" for number in range(6_000))
    assert signal.getsignal(signal.SIGINT) is before


def test_a_followed_log_is_taken_as_it_grows_until_somebody_says_stop(shell: Any, data: Path, log: Path) -> None:
    def on_pause(_seconds: float) -> None:
        if len(shell.pauses) == 3:
            log.rename(log.with_suffix(".1"))
            log.write_text(line("/new", 9))
        elif len(shell.pauses) == 5:
            os.kill(os.getpid(), signal.SIGTERM)
        else:
            with log.open("a") as file:
                file.write(line("/more", len(shell.pauses)))

    shell.on_pause = on_pause
    assert shell.run(*arguments(data, str(log), "--follow")) == 0
    assert stored(data) == {"/a": 2, "/b": 1, "/more": 3, "/new": 1}
    assert "Following; stop with Ctrl+C." in shell.complained()
    assert "Imported: 9 lines read" in shell.printed()


def test_a_terminal_shows_how_many_bytes_are_read(terminal: Any, data: Path, log: Path) -> None:
    assert terminal.run(*arguments(data, str(log))) == 0
    assert "importing" in terminal.complained()
    assert "bytes" in terminal.complained()


def test_every_reason_that_can_be_taken_back_has_its_word() -> None:
    assert tuple(word for _, word in REASONS.values() if word) == INCLUDES
