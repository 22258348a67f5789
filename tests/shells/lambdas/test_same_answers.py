"""The same requests to an instance and to the functions: the same status, the same headers, the same body."""

import gzip
import json
import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
import zstandard

from footfall.accounts.brands import Brand
from footfall.accounts.register import Register
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.app import wiring
from footfall.app.counting import Counting
from footfall.app.settings import Settings
from footfall.flow.store.visitors import BRAND_GROUP, group_of_asset, group_of_section, save_visitors
from footfall.ports.table import Table
from footfall.values.clock import SetClock, SystemClock
from footfall.values.window import Grain, instant_text, window_of
from tests.engines.dynamodb import VARIABLES, DynamoDbEngine
from tests.engines.kinesis import KinesisEngine
from tests.engines.lambda_runtime import RunHandler
from tests.flow.serve.visits import sketches_of
from tests.scenarios.instance import Answer, Instance, Starter
from tests.shells.lambdas.api import Api, Place, Reply, api_on, place_on
from tests.shells.lambdas.asked import HOUR_MS, Asked, Keys, bearer, history
from tests.shells.lambdas.edited import edits, timeless
from tests.shells.lambdas.measured import metric_requests, momentless
from tests.shells.lambdas.proved import VERDICT, Proving, acts, decision, proved

MINUTE_MS = 60_000
ID = {"x-request-id": "a-request-of-the-tests"}
JSON_KIND = {"content-type": "application/json"}
# The API tells these itself, and a connection is the instance's own matter.
NOT_COMPARED = ("date", "content-length", "connection")


@dataclass(slots=True)
class Both:
    """One instance and both functions, with the same brands and keys."""

    instance: Instance
    api: Api
    place: Place
    keys: Keys

    def differences(self, asked: Asked) -> list[str]:
        """Return in what the two answers differ; asked again when a minute ended in between."""
        found: list[str] = []
        for _ in range(3):
            minute = time.time() // 60
            headers = {**ID, **asked.headers}
            left = self.instance.call(asked.method, asked.target, asked.body or None, headers)
            right = self.api.call(asked.method, asked.target, asked.body, headers)
            found = different(asked, left, right)
            if not found or minute == time.time() // 60:
                return found
        return found

    def count(self) -> None:
        """Have the instance count all, and count the same hits into the functions' table."""
        for brand in ("open", "plain"):
            self.instance.drained(brand)
        embedded = Settings(data_dir=str(self.instance.data), brands=self.place.settings.brands)
        clock = SystemClock()
        with closing(wiring.open_stream(embedded, clock, read_only=True)) as stream:
            Counting(embedded, stream, wiring.open_store(self.place.settings, clock), clock=clock).drain()
        now_ms = clock.now_ms()
        for settings in (embedded, self.place.settings):
            save_visits(wiring.open_store(settings, clock), now_ms=now_ms)


def save_visits(table: Table, *, now_ms: int) -> None:
    """Store who came to the open brand in the minutes that have hits, and in the hours and days around them."""
    for n, grain in product(range(5), (Grain.MINUTE, Grain.HOUR, Grain.DAY)):
        window = window_of(now_ms - n * 30 * MINUTE_MS, grain, "Asia/Kolkata")
        sets = {group_of_asset(str(asset)): {asset, n} for asset in range(7)}
        sets |= {group_of_section(str(section)): {section, n} for section in range(3)} | {BRAND_GROUP: set(range(7))}
        later_ms = now_ms + 48 * HOUR_MS
        save_visitors(table, "open", window, sketches_of(sets), part="s00", through=n + 1, expires_at_ms=later_ms)


def different(asked: Asked, left: Answer, right: Reply) -> list[str]:
    found = [f"status {left.status} and {right.status}, {asked.status} was expected"]
    if left.status == right.status == asked.status:
        found = []
    if left.body != right.body:
        found.append(f"body {left.body[:600]!r}\n and {right.body[:600]!r}")
    for name in sorted({*left.headers, *right.headers} - {*NOT_COMPARED}):
        if left.headers.get(name) != right.headers.get(name):
            found.append(f"{name}: {left.headers.get(name)!r} and {right.headers.get(name)!r}")
    return found


