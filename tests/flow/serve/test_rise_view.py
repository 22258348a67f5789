"""What rises are told from: every minute of the last day, none of them twice and none left out."""

from itertools import pairwise

import numpy as np
import pytest

from footfall.flow.serve.rise_view import BASELINE_HOURS, rise_spans
from footfall.flow.serve.rises import Hits, risen, rises
from footfall.values.period import Span
from footfall.values.window import HOUR_MS, MINUTE_MS, moment_from_text

USUAL = 200  # assets with ten hits a minute


def moment(clock: str) -> int:
    return moment_from_text(f"2026-11-16T{clock}Z", field="at")


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "Europe/Berlin"])
@pytest.mark.parametrize("clock", ["07:00", "07:29", "07:30", "07:59"])
def test_the_baseline_ends_where_the_last_hour_begins(clock: str, zone: str) -> None:
    recent, baseline = rise_spans(moment(clock), zone)
    windows = [window for span in (*baseline, *recent) for window in span.windows]
    assert all(one.to_ms == two.from_ms for one, two in pairwise(windows))
    assert windows[-1].to_ms - recent[0].from_ms == HOUR_MS
    assert windows[-1].to_ms == moment(clock) + MINUTE_MS
    assert len(baseline) - BASELINE_HOURS in (0, 1)
    assert 0 <= recent[0].from_ms - baseline[0].from_ms - BASELINE_HOURS * HOUR_MS < HOUR_MS


def hits_in(span: Span, published_ms: int) -> Hits:
    """Return what is usual, and an asset with a hundred hits a minute that falls to sixty after 48 minutes."""
    falling = 0.0
    for minute_ms in range(span.from_ms, span.to_ms, MINUTE_MS):
        if minute_ms >= published_ms:
            falling += 100 if minute_ms < published_ms + 48 * MINUTE_MS else 60
    usual = np.full(USUAL, 10.0 * (span.to_ms - span.from_ms) / MINUTE_MS)
    hits = np.append(usual, falling) if falling else usual
    return Hits(np.arange(len(hits)), hits, float(hits.sum()))


@pytest.mark.parametrize("clock", ["07:30", "07:50", "07:58", "07:59", "08:05"])
def test_an_asset_that_falls_does_not_rise_whenever_it_was_published(clock: str) -> None:
    recent, baseline = (
        [hits_in(span, moment("06:02")) for span in spans] for spans in rise_spans(moment(clock), "UTC")
    )
    assert USUAL not in risen(rises(recent, baseline, assets=USUAL + 1))
