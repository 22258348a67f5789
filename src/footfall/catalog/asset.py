"""An asset as the catalogue knows it, and the limits of each of its fields."""

from collections.abc import Sequence

from msgspec import Struct

from footfall.values.errors import Refused
from footfall.values.hit import ADDRESS_BYTES_MAX, ASSET_BYTES_MAX, LABEL_BYTES_MAX, require_text
from footfall.values.window import MOMENT_MS_MAX, MOMENT_MS_MIN

TITLE_BYTES_MAX = 1_000
NAME_BYTES_MAX = 128  # of an author or a tag
AUTHORS_MAX = 20
TAGS_MAX = 50  # With authors and addresses an asset stays far below what one item may hold.


class Asset(Struct, frozen=True, gc=False):
    """What is known of an asset; an empty text is something that is not known."""

    id: str
    title: str = ""
    address: str = ""
    image: str = ""
    section: str = ""
    resource_type: str = ""
    paid_type: str = ""
    published_ms: int | None = None
    updated_ms: int | None = None
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def require_asset(asset: Asset) -> Asset:
    """Return the asset, or refuse the first field that is over its limit."""
    if not asset.id:
        raise Refused("assetId", "is empty")
    require_text("assetId", asset.id, bytes_max=ASSET_BYTES_MAX)
    require_text("title", asset.title, bytes_max=TITLE_BYTES_MAX)
    for field, address in (("address", asset.address), ("image", asset.image)):
        _require_address(field, address)
    for field, label in (
        ("sectionId", asset.section),
        ("resourceType", asset.resource_type),
        ("paidType", asset.paid_type),
    ):
        require_text(field, label, bytes_max=LABEL_BYTES_MAX)
    for field, moment_ms in (("published", asset.published_ms), ("updated", asset.updated_ms)):
        if moment_ms is not None and not MOMENT_MS_MIN <= moment_ms <= MOMENT_MS_MAX:
            raise Refused(field, f"is {moment_ms} ms, which is not between the years 1970 and 9998")
    _require_names("authors", asset.authors, count_max=AUTHORS_MAX)
    _require_names("tags", asset.tags, count_max=TAGS_MAX)
    return asset


def _require_address(field: str, address: str) -> None:
    """Refuse what a page must not link to: whoever shows a list puts these into links and images."""
    require_text(field, address, bytes_max=ADDRESS_BYTES_MAX)
    if address and not address.lower().startswith(("https://", "http://", "/")):
        raise Refused(field, f"{address[:64]!r} begins with none of https://, http:// and /")


def _require_names(field: str, names: Sequence[str], *, count_max: int) -> None:
    if len(names) > count_max:
        raise Refused(field, f"has {len(names)} entries, at most {count_max} are taken")
    if len(set(names)) != len(names):
        raise Refused(field, "has an entry twice")
    for name in names:
        if not name:
            raise Refused(field, "has an empty entry")
        require_text(field, name, bytes_max=NAME_BYTES_MAX)
