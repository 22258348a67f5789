"""What an instance tells of itself to Prometheus, looked up when it is asked and at no other time.

Counting on each request would cost the hot lane something; here everything is read from where it is kept anyway.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from footfall import __version__
from footfall.flow.store.checkpoints import LINES, Checkpoint, Lines
from footfall.flow.stream.beats import NO_ROOM
from footfall.shells.http.audience_gauges import audience_gauges
from footfall.shells.http.capacity_gauges import capacity_gauges
from footfall.shells.http.judging_gauges import judging_gauges
from footfall.shells.http.state import FrontState
from footfall.values.groups import is_beside, is_of_pings

GAUGES_KIND = CONTENT_TYPE_PLAIN_0_0_4
BRANDS_MAX = 200  # Each brand makes some twelve series, and with --dev anybody may name a brand.
UNPROVEN_MAX = 2_000  # Some ten reasons for each brand that has keys.
SCREENED = "screened:"  # A line of the ledger that has reasons is told by reason.

Sample = tuple[Sequence[str], float]


def gauge_registry(state: FrontState) -> CollectorRegistry:
    """Return a registry of this instance's gauges alone."""
    registry = CollectorRegistry()
    registry.register(Gauges(state))
    return registry


def gauges_text(registry: CollectorRegistry) -> bytes:
    """Return all gauges in the text format of Prometheus."""
    return generate_latest(registry)


class Gauges(Collector):
    """Reads the gauges from the running front."""

    def __init__(self, state: FrontState) -> None:
        self._state = state

    def collect(self) -> Iterable[Metric]:
        """Yield every gauge as it is now."""
        now_ms = self._state.clock.now_ms()
        # Parts are read before the whole: what comes in between is in flight, and nothing is ever below zero.
        checkpoints = self._state.checkpoints()
        yield from _front(self._state)
        yield from _shards(self._state, checkpoints, now_ms)
        yield from _brands(self._state, checkpoints, now_ms)
        yield _unproven(self._state)
        if self._state.settings.screening_judging:
            yield from judging_gauges(self._state.judged.report, now_ms=now_ms)
        yield from _files(self._state)
        yield from capacity_gauges(self._state)
        yield from audience_gauges(self._state.audience, now_ms=now_ms)


def _front(state: FrontState) -> Iterator[Metric]:
    lane, committer, answers = state.lane, state.committer, state.answers
    yield InfoMetricFamily("footfall_build", "The version that runs.", value={"version": __version__})
    yield _gauge("footfall_start_time_seconds", "When the instance started, in Unix time.", state.started_at_ms / 1_000)
    yield _gauge("footfall_ready", "1 when hits are taken and lists are served, else 0.", int(state.is_ready()))
    yield _counter("footfall_requests", "Requests that came since the start.", lane.requests)
    yield _counter("footfall_hits_accepted", "Hits answered with 202 since the start.", state.totals.hits_accepted)
    yield _counter("footfall_hits_refused", "Hits that could not be taken since the start.", state.totals.hits_refused)
    yield _family(
        CounterMetricFamily("footfall_posts_refused", "Posts of hits that got no 2xx.", labels=["status"]),
        [([str(status)], count) for status, count in sorted(state.totals.posts_refused.items())],
    )
    yield _gauge("footfall_connections", "Connections that are open.", len(lane.connections))
    yield _gauge("footfall_buffered_bytes", "Bytes of request bodies that are still arriving.", lane.buffered_bytes)
    yield _gauge("footfall_pending_bytes", "Bytes of hits that wait for the disk.", committer.pending_bytes)
    yield _counter("footfall_commits", "Commits of the stream since the start.", committer.commits)
    yield _gauge("footfall_answers_ready", "Answers that are kept as bytes.", len(answers))
    yield _gauge("footfall_answers_bytes", "Memory that the ready answers take.", answers.size_bytes)
    yield _family(
        CounterMetricFamily(
            "footfall_child_restarts",
            "How often a process of the instance ended by itself and was started again.",
            labels=["process"],
        ),
        [
            (["counting"], state.counting.restarts),
            (["answering"], state.answering.restarts),
            (["judging"], state.judging.restarts),
        ],
    )


def _shards(state: FrontState, checkpoints: Mapping[int, Checkpoint], now_ms: int) -> Iterator[Metric]:
    lags = {shard: _lag(state, shard, one.through, now_ms) for shard, one in checkpoints.items()}
    flushed = {shard: one for shard, one in checkpoints.items() if one.flushed_at_ms}
    for name, says, values in (
        (
            "footfall_lag_records",
            "Records of the stream that are not in the store yet.",
            {shard: lag.records for shard, lag in lags.items()},
        ),
        (
            "footfall_lag_seconds",
            "How long ago the oldest record that is not in the store yet arrived; 0 when there is none.",
            {shard: lag.age_ms / 1_000 for shard, lag in lags.items()},
        ),
        (
            "footfall_flush_seconds",
            "How long the shard's last write to the store took.",
            {shard: one.flush_ms / 1_000 for shard, one in flushed.items()},
        ),
        (
            "footfall_overflow_hits",
            "Hits that count in no row because a minute had too many assets or labels.",
            {shard: one.overflow for shard, one in checkpoints.items()},
        ),
        (
            "footfall_crowded_beats",
            "Beats of players that count for nothing because the shard had too many sessions open.",
            {shard: _crowded(one) for shard, one in checkpoints.items()},
        ),
        (
            "footfall_flush_age_seconds",
            "How long ago the shard last wrote to the store.",
            {shard: max(0, now_ms - one.flushed_at_ms) / 1_000 for shard, one in flushed.items()},
        ),
    ):
        samples: list[Sample] = [([str(shard)], value) for shard, value in sorted(values.items())]
        yield _family(GaugeMetricFamily(name, says, labels=["shard"]), samples)


