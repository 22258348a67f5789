"""The monthly bill of a workload, part by part; each line is a quantity, a price with its source, and their product."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from footfall.planning.capacity import Capacity, capacity_costs
from footfall.planning.figures import Figure, Origin, derived, documented, total
from footfall.planning.prices import Region
from footfall.planning.site import Stack
from footfall.planning.workload import MONTH_DAYS, Workload
from footfall.planning.workload_functions import LIST_BYTES, function_figures
from footfall.planning.workload_stream import ARCHIVED_BYTES_WHY, EVENT_LIMITS, RECORD_BYTES_WHY

MONTH_HOURS = MONTH_DAYS * 24
GB = 10**9
ALARMS, DASHBOARDS = 36, 1  # deploy/aws/template.yaml
GAUGES, GAUGES_OF_BRAND, BRANDS_GAUGED_MAX = 18, 1, 50  # shells/lambdas/gauges.py
CALL_LOG_BYTES = 350  # START, END and REPORT of a call, as Lambda writes them
EVENT_LOG_BYTES = 1_500  # the lines of metrics that an event of the count function writes
ANSWER_BYTES = 350  # headers and the answer to a hit
RAW_READS = 3  # Judging, setting apart and counting referrers each read an object of raw hits once.


class Part(StrEnum):
    """The services that are paid for."""

    DYNAMODB = "DynamoDB"
    KINESIS = "Kinesis"
    LAMBDA = "Lambda"
    API = "HTTP API"
    CLOUDFRONT = "CloudFront"
    S3 = "S3"
    CLOUDWATCH = "CloudWatch"


@dataclass(frozen=True, slots=True)
class Bill:
    """What a month costs: the lines, their parts and the sum."""

    lines: tuple[tuple[Part, Figure], ...]
    capacity: Capacity  # how the table's units are bought, and what the other ways would cost

    @property
    def total(self) -> Figure:
        """Return the whole bill."""
        return total(
            "bill.total",
            "USD",
            "All parts of a month of 30 days; nothing that is free for a while is taken off.",
            self.parts().values(),
        )

    def parts(self) -> dict[Part, Figure]:
        """Return the sums of the services, the dearest first."""
        sums = {
            part: total(
                f"bill.{part.name.lower()}",
                "USD",
                f"All lines of {part.value}.",
                [line for of, line in self.lines if of is part],
            )
            for part in Part
        }
        return dict(sorted(sums.items(), key=lambda one: -one[1].value))

    @property
    def usd(self) -> Decimal:
        """Return the whole bill as a number."""
        return Decimal(self.total.value)


def bill_of(work: Workload, region: Region, *, after_days: float = 365.0, ways: bool = True) -> Bill:
    """Return the bill of a month with such traffic, with what was stored in so many days before its end."""
    priced = _Pricing(work, region, after_days)
    capacity = capacity_costs(work, region, months=work.days / MONTH_DAYS) if ways else None
    lines = [
        *priced.table(),
        *priced.stored(),
        *priced.stream(),
        *priced.functions(),
        *priced.front(),
        *priced.objects(),
        *priced.watching(),
    ]
    return Bill(tuple(lines), capacity or Capacity(()))


def gb_second_price(stack: Stack) -> str:
    """Return the name of the price that a stack's functions have for their time."""
    return "lambda.gb-second-arm" if stack.arm else "lambda.gb-second"


