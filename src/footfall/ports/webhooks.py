"""Webhooks: a few kilobytes posted to an address that a brand named. What answered is told by its status alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from footfall.ports.errors import PortError

BODY_BYTES_MAX = 100_000


class NotPosted(PortError):
    """Nothing answered in time, or what answered was not HTTP."""


class NotAPlace(PortError):
    """The address leads to where this instance posts nothing."""


@dataclass(frozen=True, slots=True)
class Post:
    """What is to be posted."""

    url: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Posted:
    """What came back; nothing of its body, which is nobody's to read through us."""

    status: int
    reason: str
    retry_after: str = ""


class Webhooks(Protocol):
    """The promises that every way of posting keeps: an end to how long it takes, and no redirect is followed."""

    def post(self, post: Post) -> Posted:
        """Post, and return what came back, or raise NotPosted or NotAPlace."""
        ...
