"""A log is taken once: cut anywhere, grown, rotated, compressed, given twice or like another."""

import gzip
import io
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footfall.flow.collect.imported import ImportedHits
from footfall.flow.collect.logfile.fingerprints import offset_of
from footfall.flow.collect.logfile.formats import FORMATS
from footfall.flow.collect.logfile.pages import PageRules, asset_pattern
from footfall.flow.collect.logfile.reading import Wanted
from footfall.shells.cli.log_import import Import, LogImport, NotTaken, Order
from footfall.values.clock import SetClock

NOW_MS = 1_794_753_000_000


@dataclass(slots=True)
class Kept:
    """What an instance would have kept of an import: marks, and the hits of stretches that were in step."""

    marks: dict[bytes, int] = field(default_factory=dict)
    hits: Counter[str] = field(default_factory=Counter)
    left: int = 1_000_000  # How many stretches it takes before it is killed.

    def position(self, file: bytes) -> int:
        return self.marks.get(file, 0)

    def salt(self, day_start_ms: int) -> bytes:
        return day_start_ms.to_bytes(8, "big") * 4

    def take(self, file: bytes, *, begins: int, ends: int, hits: ImportedHits) -> None:
        assert self.marks.get(file, 0) == begins < ends
        if self.left == 0:
            raise InterruptedError
        self.left -= 1
        self.marks[file] = ends
        self.hits.update(key[0] for key in hits.keys)

    def flush(self) -> None:
        """Have everything on disk already."""


def shared(
    kept: Kept, *, follows: bool = False, name: str | None = None, stdin: bytes = b"", wanted: Wanted | None = None
) -> Import:
    one = FORMATS[name] if name else None
    order = Order(logs=(), brand="abc", wanted=wanted or Wanted(), format=one, follows=follows)
    return Import(
        order=order,
        zone="UTC",
        session=kept,
        clock=SetClock(NOW_MS),
        stdin=io.BytesIO(stdin),
        is_stopping=lambda: False,
    )


def run(path: Path, kept: Kept) -> Import:
    together = shared(kept)
    log = LogImport(str(path), together)
    try:
        log.run()
    finally:
        log.close()
    return together


def line(asset: int, second: int = 0, status: int = 200) -> bytes:
    at = f"01/Nov/2023:10:{second // 60 % 60:02}:{second % 60:02} +0000"
    return f'192.0.2.{asset % 250} - - [{at}] "GET /{asset} HTTP/1.1" {status} 5 "-" "Mozilla/5.0"\n'.encode()


def recount(text: bytes) -> Counter[str]:
    """Count a log the plain way."""
    return Counter(one.split()[6].decode() for one in text.splitlines() if b'" 200 ' in one)


ASSETS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3_599), st.sampled_from([200, 404])), max_size=40)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ASSETS, st.lists(st.integers(0, 5_000), max_size=4), st.integers(0, 3), st.booleans())
def test_a_log_cut_and_killed_anywhere_gives_what_a_plain_recount_gives(
    tmp_path: Path, assets: list[tuple[int, int, int]], cuts: list[int], kills: int, is_wrapped: bool
) -> None:
    text = b"".join(line(*one) for one in assets)
    kept = Kept()
    path = tmp_path / "access.log"
    for cut in sorted(cuts):
        path.write_bytes(text[:cut])
        kept.left = kills
        try:
            run(path, kept)
        except InterruptedError:
            kills += 1
    kept.left = 1_000_000
    path.write_bytes(gzip.compress(text) if is_wrapped else text)
    run(path, kept)
    assert kept.hits == recount(text)
    run(path, kept)
    assert kept.hits == recount(text)


def test_the_same_log_under_another_name_or_compressed_is_not_counted_again(tmp_path: Path) -> None:
    text = b"".join(line(number, number) for number in range(100))
    kept = Kept()
    for name, content in {"a.log": text, "a.log.1": text, "b.txt": gzip.compress(text)}.items():
        (tmp_path / name).write_bytes(content)
        run(tmp_path / name, kept)
    assert kept.hits == recount(text)
    assert len(kept.marks) == 1


def test_two_logs_that_begin_alike_are_both_taken(tmp_path: Path) -> None:
    one = b"".join(line(number, number) for number in range(100))
    other = line(0, 0) + b"".join(line(number, number) for number in range(500, 700))
    kept = Kept()
    for name, content in {"one": one, "other": other, "one again": one, "other again": gzip.compress(other)}.items():
        (tmp_path / name).write_bytes(content)
        run(tmp_path / name, kept)
    assert kept.hits == recount(one + other)


