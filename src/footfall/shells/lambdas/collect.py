"""The function that takes hits, and changes of brands, keys and the catalogue."""

from typing import Any

from footfall.adapters.aws import at_start as at_start
from footfall.app import aws_wiring as aws_wiring
from footfall.shells.lambdas.http_event import Event
from footfall.shells.lambdas.http_function import Context, HttpFunction

_function = HttpFunction("collect", may_write=True)


def handler(event: Event, context: Context) -> dict[str, Any]:
    """Answer one request of the API."""
    return _function.answer(event, context)
