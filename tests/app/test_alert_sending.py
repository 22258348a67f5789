"""Messages on their way to real receivers: signed, tried again, turned off, and mailed."""

import email
import json
from collections.abc import Generator
from email.policy import default
from typing import Any

import pytest

from footfall.accounts.signatures import signature_from_header, signer_of
from footfall.app.alert_sending import Senders, senders_from, tried_out
from footfall.app.alerting import claimed_deliveries, settle_try
from footfall.app.settings import Settings
from footfall.client import NotSigned, verified_message
from tests.accounts.alert_stage import DAY_MS, MINUTE_MS, World, added
from tests.engines.smtp import mail_server
from tests.engines.webhook import Receiver, webhook_receiver

LOCAL = Settings(alerts_private_places=True)


@pytest.fixture
def receiver() -> Generator[Receiver]:
    with webhook_receiver() as found:
        yield found


def sent(world: World, senders: Senders) -> int:
    """Try what is due; return how much that was."""
    claimed = claimed_deliveries(world.store)
    for delivery, alert in claimed:
        outcome = senders.tried(alert, delivery.place, delivery.message)
        settle_try(world.store, delivery, alert, outcome, chance=0.5)
    return len(claimed)


def raised(world: World, **fields: Any) -> str:
    """Have an alert tell something, and return its secret."""
    alert = added(world.store, hits=1, **fields)
    world.hit("a")
    world.look()
    return alert.secret


def deliveries(world: World) -> list[dict[str, Any]]:
    return [one for event in world.events() for name, one in sorted(event.items()) if name.startswith("d")]  # pyright: ignore[reportReturnType]


def test_a_receiver_that_fails_twice_gets_the_same_message_three_times(receiver: Receiver) -> None:
    world = World()
    senders = senders_from(LOCAL, world.clock)
    secret = raised(world, webhooks=[receiver.url])
    receiver.answers = [(503, {}), (429, {"Retry-After": "60"})]
    assert sent(world, senders) == 1
    assert sent(world, senders) == 0
    world.pass_time(0.1)
    assert sent(world, senders) == 1
    world.pass_time(0.9)
    assert sent(world, senders) == 0  # It was asked to wait for a minute.
    world.pass_time(0.2)
    assert sent(world, senders) == 1
    world.pass_time(60 * 24)
    assert sent(world, senders) == 0
    (told,) = deliveries(world)
    assert (told["state"], told["attempts"], told["said"]) == ("delivered", 3, "200 OK")
    assert len(set(receiver.bodies)) == 1
    for body, headers in zip(receiver.bodies, receiver.headers, strict=True):
        now_s = int(headers["footfall-signature"].split(",")[0][2:])
        message = verified_message(secret, body, headers["footfall-signature"], now_s=now_s)
        assert message["id"] == headers["footfall-id"] == world.events()[0]["id"]
        assert headers["content-type"] == "application/json"
    with pytest.raises(NotSigned):
        verified_message("ffhook_other", receiver.bodies[0], receiver.headers[0]["footfall-signature"])


def test_a_message_is_verified_as_signed_events_are(receiver: Receiver) -> None:
    world = World()
    secret = raised(world, webhooks=[receiver.url])
    rotated = world.store.rotate("abc", world.store.of("abc")[0].id)
    sent(world, senders_from(LOCAL, world.clock))
    signature = signature_from_header(receiver.headers[0]["footfall-signature"])
    assert signer_of(signature, [secret], receiver.bodies[0]) == 0
    assert signer_of(signature, [rotated.secret], receiver.bodies[0]) == 0
    assert signer_of(signature, ["ffhook_other"], receiver.bodies[0]) is None
    late_s = world.clock.now_ms() // 1_000 + 301
    with pytest.raises(NotSigned, match="301 s from now"):
        verified_message(secret, receiver.bodies[0], receiver.headers[0]["footfall-signature"], now_s=late_s)
    for wrong in ("", "t=1,n=a", "t=x,n=a,v1=00", "v1=é,t=1,n=b"):
        with pytest.raises(NotSigned):
            verified_message(secret, receiver.bodies[0], wrong)


