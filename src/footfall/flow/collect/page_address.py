"""The address of a page as an asset's id: the rule that the tracker follows in the browser, for pages without scripts.

Both must give the same id, else a page's readers would be counted as two assets. web/tracker/footfall.js has the other.
"""

import re

from footfall.values.hit import ADDRESS_BYTES_MAX, ASSET_BYTES_MAX

# What only tells how a reader came.
_TRACKING = re.compile(
    r"(utm|mtm|pk|hsa|gad)_|mc_[ce]id|_g[al]=|_hs|mkt_tok|igsh|srsltid|[gw]braid|\w*clk?id=|$", re.ASCII | re.IGNORECASE
)
_QUERY = re.compile(r"\?([^#]*)")
_KEPT = ASSET_BYTES_MAX - 8  # A tilde and at most seven digits follow.
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def cleaned_address(address: str) -> str:
    """Return an address, cut to what is taken, without what only tells how its reader came."""
    return _QUERY.sub(_without_tracking, address[:ADDRESS_BYTES_MAX], count=1)


def asset_from_address(address: str) -> str:
    """Return the id of a page that has no other: its address, or a long one's beginning and a hash of the whole."""
    page = cleaned_address(address).partition("#")[0]
    if len(page) <= ASSET_BYTES_MAX:
        return page
    number = 0
    for character in page:
        number = (number * 31 + ord(character)) & 0xFFFF_FFFF
    return f"{page[:_KEPT]}~{_base36(number)}"


def _without_tracking(query: re.Match[str]) -> str:
    kept = "&".join(pair for pair in query[1].split("&") if _TRACKING.match(pair) is None)
    return kept and f"?{kept}"


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"