def keys_in(table: Table) -> Keys:
    """Store two brands with keys; chance and clock are the same for every table."""
    clock = SetClock(1_794_744_000_000)
    register = Register(table, clock=clock, random_bytes=Random(7).randbytes)
    abc = Brand("abc", zone="Asia/Kathmandu", is_public=False, origins=("https://abc.example",))
    for brand in (abc, Brand("xyz", unlabelled="hold")):
        register.add(brand, zone_in_use=None)
    asking = Brand("asking", requires_signature=True, requires_token=True)
    register.add(Brand("asking"), zone_in_use=None)
    made = Keys(
        secret=register.add_secret_key("abc", ["write"]).text,
        public=register.add_public_key("abc").text,
        reading=register.add_secret_key("abc", ["read"]).text,
        admin=register.add_secret_key("abc", ["admin"]).text,
        others=register.add_secret_key("xyz", ["write", "read"]).text,
        signing=register.add_signing_key("asking").text,
        signed=register.add_secret_key("asking", ["write"]).text,
        signed_public=register.add_public_key("asking").text,
        signed_admin=register.add_secret_key("asking", ["admin"]).text,
        signed_editor=register.add_secret_key("asking", ["edit"]).text,
    )
    register.change(asking)
    register.verdicts.find("asking", [VERDICT], since={})
    return made


@pytest.fixture
def both(
    tmp_path: Path,
    dynamodb: DynamoDbEngine,
    kinesis: KinesisEngine,
    run_handler: RunHandler,
    monkeypatch: pytest.MonkeyPatch,
) -> Generator[Both]:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    brands = {"open": Brand("open", zone="Asia/Kolkata"), "plain": Brand("plain")}
    place = place_on(dynamodb, kinesis, brands=brands, aws_freshness_s=1)
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    with closing(SqliteTable(data / wiring.ACCOUNTS_FILE, clock=SystemClock())) as table:
        keys = keys_in(table)
    assert keys_in(wiring.open_accounts(place.settings, SystemClock()).table) == keys
    starter = Starter(tmp_path)
    instance = starter.start(data, "--brand", "open:Asia/Kolkata", "--brand", "plain", dev=False)
    yield Both(instance, api_on(run_handler, place), place, keys)
    starter.end_all()


def hits(count: int, brand: str = "open", **more: Any) -> bytes:
    """Return hits of the last hours, each at its own minute."""
    now_ms = time.time_ns() // 1_000_000
    return json.dumps(
        [
            {
                "brand": brand,
                "assetId": str(n % 7),
                "sectionId": n % 3,
                "resourceType": "article" if n % 2 else "video",
                "paidType": "free",
                "at": instant_text(now_ms - (n % 5) * 30 * MINUTE_MS),
                **more,
            }
            for n in range(count)
        ]
    ).encode()


def collected(keys: Keys) -> list[Asked]:
    hit = {"brand": "open", "assetId": 7, "sectionId": 1, "resourceType": "article", "paidType": "free"}
    one, many = json.dumps(hit).encode(), hits(40)
    lines = b"\n".join(json.dumps({**hit, "assetId": n}).encode() for n in range(5))
    mixed = json.dumps([hit, {"brand": "open"}, {**hit, "brand": "nobody"}, {**hit, "sectionId": "x" * 200}]).encode()
    own = json.dumps({"assetId": "a", "resourceType": "article"}).encode()
    pages = json.dumps([{**hit, "hits": 3}, {**hit, "assetId": "b", "hits": -1}]).encode()
    tracker = {"origin": "https://abc.example"}
    return [
        Asked("POST", "/v1/hits", 202, JSON_KIND, one),
        Asked("POST", "/v1/hits", 202, JSON_KIND, many),
        Asked("POST", "/v1/hits", 202, {**JSON_KIND, "content-encoding": "gzip"}, gzip.compress(many)),
        Asked("POST", "/v1/hits", 202, {"content-encoding": "zstd"}, zstandard.compress(many)),
        Asked("POST", "/v1/hits", 400, {"content-encoding": "br"}, b"\x8b\x00"),
        Asked("POST", "/v1/hits", 202, {"content-type": "application/x-ndjson"}, lines),
        Asked("POST", "/v1/hits", 202, {"idempotency-key": "first", **JSON_KIND}, hits(3, "plain")),
        Asked("POST", "/v1/hits", 400, {"idempotency-key": "k" * 300}, one),
        Asked("POST", "/v1/hits", 202, JSON_KIND, mixed),
        Asked("POST", "/v1/hits", 400, JSON_KIND, b"{"),
        Asked("POST", "/v1/hits", 400, JSON_KIND, b""),
        Asked("POST", "/v1/hits", 401, JSON_KIND, json.dumps({**hit, "brand": "abc"}).encode()),
        Asked("POST", "/v1/hits", 401, JSON_KIND, json.dumps({**hit, "brand": "nobody"}).encode()),
        Asked("POST", "/v1/hits", 202, bearer(keys.secret), own),
        Asked("POST", "/v1/hits", 401, bearer("ffsec_wrong"), own),
        Asked("POST", "/v1/hits", 403, bearer(keys.reading), own),
        Asked("POST", "/v1/hits", 403, bearer(keys.others), json.dumps([{**hit, "brand": "abc"}]).encode()),
        Asked("POST", f"/v1/hits?key={keys.public}", 202, tracker, own),
        Asked("POST", f"/v1/hits?key={keys.public}", 403, {"origin": "https://other.example"}, own),
        Asked("POST", "/v1/hits", 413, JSON_KIND, b"[" + b" " * 1_100_000 + b"]"),
        Asked("OPTIONS", f"/v1/hits?key={keys.public}", 204, {**tracker, "access-control-request-method": "POST"}),
        Asked("GET", "/v1/hits", 405),
        Asked("POST", "/v1/pagehits?brand=open", 202, JSON_KIND, pages),
        Asked("GET", "/v1/pixel.gif?brand=open&asset=p1&section=2", 200, {"user-agent": "Mozilla/5.0"}),
        Asked("GET", "/v1/pixel.gif?brand=open", 400),
        Asked("HEAD", "/v1/pixel.gif?brand=open&asset=p1", 204),
        Asked("GET", "/footfall.js", 200),
        Asked("GET", "/widget.js", 200),
        Asked("GET", "/player.js", 200),
    ]


