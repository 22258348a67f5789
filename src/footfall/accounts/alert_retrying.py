"""What becomes of a delivery after a try: delivered, tried again later, given up, or its place turned off. Pure."""

import email.utils
from typing import Final

from msgspec import Struct

from footfall.accounts.alert_outbox import DELIVERED, FAILED, Delivery
from footfall.values.window import DAY_MS, HOUR_MS

PAUSE_MS, PAUSE_MS_MAX = 5_000, HOUR_MS
RETRY_AFTER_MS_MAX = 6 * HOUR_MS  # A mistaken header must not put an alert to sleep for days.
GIVE_UP_MS = DAY_MS
_LATER: Final = frozenset((408, 425, 429))  # refusals that are about now, not about the message
GONE: Final = 410


class Outcome(Struct, frozen=True):
    """What a try came to: the status of an answer, or 0 when there was none."""

    status: int
    said: str
    retry_after: str = ""


class Decision(Struct, frozen=True):
    """What is to be done about a delivery."""

    state: str = ""  # that it ends in; empty: it is tried again
    due_ms: int = 0
    turns_off: str = ""  # why nothing more is sent to its place; empty: more is


def decided(delivery: Delivery, outcome: Outcome, *, now_ms: int, chance: float) -> Decision:
    """Return what is to be done after a try; chance is a number from 0 to 1 that keeps senders out of step."""
    status = outcome.status
    if 200 <= status < 300:
        return Decision(DELIVERED)
    if status == GONE:
        return Decision(FAILED, turns_off="it answers that it is gone (410)")
    if status and status < 500 and status not in _LATER:
        return Decision(FAILED)  # Redirects are not followed, and a message that is refused is refused again.
    pause_ms = min(PAUSE_MS << min(delivery.attempts - 1, 20), PAUSE_MS_MAX)
    pause_ms = round(pause_ms * (0.5 + chance / 2))
    due_ms = now_ms + max(pause_ms, retry_after_ms(outcome.retry_after, now_ms=now_ms))
    if due_ms > delivery.at_ms + GIVE_UP_MS:
        return Decision(FAILED, turns_off=f"nothing was taken there for a day; last: {outcome.said}")
    return Decision(due_ms=due_ms)


def retry_after_ms(text: str, *, now_ms: int) -> int:
    """Return how long a Retry-After header asks to wait, within reason; 0 when it asks for nothing."""
    if text.isascii() and text.isdecimal():
        asked_ms = 1_000 * int(text[:9])
    else:
        try:
            asked_ms = round(email.utils.parsedate_to_datetime(text).timestamp() * 1_000) - now_ms
        except (ValueError, OverflowError):
            return 0
    return min(max(asked_ms, 0), RETRY_AFTER_MS_MAX)
