"""An asset as answers show it: the names that it is sent with, without what is not known."""

from footfall.catalog.asset import Asset
from footfall.values.errors import Refused
from footfall.values.window import instant_text


class UnknownAsset(Refused):
    """The brand's catalogue has no asset of this id."""

    def __init__(self, asset_id: str) -> None:
        super().__init__("assetId", f"{asset_id[:80]!r} is not in the catalogue; put it there with PUT /v1/assets")


def fields_of(asset: Asset) -> dict[str, object]:
    """Return the fields of an asset by the names they are sent with."""
    fields: dict[str, object] = {
        "assetId": asset.id,
        "title": asset.title,
        "address": asset.address,
        "image": asset.image,
        "sectionId": asset.section,
        "resourceType": asset.resource_type,
        "paidType": asset.paid_type,
        "published": None if asset.published_ms is None else instant_text(asset.published_ms),
        "updated": None if asset.updated_ms is None else instant_text(asset.updated_ms),
        "authors": list(asset.authors),
        "tags": list(asset.tags),
    }
    return {name: value for name, value in fields.items() if value not in ("", None, [])}
