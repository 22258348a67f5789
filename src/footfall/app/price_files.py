"""The files of prices: the one that comes with footfall, and somebody's own."""

from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Final

from footfall.planning.prices import PriceBook, overridden, price_book
from footfall.values.errors import Refused

SHIPPED: Final = "2026-11.yaml"
FILE_BYTES_MAX: Final = 4 << 20  # A whole book is 40 KB.


def shipped_prices() -> PriceBook:
    """Return the prices that come with footfall."""
    text = (files("footfall.planning") / "price_files" / SHIPPED).read_bytes()
    return price_book(text, named=f"prices/{SHIPPED}")


def prices_with(path: Path, *, today: date) -> PriceBook:
    """Return the prices that come with footfall, and those of somebody's own file in their place."""
    try:
        with path.open("rb") as file:
            text = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise Refused(str(path), f"cannot be read: {error.strerror}") from error
    if len(text) > FILE_BYTES_MAX:
        raise Refused(str(path), f"is larger than the {FILE_BYTES_MAX} bytes that a file of prices may have")
    return overridden(shipped_prices(), text, named=str(path), today=today)
