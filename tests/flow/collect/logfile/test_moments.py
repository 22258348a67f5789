"""Times of logs are moments: exact with every zone, and none where no zone is told."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.collect.logfile.line import NotUnderstood
from footfall.flow.collect.logfile.moments import CACHED_MAX, Moments
from footfall.values.window import instant_text

NOW_MS = 1_794_753_000_000
ZONES = st.integers(-15 * 60, 15 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.integers(946_684_800, NOW_MS // 1_000), ZONES)
def test_the_common_form_is_read_exactly_whatever_its_zone(at_s: int, zone: timezone) -> None:
    text = datetime.fromtimestamp(at_s, zone).strftime("%d/%b/%Y:%H:%M:%S %z").encode()
    assert Moments(now_ms=NOW_MS)[text] == at_s * 1_000


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("29/Feb/2024:23:59:59 -0330", "2024-03-01T03:29:59Z"),
        ("31/Dec/2016:23:59:60 +0000", "2017-01-01T00:00Z"),  # a leap second
        ("29/Oct/2023:03:30:00 +0300", "2023-10-29T00:30Z"),  # the same wall clock, before and after
        ("29/Oct/2023:03:30:00 +0200", "2023-10-29T01:30Z"),
        ("2023-11-01T10:00:00Z", "2023-11-01T10:00Z"),
        ("2023-11-01T10:00:00.123456789Z", "2023-11-01T10:00:00.123Z"),
        ("2023-11-01 10:00:00+0530", "2023-11-01T04:30Z"),
        ("1698832800", "2023-11-01T10:00Z"),
        ("1698832800.5", "2023-11-01T10:00:00.500Z"),
        ("1698832800500", "2023-11-01T10:00:00.500Z"),
    ],
)
def test_each_form_names_its_moment(text: str, instant: str) -> None:
    assert instant_text(Moments(now_ms=NOW_MS)[text.encode()]) == instant


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", "now", "nan", "inf", "1e400", "2023-11-01T10:00:00", "2023-13-01T10:00:00Z", "01/Nov/2023:10:00:00"),
        *(
            "01/Foo/2023:10:00:00 +0000",
            "32/Nov/2023:10:00:00 +0000",
            "01/Nov/2023:10:00:0x +0000",
            "1/Nov/2023:1:0:0 Z",
        ),
        *("\N{ARABIC-INDIC DIGIT ONE}1/Nov/2023:10:00:00 +0000", "01/Nov/1970:10:00:00 +0000", "99999999999", "-5"),
    ],
)
def test_a_text_that_names_no_moment_of_a_log_is_not_understood(text: str) -> None:
    with pytest.raises(NotUnderstood, match="its time"):
        _ = Moments(now_ms=NOW_MS)[text.encode()]


def test_what_lies_in_the_future_is_told_by_the_time_it_is() -> None:
    moments = Moments(now_ms=NOW_MS)
    text = datetime.fromtimestamp(NOW_MS / 1_000 + 600, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000").encode()
    with pytest.raises(NotUnderstood, match="in the future"):
        _ = moments[text]
    moments.tell(NOW_MS + 400_000)
    assert moments[text] == NOW_MS + 600_000


def test_what_is_remembered_stays_bounded() -> None:
    moments = Moments(now_ms=NOW_MS)
    for second in range(CACHED_MAX + 10):
        _ = moments[b"%d" % (1_600_000_000 + second)]
    assert len(moments) <= CACHED_MAX
