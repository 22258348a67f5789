"""Whether what the settings say of people, their links and their mail goes together."""

from collections.abc import Callable, Sequence
from typing import Protocol
from urllib.parse import urlsplit

from footfall.accounts.brands import BRAND_NAME
from footfall.app.setting_values import ImpossibleSetting

REGISTER_BRANDS_MAX = 20  # All of them are given in one transaction.


class OfPeople(Protocol):
    """The settings that are looked at here."""

    @property
    def people_url(self) -> str:
        """Return where people open the pages."""
        ...

    @property
    def people_register_brands(self) -> str:
        """Return the brands of those who made their accounts themselves."""
        ...

    @property
    def smtp_host(self) -> str:
        """Return the server that takes mail."""
        ...

    @property
    def smtp_from(self) -> str:
        """Return the address that mail is from."""
        ...


def register_brands(settings: OfPeople) -> Sequence[str]:
    """Return the brands that those may view who made their accounts themselves."""
    return [name for one in settings.people_register_brands.split(",") if (name := one.strip())]


def require_people(settings: OfPeople, place: Callable[[str], str]) -> None:
    """Raise ImpossibleSetting unless links and mail can be made."""
    url = urlsplit(settings.people_url)
    is_origin = url.scheme in ("http", "https") and url.netloc and settings.people_url == f"{url.scheme}://{url.netloc}"
    if settings.people_url and not (is_origin and settings.people_url == settings.people_url.lower()):
        raise ImpossibleSetting(
            f"people_url in {place('people_url')} is {settings.people_url!r}: it must be an address in small letters "
            "without a path, such as https://footfall.example.com."
        )
    if settings.smtp_host and not (settings.people_url and "@" in settings.smtp_from):
        # What a request says of our own address must not come into a mail.
        raise ImpossibleSetting(
            f"smtp_host in {place('smtp_host')} is {settings.smtp_host!r} while people_url or smtp_from is empty: mail "
            "needs both, such as https://footfall.example.com and footfall@example.com."
        )
    names = register_brands(settings)
    wrong = [name for name in names if BRAND_NAME.fullmatch(name) is None]
    if wrong or len(names) > REGISTER_BRANDS_MAX:
        raise ImpossibleSetting(
            f"people_register_brands in {place('people_register_brands')} is {settings.people_register_brands!r}: it "
            f"must be at most {REGISTER_BRANDS_MAX} names of brands with commas between."
        )