def test_a_place_that_is_gone_is_turned_off_and_the_history_says_so(receiver: Receiver) -> None:
    world = World()
    raised(world, webhooks=[receiver.url])
    receiver.answers = [(410, {})]
    world.clock.advance(1)
    sent(world, senders_from(LOCAL, world.clock))
    assert world.types() == ["asset-passes", "turned-off"]
    assert world.store.of("abc")[0].is_on is False
    world.pass_time(61)
    world.hit("a")
    world.look()
    assert sent(world, senders_from(LOCAL, world.clock)) == 0
    assert len(receiver.bodies) == 1


def test_a_day_of_failures_turns_a_place_off_and_others_go_on(receiver: Receiver) -> None:
    world = World()
    senders = senders_from(LOCAL, world.clock)
    with webhook_receiver() as dead:
        dead_url = dead.url
    raised(world, webhooks=[dead_url, receiver.url])
    began_ms, tries = world.clock.now_ms(), 0
    while world.clock.now_ms() < began_ms + DAY_MS + 2 * 60 * MINUTE_MS:
        tries += sent(world, senders)
        world.pass_time(5)
    alert = world.store.of("abc")[0]
    assert (alert.is_on, alert.places) == (True, (receiver.url,))
    assert 20 < tries < 60
    assert len(receiver.bodies) == 1
    assert "for a day" in alert.off[dead_url]


def test_a_redirect_is_not_followed_and_said(receiver: Receiver) -> None:
    world = World()
    raised(world, webhooks=[receiver.url])
    receiver.answers = [(302, {"Location": "http://127.0.0.1:1/"})]
    sent(world, senders_from(LOCAL, world.clock))
    (told,) = deliveries(world)
    assert told["state"] == "failed"
    assert "not followed" in told["said"]


def test_a_private_place_is_not_posted_to_whatever_was_stored(receiver: Receiver) -> None:
    world = World()
    raised(world, webhooks=[receiver.url])
    sent(world, senders_from(Settings(), world.clock))
    assert receiver.bodies == []
    assert deliveries(world)[0]["state"] == "failed"


def test_what_is_on_its_way_of_an_alert_that_was_removed_is_not_sent(receiver: Receiver) -> None:
    world = World()
    raised(world, webhooks=[receiver.url])
    world.store.remove("abc", world.store.of("abc")[0].id)
    sent(world, senders_from(LOCAL, world.clock))
    assert receiver.bodies == []
    assert deliveries(world)[0]["state"] == "withdrawn"


def test_a_letter_is_sent_through_a_real_server_and_tried_again_when_it_is_not_taken() -> None:
    world = World()
    with mail_server() as box:
        settings = Settings(
            smtp_host="127.0.0.1", smtp_port=box.port, smtp_security="none", smtp_from="f@example.com",
            people_url="https://footfall.example.com",
        )  # fmt: skip
        senders = senders_from(settings, world.clock)
        raised(world, webhooks=[], emails=["desk@example.com"], name="Up there")
        box.refuses = True
        sent(world, senders)
        box.refuses = False
        world.pass_time(0.1)
        sent(world, senders)
    assert box.recipients == ["desk@example.com"]
    letter = email.message_from_string(box.letters[0], policy=default)
    assert letter["Subject"] == "Up there (abc)"
    assert "a has 1 hits in its hour." in letter.get_content()
    assert deliveries(world)[0]["attempts"] == 2


def test_a_test_tells_what_came_back_from_each_place_at_once(receiver: Receiver) -> None:
    world = World()
    with webhook_receiver() as dead:
        dead_url = dead.url
    alert = added(world.store, webhooks=[receiver.url, dead_url], emails=["desk@example.com"])
    told = tried_out(alert, senders_from(LOCAL, world.clock))
    assert [(one["to"], one["isTaken"]) for one in told] == [
        (receiver.url, True), (dead_url, False), ("desk@example.com", False),
    ]  # fmt: skip
    assert told[0]["said"] == "200 OK"
    assert "no mail server" in told[2]["said"]
    assert json.loads(receiver.bodies[0])["type"] == "test"
    assert world.events() == []