def counted_by_name(keys: Keys) -> list[Asked]:
    tracker = {"origin": "https://abc.example"}
    return [
        Asked("POST", "/v1/uniques/campaign?brand=open", 202, JSON_KIND, b'["a", "b", {"data": "c"}, null]'),
        Asked("POST", "/v1/uniques/%C3%A9t%C3%A9%2050%25?brand=open", 202, JSON_KIND, b'{"data": "a"}'),
        Asked("POST", "/v1/uniques/two%0Alines%0A?brand=open", 202, JSON_KIND, b'["a", "b"]'),
        Asked("POST", "/v1/uniques/campaign?brand=open", 400, JSON_KIND, b'{"date": "a"}'),
        Asked("POST", "/v1/uniques/campaign?brand=open", 400, JSON_KIND, b'"a"\n"b"\n'),
        Asked("POST", "/v1/uniques/own", 202, bearer(keys.secret), b'["a"]'),
        Asked("POST", f"/v1/uniques/own?key={keys.public}", 202, tracker, b'"b"'),
        Asked("POST", "/v1/uniques/own", 403, bearer(keys.reading), b'["a"]'),
        Asked("PUT", "/v1/uniques/own/sketch", 403, bearer(keys.reading), b"\x02\x01"),
        Asked("PUT", "/v1/uniques/put/sketch?brand=open", 400, {}, b"\x02\x01"),
    ]


def asked_by_name(keys: Keys) -> list[Asked]:
    return [
        Asked("GET", "/v1/uniques/campaign?brand=open", 200),
        Asked("GET", "/hyperloglog/campaign?brand=open", 200),
        Asked("GET", "/v1/uniques/%C3%A9t%C3%A9%2050%25?brand=open", 200),
        Asked("GET", "/v1/uniques/campaign/sketch?brand=open&kind=theta", 200),
        Asked("GET", "/v1/uniques?brand=open&union=campaign&minus=%C3%A9t%C3%A9%2050%25", 200),
        Asked("GET", "/v1/uniques/two%0Alines%0A?brand=open", 200),
        Asked("GET", "/v1/uniques/campaign?brand=open&from=2026-01-01T00:00Z&to=2026-01-02T00:00Z", 200),
        Asked("GET", "/v1/uniques/campaign?brand=open&from=9000-01-01T00:00Z&to=9000-01-02T00:00Z", 400),
        Asked("GET", "/v1/uniques?brand=open&union=campaign&minus=%FF", 400),
        Asked("GET", "/v1/counters?brand=open", 200),
        Asked("GET", "/v1/counters?brand=open&limit=1&after=campaign", 200),
        Asked("GET", "/v1/counters?brand=open&limit=0", 400),
        Asked("GET", "/v1/counters?brand=abc", 401),
        Asked("GET", "/v1/counters", 200, bearer(keys.reading)),
        Asked("GET", "/v1/uniques?brand=open", 400),
        Asked("GET", "/v1/uniques/nothing?brand=open", 404),
        Asked("DELETE", "/v1/uniques/nothing?brand=open", 404),
        Asked("GET", "/v1/uniques/own?brand=abc", 401),
        Asked("GET", "/v1/uniques/own", 200, bearer(keys.reading)),
    ]


