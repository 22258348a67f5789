"""Objects that others wrote into a bucket of S3: read whole, with what tells one content under a name from the next."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TypeVar

from footfall.adapters.aws.backoff import Backoff, retried
from footfall.adapters.aws.s3_client import Answer, S3Client
from footfall.adapters.aws.s3_errors import NoSuchObject, NotNow, in_our_words
from footfall.ports.errors import Throttled, TooLarge

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_UNVERSIONED = ("", "null")  # How S3 names the version of an object in a bucket without versions.

Given = TypeVar("Given")


@dataclass(frozen=True, slots=True)
class SourceObject:
    """An object's bytes; its version is the bucket's, or its ETag where the bucket keeps none."""

    data: bytes
    version: str
    written_at_ms: int


@dataclass(frozen=True, slots=True)
class SourcePage:
    """Names in a bucket; `after` continues the list, None ends it."""

    keys: Sequence[str]
    after: str | None


class S3Source:
    """Reads the buckets of others."""

    def __init__(
        self, client: S3Client, *, chance: Random, pause: Callable[[float], None], backoff: Backoff | None = None
    ) -> None:
        self._client = client
        self._chance = chance
        self._pause = pause
        self._backoff = backoff or Backoff()

    def get(self, bucket: str, key: str, *, version: str = "", bytes_max: int) -> SourceObject | None:
        """Return the object, of one version if that is named; None when it is gone; raise TooLarge."""
        asked = {"Bucket": bucket, "Key": key} | ({} if version in _UNVERSIONED else {"VersionId": version})

        def read() -> SourceObject:
            answer = self._client.get_object(**asked)
            size = int(answer["ContentLength"])
            if size > bytes_max:
                answer["Body"].close()
                raise TooLarge(f"s3://{bucket}/{key} has {size:,} bytes, at most {bytes_max:,} are taken: write less")
            return SourceObject(answer["Body"].read(), _version_of(answer), _moment_of(answer))

        try:
            return self._asked(read, f"s3://{bucket}/{key}", needs=_reading(has_version="VersionId" in asked))
        except NoSuchObject:
            return None

    def page(self, bucket: str, prefix: str, *, after: str = "", limit: int = 1_000) -> SourcePage:
        """Return the first names under a prefix that come after one, as the store orders them."""
        asked = {"Bucket": bucket, "Prefix": prefix, "MaxKeys": limit} | ({"StartAfter": after} if after else {})
        needs = "have s3:ListBucket on the bucket"
        answer = self._asked(lambda: self._client.list_objects_v2(**asked), f"s3://{bucket}/{prefix}", needs=needs)
        keys = [str(one["Key"]) for one in answer.get("Contents", [])]
        return SourcePage(keys, keys[-1] if keys and answer.get("IsTruncated") else None)

    def _asked(self, call: Callable[[], Given], where: str, *, needs: str) -> Given:
        def translated() -> Given:
            try:
                return call()
            except Exception as error:  # Whatever botocore raises is told in our words; the rest is raised as it is.
                ours = in_our_words(error, where=where, needs=needs)
                if ours is None:
                    raise
                raise ours from error

        waits_ms = self._backoff.waits_ms(self._chance)
        return retried(translated, passing=(Throttled, NotNow), waits_ms=waits_ms, pause=self._pause)


def _reading(*, has_version: bool) -> str:
    action = "s3:GetObjectVersion" if has_version else "s3:GetObject"
    return f"have {action} on the bucket's objects, and kms:Decrypt on the key if KMS encrypts them"


def _version_of(answer: Answer) -> str:
    version = str(answer.get("VersionId", ""))
    return str(answer["ETag"]).strip('"') if version in _UNVERSIONED else version


def _moment_of(answer: Answer) -> int:
    modified: datetime = answer["LastModified"]
    return (modified - _EPOCH) // _MILLISECOND
