"""Pages of names in the order of their bytes, from stores that list so and from those that list by folders.

S3 lists names by their bytes. SeaweedFS, and others that keep objects as files, list a folder's content where
the folder's own name stands: `a/b` comes before `a-b` there, although `-` is the smaller byte. Of such a store one
folder is read at a time and put in order here.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from itertools import pairwise
from typing import Any

from footfall.ports.blobs import PAGE_NAMES_MAX, Listed, Page, UnfitName, require_name
from footfall.ports.errors import Unavailable

FOLDER_NAMES_MAX = 100_000  # What one folder may hold where it has to be put in order in memory: some 20 MB.

List = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Lists(StrEnum):
    """How a store orders the names that it lists."""

    BY_BYTES = "by-bytes"
    BY_FOLDERS = "by-folders"


def page_by_bytes(listed: List, prefix: str, *, after: str, limit: int) -> Page:
    """Return a page of a store that lists as S3 does."""
    while True:
        asked = {"Prefix": prefix, "MaxKeys": limit} | ({"StartAfter": after} if after else {})
        answer = listed(asked)
        keys: list[str] = [one["Key"] for one in answer.get("Contents", [])]
        _require_in_order(keys, after)
        found = [one for one in _objects(answer) if _is_ours(one.name)]
        is_more = bool(answer.get("IsTruncated")) and bool(keys)
        if found or not is_more:
            return Page(found, after=keys[-1] if is_more else None)
        after = keys[-1]


def page_by_folders(listed: List, prefix: str, *, after: str, limit: int) -> Page:
    """Return a page of a store that lists folder by folder."""
    found: list[Listed] = []
    folder = prefix[: prefix.rfind("/") + 1]
    for one in _walked(listed, folder, prefix=prefix, after=after.encode()):
        if len(found) == limit:
            return Page(found, after=found[-1].name)
        found.append(one)
    return Page(found, after=None)


def _walked(listed: List, folder: str, *, prefix: str, after: bytes) -> Iterator[Listed]:
    """Yield the objects under a folder that come after a name, in the order of their bytes."""
    # Recursion would be as deep as a name has slashes, and a name may have 511.
    waiting = [iter(_in_order(listed, max(folder, prefix, key=len)))]
    while waiting:
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
            continue
        name = entry if isinstance(entry, str) else entry.name
        encoded = name.encode()
        if isinstance(entry, Listed):
            # SeaweedFS takes a prefix that begins with a slash for one without.
            if encoded > after and name.startswith(prefix) and _is_ours(name):
                yield entry
        elif encoded > after or after.startswith(encoded):
            waiting.append(iter(_in_order(listed, name)))


def _in_order(listed: List, prefix: str) -> list[Listed | str]:
    """Return what one folder holds under a prefix, objects and the names of folders, in the order of their bytes."""
    found: list[Listed | str] = []
    asked: dict[str, Any] = {"Prefix": prefix, "Delimiter": "/", "MaxKeys": PAGE_NAMES_MAX}
    while True:
        answer = listed(asked)
        found += _objects(answer)
        found += [str(one["Prefix"]) for one in answer.get("CommonPrefixes", [])]
        if len(found) > FOLDER_NAMES_MAX:
            raise Unavailable(
                f"{prefix!r} holds more than {FOLDER_NAMES_MAX:,} names in a store that lists by folders;"
                " spread them over more folders, or use a store that lists by bytes"
            )
        if not answer.get("IsTruncated"):
            return sorted(found, key=lambda one: (one if isinstance(one, str) else one.name).encode())
        asked["ContinuationToken"] = answer["NextContinuationToken"]


def _objects(answer: Mapping[str, Any]) -> list[Listed]:
    return [Listed(one["Key"], int(one["Size"])) for one in answer.get("Contents", [])]


def _is_ours(name: str) -> bool:
    """Return whether a key could have been written by us; folders that a console made could not."""
    try:
        require_name(name)
    except UnfitName:
        return False
    return True


def _require_in_order(keys: list[str], after: str) -> None:
    """Raise Unavailable when the store does not list by bytes, since a list made of its pages would miss names."""
    encoded = [after.encode(), *(key.encode() for key in keys)]
    for one, following in pairwise(encoded):
        if following <= one:
            raise Unavailable(
                f"the store lists {following.decode()!r} after {one.decode()!r}, which S3 would not;"
                f" say in the settings that it lists {Lists.BY_FOLDERS}"
            )
