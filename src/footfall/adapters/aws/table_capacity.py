"""What a table on DynamoDB is provisioned with, what its last minutes used, and how both are changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footfall.adapters.aws.account_calls import called
from footfall.adapters.aws.sessions import Ground, client_of

ACTIVE = "ACTIVE"
MINUTE_S = 60
READS, WRITES = "reads", "writes"
DIRECTIONS = (READS, WRITES)
_UNITS = {READS: "ReadCapacityUnits", WRITES: "WriteCapacityUnits"}
_USED = {READS: "ConsumedReadCapacityUnits", WRITES: "ConsumedWriteCapacityUnits"}
# Amazon DynamoDB Developer Guide, "CloudWatch throttling metrics": each names why a call was refused.
_REFUSED = {READS: "ReadProvisionedThroughputThrottleEvents", WRITES: "WriteProvisionedThroughputThrottleEvents"}
_HOT = {READS: "ReadKeyRangeThroughputThrottleEvents", WRITES: "WriteKeyRangeThroughputThrottleEvents"}
LATE_MS = 300_000  # So late may CloudWatch tell of a minute; of one in which nothing was used it never does.


@dataclass(frozen=True, slots=True)
class Provisioned:
    """What a table or one of its indexes is provisioned with; an index has its name, the table none."""

    index: str
    units: Mapping[str, int]  # by direction; 0 where it is billed by use
    status: str
    decreases_today: int = 0
    last_decrease_ms: int | None = None
    last_increase_ms: int | None = None

    @property
    def is_on_demand(self) -> bool:
        """Whether it is billed by use and has no capacity to set."""
        return not any(self.units.values())


@dataclass(frozen=True, slots=True)
class MinuteUse:
    """Units per second that a minute used, and how many calls were refused in it, and for which reason."""

    at_ms: int
    units: float
    refused: int = 0  # more was asked for than is provisioned
    hot: int = 0  # one range of keys was asked for more than a partition gives


@dataclass(frozen=True, slots=True)
class Change:
    """New capacities of a table and of indexes of it, in one call."""

    units: Mapping[str, int] = field(default_factory=dict[str, int])  # the table's, both directions; empty: as they are
    indexes: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, Mapping[str, int]])


class TableCapacity:
    """The capacity of one table, asked of DynamoDB, and its use, asked of CloudWatch."""

    def __init__(self, table: str, ground: Ground) -> None:
        self.table = table
        self._tables: Any = called("dynamodb:DescribeTable", lambda: client_of("dynamodb", ground))
        self._watch: Any = called("cloudwatch:GetMetricStatistics", lambda: client_of("cloudwatch", ground))

    def provisioned(self) -> Sequence[Provisioned]:
        """Return what the table and its indexes are provisioned with, the table first."""
        answer = called("dynamodb:DescribeTable", lambda: self._tables.describe_table(TableName=self.table))
        told = answer["Table"]
        indexes = told.get("GlobalSecondaryIndexes", [])
        return [
            _provisioned("", told, told["TableStatus"]),
            # While the table changes, nothing of it may be changed: an index waits with it.
            *(_provisioned(one["IndexName"], one, one.get("IndexStatus", ACTIVE)) for one in indexes),
        ]

    def minutes(self, index: str, direction: str, *, from_ms: int, to_ms: int) -> Sequence[MinuteUse]:
        """Return the minutes of a span, the oldest first; one of which CloudWatch knows nothing used nothing."""
        names = (_USED[direction], _REFUSED[direction], _HOT[direction])
        used, refused, hot = self._sums(index, names, from_ms=from_ms, to_ms=to_ms)
        # What has not come yet is not "nothing".
        last_ms = max((to_ms - LATE_MS, *used, *refused, *hot))
        return [
            MinuteUse(at_ms, used.get(at_ms, 0.0) / MINUTE_S, int(refused.get(at_ms, 0)), int(hot.get(at_ms, 0)))
            for at_ms in range(from_ms, last_ms + 1, MINUTE_S * 1_000)
        ]

    def change(self, change: Change) -> None:
        """Ask for new capacities; DynamoDB takes its time, and takes no other change meanwhile."""
        ask: dict[str, Any] = {"TableName": self.table}
        if change.units:
            ask["ProvisionedThroughput"] = _throughput(change.units)
        if change.indexes:
            ask["GlobalSecondaryIndexUpdates"] = [
                {"Update": {"IndexName": name, "ProvisionedThroughput": _throughput(units)}}
                for name, units in sorted(change.indexes.items())
            ]
        called("dynamodb:UpdateTable", lambda: self._tables.update_table(**ask))

    def _sums(self, index: str, names: Sequence[str], *, from_ms: int, to_ms: int) -> Sequence[dict[int, float]]:
        dimensions = [{"Name": "TableName", "Value": self.table}]
        if index:
            dimensions.append({"Name": "GlobalSecondaryIndexName", "Value": index})
        found: list[dict[int, float]] = []
        for name in names:
            answer = called(
                "cloudwatch:GetMetricStatistics",
                lambda name=name: self._watch.get_metric_statistics(
                    Namespace="AWS/DynamoDB", MetricName=name, Dimensions=dimensions, Statistics=["Sum"],
                    StartTime=from_ms // 1_000, EndTime=to_ms // 1_000, Period=MINUTE_S,
                ),
            )  # fmt: skip
            found.append({_minute_ms(one["Timestamp"]): float(one["Sum"]) for one in answer["Datapoints"]})
        return found


def _provisioned(index: str, told: Mapping[str, Any], status: str) -> Provisioned:
    throughput = told.get("ProvisionedThroughput", {})
    return Provisioned(
        index,
        {direction: int(throughput.get(_UNITS[direction], 0)) for direction in DIRECTIONS},
        status,
        int(throughput.get("NumberOfDecreasesToday", 0)),
        _moment_ms(throughput.get("LastDecreaseDateTime")),
        _moment_ms(throughput.get("LastIncreaseDateTime")),
    )


def _moment_ms(moment: Any) -> int | None:
    return None if moment is None else int(moment.timestamp() * 1_000)


def _throughput(units: Mapping[str, int]) -> dict[str, int]:
    return {_UNITS[direction]: units[direction] for direction in DIRECTIONS}


def _minute_ms(moment: Any) -> int:
    return int(moment.timestamp()) // MINUTE_S * MINUTE_S * 1_000
