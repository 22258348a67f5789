"""One try of one delivery: posted to a webhook and signed, or mailed, in ten seconds at most."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random
from typing import Any

from footfall.accounts.alert_evaluation import example_of
from footfall.accounts.alert_outbox import message_of
from footfall.accounts.alert_retrying import Outcome
from footfall.accounts.alerts import Alert, is_webhook
from footfall.accounts.signatures import header_of
from footfall.app.alert_places import may_post_to
from footfall.app.people_links import mail_from
from footfall.app.settings import Settings
from footfall.ports.mail import TEXT_CHARACTERS_MAX, Letter, Mail, NotMailed
from footfall.ports.webhooks import NotAPlace, NotPosted, Post, Webhooks
from footfall.values.clock import Clock

NO_MAIL = "there is no mail server; set smtp_host, smtp_from and people_url"
TAKEN, REFUSED = 250, 403  # What mail and places that are not to be posted to come to, in the words of HTTP.


@dataclass(frozen=True, slots=True)
class Senders:
    """The ways that messages go."""

    webhooks: Webhooks
    mail: Mail | None
    clock: Clock
    chance: Random = field(default_factory=Random)  # only keeps senders out of step

    def tried(self, alert: Alert, place: str, message: str) -> Outcome:
        """Send a message to a place of an alert, and return what came back."""
        return self._posted(alert, place, message) if is_webhook(place) else self._mailed(place, message)

    def _posted(self, alert: Alert, url: str, message: str) -> Outcome:
        body, now_ms = message.encode(), self.clock.now_ms()
        event_id = str(json.loads(body)["id"])
        # The id is the nonce as well: whoever keeps ids knows a message that comes again.
        signed = header_of(alert.secrets(now_ms=now_ms), body, at_s=now_ms // 1_000, nonce=event_id)
        headers = {"Content-Type": "application/json", "Footfall-Signature": signed, "Footfall-Id": event_id}
        try:
            posted = self.webhooks.post(Post(url, body, headers))
        except NotAPlace as error:
            return Outcome(REFUSED, str(error))
        except NotPosted as error:
            return Outcome(0, str(error))
        said = f"{posted.status} {posted.reason}".strip()
        if 300 <= posted.status < 400:
            said += ": redirects are not followed; name the address that it points to"
        return Outcome(posted.status, said, posted.retry_after)

    def _mailed(self, to: str, message: str) -> Outcome:
        if self.mail is None:
            return Outcome(0, NO_MAIL)
        try:
            self.mail.send(letter_of(to, json.loads(message)))
        except NotMailed as error:
            return Outcome(0, str(error))
        return Outcome(TAKEN, "taken by the mail server")


def senders_from(settings: Settings, clock: Clock) -> Senders:
    """Return the ways that the settings name."""
    # When it is needed: an HTTP client takes a moment to load, which commands should not wait for.
    from footfall.adapters.web.http_webhooks import HttpWebhooks

    return Senders(HttpWebhooks(may_post_to(settings)), mail_from(settings, clock), clock)


def tried_out(alert: Alert, senders: Senders) -> list[dict[str, Any]]:
    """Send a test message to every place of an alert, at once and once, and return what came back."""
    now_ms = senders.clock.now_ms()
    example = example_of(alert, now_ms=now_ms)
    message = message_of(alert, example, event_id=example.id_for(alert), at_ms=now_ms).decode()
    places = (*alert.webhooks, *alert.emails)

    def tried(place: str) -> Outcome:
        return senders.tried(alert, place, message)

    with ThreadPoolExecutor(max_workers=len(places)) as threads:  # Whoever asked waits no longer than for one of them.
        outcomes = list(threads.map(tried, places))
    return [
        {"to": place, "isTaken": 200 <= outcome.status < 300, "said": outcome.said}
        for place, outcome in zip(places, outcomes, strict=True)
    ]


def letter_of(to: str, message: dict[str, Any]) -> Letter:
    """Return a message as a letter."""
    about = "\n".join(f"{name}: {value}" for name, value in message["about"].items() if value is not None)
    text = (
        f"{message['text']}\n\n{about}\n\nThe alert {message['alert']['name']!r} of {message['brand']} says so, at "
        f"{message['at']} ({message['id']}).\nAdministrators of the brand change it in the settings of footfall.\n"
    )
    return Letter(to, f"{message['alert']['name']} ({message['brand']})", _plain(text)[:TEXT_CHARACTERS_MAX])


def _plain(text: str) -> str:
    return "".join(one if one.isprintable() or one == "\n" else " " for one in text)
