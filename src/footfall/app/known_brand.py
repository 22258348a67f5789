"""Whether a brand is one of the instance's, for commands that work on its files beside it."""

from footfall.accounts.brands import UnknownBrand
from footfall.app import wiring
from footfall.app.kept_settings import kept_settings
from footfall.app.settings import Settings
from footfall.values.clock import Clock


def require_brand(settings: Settings, clock: Clock, brand: str) -> None:
    """Raise UnknownBrand unless the brand is one of the instance's; with dev, which its last start says, any is."""
    kept = kept_settings(settings.data_dir) if settings.ground == "embedded" else None
    if not (settings.dev or (kept is not None and kept.dev) or wiring.brand_lookup(settings, clock).is_known(brand)):
        raise UnknownBrand("brand", f"{brand!r} is not a brand here; footfall brands list shows them")
