"""What the settings say of the audience: which kinds of things there are, and what is wrong with them."""

from collections.abc import Callable

from footfall.accounts.brands import require_brand_name
from footfall.app.settings import ImpossibleSetting, Settings
from footfall.audience.things import Kinds
from footfall.values.errors import Refused


def names_in(text: str) -> list[str]:
    """Return the names that a setting lists, with commas between them."""
    return [name for one in text.split(",") if (name := one.strip())]


def kinds_of(settings: Settings) -> Kinds:
    """Return the kinds that there are, or raise Refused."""
    return Kinds(names_in(settings.audience_kinds))


def require_audience(settings: Settings, place: Callable[[str], str]) -> None:
    """Raise ImpossibleSetting unless what is named can be."""
    setting = "audience_kinds"
    try:
        kinds_of(settings)
        setting = "audience_uncounted_brands"
        for brand in names_in(settings.audience_uncounted_brands):
            require_brand_name(brand)
    except Refused as error:
        raise ImpossibleSetting(f"{setting} in {place(setting)}: {error.reason}") from error
