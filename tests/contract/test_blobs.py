"""What every Blobs adapter promises, asked of each of them."""

import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.adapters.aws.s3_blobs import Bucket, S3Blobs
from footfall.adapters.aws.s3_lists import Lists
from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.ports.blobs import DATA_BYTES_MAX, PAGE_NAMES_MAX, Blobs, UnfitName, everything
from footfall.ports.errors import Changed, TooLarge
from tests.engines.seaweedfs import Store, remove


@contextmanager
def files(_request: pytest.FixtureRequest) -> Generator[Blobs]:
    with tempfile.TemporaryDirectory() as folder:
        yield FileBlobs(Path(folder))


@contextmanager
def s3_on_seaweedfs(request: pytest.FixtureRequest) -> Generator[Blobs]:
    with s3(request.getfixturevalue("seaweedfs"), Lists.BY_FOLDERS) as blobs:
        yield blobs


@contextmanager
def s3_in_byte_order(request: pytest.FixtureRequest) -> Generator[Blobs]:
    with s3(request.getfixturevalue("ministack"), Lists.BY_BYTES) as blobs:
        yield blobs


@contextmanager
def s3(store: Store, lists: Lists) -> Generator[Blobs]:
    bucket = store.new_bucket()
    yield S3Blobs(
        store.shared(), Bucket(bucket, lists), chance=Random(7), pause=time.sleep, new_writer=lambda: uuid4().hex
    )
    remove(store, bucket)


# A further adapter is one more line: a context in which an empty one stands.
ADAPTERS: dict[str, Callable[[pytest.FixtureRequest], AbstractContextManager[Blobs]]] = {
    "files": files,
    "s3 on SeaweedFS": s3_on_seaweedfs,
    "s3 in byte order": s3_in_byte_order,
}
every_adapter = pytest.mark.parametrize("adapter", list(ADAPTERS))


@pytest.fixture(params=list(ADAPTERS))
def blobs(request: pytest.FixtureRequest) -> Iterator[Blobs]:
    with ADAPTERS[request.param](request) as empty:
        yield empty


def names(blobs: Blobs, prefix: str = "") -> list[str]:
    return [blob.name for blob in everything(blobs, prefix)]


def test_what_was_put_comes_back(blobs: Blobs) -> None:
    blobs.put("raw/abc/2026-11-15T14.zst", b"\x00\xff" * 1000)
    assert blobs.get("raw/abc/2026-11-15T14.zst") == b"\x00\xff" * 1000
    assert blobs.size_bytes("raw/abc/2026-11-15T14.zst") == 2000


def test_an_empty_object_is_an_object(blobs: Blobs) -> None:
    blobs.put("empty", b"")
    assert blobs.get("empty") == b""
    assert blobs.size_bytes("empty") == 0
    assert names(blobs) == ["empty"]


def test_what_was_never_put_is_not_there(blobs: Blobs) -> None:
    assert blobs.get("a/b") is None
    assert blobs.size_bytes("a/b") is None
    assert names(blobs) == []


def test_a_second_put_takes_the_place_of_the_first(blobs: Blobs) -> None:
    blobs.put("a", b"long and old")
    blobs.put("a", b"new")
    assert blobs.get("a") == b"new"


def test_put_new_changes_nothing_when_the_name_is_taken(blobs: Blobs) -> None:
    blobs.put_new("a", b"first")
    with pytest.raises(Changed):
        blobs.put_new("a", b"second")
    assert blobs.get("a") == b"first"
    blobs.delete("a")
    blobs.put_new("a", b"third")
    assert blobs.get("a") == b"third"


def test_of_many_rivals_one_puts_the_new_object(blobs: Blobs) -> None:
    won: list[int] = []

    def try_to_put(rival: int) -> None:
        try:
            blobs.put_new("seat", str(rival).encode())
        except Changed:
            return
        won.append(rival)

    rivals = [threading.Thread(target=try_to_put, args=(rival,)) for rival in range(8)]
    for rival in rivals:
        rival.start()
    for rival in rivals:
        rival.join()
    assert [blobs.get("seat")] == [str(rival).encode() for rival in won]


