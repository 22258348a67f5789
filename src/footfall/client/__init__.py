"""The client: send hits from a Python program and ask for lists. It needs nothing but the standard library.

from footfall.client import Footfall

footfall = Footfall("https://footfall.example.com", key="ffsec_...", brand="abc")
footfall.hit("132141398", section=563, type="article", paid="free")  # returns at once, never raises
for item in footfall.popular(period="day", section=563):
    ...
"""

from footfall.client.answers import Item, Ledger, Popular
from footfall.client.errors import CallFailed, NotAnAddress, RefusedByServer, Unreachable
from footfall.client.footfall import Footfall
from footfall.client.pages import Page
from footfall.client.sending import Counts, Options, Refusal
from footfall.client.signing import NotSigned, page_token, verified_message

__all__ = [
    "Footfall",
    "Options",
    "Page",
    "Popular",
    "Item",
    "Ledger",
    "Counts",
    "Refusal",
    "CallFailed",
    "NotAnAddress",
    "RefusedByServer",
    "Unreachable",
    "page_token",
    "verified_message",
    "NotSigned",
]