def test_a_log_shorter_than_what_was_imported_of_it_is_left_alone_and_said(tmp_path: Path) -> None:
    text = b"".join(line(number, number) for number in range(100))
    kept = Kept()
    path = tmp_path / "access.log"
    path.write_bytes(text)
    run(path, kept)
    path.write_bytes(text[:3_000])
    with pytest.raises(NotTaken, match="shorter than what was imported"):
        run(path, kept)
    assert kept.hits == recount(text)


def test_the_columns_that_a_log_named_before_the_place_still_hold(tmp_path: Path) -> None:
    first = b"#Fields: date time cs-method cs-uri-stem sc-status\n2023-11-01 10:00:00 GET /a 200\n"
    second = b"#Fields: sc-status cs-uri-stem cs-method time date\n200 /b GET 10:00:00 2023-11-01\n"
    third = b"200 /c GET 10:00:00 2023-11-01\n"
    kept = Kept()
    path = tmp_path / "u_ex.log"
    for text in (first, first + second, first + second + third):
        path.write_bytes(text)
        together = run(path, kept)
        assert not together.tally.misread
    assert kept.hits == {"/a": 1, "/b": 1, "/c": 1}


def test_an_unfinished_last_line_is_left_for_the_next_time(tmp_path: Path) -> None:
    text = line(1) + line(2)
    kept = Kept()
    path = tmp_path / "access.log"
    path.write_bytes(text[:-10])
    together = run(path, kept)
    assert together.tally.left_out == {"unfinished": 1}
    path.write_bytes(text)
    run(path, kept)
    assert kept.hits == {"/1": 1, "/2": 1}


def test_a_whole_last_line_without_its_end_counts_once(tmp_path: Path) -> None:
    text = line(1) + line(2)
    kept = Kept()
    path = tmp_path / "access.log"
    for content in (text[:-1], text, text + line(3)):
        path.write_bytes(content)
        run(path, kept)
    assert kept.hits == {"/1": 1, "/2": 1, "/3": 1}


def test_a_stream_that_begins_like_a_known_log_and_goes_on_differently_is_refused() -> None:
    kept = Kept()
    first = line(0) + line(1)
    for content, complains in ((first, False), (line(0) + line(7) + line(8), True)):
        together = shared(kept, stdin=content)
        log = LogImport("-", together)
        if complains:
            with pytest.raises(NotTaken, match="save it to a file"):
                log.run()
        else:
            log.run()
    assert kept.hits == recount(first)


def test_a_log_of_no_known_format_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"dear diary\nnothing happened\n")
    with pytest.raises(NotTaken, match=r"none of its first 2 lines reads like .*--format"):
        run(path, Kept())


def named(path: Path, kept: Kept, name: str, wanted: Wanted | None = None) -> LogImport:
    log = LogImport(str(path), shared(kept, name=name, wanted=wanted))
    try:
        log.run()
    finally:
        log.close()
    return log


@pytest.mark.parametrize("name", ["s3", "json", "w3c", "alb", "common"])
def test_a_wrong_format_uses_nothing_up(tmp_path: Path, name: str) -> None:
    text = b"".join(line(number, number) for number in range(100))
    kept = Kept()
    path = tmp_path / "access.log"
    path.write_bytes(text)
    with pytest.raises(NotTaken, match=f"none of its first 100 lines reads like {name}, so nothing was taken"):
        named(path, kept, name)
    assert kept.marks == {}
    run(path, kept)
    assert kept.hits == recount(text)


def test_flags_that_fit_no_line_use_nothing_up(tmp_path: Path) -> None:
    text = b"".join(line(number, number) for number in range(6_000))  # Several stretches.
    kept = Kept()
    path = tmp_path / "access.log"
    path.write_bytes(text)
    wanted = Wanted(pages=PageRules(asset=asset_pattern("^/story-(?P<asset>x)")))
    log = named(path, kept, "combined", wanted)
    assert log.is_unused
    assert kept.marks == {}
    assert not named(path, kept, "combined").is_unused
    assert kept.hits == recount(text)
    assert not named(path, kept, "combined", wanted).is_unused  # Nothing in it is new.


def test_lines_without_hits_before_the_first_hit_are_part_of_its_place(tmp_path: Path) -> None:
    errors = b"".join(line(number, number, 404) for number in range(6_000))
    kept = Kept()
    path = tmp_path / "access.log"
    path.write_bytes(errors)
    run(path, kept)
    assert kept.marks == {}
    path.write_bytes(errors + line(7))
    run(path, kept)
    (mark,) = kept.marks.values()
    assert offset_of(mark) == len(errors) + len(line(7))
    assert kept.hits == {"/7": 1}


