"""What only S3 can do wrong: be busy, lose an answer, be misnamed; each is told in the words of the port."""

import threading
from collections.abc import Callable, Generator
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError

from footfall.adapters.aws.backoff import Backoff
from footfall.adapters.aws.s3_blobs import PART_BYTES, WHOLE_BYTES_MAX, Bucket, S3Blobs
from footfall.adapters.aws.s3_lists import Lists
from footfall.ports.errors import Changed, Corrupt, NoSpace, Throttled, Unavailable
from tests.engines.seaweedfs import Store, free_ports, remove

BIG = Random(7).randbytes(WHOLE_BYTES_MAX + PART_BYTES // 2)


class Ground:
    """A bucket, a client whose calls can be made to fail, and the pauses that were made."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.bucket = store.new_bucket()
        self.client = store.client()
        self.pauses: list[float] = []
        self.calls: list[str] = []
        self.client.meta.events.register("before-send.s3", self._note)

    def blobs(self, **backoff: int) -> S3Blobs:
        return S3Blobs(
            self.client,
            Bucket(self.bucket, Lists.BY_FOLDERS),
            chance=Random(7),
            pause=self.pauses.append,
            new_writer=new_writer,
            backoff=Backoff(**backoff),
        )

    def _note(self, event_name: str, **_: Any) -> None:
        self.calls.append(event_name.rpartition(".")[2])

    def refuse(self, call: str, code: str, *, status: int, times: int = 1_000) -> None:
        """Have so many calls answered with an error, without their reaching the store."""
        left = iter(range(times))
        body = f"<Error><Code>{code}</Code><Message>as injected</Message></Error>".encode()

        def answer(**_: Any) -> Any:
            return None if next(left, None) is None else AWSResponse("", status, {}, Raw(body))

        self.client.meta.events.register_first(f"before-send.s3.{call}", answer)

    def lose_answers(self, call: str, error: Exception, *, times: int = 1) -> None:
        """Have so many calls done by the store and their answers lost on the way."""
        left = iter(range(times))

        def lose(**_: Any) -> None:
            if next(left, None) is not None:
                raise error

        self.client.meta.events.register(f"after-call.s3.{call}", lose)


def new_writer() -> str:
    return uuid4().hex


class Raw:
    """A body as the HTTP library gives it."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self, **_: Any) -> Generator[bytes]:
        yield self._body


@pytest.fixture
def ground(seaweedfs: Store) -> Generator[Ground]:
    one = Ground(seaweedfs)
    yield one
    remove(seaweedfs, one.bucket)


TIMEOUT = ReadTimeoutError(endpoint_url="http://s3")
CLOSED = ConnectionClosedError(endpoint_url="http://s3")


def test_a_large_object_goes_up_in_parts_and_comes_back_whole(ground: Ground) -> None:
    blobs = ground.blobs()
    blobs.put("big", BIG)
    assert ground.calls == ["CreateMultipartUpload", *["UploadPart"] * 3, "CompleteMultipartUpload"]
    assert blobs.get("big") == BIG
    assert blobs.size_bytes("big") == len(BIG)


def test_of_two_large_new_objects_one_is_stored_and_no_part_is_left_behind(ground: Ground) -> None:
    blobs = ground.blobs()
    blobs.put_new("big", BIG)
    with pytest.raises(Changed):
        blobs.put_new("big", BIG[::-1])
    assert blobs.get("big") == BIG
    assert "Uploads" not in ground.client.list_multipart_uploads(Bucket=ground.bucket)


def test_a_part_that_was_refused_is_sent_again_alone(ground: Ground) -> None:
    ground.refuse("UploadPart", "SlowDown", status=503, times=2)
    ground.blobs().put("big", BIG)
    assert ground.calls.count("CreateMultipartUpload") == 1
    assert ground.blobs().get("big") == BIG


def test_a_large_object_that_fails_leaves_nothing_behind(ground: Ground) -> None:
    ground.refuse("CompleteMultipartUpload", "AccessDenied", status=403)
    with pytest.raises(Unavailable, match="AccessDenied"):
        ground.blobs().put("big", BIG)
    assert ground.blobs().get("big") is None
    assert "Uploads" not in ground.client.list_multipart_uploads(Bucket=ground.bucket)


@pytest.mark.parametrize("code", ["SlowDown", "ThrottlingException", "RequestLimitExceeded"])
def test_a_busy_store_is_asked_again_after_jittered_waits(ground: Ground, code: str) -> None:
    ground.refuse("PutObject", code, status=503, times=4)
    ground.blobs(first_ms=100, cap_ms=300).put("a", b"1")
    assert ground.blobs().get("a") == b"1"
    assert len(ground.pauses) == 4
    assert all(0 <= pause <= bound for pause, bound in zip(ground.pauses, [0.1, 0.2, 0.3, 0.3], strict=True))


@pytest.mark.parametrize(
    ("call", "ask"),
    [
        ("PutObject", lambda blobs: blobs.put("a", b"1")),
        ("GetObject", lambda blobs: blobs.get("a")),
        ("HeadObject", lambda blobs: blobs.size_bytes("a")),
        ("DeleteObject", lambda blobs: blobs.delete("a")),
        ("ListObjectsV2", lambda blobs: blobs.page()),
    ],
)
def test_a_store_that_stays_busy_or_broken_is_told_after_the_last_attempt(
    ground: Ground, call: str, ask: Callable[[S3Blobs], object]
) -> None:
    for code, status, told in [("SlowDown", 503, Throttled), ("InternalError", 500, Unavailable)]:
        ground.refuse(call, code, status=status, times=3)
        with pytest.raises(told):
            ask(ground.blobs(attempts_max=3))
    assert len(ground.pauses) == 4
    ask(ground.blobs(attempts_max=1))


@pytest.mark.parametrize("lost", [TIMEOUT, CLOSED])
def test_a_new_object_whose_answer_was_lost_is_not_taken_for_a_rivals(ground: Ground, lost: Exception) -> None:
    ground.lose_answers("PutObject", lost)
    ground.blobs().put_new("seat", b"mine")
    assert ground.calls == ["PutObject", "PutObject", "HeadObject"]
    assert ground.blobs().get("seat") == b"mine"
    with pytest.raises(Changed):
        ground.blobs().put_new("seat", b"mine")


def test_a_large_object_whose_answer_was_lost_is_found_again(ground: Ground) -> None:
    ground.lose_answers("CompleteMultipartUpload", TIMEOUT)
    ground.blobs().put_new("big", BIG)
    assert ground.blobs().get("big") == BIG


def test_a_rival_that_came_between_two_attempts_wins(ground: Ground) -> None:
    ground.refuse("PutObject", "InternalError", status=500, times=1)
    rival = S3Blobs(
        ground.store.shared(), Bucket(ground.bucket), chance=Random(8), pause=lambda _: None, new_writer=new_writer
    )
    blobs = S3Blobs(
        ground.client,
        Bucket(ground.bucket),
        chance=Random(7),
        pause=lambda _: rival.put("seat", b"r"),
        new_writer=new_writer,
    )
    with pytest.raises(Changed):
        blobs.put_new("seat", b"mine")
    assert rival.get("seat") == b"r"


def test_a_timeout_that_stays_is_told_as_unknown(ground: Ground) -> None:
    ground.lose_answers("PutObject", TIMEOUT, times=100)
    with pytest.raises(Unavailable, match="whether the call took effect is unknown"):
        ground.blobs(attempts_max=2).put("a", b"1")


def test_bytes_that_are_not_those_written_are_told(ground: Ground) -> None:
    ground.blobs().put("a", b"right")
    said = ground.client.head_object(Bucket=ground.bucket, Key="a")["Metadata"]
    ground.client.put_object(Bucket=ground.bucket, Key="a", Body=b"wrong", Metadata=said)
    with pytest.raises(Corrupt, match="not those written"):
        ground.blobs().get("a")


def test_objects_of_others_can_be_read(ground: Ground) -> None:
    ground.client.put_object(Bucket=ground.bucket, Key="firehose/2026/part-0", Body=b"{}\n")
    assert ground.blobs().get("firehose/2026/part-0") == b"{}\n"


def test_a_missing_bucket_is_told_with_what_to_do(ground: Ground) -> None:
    blobs = S3Blobs(ground.client, Bucket("not-there"), chance=Random(7), pause=never, new_writer=new_writer)
    for call in (lambda: blobs.put("a", b"1"), lambda: blobs.get("a"), lambda: blobs.page()):
        with pytest.raises(Unavailable, match=r"not-there.*make the bucket"):
            call()


def test_a_wrong_secret_is_told_with_what_to_do(seaweedfs: Store) -> None:
    client = Store(seaweedfs.endpoint, secret="another").client()
    blobs = S3Blobs(client, Bucket("any"), chance=Random(7), pause=never, new_writer=new_writer)
    with pytest.raises(Unavailable, match="secret that belongs to the access key"):
        blobs.get("a")


def test_a_store_that_is_not_there_is_told(ground: Ground) -> None:
    nowhere = Store(f"http://127.0.0.1:{free_ports(1)[0]}").client(connect_timeout=1)
    ground.client = nowhere
    blobs = ground.blobs(attempts_max=3)
    with pytest.raises(Unavailable, match=f"s3://{ground.bucket}/a"):
        blobs.get("a")
    assert len(ground.pauses) == 2


def test_a_full_store_is_told_as_no_space(ground: Ground) -> None:
    ground.refuse("PutObject", "QuotaExceeded", status=403)
    with pytest.raises(NoSpace, match="make room"):
        ground.blobs().put("a", b"1")


def test_a_store_that_lists_by_folders_is_not_taken_for_one_that_lists_by_bytes(ground: Ground) -> None:
    for name in ("a/b", "a-b"):
        ground.blobs().put(name, b"")
    with pytest.raises(Unavailable, match="by-folders"):
        S3Blobs(ground.client, Bucket(ground.bucket), chance=Random(7), pause=never, new_writer=new_writer).page()
    assert [blob.name for blob in ground.blobs().page().blobs] == ["a-b", "a/b"]


def test_errors_that_are_not_about_s3_are_not_hidden(ground: Ground) -> None:
    ground.lose_answers("GetObject", ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        ground.blobs().get("a")


def test_many_threads_share_one_adapter(ground: Ground) -> None:
    blobs = ground.blobs()
    threads = [threading.Thread(target=blobs.put, args=(f"t/{number}", b"x" * number)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [blob.size_bytes for blob in blobs.page("t/").blobs] == list(range(8))


def never(wait_s: float) -> None:
    pytest.fail(f"nobody should wait, and for {wait_s} s")
