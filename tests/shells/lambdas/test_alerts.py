"""Alerts on AWS: told by the function that keeps house, on the real engines, once whoever looks as well."""

import json
from collections.abc import Generator
from typing import Any

import pytest

from footfall.accounts.alert_store import AlertStore
from footfall.app import wiring
from footfall.app.maintaining import open_maintenance
from footfall.shells.lambdas.count import Count
from footfall.values.clock import SetClock
from tests.engines.aws_ground import AwsGround, NewGround
from tests.engines.webhook import Receiver, webhook_receiver
from tests.shells.lambdas.events import CLOCK, Minutes, append, entries_of, hits_of, kinesis_events

MINUTE_MS = 60_000


@pytest.fixture
def ground(new_ground: NewGround) -> AwsGround:
    return new_ground().with_settings(alerts_private_places=True)


@pytest.fixture
def receiver() -> Generator[Receiver]:
    with webhook_receiver() as found:
        yield found


def alerts_of(ground: AwsGround, clock: SetClock) -> AlertStore:
    return wiring.open_accounts(ground.settings, clock).register.alerts


def told(ground: AwsGround, clock: SetClock) -> int:
    """Do a round in a function of its own."""
    done = open_maintenance(ground.settings, clock).run(lambda: False)
    assert done.failures == []
    return done.told


def add(store: AlertStore, **fields: Any) -> None:
    store.add("abc", fields, require_webhook=lambda _url: None, has_mail=False)


def test_an_asset_that_passes_is_told_once_whichever_function_looks(ground: AwsGround, receiver: Receiver) -> None:
    clock = SetClock(CLOCK.now_ms())
    store = alerts_of(ground, clock)
    add(store, name="Up", kind="asset-passes", hits=3, window="day", section=1, webhooks=[receiver.url])
    add(store, name="Other", kind="asset-passes", hits=3, window="day", section=2, webhooks=[receiver.url])
    append(ground, entries_of(ground, [*hits_of(3, assets=1), *hits_of(2, brand="kathmandu", assets=1)]))
    count = Count(ground.settings, CLOCK)
    for event in kinesis_events(ground):
        count.answer(event, Minutes())
    clock.set(CLOCK.now_ms())
    receiver.answers = [(503, {})]
    assert told(ground, clock) == 1
    assert told(ground, clock) == 0
    clock.advance(MINUTE_MS)
    assert told(ground, clock) == 0
    assert [json.loads(body)["about"]["hits"] for body in receiver.bodies] == [3, 3]
    assert len({json.loads(body)["id"] for body in receiver.bodies}) == 1
    (event,), _ = store.outbox.page("abc", limit=10)
    assert event["d0"]["state"] == "delivered"  # pyright: ignore[reportCallIssue, reportArgumentType, reportIndexIssue, reportOptionalSubscript]


def test_a_brand_that_falls_silent_is_told_of_by_functions_that_remember_nothing(
    ground: AwsGround, receiver: Receiver
) -> None:
    clock = SetClock(CLOCK.now_ms())
    store = alerts_of(ground, clock)
    add(store, name="Silence", kind="brand-silent", minutes=3, webhooks=[receiver.url])
    for _ in range(6):
        told(ground, clock)
        clock.advance(MINUTE_MS)
    assert [json.loads(body)["type"] for body in receiver.bodies] == ["brand-silent"]
