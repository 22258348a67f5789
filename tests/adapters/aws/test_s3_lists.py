"""Pages in the order of bytes, whatever order the store keeps; the stores here are dictionaries that page like one."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapters.aws import s3_lists
from footfall.adapters.aws.s3_lists import page_by_bytes, page_by_folders
from footfall.ports.blobs import Page
from footfall.ports.errors import Unavailable

letters = st.sampled_from(["a", "b", "-", ".", "/", "0", "é"])
names = st.lists(letters, min_size=1, max_size=6).map("".join).filter(lambda name: is_fit(name))


def is_fit(name: str) -> bool:
    return not {"", ".", ".."} & set(name.split("/"))


def by_folders(kept: set[str], *, page: int) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """Return a list call that answers as SeaweedFS does: folder by folder, so many entries at a time."""

    def listed(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        prefix: str = asked["Prefix"]
        entries: set[str] = set()
        for name in kept:
            if name.startswith(prefix):
                rest = name[len(prefix) :]
                entries.add(prefix + rest[: rest.find("/") + 1] if "/" in rest else name)
        ordered = sorted(entries, key=lambda entry: entry.split("/"))
        start = int(asked.get("ContinuationToken", "0"))
        shown = ordered[start : start + page]
        return {
            "Contents": [{"Key": name, "Size": len(name)} for name in shown if not name.endswith("/")],
            "CommonPrefixes": [{"Prefix": name} for name in shown if name.endswith("/")],
            "IsTruncated": start + page < len(ordered),
            "NextContinuationToken": str(start + page),
        }

    return listed


def by_bytes(kept: list[str]) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """Return a list call that answers as S3 does."""

    def listed(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        wanted = [name for name in kept if name.startswith(asked["Prefix"]) and name > asked.get("StartAfter", "")]
        shown = wanted[: asked["MaxKeys"]]
        return {"Contents": [{"Key": name, "Size": 0} for name in shown], "IsTruncated": len(shown) < len(wanted)}

    return listed


@given(st.sets(names, max_size=12), st.text("ab/.", max_size=3), st.one_of(st.just(""), names), st.integers(1, 4))
def test_a_store_that_lists_by_folders_gives_pages_in_the_order_of_bytes(
    kept: set[str], prefix: str, after: str, limit: int
) -> None:
    wanted = [name for name in sorted(kept) if name.startswith(prefix) and name > after]
    page = page_by_folders(by_folders(kept, page=2), prefix, after=after, limit=limit)
    assert [blob.name for blob in page.blobs] == wanted[:limit]
    assert page.after == (wanted[limit - 1] if len(wanted) > limit else None)


def test_what_a_console_made_is_no_object_of_ours() -> None:
    kept = ["a", "folder/", "folder/b", "x//y", "z"]
    seen: list[str] = []
    page = Page([], after="")
    while page.after is not None:
        page = page_by_bytes(by_bytes(kept), "", after=page.after, limit=1)
        seen += [blob.name for blob in page.blobs]
    assert seen == ["a", "folder/b", "z"]


def test_a_store_that_lists_in_another_order_than_said_is_refused() -> None:
    with pytest.raises(Unavailable, match=r"'a-b' after 'a/b'.*by-folders"):
        page_by_bytes(by_bytes(["a/b", "a-b"]), "", after="", limit=10)


def test_a_folder_too_large_to_be_put_in_order_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3_lists, "FOLDER_NAMES_MAX", 3)
    with pytest.raises(Unavailable, match="spread them"):
        page_by_folders(by_folders(set("abcd"), page=2), "", after="", limit=1)
