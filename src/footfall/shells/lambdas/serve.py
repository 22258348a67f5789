"""The function that answers for what was counted."""

from typing import Any

from footfall.adapters.aws import at_start as at_start
from footfall.app import answering as answering
from footfall.app import aws_wiring as aws_wiring
from footfall.shells.http import popular as popular
from footfall.shells.lambdas import lists as lists
from footfall.shells.lambdas.http_event import Event
from footfall.shells.lambdas.http_function import Context, HttpFunction

_function = HttpFunction("serve")


def handler(event: Event, context: Context) -> dict[str, Any]:
    """Answer one request of the API."""
    return _function.answer(event, context)
