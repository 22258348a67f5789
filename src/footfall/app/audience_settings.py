"""What the settings say of the audience: which kinds of things there are, and what is wrong with them."""

from collections.abc import Callable, Mapping

from footfall.accounts.brands import require_brand_name
from footfall.app.settings import ImpossibleSetting, Settings
from footfall.audience.playbacks import LEASES_MAX
from footfall.audience.things import Kinds
from footfall.values.errors import Refused


def names_in(text: str) -> list[str]:
    """Return the names that a setting lists, with commas between them."""
    return [name for one in text.split(",") if (name := one.strip())]


def kinds_of(settings: Settings) -> Kinds:
    """Return the kinds that there are, or raise Refused."""
    return Kinds(names_in(settings.audience_kinds))


def plans_of(settings: Settings) -> Mapping[str, int]:
    """Return how many playbacks each plan may have at once, or raise Refused."""
    plans: dict[str, int] = {}
    for one in names_in(settings.audience_plans):
        name, equals, number = (part.strip() for part in one.partition("="))
        if not (equals and name and number.isascii() and number.isdigit() and 1 <= int(number) <= LEASES_MAX):
            raise Refused(
                "plan", f"{one!r} is not a plan: a name and a number from 1 to {LEASES_MAX}, as in basic=1,family=4"
            )
        plans[name] = int(number)
    return plans


def require_audience(settings: Settings, place: Callable[[str], str]) -> None:
    """Raise ImpossibleSetting unless what is named can be."""
    setting = "audience_kinds"
    try:
        kinds_of(settings)
        setting = "audience_uncounted_brands"
        for brand in names_in(settings.audience_uncounted_brands):
            require_brand_name(brand)
        setting = "audience_plans"
        plans_of(settings)
    except Refused as error:
        raise ImpossibleSetting(f"{setting} in {place(setting)}: {error.reason}") from error