def catalogued(keys: Keys) -> list[Asked]:
    assets = [
        {"assetId": str(n), "title": f"Title {n}", "address": f"/{n}", "tags": ["harbour"] if n % 2 else []}
        for n in range(5)
    ]
    body = json.dumps([*assets, {"assetId": "sports/été 50%", "title": "Été", "authors": ["Desk"]}]).encode()
    return [
        Asked("PUT", "/v1/assets", 200, {**bearer(keys.admin), **JSON_KIND}, body),
        Asked("PUT", "/v1/assets", 400, {**bearer(keys.admin), **JSON_KIND}, b'[{"title": "no id"}]'),
        Asked("PUT", "/v1/assets?brand=open", 200, JSON_KIND, body),
        Asked("GET", "/v1/assets", 200, bearer(keys.reading)),
        Asked("GET", "/v1/assets/sports%2F%C3%A9t%C3%A9%2050%25", 200, bearer(keys.reading)),
        Asked("GET", "/v1/assets/unknown", 404, bearer(keys.reading)),
        Asked("DELETE", "/v1/assets/4", 200, bearer(keys.admin)),
        Asked("GET", "/v1/assets?limit=2&after=0", 200, bearer(keys.reading)),
        Asked("GET", "/v1/brand", 200, bearer(keys.admin)),
        Asked("PATCH", "/v1/brand", 200, bearer(keys.admin), b'{"title": "The ABC"}'),
        Asked("PATCH", "/v1/brand", 400, bearer(keys.admin), b'{"zone": "Europe/Oslo"}'),
        Asked("POST", "/v1/keys", 400, bearer(keys.admin), b'{"kind": "golden"}'),
        Asked("DELETE", "/v1/keys/nothing", 404, bearer(keys.admin)),
        Asked("GET", "/v1/keys", 403, bearer(keys.secret)),
        Asked("GET", "/v1/alerts", 200, bearer(keys.admin)),
        Asked("GET", "/v1/alerts", 200, bearer(keys.reading)),
        Asked("GET", "/v1/alerts/history", 200, bearer(keys.reading)),
        Asked("GET", "/v1/alerts/history?limit=0", 400, bearer(keys.reading)),
        Asked("POST", "/v1/alerts", 403, bearer(keys.reading), b"{}"),
        Asked("POST", "/v1/alerts", 400, bearer(keys.admin), b'{"kind": "golden"}'),
        Asked("PUT", "/v1/alerts/nothing", 404, bearer(keys.admin), b"{}"),
        Asked("PUT", "/v1/alerts/history", 405, bearer(keys.admin), b"{}"),
        Asked("DELETE", "/v1/alerts/nothing", 404, bearer(keys.admin)),
        Asked("POST", "/v1/alerts/nothing/test", 404, bearer(keys.admin)),
        Asked("POST", "/v1/alerts/nothing/rotate", 404, bearer(keys.admin)),
    ]