def _crowded(checkpoint: Checkpoint) -> int:
    return sum(lines.screened[NO_ROOM] for group, lines in checkpoint.lines.items() if is_of_pings(group))


@dataclass(frozen=True, slots=True)
class _Lag:
    """How far the counting of a shard is behind its stream."""

    records: int
    age_ms: int


def _lag(state: FrontState, shard: int, through: int, now_ms: int) -> _Lag:
    records = state.stream.tip(shard) - through
    # The oldest uncounted record tells its age. That of the last counted one would be the length of a quiet night.
    oldest = state.stream.read(shard, after=through, limit=1) if records else []
    return _Lag(records, max(0, now_ms - oldest[0].arrived_at_ms) if oldest else 0)


def _brands(state: FrontState, checkpoints: Mapping[int, Checkpoint], now_ms: int) -> Iterator[Metric]:
    lines = _lines_of_brands(checkpoints)
    appended = state.hits_of_brands()
    brands = sorted({*state.known_brands(), *lines}, key=lambda brand: (-_heard_at_ms(lines, appended, brand), brand))
    shown = brands[:BRANDS_MAX]
    yield _family(
        CounterMetricFamily("footfall_brand_accepted", "Hits of the brand that were ever accepted.", labels=["brand"]),
        [([brand], appended.get(brand, 0)) for brand in shown],
    )
    yield _family(
        GaugeMetricFamily(
            "footfall_brand_line_hits",
            "Hits of the brand by the line of the ledger they are in.",
            labels=["brand", "line"],
        ),
        [sample for brand in shown for sample in _line_samples(brand, lines.get(brand) or Lines())],
    )
    yield _family(
        GaugeMetricFamily(
            "footfall_brand_in_flight", "Accepted hits of the brand that are in no line yet.", labels=["brand"]
        ),
        [([brand], appended.get(brand, 0) - _handled(lines.get(brand) or Lines())) for brand in shown],
    )
    yield _family(
        GaugeMetricFamily(
            "footfall_brand_seconds_since_last_hit", "How long ago the brand was last heard of.", labels=["brand"]
        ),
        [
            ([brand], max(0, now_ms - lines[brand].last_hit_ms) / 1_000)
            for brand in shown
            if brand in lines and lines[brand].last_hit_ms
        ],
    )
    left_out = f"Brands without gauges of their own, beyond the {BRANDS_MAX} last heard of."
    yield _gauge("footfall_brands_left_out", left_out, len(brands) - len(shown))


def _unproven(state: FrontState) -> Metric:
    counted = sorted(state.access.proofs.counts.total.items())
    return _family(
        CounterMetricFamily(
            "footfall_brand_unproven_requests",
            "Requests since the start whose signature or token was missing, forged, stale or replayed.",
            labels=["brand", "why", "outcome"],
        ),
        [([line.brand, line.why, line.outcome], count) for line, count in counted[:UNPROVEN_MAX]],
    )


def _lines_of_brands(checkpoints: Mapping[int, Checkpoint]) -> dict[str, Lines]:
    brands: dict[str, Lines] = {}
    for checkpoint in checkpoints.values():
        for brand, lines in checkpoint.lines.items():
            if not is_beside(brand):
                brands.setdefault(brand, Lines()).add(lines)
    return brands


def _heard_at_ms(lines: Mapping[str, Lines], appended: Mapping[str, int], brand: str) -> float:
    if brand in lines:
        return lines[brand].last_hit_ms
    # Accepted and in no line yet: its first hits came a moment ago.
    return float("inf") if appended.get(brand) else 0


def _line_samples(brand: str, lines: Lines) -> Iterator[Sample]:
    for line in LINES:
        yield [brand, line], getattr(lines, line)
    for reason, hits in sorted(lines.screened.items()):
        yield [brand, SCREENED + reason], hits


def _handled(lines: Lines) -> int:
    return sum(getattr(lines, line) for line in LINES) + lines.screened.total()


def _files(state: FrontState) -> Iterator[Metric]:
    sizes: list[Sample] = [([name], size) for name, size in sorted(state.disk_bytes().items())]
    yield _family(
        GaugeMetricFamily("footfall_disk_bytes", "Size of a file in the data directory.", labels=["file"]), sizes
    )
    disk = os.statvfs(state.settings.data_dir)
    free = "Bytes that footfall may still write to the disk of its data directory."
    yield _gauge("footfall_disk_free_bytes", free, disk.f_bavail * disk.f_frsize)
    since = "The moment from which on all raw hits are kept, in Unix time; 0 when none was ever forgotten."
    yield _gauge("footfall_raw_since_seconds", since, state.stream.kept_since_ms() / 1_000)


def _gauge(name: str, says: str, value: float) -> Metric:
    return GaugeMetricFamily(name, says, value=value)


def _counter(name: str, says: str, value: float) -> Metric:
    return CounterMetricFamily(name, says, value=value)


def _family(family: GaugeMetricFamily | CounterMetricFamily, samples: Iterable[Sample]) -> Metric:
    for labels, value in samples:
        family.add_metric(labels, value)
    return family