def test_a_reader_sees_a_whole_object_or_none(blobs: Blobs) -> None:
    done = threading.Event()
    seen: set[bytes | None] = set()

    def read() -> None:
        while not done.is_set():
            seen.add(blobs.get("folder/a"))

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(20):
        blobs.put("folder/a", bytes([turn]) * 50_000)
        if turn % 5 == 4:
            blobs.delete("folder/a")
    done.set()
    reader.join()
    assert seen <= {None, *(bytes([turn]) * 50_000 for turn in range(20))}


def test_puts_and_deletes_side_by_side_do_not_disturb_each_other(blobs: Blobs) -> None:
    failures: list[Exception] = []

    def put_and_delete(worker: int) -> None:
        try:
            for turn in range(10):
                blobs.put(f"deep/er/still/{worker}", b"%d" % turn)
                assert blobs.get(f"deep/er/still/{worker}") == b"%d" % turn
                blobs.delete(f"deep/er/still/{worker}")
        except Exception as failure:  # noqa: BLE001 - the test's own thread has to hear of it
            failures.append(failure)

    workers = [threading.Thread(target=put_and_delete, args=(worker,)) for worker in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failures == []
    assert names(blobs) == []


def test_deleting_what_is_not_there_does_nothing(blobs: Blobs) -> None:
    blobs.put("a/b/c", b"1")
    for name in ["a", "a/b", "a/b/c/d", "x/y/z", "a/b/c", "a/b/c"]:
        blobs.delete(name)
    assert names(blobs) == []


def test_a_name_and_names_under_it_stand_beside_each_other(blobs: Blobs) -> None:
    given_names = [
        "a",
        "a/b",
        "a/b/c",
        "a@",
        "a@/b",
        "a~",
        "~a",
        "a%2Fb",
        "a.",
        ".a",
        "...",
        "a b",
        "a+b",
        "a-b",
        "a-b/c",
    ]
    for name in given_names:
        blobs.put(name, name.encode())
    assert names(blobs) == sorted(given_names)
    assert [blobs.get(name) for name in given_names] == [name.encode() for name in given_names]


def test_names_that_differ_only_by_case_or_form_are_different(blobs: Blobs) -> None:
    given_names = [
        "news",
        "News",
        "NEWS",
        "\u00e9",
        "e\u0301",
        "\u212b",
        "\u00c5",
        "päivä",
        "新聞",
        "📰",
        "%61",
        "a",
        "%",
    ]
    for name in given_names:
        blobs.put(name, name.encode())
    assert names(blobs) == sorted(given_names)
    assert [blobs.get(name) for name in given_names] == [name.encode() for name in given_names]


@pytest.mark.parametrize(
    "name",
    [
        "/".join(["x" * 255] * 4),
        "/".join(["é" * 127] * 4),
        "/".join(["a"] * 512),
        "A" * 255 + "/b/" + "C" * 255,
        "€" * 85,
    ],
)
def test_the_longest_names_are_kept(blobs: Blobs, name: str) -> None:
    blobs.put(name, b"1")
    assert names(blobs) == [name]
    assert blobs.get(name) == b"1"
    blobs.delete(name)
    assert blobs.get(name) is None


def test_no_name_begins_with_a_slash(blobs: Blobs) -> None:
    blobs.put("a", b"1")
    assert names(blobs, "/a") == []
    assert names(blobs, "/") == []


LONG = ["/".join(["x" * 255] * 4) + "/", "/".join(["x" * 204] * 5) + "12", "x" * 256, "a/" + "é" * 128 + "/b"]
UNFIT = ["", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "a\0", "a\nb", "\x7f", "\x85", "a\\b"]


@pytest.mark.parametrize("name", [*UNFIT, *LONG, "\ud800"])
def test_a_name_that_some_ground_cannot_keep_is_refused_everywhere(blobs: Blobs, name: str) -> None:
    for call in [lambda: blobs.put(name, b""), lambda: blobs.put_new(name, b""), lambda: blobs.delete(name)]:
        with pytest.raises(UnfitName):
            call()
    with pytest.raises(UnfitName):
        blobs.get(name)
    with pytest.raises(UnfitName):
        blobs.size_bytes(name)
    assert names(blobs) == []


def test_an_object_over_the_limit_is_refused(blobs: Blobs) -> None:
    with pytest.raises(TooLarge, match=str(DATA_BYTES_MAX + 1)):
        blobs.put("a", bytes(DATA_BYTES_MAX + 1))
    assert names(blobs) == []


def test_a_list_goes_on_where_the_page_before_it_ended(blobs: Blobs) -> None:
    for number in range(7):
        blobs.put(f"a/{number}", b"x" * number)
    blobs.put("b", b"")
    first = blobs.page("a/", limit=3)
    second = blobs.page("a/", limit=3, after=first.after)
    third = blobs.page("a/", limit=3, after=second.after)
    assert [[blob.name for blob in page.blobs] for page in (first, second, third)] == [
        ["a/0", "a/1", "a/2"],
        ["a/3", "a/4", "a/5"],
        ["a/6"],
    ]
    assert [blob.size_bytes for blob in first.blobs] == [0, 1, 2]
    assert third.after is None


def test_a_page_that_ends_with_the_list_says_so(blobs: Blobs) -> None:
    blobs.put("a", b"")
    blobs.put("b", b"")
    assert blobs.page(limit=2).after is None
    assert blobs.page(limit=1).after == "a"


@pytest.mark.parametrize("limit", [0, -1, PAGE_NAMES_MAX + 1])
def test_a_page_has_a_limit(blobs: Blobs, limit: int) -> None:
    with pytest.raises(ValueError, match=str(limit)):
        blobs.page(limit=limit)


# Few letters, so that names often share their beginnings, and pieces around the length that an adapter may cut at.
letters = st.sampled_from(["a", "b", "A", ".", "-", "/", "0", "~", "@", "%", "é", "📰", "a" * 39, "b" * 40])
fit_names = (
    st.lists(letters, min_size=1, max_size=6)
    .map("".join)
    .filter(lambda name: not {"", ".", ".."} & set(name.split("/")))
)
changes = st.tuples(st.sampled_from(["put", "put_new", "delete"]), fit_names, st.binary(max_size=8))
pages = st.tuples(st.text("ab/.", max_size=3), st.one_of(st.none(), fit_names), st.integers(min_value=1, max_value=4))


@pytest.mark.hypothesis
@every_adapter
def test_any_calls_do_what_a_dictionary_would(request: pytest.FixtureRequest, adapter: str) -> None:
    # A call across a socket takes a hundred times longer than one to a file.
    @given(st.lists(changes, max_size=12), st.lists(pages, max_size=4))
    @settings(max_examples=settings().max_examples // (1 if adapter == "files" else 3), deadline=None)
    def holds(steps: list[tuple[str, str, bytes]], asked: list[tuple[str, str | None, int]]) -> None:
        require_like_a_dictionary(request, adapter, steps, asked)

    holds()


def require_like_a_dictionary(
    request: pytest.FixtureRequest,
    adapter: str,
    steps: list[tuple[str, str, bytes]],
    asked: list[tuple[str, str | None, int]],
) -> None:
    kept: dict[str, bytes] = {}
    with ADAPTERS[adapter](request) as blobs:
        for verb, name, data in steps:
            change_both(blobs, kept, verb=verb, name=name, data=data)
            assert blobs.get(name) == kept.get(name)
        assert [(blob.name, blob.size_bytes) for blob in everything(blobs)] == [
            (name, len(kept[name])) for name in sorted(kept)
        ]
        for prefix, after, limit in asked:
            wanted = [name for name in sorted(kept) if name.startswith(prefix) and (after is None or name > after)]
            page = blobs.page(prefix, after=after, limit=limit)
            assert [blob.name for blob in page.blobs] == wanted[:limit]
            assert page.after == (wanted[limit - 1] if len(wanted) > limit else None)


def change_both(blobs: Blobs, kept: dict[str, bytes], *, verb: str, name: str, data: bytes) -> None:
    if verb == "delete":
        blobs.delete(name)
        kept.pop(name, None)
    elif verb == "put":
        blobs.put(name, data)
        kept[name] = data
    elif name in kept:
        with pytest.raises(Changed):
            blobs.put_new(name, data)
    else:
        blobs.put_new(name, data)
        kept[name] = data
