"""Blobs on S3, and on stores that speak it: one object, one key, which is its name.

Every object that we write carries a checksum of all its bytes and a name of the write that made it. The first
tells whether what comes back is what was sent. The second tells whose an object is when an answer was lost on its way:
the same write, made again, then finds itself and not a rival.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from xxhash import xxh3_64_hexdigest

from footfall.adapters.aws.backoff import Backoff, retried
from footfall.adapters.aws.s3_client import Answer, S3Client
from footfall.adapters.aws.s3_errors import NoSuchObject, NotNow, in_our_words
from footfall.adapters.aws.s3_lists import Lists, page_by_bytes, page_by_folders
from footfall.ports.blobs import PAGE_NAMES_MAX, Page, UnfitName, require_fits, require_name, require_page
from footfall.ports.errors import Changed, Corrupt, Throttled

PART_BYTES = 8 * 1_048_576  # S3 wants 5 MiB of every part but the last; a part that is lost is sent again whole.
WHOLE_BYTES_MAX = 16 * 1_048_576  # Above it an object goes up in parts.

_CHECKSUM, _WRITER = "footfall-xxh3", "footfall-writer"  # The names that S3 keeps our words about an object under.

Given = TypeVar("Given")


@dataclass(frozen=True, slots=True)
class Bucket:
    """Where the objects are, and how the store lists them."""

    name: str
    lists: Lists = Lists.BY_BYTES


class S3Blobs:
    """A Blobs whose objects are in a bucket, for any number of threads and processes."""

    def __init__(
        self,
        client: S3Client,
        bucket: Bucket,
        *,
        chance: Random,
        pause: Callable[[float], None],
        new_writer: Callable[[], str],
        backoff: Backoff | None = None,
    ) -> None:
        # Two writes under one name would each take the other for itself, so no process may ever repeat one.
        self._new_writer = new_writer
        self._client = client
        self._bucket = bucket
        self._chance = chance
        self._pause = pause
        self._backoff = backoff or Backoff()

    def put(self, name: str, data: bytes) -> None:
        """Store the object in the place of whatever was there; raise NoSpace."""
        self._store(name, data, condition={})

    def put_new(self, name: str, data: bytes) -> None:
        """Store the object; raise Changed when there is one of that name, or NoSpace."""
        self._store(name, data, condition={"IfNoneMatch": "*"})

    def get(self, name: str) -> bytes | None:
        """Return the object's bytes; None when there is none."""

        def read() -> bytes:
            answer = self._client.get_object(**self._named(name), ChecksumMode="ENABLED")
            data: bytes = answer["Body"].read()
            _require_whole(name, data, answer)
            return data

        try:
            return self._asked(read, name)
        except NoSuchObject:
            return None

    def size_bytes(self, name: str) -> int | None:
        """Return how large the object is; None when there is none."""
        asked = self._named(name)
        try:
            return int(self._asked(lambda: self._client.head_object(**asked), name)["ContentLength"])
        except NoSuchObject:
            return None

    def address_of(self, name: str, *, seconds: int, kind: str, attachment: str = "") -> str:
        """Return where the object can be fetched for a while, by whoever has the address."""
        asked = {**self._named(name), "ResponseContentType": kind}
        if attachment:
            asked["ResponseContentDisposition"] = f'attachment; filename="{attachment}"'
        return self._client.generate_presigned_url("get_object", Params=asked, ExpiresIn=seconds)

    def delete(self, name: str) -> None:
        """Remove the object; nothing happens when there is none."""
        asked = self._named(name)
        try:
            self._asked(lambda: self._client.delete_object(**asked), name)
        except NoSuchObject:  # S3 says nothing about it, but some stores do.
            return

    def page(self, prefix: str = "", *, after: str | None = None, limit: int = PAGE_NAMES_MAX) -> Page:
        """Return the first objects whose names start with the prefix and come after a name, in name order."""
        require_page(limit)
        _require_whole_characters(prefix)
        _require_whole_characters(after or "")
        pages = page_by_bytes if self._bucket.lists is Lists.BY_BYTES else page_by_folders
        return pages(self._listed, prefix, after=after or "", limit=limit)

    def _named(self, name: str) -> dict[str, Any]:
        require_name(name)
        return {"Bucket": self._bucket.name, "Key": name}

    def _listed(self, asked: Mapping[str, Any]) -> Answer:
        """Return one page of what the bucket holds, in the store's own order."""
        whole = {"Bucket": self._bucket.name, **asked}
        return self._asked(lambda: self._client.list_objects_v2(**whole), str(asked.get("Prefix", "")))

    def _store(self, name: str, data: bytes, *, condition: Mapping[str, Any]) -> None:
        asked = self._named(name)
        require_fits(name, data)
        writer = self._new_writer()
        said = {_CHECKSUM: xxh3_64_hexdigest(data), _WRITER: writer}
        try:
            if len(data) > WHOLE_BYTES_MAX:
                self._store_parts(asked, data, said=said, condition=condition)
            else:
                whole = {**asked, **condition, "Body": data, "Metadata": said, "ChecksumAlgorithm": "CRC32"}
                self._asked(lambda: self._client.put_object(**whole), name)
        except (Changed, NoSuchObject) as error:
            # An earlier attempt may have been stored although its answer never came.
            if self._writer_of(asked) == writer:
                return
            if isinstance(error, Changed):
                raise
            raise NotNow(f"{name}: the upload was taken away before it was whole ({error}); try again") from error

    def _store_parts(
        self, asked: Mapping[str, Any], data: bytes, *, said: Mapping[str, str], condition: Mapping[str, Any]
    ) -> None:
        name = asked["Key"]
        beginning = {**asked, "Metadata": said, "ChecksumAlgorithm": "CRC32"}
        upload = {
            **asked,
            "UploadId": self._asked(lambda: self._client.create_multipart_upload(**beginning), name)["UploadId"],
        }
        try:
            parts = [
                self._send_part(upload, number, data[start : start + PART_BYTES])
                for number, start in enumerate(range(0, len(data), PART_BYTES), start=1)
            ]
            whole = {**upload, **condition, "MultipartUpload": {"Parts": parts}}
            self._asked(lambda: self._client.complete_multipart_upload(**whole), name)
        except BaseException:
            self._abandon(upload)
            raise

    def _send_part(self, upload: Mapping[str, Any], number: int, part: bytes) -> Mapping[str, Any]:
        sent = {**upload, "PartNumber": number, "Body": part, "ChecksumAlgorithm": "CRC32"}
        answer = self._asked(lambda: self._client.upload_part(**sent), upload["Key"])
        kept = {"PartNumber": number, "ETag": answer["ETag"]}
        return kept | ({"ChecksumCRC32": answer["ChecksumCRC32"]} if "ChecksumCRC32" in answer else {})

    def _abandon(self, upload: Mapping[str, Any]) -> None:
        """Throw the parts away, so that nobody pays for them; a lifecycle rule takes those that this cannot."""
        try:
            self._client.abort_multipart_upload(**upload)
        except Exception as error:  # Whatever botocore raises is told in our words; the rest is raised as it is.
            if in_our_words(error, where=upload["Key"]) is None:
                raise

    def _writer_of(self, asked: Mapping[str, Any]) -> str | None:
        try:
            answer = self._asked(lambda: self._client.head_object(**asked), asked["Key"])
        except NoSuchObject:
            return None
        return answer.get("Metadata", {}).get(_WRITER)

    def _asked(self, call: Callable[[], Given], name: str) -> Given:
        """Return what a call gives, made again while S3 is busy or away."""

        def translated() -> Given:
            try:
                return call()
            except Exception as error:  # Whatever botocore raises is told in our words; the rest is raised as it is.
                ours = in_our_words(error, where=f"s3://{self._bucket.name}/{name}")
                if ours is None:
                    raise
                raise ours from error

        waits_ms = self._backoff.waits_ms(self._chance)
        return retried(translated, passing=(Throttled, NotNow), waits_ms=waits_ms, pause=self._pause)


def _require_whole(name: str, data: bytes, answer: Answer) -> None:
    """Raise Corrupt unless the bytes are those that were written; what others wrote is S3's to check."""
    written = answer.get("Metadata", {}).get(_CHECKSUM)
    if written is not None and written != xxh3_64_hexdigest(data):
        raise Corrupt(f"{name}: {len(data)} bytes came back that are not those written; restore it from a copy")


def _require_whole_characters(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UnfitName(f"{text[:64]!r} has half of a surrogate pair; use whole characters") from error
