"""Alerts as documents: what may be said, and what is shown to whom."""

from typing import Any

import pytest

from footfall.accounts.alerts import ALERTS_MAX, document_of_alert, hours_of
from footfall.values.errors import Refused
from tests.accounts.alert_stage import HOOK, World, added

GOOD: dict[str, Any] = {"name": "Up", "kind": "asset-passes", "hits": 5, "webhooks": [HOOK]}


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("kind", {"kind": "golden"}),
        ("name", {"name": ""}),
        ("name", {"name": "two\nlines"}),
        ("hits", {"hits": 0}),
        ("hits", {"hits": True}),
        ("hits", {"hits": 1.5}),
        ("window", {"window": "week"}),
        ("minutes", {"minutes": 5}),
        ("minutes", {"window": "minutes"}),
        ("minutes", {"window": "minutes", "minutes": 1_441}),
        ("section", {"section": ["a"]}),
        ("section", {"section": "x" * 65}),
        ("hours", {"hours": "07:00-23:00"}),
        ("webhooks", {"webhooks": []}),
        ("webhooks", {"webhooks": "https://a.example"}),
        ("webhooks", {"webhooks": [f"https://a.example/{one}" for one in range(6)]}),
        ("webhooks", {"webhooks": ["https://a.example/\r\nx: y"]}),
        ("emails", {"emails": ["nobody"]}),
        ("isOn", {"isOn": "yes"}),
        ("secret", {"secret": "mine"}),
        ("hours", {"kind": "brand-silent", "minutes": 5, "hours": "7-9"}),
        ("share", {"kind": "drops-spike", "minutes": 5, "share": 2}),
        ("minutes", {"kind": "drops-spike", "minutes": 61}),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_field(field: str, changes: dict[str, Any]) -> None:
    document = {**GOOD, **changes}
    if document["kind"] in ("brand-silent", "drops-spike"):
        del document["hits"]
    with pytest.raises(Refused) as refused:
        World().store.add("abc", document, require_webhook=lambda _url: None, has_mail=True)
    assert refused.value.field == field


def test_mail_without_a_server_is_refused_with_what_to_set() -> None:
    with pytest.raises(Refused, match="smtp_host") as refused:
        World().store.add("abc", {**GOOD, "emails": ["a@b.de"]}, require_webhook=lambda _url: None, has_mail=False)
    assert refused.value.field == "emails"


def test_an_alert_is_switched_off_although_what_it_says_would_not_be_taken_any_more() -> None:
    world = World()
    alert = added(world.store, emails=["a@b.de"])

    def nowhere(url: str) -> None:
        raise Refused("webhooks", url)

    document = {**GOOD, "emails": ["a@b.de"], "isOn": False}
    after = world.store.change("abc", alert.id, document, require_webhook=nowhere, has_mail=False)
    assert after.is_on is False
    with pytest.raises(Refused):
        world.store.change(
            "abc", alert.id, {**document, "webhooks": ["https://b.example"]}, require_webhook=nowhere, has_mail=False
        )


def test_whoever_only_reads_sees_no_path_of_a_webhook_and_nobody_reads_a_secret() -> None:
    world = World()
    alert = added(world.store)
    assert document_of_alert(alert, is_admin=True)["webhooks"] == [HOOK]
    shown = document_of_alert(alert, is_admin=False)
    assert shown["webhooks"] == ["https://hooks.example.com/…"]
    assert alert.secret not in str(document_of_alert(alert, is_admin=True))


def test_a_brand_has_so_many_alerts() -> None:
    world = World()
    for _ in range(ALERTS_MAX):
        added(world.store)
    with pytest.raises(Refused, match="50 already"):
        added(world.store)
    added(world.store, "other")


@pytest.mark.parametrize("text", ["7:00-8:00", "24:00-01:00", "07:60-08:00", "07:00-07:00", "", "07:00"])
def test_hours_are_written_in_one_way(text: str) -> None:
    with pytest.raises(Refused):
        hours_of(text)
