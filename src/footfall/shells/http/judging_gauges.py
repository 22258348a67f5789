"""What judging tells of itself to Prometheus: whether it follows, how much it looks at, and how much it finds."""

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from footfall.app.judging_report import GRACE_MS, Report
from footfall.values.window import MINUTE_MS


def judging_gauges(report: Report, *, now_ms: int) -> Iterator[Metric]:
    """Yield the gauges of a report; none but the counters before the first minute was judged."""
    if report.judged_ms:
        yield GaugeMetricFamily(
            "footfall_judging_behind_seconds",
            "How long a minute has been due that is not judged; 0 while judging follows.",
            value=max(0, now_ms - report.judged_ms - MINUTE_MS - GRACE_MS) / 1_000,
        )
    hits = CounterMetricFamily(
        "footfall_judging_hits",
        "Hits that judging has read since its start: judged, left to a sample of visitors, or of brands left out.",
        labels=["fate"],
    )
    hits.add_metric(["judged"], report.hits - report.sampled_out)
    hits.add_metric(["sampled"], report.sampled_out)
    hits.add_metric(["left_out"], report.left_out)
    yield hits
    yield CounterMetricFamily(
        "footfall_judging_skipped_seconds",
        "Time whose hits judging has passed over since its start, because it could not follow.",
        value=report.skipped_ms / 1_000,
    )
    yield CounterMetricFamily(
        "footfall_judging_verdicts", "Verdicts that judging has stored since its start.", value=report.verdicts
    )
    yield GaugeMetricFamily("footfall_judging_brands", "Brands that are being judged.", value=report.brands)
    ready = GaugeMetricFamily(
        "footfall_judging_ready_brands",
        "Brands of which enough was seen to find visitors, or assets, by comparison with others.",
        labels=["subject"],
    )
    ready.add_metric(["visitor"], report.ready_visitors)
    ready.add_metric(["asset"], report.ready_assets)
    yield ready