class _Pricing:
    """One workload and one region's prices."""

    def __init__(self, work: Workload, region: Region, after_days: float) -> None:
        self.work = work
        self.region = region
        self.after_days = after_days
        self.scale = MONTH_DAYS / work.days

    def month(self, values: float) -> float:
        """Return a sum over what was planned for as one of a month."""
        return values * self.scale

    def line(self, price: str, name: str, quantity: float, unit: str, why: str, *inputs: Figure) -> Figure:
        """Return what a quantity costs."""
        told = derived(f"use.{name}", quantity, unit, why, *inputs)
        cost = self.region.cost(price, Decimal(repr(float(quantity))))
        return derived(f"bill.{name}", cost, "USD", f"{unit} of a month, at their price.", told, self.price(price))

    def price(self, name: str) -> Figure:
        """Return a price as a figure."""
        price = self.region.price(name)
        checked = "" if price.is_confirmed else " It could not be read from the vendor's own list."
        why = f"{self.region.title}, for {price.per:,} of: {price.unit}.{checked}"
        return Figure(f"price.{name}", price.usd, "USD", why, Origin.PRICED, f"{price.source}, {price.address}")

    def table(self) -> Iterator[tuple[Part, Figure]]:
        """Yield the table's lines, as the template has it: paid by the request."""
        work = self.work
        kinds = [
            derived(f"writes.{kind}", self.month(float(units.sum())), "write units", why)
            for kind, units in work.written.units.items()
            if (why := _WRITES[kind])
        ]
        yield (
            Part.DYNAMODB,
            self.line(
                "dynamodb.write-request",
                "table-writes",
                self.month(float(work.writes.sum())),
                "write units",
                "What counting writes, by kind; tests/planning/test_workload_engines.py compares it with "
                "DynamoDB's local build.",
                *kinds,
            ),
        )
        reads = [
            derived(f"reads.{who}", self.month(float(units.sum())), "read units", _READS[who])
            for who, units in work.read_units.items()
        ]
        yield (
            Part.DYNAMODB,
            self.line(
                "dynamodb.read-request",
                "table-reads",
                self.month(float(work.reads.sum())),
                "read units",
                "What counting, serving and maintenance read, at most.",
                *reads,
            ),
        )

    def stored(self) -> Iterator[tuple[Part, Figure]]:
        """Yield what lying in the table costs."""
        stored = [
            derived(
                f"stored.{kind.replace(' ', '-')}",
                size / GB,
                "GB",
                "Bytes of a day, times the days that they are kept.",
            )
            for kind, size in self.work.table_bytes(after_days=self.after_days).items()
        ]
        size = sum(float(one.value) for one in stored)
        why = f"What lies in the table after {self.after_days:,.0f} days of such traffic."
        yield Part.DYNAMODB, self.line("dynamodb.storage-gb-month", "table-storage", size, "GB-months", why, *stored)
        why = "Point-in-time recovery, which the template switches on, is paid by the table's size."
        yield Part.DYNAMODB, self.line("dynamodb.pitr-gb-month", "table-recovery", size, "GB-months", why)

    def stream(self) -> Iterator[tuple[Part, Figure]]:
        """Yield the stream's lines."""
        work = self.work
        hours = float(work.stack.kinesis_shards * MONTH_HOURS)
        shards = derived("shards.kinesis", work.stack.kinesis_shards, "shards", "As the plan has chosen, or was told.")
        why = "Every shard is paid for by the hour, whatever goes through it."
        yield Part.KINESIS, self.line("kinesis.shard-hour", "stream-shards", hours, "shard-hours", why, shards)
        if work.stack.retention_h > 24:
            kept = documented(
                "stream.retention",
                work.stack.retention_h,
                "hours",
                "Hits wait so long when they cannot be counted; beyond 24 hours a shard costs more.",
                "deploy/aws/template.yaml (StreamRetentionHours)",
            )
            yield (
                Part.KINESIS,
                self.line(
                    "kinesis.extended-retention-shard-hour",
                    "stream-retention",
                    hours,
                    "shard-hours",
                    "Keeping records for more than a day.",
                    kept,
                ),
            )
        units = self.month(float(work.carried.put_units.sum()))
        records = derived(
            "stream.records",
            self.month(float(work.carried.records.sum())),
            "records",
            "One for each request and counting shard that its hits go to.",
            RECORD_BYTES_WHY,
        )
        why = "A record is a payload unit for each 25 KB that it begins."
        yield Part.KINESIS, self.line("kinesis.put-unit", "stream-puts", units, "payload units", why, records)

    def functions(self) -> Iterator[tuple[Part, Figure]]:
        """Yield what the functions cost: calls, and memory for the time that they run."""
        calls: list[Figure] = []
        seconds: list[Figure] = []
        for name, one in self.work.functions.items():
            calls.append(derived(f"calls.{name}", self.month(float(one.calls.sum())), "calls", _CALLS[name]))
            seconds.append(
                derived(
                    f"gb-seconds.{name}",
                    self.month(one.gb_seconds),
                    "GB-seconds",
                    f"Its time, times its {one.memory_mb:,} MB.",
                )
            )
        count = sum(float(one.value) for one in calls)
        why = "All functions' calls of a month."
        yield Part.LAMBDA, self.line("lambda.request", "function-calls", count, "calls", why, *calls, EVENT_LIMITS)
        price = gb_second_price(self.work.stack)
        time = sum(float(one.value) for one in seconds)
        why = "All functions' time of a month."
        yield Part.LAMBDA, self.line(price, "function-time", time, "GB-seconds", why, *seconds, *function_figures())

    def front(self) -> Iterator[tuple[Part, Figure]]:
        """Yield the HTTP API and the edge in front of it."""
        work = self.work
        hits, lists = self.month(float(work.carried.requests.sum())), self.month(float(work.lists.asked.sum()))
        reached = self.month(float(work.lists.reached.sum()))
        sent = derived("requests.hits", hits, "requests", "Requests that bring hits: hits by hits of a request.")
        asked = derived("requests.lists", lists, "requests", "Lists that readers ask for.")
        behind = derived(
            "requests.lists-behind-the-edge",
            reached,
            "requests",
            "Each edge fetches a list once in the 30 s that it may keep it.",
            asked,
        )
        why = "Every request with hits, and lists that no edge has, reach the API."
        yield (
            Part.API,
            self.line("api-gateway.http-request", "api-requests", hits + reached, "requests", why, sent, behind),
        )
        at_edge = (hits if work.stack.edge else 0.0) + lists
        why = "Hits and lists that come through CloudFront." if work.stack.edge else "Lists; hits go to the API itself."
        yield Part.CLOUDFRONT, self.line("cloudfront.request", "edge-requests", at_edge, "requests", why, sent, asked)
        size = lists * LIST_BYTES + (hits * ANSWER_BYTES if work.stack.edge else 0.0)
        why = (
            "A list of 5,381 bytes (bench/results/serve.json; compressed it is less), and 350 for the answer to a hit."
        )
        yield Part.CLOUDFRONT, self.line("cloudfront.gb-out", "edge-bytes", size / GB, "GB", why, sent, asked)
        # What goes to CloudFront is free; past it, answers go out to the world at the region's own price.
        if not work.stack.edge:
            why = "350 bytes for the answer to a hit, from the API to whoever sent it, as no edge is in between."
            yield Part.API, self.line("transfer.out-gb", "api-bytes", hits * ANSWER_BYTES / GB, "GB", why, sent)

    def objects(self) -> Iterator[tuple[Part, Figure]]:
        """Yield the raw hits on S3."""
        work = self.work
        puts = self.month(float(work.written.puts.sum()))
        why = "An object for each brand, counting shard and flush."
        yield Part.S3, self.line("s3.put-request", "object-puts", puts, "puts", why)
        reads = puts * (2 * work.stack.judging + work.stack.referrers)
        why = "Judging, setting apart and counting referrers read each object once."
        yield Part.S3, self.line("s3.get-request", "object-gets", reads, "gets", why)
        size = work.raw_bytes(after_days=self.after_days) / GB
        why = f"Raw hits of the last {work.stack.raw_days} days."
        yield Part.S3, self.line("s3.storage-gb-month", "object-storage", size, "GB-months", why, ARCHIVED_BYTES_WHY)

    def watching(self) -> Iterator[tuple[Part, Figure]]:
        """Yield logs, gauges, alarms and the dashboard."""
        work = self.work
        calls = self.month(sum(float(one.calls.sum()) for one in work.functions.values()))
        events = self.month(float(work.carried.events.sum())) + 2 * MONTH_HOURS * 60
        size = (calls * CALL_LOG_BYTES + events * EVENT_LOG_BYTES) / GB
        why = "350 bytes of each call, as Lambda writes them (assumed), and 1,500 of the gauges of an event or a round."
        yield Part.CLOUDWATCH, self.line("cloudwatch.logs-gb", "logs", size, "GB", why)
        kept = size * work.stack.log_days / MONTH_DAYS * 0.15
        why = f"Kept for {work.stack.log_days} days, compressed to 15 % as the vendor estimates."
        yield Part.CLOUDWATCH, self.line("cloudwatch.logs-storage-gb-month", "logs-storage", kept, "GB-months", why)
        gauges = GAUGES + min(work.site.popularity.brands, BRANDS_GAUGED_MAX) * GAUGES_OF_BRAND
        why = "Metrics of our own: 18 of the stack, and one of each brand, of 50 at most (shells/lambdas/gauges.py)."
        yield Part.CLOUDWATCH, self.line("cloudwatch.metric-month", "gauges", gauges, "metrics", why)
        why = "Alarms of deploy/aws/template.yaml."
        yield Part.CLOUDWATCH, self.line("cloudwatch.alarm-month", "alarms", ALARMS, "alarms", why)
        why = "The stack's dashboard."
        yield Part.CLOUDWATCH, self.line("cloudwatch.dashboard-month", "dashboard", DASHBOARDS, "dashboards", why)


