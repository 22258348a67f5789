"""Lines become hits, or are told apart by why they are none: every format, line by line, and lines of any kind."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.collect.logfile.formats import FORMATS, guessed_format
from footfall.flow.collect.logfile.pages import PageRules, Pages
from footfall.flow.collect.logfile.people import Days
from footfall.flow.collect.logfile.reading import SAMPLES_MAX, LogHits, Reading, Tally, Wanted
from footfall.values.window import DAY_MS, Grain, instant_text, window_of
from tests.flow.collect.logfile.logs import AGENT, COMBINED, GOLDEN, NOW_MS, VHOST, Golden

SALTS = {day: bytes([day % 251]) * 32 for day in range(251)}


def reading_of(name: str, wanted: Wanted | None = None, *, zone: str = "UTC") -> Reading:
    wanted = wanted or Wanted()
    days = Days("abc", zone, lambda day_start_ms: SALTS[day_start_ms // 3_600_000 % 251])
    return Reading(FORMATS[name], wanted, days=days, pages=Pages(wanted.pages), tally=Tally())


def read(reading: Reading, lines: list[bytes]) -> LogHits:
    return reading.read(lines, log="access.log", number=1, now_ms=NOW_MS)


def outcome(reading: Reading, line: bytes) -> tuple[str, str, str, str] | str:
    """Return what one line came to."""
    before = Counter(reading.tally.left_out) + Counter(reading.tally.misread)
    hits = read(reading, [line])
    if not hits.keys:
        return next(iter(Counter(reading.tally.left_out) + Counter(reading.tally.misread) - before))
    return hits.keys[0][0], instant_text(hits.at_ms[0]), hits.urls[0], hits.referrers[0]


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)
def test_every_line_of_a_format_comes_to_what_it_is(golden: Golden) -> None:
    reading = reading_of(golden.format)
    assert [outcome(reading, line) for line in golden.text.splitlines()] == golden.results


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)
def test_the_parts_of_a_tally_add_up_to_the_lines(golden: Golden) -> None:
    reading = reading_of(golden.format)
    read(reading, golden.text.split(b"\n"))
    tally = reading.tally
    assert tally.lines == tally.counted + sum(tally.left_out.values()) + sum(tally.misread.values())
    assert tally.left_out["blank"] == 1
    assert tally.formats == {golden.format: tally.lines}


def test_what_is_left_out_by_default_can_be_included() -> None:
    everything = Wanted(
        pages=PageRules(counts_static=True, counts_any_method=True),
        counts_errors=True,
        counts_redirects=True,
        counts_health_checks=True,
    )
    reading = reading_of("common", everything)
    assert len(read(reading, GOLDEN["common"].text.splitlines()).keys) == 8
    reading = reading_of("combined", everything)
    assert len(read(reading, COMBINED.text.splitlines()).keys) == 7
    assert set(reading.tally.misread) == {"its request is not one of HTTP"}


def test_only_the_lines_of_the_named_hosts_count() -> None:
    reading = reading_of("vhost", Wanted(pages=PageRules(hosts=frozenset([b"www.example.com"]))))
    assert [outcome(reading, line) for line in VHOST.text.splitlines()][1] == "other-host"
    assert reading.tally.counted == 2


def test_programs_that_say_so_are_counted_and_told_or_left_out() -> None:
    line = COMBINED.text.splitlines()[1].replace(AGENT.encode(), b"Mozilla/5.0 (compatible; ExampleBot/2.1)")
    counting, leaving = reading_of("combined"), reading_of("combined", Wanted(counts_robots=False))
    assert isinstance(outcome(counting, line), tuple)
    assert counting.tally.robots == 1
    assert counting.read([line, line], log="a", number=1, now_ms=NOW_MS).screened == {0: "bot-agent", 1: "bot-agent"}
    assert outcome(leaving, line) == "robot"
    assert leaving.tally.robots == 0


def combined_line(address: str, at: str, agent: str = AGENT) -> bytes:
    return f'{address} - - [{at}] "GET /a HTTP/1.1" 200 1 "-" "{agent}"'.encode()


def test_a_visitor_is_the_same_within_a_local_day_and_another_on_the_next() -> None:
    reading = reading_of("combined", zone="Asia/Kolkata")
    lines = [
        combined_line("192.0.2.1", "01/Nov/2023:18:29:59 +0000"),  # 23:59:59 in Kolkata
        combined_line("192.0.2.1", "01/Nov/2023:23:59:58 +0530"),
        combined_line("192.0.2.1", "01/Nov/2023:18:30:00 +0000"),  # midnight in Kolkata
        combined_line("192.0.2.2", "01/Nov/2023:18:30:00 +0000"),
        combined_line("192.0.2.1", "01/Nov/2023:18:30:00 +0000", "another"),
        combined_line("192.0.2.1", "01/Nov/2023:18:29:59 +0000"),
        combined_line("-", "01/Nov/2023:18:29:59 +0000"),
    ]
    visitors = read(reading, lines).visitors
    assert visitors[0] == visitors[1] == visitors[5]
    assert len({*visitors[:1], *visitors[2:5]}) == 4
    assert {len(visitor) for visitor in visitors[:6]} == {8}
    assert visitors[6] == b""


def test_each_day_asks_for_its_own_salt_once_even_in_a_shuffled_log() -> None:
    asked: list[int] = []

    def salt(day_start_ms: int) -> bytes:
        asked.append(day_start_ms)
        return b"s" * 32

    reading = Reading(
        FORMATS["combined"], Wanted(), days=Days("abc", "UTC", salt), pages=Pages(PageRules()), tally=Tally()
    )
    lines = [combined_line("192.0.2.1", f"{day:02}/Nov/2023:10:00:00 +0000") for day in (*range(1, 21), *range(1, 21))]
    read(reading, lines)
    first = window_of(1_698_832_800_000, Grain.DAY, "UTC").from_ms
    assert asked == [first + day * DAY_MS for day in range(20)]


@pytest.mark.parametrize(
    ("at", "reason"),
    [
        ("01/Nov/1999:10:00:00 +0000", "its time lies before the year 2000"),
        ("16/Nov/2026:10:00:00 +0000", "its time lies in the future"),
        ("31/Feb/2023:10:00:00 +0000", "its time is none that calendars and clocks show"),
        ("01/Nov/2023:10:00:61 +0000", "its time is none that clocks show"),
        ("01/Nov/2023:10:00:00", "its time is in no form that is known"),
    ],
)
def test_a_time_that_cannot_be_is_not_understood(at: str, reason: str) -> None:
    line = f'192.0.2.1 - - [{at}] "GET /a HTTP/1.1" 200 1'.encode()
    assert outcome(reading_of("common"), line) == reason


def test_samples_name_places_and_reasons_and_hold_no_text_of_the_log() -> None:
    reading = reading_of("combined")
    reading.read([b"192.0.2.77 secret"] * 100, log="access.log", number=7, now_ms=NOW_MS)
    tally = reading.tally
    assert tally.misread == {"it is not a line of the combined format": 100}
    assert [sample.number for sample in tally.samples] == list(range(7, 7 + SAMPLES_MAX))
    assert "secret" not in str(tally)
    assert "192.0.2.77" not in str(tally)


LINES = st.one_of(
    st.binary(max_size=300),
    st.sampled_from([line for golden in GOLDEN.values() for line in golden.text.splitlines()]),
    st.builds(
        lambda line, junk, at: line[: at % (len(line) + 1)] + junk + line[at % (len(line) + 1) :],
        st.sampled_from([line for golden in GOLDEN.values() for line in golden.text.splitlines()]),
        st.binary(max_size=20),
        st.integers(0, 1_000),
    ),
)


@given(st.lists(LINES, max_size=20), st.sampled_from(sorted(FORMATS)))
def test_whatever_a_line_holds_it_is_accounted_for_and_what_counts_is_sound(lines: list[bytes], name: str) -> None:
    reading = reading_of(name)
    hits = read(reading, lines)
    tally = reading.tally
    assert tally.lines == tally.counted + sum(tally.left_out.values()) + sum(tally.misread.values()) == len(lines)
    for (asset, *_), at_ms, url, referrer in zip(hits.keys, hits.at_ms, hits.urls, hits.referrers, strict=True):
        assert 0 < len(asset.encode()) <= 256
        assert asset.isprintable()
        assert 946_684_800_000 <= at_ms <= NOW_MS + 300_000
        assert len(url.encode()) <= 2_048
        assert len(referrer.encode()) <= 2_048
    assert all(len(visitor) in (0, 8) for visitor in hits.visitors)


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)
def test_a_log_tells_its_format_by_itself(golden: Golden) -> None:
    assert guessed_format(golden.text.splitlines(), now_ms=NOW_MS).format.name == golden.format