@pytest.mark.parametrize("harm", ["flipped", "cut"])
@pytest.mark.parametrize("grown", [False, True])
def test_a_damaged_compressed_log_is_refused_whole(tmp_path: Path, harm: str, grown: bool) -> None:
    text = b"".join(line(number, number) for number in range(3_000))
    whole = gzip.compress(text, 1)
    kept = Kept()
    path = tmp_path / "access.log.gz"
    if grown:
        path.write_bytes(text[: len(text) // 2])
        run(path, kept)
    marks, hits = dict(kept.marks), Counter(kept.hits)
    packed = bytearray(whole)
    packed[len(packed) // 2] ^= 1
    path.write_bytes(packed if harm == "flipped" else whole[:-2_000])
    with pytest.raises(NotTaken, match="is damaged: " if harm == "flipped" else "is cut off: "):
        run(path, kept)
    assert (kept.marks, kept.hits) == (marks, hits)
    path.write_bytes(whole)
    run(path, kept)
    assert kept.hits == recount(text)


def test_two_compressed_streams_that_begin_alike_are_both_taken() -> None:
    kept = Kept()
    one, other = line(0) + line(1), line(0) + line(7) + line(8)
    for content in (one, other):
        log = LogImport("-", shared(kept, stdin=gzip.compress(content)))
        log.run()
        log.close()
    assert kept.hits == recount(one + other)


def test_a_followed_log_of_a_named_format_may_begin_with_junk(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    path.write_bytes(b"\x16\x03 junk\n")
    kept = Kept()
    log = LogImport(str(path), shared(kept, follows=True, name="combined"))
    log.run()
    assert (kept.marks, log.is_unused) == ({}, False)
    with path.open("ab") as file:
        file.write(line(1))
    assert log.follow()
    log.close()
    assert kept.hits == {"/1": 1}


def test_an_empty_log_is_nothing(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    path.write_bytes(b"\n\n")
    assert run(path, Kept()).tally.lines == 0


class Followed:
    """A log that is followed, step by step."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept = Kept()
        self.together = shared(self.kept, follows=True)
        self.log = LogImport(str(path), self.together)
        self.log.run()
        self.written = path.read_bytes()

    def after(self, act: Callable[[], object]) -> Counter[str]:
        act()
        self.log.follow()
        return self.kept.hits

    def append(self, content: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(content)


@pytest.fixture
def followed(tmp_path: Path) -> Generator[Followed]:
    path = tmp_path / "access.log"
    path.write_bytes(line(1) + line(2))
    followed = Followed(path)
    yield followed
    followed.log.close()


def test_lines_that_are_added_are_taken_when_they_are_whole(followed: Followed) -> None:
    assert followed.kept.hits == {"/1": 1, "/2": 1}
    assert followed.after(lambda: followed.append(line(3)[:-5])) == {"/1": 1, "/2": 1}
    assert followed.after(lambda: followed.append(line(3)[-5:] + line(4))) == {"/1": 1, "/2": 1, "/3": 1, "/4": 1}
    assert not followed.log.follow()


def test_a_log_that_is_renamed_is_read_to_its_end_and_then_the_new_one(followed: Followed, tmp_path: Path) -> None:
    def rotate() -> None:
        followed.append(line(3))
        followed.path.rename(tmp_path / "access.log.1")
        with (tmp_path / "access.log.1").open("ab") as file:
            file.write(line(4))  # The server goes on in the old file until it is told.

    assert followed.after(rotate) == {"/1": 1, "/2": 1, "/3": 1, "/4": 1}
    assert followed.after(lambda: followed.path.write_bytes(b"")) == {"/1": 1, "/2": 1, "/3": 1, "/4": 1}
    assert followed.after(lambda: followed.append(line(5, 9)))["/5"] == 1
    assert sum(followed.kept.hits.values()) == 5


def test_a_log_that_is_truncated_is_read_from_its_new_beginning(followed: Followed) -> None:
    assert followed.after(lambda: followed.path.write_bytes(line(7, 7)))["/7"] == 1
    assert sum(followed.kept.hits.values()) == 3


def test_a_log_that_grew_again_after_it_was_truncated_is_noticed(followed: Followed) -> None:
    text = b"".join(line(number, number) for number in range(10, 20))
    assert followed.after(lambda: followed.path.write_bytes(text)) == {"/1": 1, "/2": 1} | recount(text)


def test_a_log_that_is_empty_when_it_is_first_looked_at_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    path.write_bytes(b"")
    followed = Followed(path)
    assert followed.after(lambda: followed.append(line(1)[:30])) == {}
    assert followed.after(lambda: followed.append(line(1)[30:])) == {"/1": 1}
    followed.log.close()


def test_the_import_of_a_followed_log_goes_on_where_it_was(followed: Followed, tmp_path: Path) -> None:
    followed.after(lambda: followed.append(line(3)))
    followed.path.rename(tmp_path / "access.log.1")
    followed.path.write_bytes(line(4, 4))
    for path in (tmp_path / "access.log.1", followed.path):
        run(path, followed.kept)
    assert followed.kept.hits == {"/1": 1, "/2": 1, "/3": 1, "/4": 1}
