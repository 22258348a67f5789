"""What DynamoDB tables are asked and refuse, second by second and key by key, as Prometheus reads it.

AWS's own figures come minutes late and name no key. A process that lives long enough to be asked shows these at
/metrics; functions do not, and print theirs into the log (shells/lambdas/gauges.py).
"""

from collections.abc import Iterable, Mapping

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from footfall.adapters.aws.counting_calls import OTHER_PARTITIONS, CountedCalls, Spent

PARTITIONS_SHOWN_MAX = 20  # Each is three series; the hottest are what a throttled table is looked at for.
KINDS = ("read", "written", "refused")
OTHERS = "(others)"  # Beyond what is counted by name in a second.


def table_families(tables: Mapping[str, CountedCalls]) -> Iterable[Metric]:
    """Yield the families of the tables, each named as a person knows it."""
    total = CounterMetricFamily(
        "footfall_table_units", "Units of the table since the start, by what became of them.", labels=["table", "kind"]
    )
    attempts = CounterMetricFamily(
        "footfall_table_attempts", "Items that were sent to the table, each time they were.", labels=["table"]
    )
    reads = CounterMetricFamily(
        "footfall_table_reads",
        "Requests of reading that were sent to the table, each time they were.",
        labels=["table"],
    )
    last = GaugeMetricFamily(
        "footfall_table_units_last_second", "Units of the last second that is over.", labels=["table", "kind"]
    )
    peak = GaugeMetricFamily(
        "footfall_table_units_second_max",
        "Units of the highest second among the last two minutes.",
        labels=["table", "kind"],
    )
    keys = GaugeMetricFamily(
        "footfall_table_partition_units",
        f"Units of the last two minutes of the {PARTITIONS_SHOWN_MAX} hottest partition keys, refused ones first.",
        labels=["table", "partition", "kind"],
    )
    for name, counted in tables.items():
        attempts.add_metric([name], counted.attempts)
        reads.add_metric([name], counted.reads)
        seconds = [second.total for second in counted.seconds()]
        last_second = counted.last_second().total
        hottest = counted.hottest(PARTITIONS_SHOWN_MAX)
        for kind in KINDS:
            total.add_metric([name, kind], _units(counted.total, kind))
            last.add_metric([name, kind], _units(last_second, kind))
            peak.add_metric([name, kind], max((_units(one, kind) for one in seconds), default=0))
            for partition, spent in hottest:
                shown = OTHERS if partition == OTHER_PARTITIONS else partition
                keys.add_metric([name, shown, kind], _units(spent, kind))
    return [total, attempts, reads, last, peak, keys]


class TableGauges(Collector):
    """Reads the gauges of tables when it is asked."""

    def __init__(self, tables: Mapping[str, CountedCalls]) -> None:
        self._tables = tables

    def collect(self) -> Iterable[Metric]:
        """Yield every gauge as it is now."""
        yield from table_families(self._tables)


def _units(spent: Spent, kind: str) -> float:
    return getattr(spent, kind)
