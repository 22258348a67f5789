"""What a deployment asks of an account beside its stacks: a bucket for code, and how what was deployed is doing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from footfall.adapters.aws.account_calls import NotThere, called
from footfall.adapters.aws.sessions import Ground, client_of

UPLOAD_TIMEOUT_MS = 300_000  # An archive has some 30 MB, and lines are slow.
PAGES_MAX = 10_000  # A million objects of raw hits for each 1,000.
ALARMS_MAX = 100
LAG_SPAN_MS = 600_000


@dataclass(frozen=True, slots=True)
class Mapped:
    """How the stream's records come to the function that counts them."""

    state: str
    last_result: str


class Account:
    """An account in a region, as whoever is signed in here may use it."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    @cached_property
    def id(self) -> str:
        """The account's number."""
        client = client_of("sts", self._ground)
        return called("sts:GetCallerIdentity", client.get_caller_identity)["Account"]

    @cached_property
    def region(self) -> str:
        """The region that calls go to."""
        return called("sts:GetCallerIdentity", lambda: client_of("sts", self._ground)).meta.region_name

    def client(self, service: str) -> Any:
        """Return a client of a service."""
        return called(f"{service}:*", lambda: client_of(service, self._ground))

    # --- code ---------------------------------------------------------------------------------------

    @cached_property
    def _s3(self) -> Any:
        patient = replace(self._ground, read_timeout_ms=UPLOAD_TIMEOUT_MS)
        # What stands in for S3 on another address has no name of its own for each bucket.
        config = {"s3": {"addressing_style": "path"}} if self._ground.endpoint else None
        return called("s3:*", lambda: client_of("s3", patient, config=config))

    def require_bucket(self, name: str) -> bool:
        """Make the bucket unless it is there; tell whether it was made. One of another account is refused."""
        try:
            called("s3:ListBucket", lambda: self._s3.head_bucket(Bucket=name, ExpectedBucketOwner=self.id))
        except NotThere:
            where = {} if self.region == "us-east-1" else {"LocationConstraint": self.region}
            options = {"CreateBucketConfiguration": where} if where else {}
            called("s3:CreateBucket", lambda: self._s3.create_bucket(Bucket=name, **options))
            return True
        return False

    def put(self, bucket: str, key: str, content: bytes) -> str:
        """Store an object and return its address as CloudFormation takes it."""
        called(
            "s3:PutObject",
            lambda: self._s3.put_object(Bucket=bucket, Key=key, Body=content, ExpectedBucketOwner=self.id),
        )
        return f"{self._s3.meta.endpoint_url}/{bucket}/{key}"

    def has(self, bucket: str, key: str) -> bool:
        """Tell whether an object is there."""
        try:
            called("s3:GetObject", lambda: self._s3.head_object(Bucket=bucket, Key=key, ExpectedBucketOwner=self.id))
        except NotThere:
            return False
        return True

    def put_file(self, bucket: str, key: str, path: Path) -> None:
        """Store a file under a name that says its content, unless it is there."""
        if not self.has(bucket, key):
            self.put(bucket, key, path.read_bytes())

    # --- what a stack leaves --------------------------------------------------------------------------

    def remove_table(self, name: str) -> None:
        """Delete a table, protected or not."""
        tables = self.client("dynamodb")
        try:
            called(
                "dynamodb:UpdateTable",
                lambda: tables.update_table(TableName=name, DeletionProtectionEnabled=False),
            )
            called("dynamodb:DeleteTable", lambda: tables.delete_table(TableName=name))
        except NotThere:
            return

    def remove_bucket(self, name: str) -> int:
        """Delete a bucket with all that is in it, and return how many objects that were."""
        removed = 0
        for _ in range(PAGES_MAX):
            try:
                page = called("s3:ListBucket", lambda: self._s3.list_objects_v2(Bucket=name))
            except NotThere:
                return removed
            keys = [{"Key": one["Key"]} for one in page.get("Contents", [])]
            if not keys:
                break
            called(
                "s3:DeleteObject",
                lambda keys=keys: self._s3.delete_objects(Bucket=name, Delete={"Objects": keys, "Quiet": True}),
            )
            removed += len(keys)
        called("s3:DeleteBucket", lambda: self._s3.delete_bucket(Bucket=name))
        return removed

    # --- how it is doing ------------------------------------------------------------------------------

    def alarms(self, names: Sequence[str]) -> Mapping[str, str]:
        """Return those of the named alarms that are in alarm, each with what it says."""
        watch = self.client("cloudwatch")
        found: dict[str, str] = {}
        for first in range(0, len(names), ALARMS_MAX):
            some = list(names[first : first + ALARMS_MAX])
            answer = called(
                "cloudwatch:DescribeAlarms",
                lambda some=some: watch.describe_alarms(AlarmNames=some, StateValue="ALARM", MaxRecords=ALARMS_MAX),
            )
            found |= {one["AlarmName"]: one.get("AlarmDescription", "") for one in answer["MetricAlarms"]}
        return found

    def mapping(self, id: str) -> Mapped:
        """Return how records come to a function."""
        answer = called("lambda:GetEventSourceMapping", lambda: self.client("lambda").get_event_source_mapping(UUID=id))
        return Mapped(answer["State"], answer.get("LastProcessingResult", ""))

    def lag_ms(self, function: str, *, now_ms: int) -> int | None:
        """Return how far counting was behind lately; nothing when there is no figure."""
        watch = self.client("cloudwatch")
        answer = called(
            "cloudwatch:GetMetricStatistics",
            lambda: watch.get_metric_statistics(
                Namespace="AWS/Lambda",
                MetricName="IteratorAge",
                Dimensions=[{"Name": "FunctionName", "Value": function}],
                StartTime=(now_ms - LAG_SPAN_MS) // 1_000,
                EndTime=now_ms // 1_000,
                Period=60,
                Statistics=["Maximum"],
            ),
        )
        points = sorted(answer["Datapoints"], key=lambda one: one["Timestamp"])
        return int(points[-1]["Maximum"]) if points else None
