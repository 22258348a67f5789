"""Lists as a reader has them: of a past span, with what the catalogue knows, and of a brand that shows them to few."""

import json
from pathlib import Path

from footfall.values.clock import SystemClock
from footfall.values.window import HOUR_MS, Grain, instant_text, window_of
from tests.scenarios.instance import Starter, footfall, hit, until


def test_a_span_is_listed_with_what_the_catalogue_knows(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    now_ms = SystemClock().now_ms()
    day = window_of(now_ms - 12 * HOUR_MS, Grain.DAY, "UTC")
    at = instant_text(max(now_ms - 12 * HOUR_MS, day.from_ms))
    span = f"brand=abc&from={instant_text(day.from_ms)}&to={instant_text(day.to_ms)}"
    instance.post([hit("1", at=at), hit("1", at=at), hit("a,b", at=at)])
    instance.drained("abc")
    answer = instance.get(f"/v1/popular?{span}")
    assert [(item["assetId"], item["hits"]) for item in answer.json()["items"]] == [("1", 2), ("a,b", 1)]
    assert answer.json()["exact"] is True
    assert "public, max-age=" in answer.headers["cache-control"]
    asset = [{"assetId": "1", "title": "One", "tags": ["first, of all"]}]
    assert instance.call("PUT", "/v1/assets?brand=abc", json.dumps(asset).encode()).status == 200
    filtered = f"/v1/popular?{span}&tag=first%5C,%20of%20all&exclude=a%5C,b"
    items = until(lambda: instance.get(filtered).json()["items"], lambda it: len(it) == 1, seconds=20)
    assert [(item["assetId"], item["hits"], item["title"]) for item in items] == [("1", 2, "One")]
    shown = footfall("popular", "--url", instance.url, "--brand", "abc", "--from", instant_text(day.from_ms), "--to",
                     instant_text(day.to_ms), "--exclude", "1")  # fmt: skip
    assert "a,b" in shown.stdout
    assert "One" not in shown.stdout
    instance.terminate()


def test_a_brand_may_have_periods_of_its_own_and_show_its_lists_to_few(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    flags = ("--data", str(data))
    made = footfall("brands", "add", "quiet", *flags, "--public", "no", "--period", "twodays=48h/1h/120s", "--json")
    assert made.returncode == 0, made.stderr
    scopes = ("--scope", "read", "--scope", "write")
    key = json.loads(footfall("keys", "add", *flags, "--brand", "quiet", *scopes, "--json").stdout)["key"]
    bearer = {"Authorization": f"Bearer {key}"}
    assert instance.post([{"assetId": "1"}], bearer).status == 202
    asked = "/v1/popular?period=twodays"
    until(
        lambda: instance.call("GET", asked, headers=bearer),
        lambda it: it.status == 200 and len(it.json()["items"]) == 1,
        seconds=20,
    )
    answer = instance.call("GET", "/v1/popular?brand=quiet&period=twodays", headers=bearer)
    assert answer.headers["cache-control"].startswith("private, max-age=120")
    refused = instance.get("/v1/popular?brand=quiet&period=twodays")
    assert refused.status == 401
    assert b"items" not in refused.body
    instance.terminate()
