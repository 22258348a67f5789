"""What the audience tells of itself to Prometheus: playbacks still to be written, follows to be counted."""

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from footfall.shells.http.audience_desk import AudienceDesk


def audience_gauges(desk: AudienceDesk, *, now_ms: int) -> Iterator[Metric]:
    """Yield the gauges of the audience; zeros as long as nobody asked for a place to play, or followed anything."""
    unrecorded, forgotten = desk.behind
    yield GaugeMetricFamily(
        "footfall_playbacks_unrecorded",
        "Places, beats and ends of playbacks that were answered from memory and are still to be written.",
        value=unrecorded,
    )
    yield CounterMetricFamily(
        "footfall_playbacks_forgotten",
        "Those that were never written since the start, because too many waited while the table was away.",
        value=forgotten,
    )
    told = desk.follows_told
    yield GaugeMetricFamily(
        "footfall_follows_waiting_seconds",
        "How long ago the oldest follow or unfollow happened that the stream does not have yet; 0 when there is none.",
        value=max(0, now_ms - told.oldest_ms) / 1_000 if told.oldest_ms else 0,
    )
    yield CounterMetricFamily(
        "footfall_follows_told",
        "Follows and unfollows that went into the stream since the start, to be counted.",
        value=told.changes,
    )
    yield CounterMetricFamily(
        "footfall_follows_unreadable",
        "Follows and unfollows that could not be read in the table since the start, and were passed over.",
        value=told.unreadable,
    )
