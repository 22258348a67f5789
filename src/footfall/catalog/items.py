"""How an asset lies in the catalogue's table, and what is read from there. Drawn in docs/formats/catalog.md."""

from collections.abc import Iterator, Sequence

from footfall.catalog.asset import Asset
from footfall.ports.errors import Corrupt
from footfall.ports.table import Item, Value

_TEXTS = ("title", "address", "image", "section", "resource_type", "paid_type")
_MOMENTS = ("published_ms", "updated_ms")
_LISTS = ("authors", "tags")


def item_from_asset(asset: Asset) -> Item:
    """Return the item that holds all that is known of the asset but its id, which is the key."""
    item: dict[str, Value] = {}
    for name in (*_TEXTS, *_MOMENTS):
        value = getattr(asset, name)
        if value not in ("", None):
            item[name] = value
    for name in _LISTS:
        if values := getattr(asset, name):
            item[name] = list(values)
    return item


def asset_from_item(asset_id: str, item: Item) -> Asset:
    """Return the asset that an item holds."""
    section, resource_type, paid_type = labels_from_item(item)
    return Asset(
        id=asset_id,
        title=str(item.get("title", "")),
        address=str(item.get("address", "")),
        image=str(item.get("image", "")),
        section=section,
        resource_type=resource_type,
        paid_type=paid_type,
        published_ms=_moment(item.get("published_ms")),
        updated_ms=_moment(item.get("updated_ms")),
        authors=tuple(texts_from(item.get("authors"))),
        tags=tuple(texts_from(item.get("tags"))),
    )


def labels_from_item(item: Item) -> tuple[str, str, str]:
    """Return section, resourceType and paidType alone, which is all that the door asks for."""
    return str(item.get("section", "")), str(item.get("resource_type", "")), str(item.get("paid_type", ""))


def texts_from(value: Value) -> Iterator[str]:
    """Yield the texts of a stored list; nothing for one that is not there."""
    if value is None:
        return
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise Corrupt(f"the catalogue has {value!r} where it keeps a list: restore it from a backup")
    for one in value:
        yield str(one)


def pairs_from(value: Value) -> Iterator[tuple[str, str]]:
    """Yield the pairs of texts of a stored list."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise Corrupt(f"the catalogue has {value!r} where it keeps a list: restore it from a backup")
    for one in value:
        match one:
            case [str(first), str(second)]:
                yield first, second
            case _:
                raise Corrupt(f"the catalogue has {one!r} where it keeps a key: restore it from a backup")


def number_from(item: Item) -> int:
    """Return the number that a version's item holds."""
    number = item.get("number")
    if not isinstance(number, int):
        raise Corrupt(f"the catalogue's version is {number!r}: restore it from a backup")
    return number


def _moment(value: Value) -> int | None:
    return value if isinstance(value, int) else None
