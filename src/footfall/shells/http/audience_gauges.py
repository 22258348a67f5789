"""What playback limits tell of themselves to Prometheus: how much the table has still to be told, and never will be."""

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from footfall.shells.http.audience_desk import AudienceDesk


def audience_gauges(desk: AudienceDesk) -> Iterator[Metric]:
    """Yield the gauges of the audience; zeros as long as nobody asked for a place to play."""
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