_WRITES = {
    "minutes": "Each brand's minute in each shard, written with every flush that meets it; its size is what the "
    "format packs.",
    "hours": "An hour of each brand and shard, built once, packed tighter, in pieces of whole units.",
    "days": "A day of each brand and shard, likewise.",
    "visitors": "Sketches of visitors beside the windows; off with Uniques=false.",
    "journal": "An entry for each flush and each built window.",
    "checkpoints": "One write of each flush and built window, with the ledger and the place in the stream.",
    "pending": "Two writes for each longer window: when it is met, and when it is built.",
    "finishing": "One delete for each longer window, a day after its end.",
    "ids": "Blocks of ids that were seen, 39 to a unit.",
}
_READS = {
    "counting": "A checkpoint for each flush, heads that are replaced, and minutes that an hour is built of.",
    "serving": "Looks of the warm functions, ten in the time between two writes at most.",
    "maintenance": "Checkpoints, brands and verdicts, once a minute.",
    "door": "Every warm function that collects looks every ten seconds whether brands, keys or rules have changed.",
}
_CALLS = {
    "collect": "One for each request that brings hits.",
    "count": "One for each event: when its time is over, at 10,000 records or at 6 MB.",
    "serve": "One for each list that no edge has.",
    "maintenance": "One a minute.",
    "judge": "One a minute, while judging or referrers are on.",
}

Billed = Callable[[Workload], Bill]