def asked_for(keys: Keys) -> list[Asked]:
    now_ms = time.time_ns() // 1_000_000
    hour_ms = (now_ms // HOUR_MS) * HOUR_MS + 30 * MINUTE_MS - HOUR_MS  # Kolkata's hours begin at half past.
    span = f"from={instant_text(hour_ms - 2 * HOUR_MS)}&to={instant_text(hour_ms)}"
    public = [
        "period=day",
        "period=week&limit=3",
        "",
        "period=day&section=1,2&resourceType=video",
        "limit=5&paidType=free&period=day&exclude=1",
        "period=day&tag=harbour",
        "period=day&closed=true",
        span,
        f"{span}&section=1",
    ]
    return [
        *(Asked("GET", f"/v1/popular?brand=open{'&' * bool(one)}{one}", 200) for one in public),
        Asked("HEAD", "/v1/popular?brand=open&period=day", 200),
        Asked("OPTIONS", "/v1/popular?brand=open", 204),
        Asked("POST", "/v1/popular?brand=open", 405),
        Asked("GET", "/v1/popular?brand=abc&period=day", 401),
        Asked("GET", "/v1/popular?period=day", 200, bearer(keys.reading)),
        Asked("GET", "/v1/popular?brand=abc", 403, bearer(keys.others)),
        Asked("GET", "/v1/popular?brand=open&period=month", 400),
        Asked("GET", "/v1/popular?brand=open&limit=1000", 400),
        Asked("GET", f"/v1/popular?brand=open&from={instant_text(hour_ms)}", 400),
        Asked("GET", "/v1/popular?brand=nobody", 401),
        *history(keys, hour_ms=hour_ms),
        Asked("GET", "/healthz", 200),
        Asked("GET", "/readyz", 200),
        Asked("GET", "/openapi.json", 200),
        Asked("GET", "/docs", 200),
        Asked("GET", "/static/page.css", 200),
        Asked("GET", "/nowhere", 404),
        Asked("GET", "/v1/hits/", 404),
        Asked("DELETE", "/v1/ledger?brand=open", 405),
        Asked("GET", "/v1/ledger?brand=abc", 401),
        Asked("GET", "/v1/ledger?brand=open&period=day", 400),
    ]


def require_screening_alike(both: Both, key: str) -> None:
    """Require the same of a decision, and the one answer that differs: only an instance has raw hits to try on."""
    assert decision(both.instance.call, key) == decision(both.api.call, key)
    assert both.api.call("POST", "/v1/screening/try", b"{}", bearer(key)).status == 501


def test_an_instance_and_the_functions_answer_alike(both: Both) -> None:
    told: list[str] = []

    def compare(asked: list[Asked]) -> None:
        for one in asked:
            told.extend(f"{one.method} {one.target} {one.body[:80]!r}: {it}" for it in both.differences(one))

    of = both.keys
    proving = Proving(of.signing, of.signed, of.signed_public, of.signed_admin, of.secret)
    compare(
        [
            *collected(both.keys),
            *(Asked(*one) for one in proved(proving)),
            *counted_by_name(both.keys),
            *catalogued(both.keys),
        ]
    )
    audited = [
        acts(one.call("GET", "/v1/audit", None, bearer(both.keys.admin)).body) for one in (both.instance, both.api)
    ]
    assert audited[0] == audited[1]
    assert audited[0][:2] == [("brand-changed", "abc"), ("asset-deleted", "4")]
    require_screening_alike(both, of.signed_editor)
    both.count()
    time.sleep(1.1)  # The longest that a function goes by old counts here.
    assert both.instance.popular("open"), "there is something to compare"
    by_visitors = both.instance.call("GET", "/v1/popular?brand=open&sort=uniques&period=day", None, ID)
    assert json.loads(by_visitors.body)["items"][0]["uniques"] > 1, "there are visitors to compare"
    compare([*asked_for(both.keys), *asked_by_name(both.keys)])
    compare([not_modified(both, "/v1/popular?brand=open&period=day"), not_modified(both, "/openapi.json")])
    assert not told, "\n".join(told)
    told.extend(edit_both(both))
    assert not told, "\n".join(told)
    time.sleep(1.1)  # The longest that either goes by old edits.
    for more in ("", "&period=day", "&period=day&edited=false", "&period=day&section=1", "&period=day&format=csv"):
        compare([Asked("GET", f"/v1/popular?limit=50{more}", 200, bearer(both.keys.reading))])
    shown = json.loads(both.api.call("GET", "/v1/popular?period=day", b"", bearer(both.keys.reading)).body)
    assert [one["assetId"] for one in shown["items"] if one.get("pinned")] == ["2", "sports/été 50%"]
    assert shown["hidden"] == 1
    assert not told, "\n".join(told)


def edit_both(both: Both) -> list[str]:
    """Have editors do the same on both grounds; return in what the answers differ."""
    found: list[str] = []
    who = (bearer(both.keys.admin), bearer(both.keys.reading))
    asked = [*((one, timeless) for one in edits(*who)), *((one, momentless) for one in metric_requests(*who))]
    for (method, target, status, headers, body), plain in asked:
        left = both.instance.call(method, target, body or None, {**ID, **headers})
        right = both.api.call(method, target, body, {**ID, **headers})
        if not (left.status == right.status == status and plain(left.body) == plain(right.body)):
            found.append(f"{method} {target}: {left.status} {left.body!r} and {right.status} {right.body!r}")
    return found


def not_modified(both: Both, target: str) -> Asked:
    etag = both.api.call("GET", target).headers["etag"]
    return Asked("GET", target, 304, {"if-none-match": f'"other", {etag}'})
