"""The function that takes hits: 202 when Kinesis has them, who sent them, and brands that change while it lives."""

import json
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from footfall.accounts.brands import Brand
from footfall.accounts.register import Register
from footfall.app import aws_wiring, wiring
from footfall.app.settings import Settings
from footfall.catalog.asset import Asset
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.lease import writing_alone
from footfall.flow.stream.records import Pack, pack_from_record
from footfall.ports.errors import Throttled
from footfall.ports.stream import Stream
from footfall.screening.lists import list_from_text
from footfall.screening.rules import rules_from_document
from footfall.shells.http.openapi import OPERATIONS
from footfall.shells.http.site_pages import page_paths
from footfall.shells.lambdas.accounts import LOOK_MS
from footfall.shells.lambdas.function_pages import function_pages
from footfall.shells.lambdas.function_routes import ASSETS, MAKERS
from footfall.values.clock import Clock, SetClock, SystemClock
from tests.adapters.aws.kinesis_streams import opened
from tests.engines.dynamodb import VARIABLES, DynamoDbEngine
from tests.engines.kinesis import KinesisEngine
from tests.engines.lambda_runtime import RunHandler
from tests.shells.lambdas.api import SOURCES, api_on, event_of, place_on, reply_from
from tests.shells.lambdas.sites import staged

NOON_MS = 1_794_744_000_000
HIT = {"brand": "abc", "assetId": "7"}
SECRET = "what-cloudfront-proves-itself-with"


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOON_MS)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=str(tmp_path), brands={"abc": Brand("abc")})


def packs(stream: Stream) -> list[Pack]:
    return [pack_from_record(record.data) for record in stream.read(0, after=0)]


def visitors(settings: Settings, clock: Clock) -> list[bytes]:
    stream = wiring.open_stream(settings, clock, read_only=True)
    return [visitor for pack in packs(stream) for visitor in pack.visitors or [b""]]


def register_of(settings: Settings, clock: Clock) -> Register:
    return Register(wiring.open_accounts(settings, clock).table, clock=clock, random_bytes=Random(1).randbytes)


def test_hits_are_in_kinesis_when_they_are_acknowledged(
    dynamodb: DynamoDbEngine, kinesis: KinesisEngine, run_handler: RunHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    place = place_on(dynamodb, kinesis, brands={"abc": Brand("abc")})
    api = api_on(run_handler, place)
    single = api.call("POST", "/v1/hits", json.dumps(HIT).encode())
    batch = api.call("POST", "/v1/hits", json.dumps([HIT] * 30).encode(), {"idempotency-key": "once"})
    again = api.call("POST", "/v1/hits", json.dumps([HIT] * 30).encode(), {"idempotency-key": "once"})
    assert [one.status for one in (single, batch, again)] == [202, 202, 202]
    # What came before is found out by counting; nothing is looked up while a sender waits.
    assert again.body == b'{"accepted":30,"duplicates":0}'
    stream = aws_wiring.open_stream(place.settings, SystemClock(), read_only=True)
    records = stream.read(0, after=0)
    assert [(record.group, record.weight) for record in records] == [("abc", 1), ("abc", 30), ("abc", 30)]
    assert [record.claim for record in records[1:]] == [records[1].claim] * 2
    assert "AWS_Lambda" not in api.collect.log()
    assert "credentials" not in api.collect.log()


def test_the_function_says_which_settings_it_misses(run_handler: RunHandler) -> None:
    function = run_handler(SOURCES, "footfall.shells.lambdas.collect.handler", {"FOOTFALL_GROUND": "aws"})
    answer = reply_from(function.invoke(event_of("GET", "/healthz")))
    assert (answer.status, answer.body) == (200, b'{"status":"ok"}')
    refused = reply_from(function.invoke(event_of("POST", "/v1/hits", body=json.dumps(HIT).encode())))
    assert refused.status == 500
    assert "FOOTFALL_AWS_ACCOUNTS_TABLE" in function.log() + refused.body.decode()


@pytest.mark.parametrize(
    ("fault", "status", "says"),
    [
        ("throttled", 429, "hits come faster than the stream takes them"),
        ("answer lost", 503, "some of the records at most"),
    ],
)
def test_what_kinesis_refuses_is_not_acknowledged(
    kinesis: KinesisEngine, settings: Settings, clock: SetClock, fault: str, status: int, says: str
) -> None:
    def faulty(call: str) -> str:
        return fault if call == "PutRecords" else ""

    stream, _ = opened(kinesis, kinesis.new_stream(), plan=faulty, attempts_max=2)
    with staged(settings, clock, open_stream=lambda _settings, _clock: stream) as stage:
        for body in (HIT, [HIT]):
            answer = stage.call("POST", "/v1/hits", body)
            assert answer.status == status
            assert says in answer.body.decode()
            assert answer.headers["retry-after"] == "1"


def test_an_address_is_the_apis_or_the_forwarded_one_of_a_trusted_cdn(tmp_path: Path, clock: SetClock) -> None:
    settings = Settings(data_dir=str(tmp_path), brands={"abc": Brand("abc")}, http_trusted_proxies=("203.0.113.0/24",))
    through_cdn = {"x-forwarded-for": "192.0.2.1, 203.0.113.5"}
    with staged(settings, clock) as stage:
        stage.call("POST", "/v1/hits", HIT, source_ip="192.0.2.1")
        stage.call("POST", "/v1/hits", HIT, through_cdn, source_ip="203.0.113.5")
        stage.call("POST", "/v1/hits", HIT, through_cdn, source_ip="198.51.100.9")  # Nobody's word but its own.
        stage.call("POST", "/v1/hits", HIT, source_ip="198.51.100.9")
    direct, of_cdn, liar, itself = visitors(settings, clock)
    assert direct == of_cdn
    assert liar == itself
    assert direct != liar


@pytest.mark.parametrize(
    "told",
    [
        {"cloudfront-viewer-address": "192.0.2.1:46532", "x-forwarded-for": "192.0.2.66, 203.0.113.5"},
        {"x-forwarded-for": "192.0.2.66, 192.0.2.1, 203.0.113.5"},
    ],
)
def test_a_cdn_that_has_the_secret_is_believed_and_nobody_else(
    tmp_path: Path, clock: SetClock, told: dict[str, str]
) -> None:
    settings = Settings(data_dir=str(tmp_path), brands={"abc": Brand("abc")}, http_proxy_secret=SECRET)
    edge = "203.0.113.5"
    with staged(settings, clock) as stage:
        stage.call("POST", "/v1/hits", HIT, source_ip="192.0.2.1")
        stage.call("POST", "/v1/hits", HIT, {**told, "x-footfall-proxy": SECRET}, source_ip=edge)
        stage.call("POST", "/v1/hits", HIT, source_ip=edge)
        for wrong in (SECRET[:-1], f"{SECRET}x", "", SECRET.upper(), "\u00e9"):
            stage.call("POST", "/v1/hits", HIT, {**told, "x-footfall-proxy": wrong}, source_ip=edge)
        stage.call("POST", "/v1/hits", HIT, told, source_ip=edge)
    direct, proved, itself, *others = visitors(settings, clock)
    assert direct == proved != itself
    assert others == [itself] * 6


@pytest.mark.parametrize(
    ("method", "target", "body"), [("POST", "/v1/hits", HIT), ("GET", "/v1/ledger?brand=abc", b"")]
)
def test_people_behind_a_cdn_are_limited_each_by_their_own_address(
    tmp_path: Path, clock: SetClock, method: str, target: str, body: object
) -> None:
    settings = Settings(
        data_dir=str(tmp_path),
        brands={"abc": Brand("abc")},
        http_proxy_secret=SECRET,
        limit_address_per_s=1,
        limit_address_burst=3,
    )

    def statuses(secret: str) -> list[int]:
        return [
            stage.call(
                method,
                target,
                body,
                {"x-footfall-proxy": secret, "cloudfront-viewer-address": f"2001:db8:0:{one}::7:46532"},
                source_ip="203.0.113.5",
            ).status
            for one in range(12)
        ]

    with staged(settings, clock) as stage:
        assert 429 not in statuses(SECRET)
        assert 429 in statuses("another-secret-of-somebody")


def test_one_address_is_limited_in_each_function(settings: Settings, clock: SetClock) -> None:
    limited = Settings(data_dir=settings.data_dir, brands=settings.brands, limit_address_per_s=1, limit_address_burst=2)
    with staged(limited, clock) as stage:
        statuses = [stage.call("POST", "/v1/hits", HIT).status for _ in range(4)]
    assert statuses.count(429) >= 1


def test_brands_and_keys_of_others_are_known_after_ten_seconds(settings: Settings, clock: SetClock) -> None:
    register = register_of(settings, clock)
    with staged(settings, clock) as stage:
        assert stage.call("POST", "/v1/hits", {"assetId": "7"}).status == 400
        register.add(Brand("new"), zone_in_use=None)
        key = register.add_secret_key("new", ["write"])
        bearer = {"authorization": f"Bearer {key.text}"}
        assert stage.call("POST", "/v1/hits", {"assetId": "7"}, bearer).status == 401
        clock.advance(10_000)
        assert stage.call("POST", "/v1/hits", {"assetId": "7"}, bearer).status == 202
        register.revoke("new", key.record.id)
        clock.advance(9_999)
        assert stage.call("POST", "/v1/hits", {"assetId": "7"}, bearer).status == 202
        clock.advance(1)
        assert stage.call("POST", "/v1/hits", {"assetId": "7"}, bearer).status == 401


def test_a_function_goes_by_its_own_changes_at_once(settings: Settings, clock: SetClock) -> None:
    register = register_of(settings, clock)
    register.add(Brand("new"), zone_in_use=None)
    admin = {"authorization": f"Bearer {register.add_secret_key('new', ['admin']).text}"}
    with staged(settings, clock) as stage:
        made = json.loads(stage.call("POST", "/v1/keys", {"scopes": ["write"]}, admin).body)
        bearer = {"authorization": f"Bearer {made['key']}"}
        assert stage.call("POST", "/v1/hits", {"assetId": "7"}, bearer).status == 202
        listed = json.loads(stage.call("GET", "/v1/keys", headers=admin).body)["keys"]
        assert [one["lastUsed"] is not None for one in listed] == [True, True]
        assert stage.call("DELETE", f"/v1/keys/{made['id']}", headers=admin).status == 200
        assert stage.call("POST", "/v1/hits", {"assetId": "7"}, bearer).status == 401


def test_labels_that_others_put_are_known_after_ten_seconds(settings: Settings, clock: SetClock) -> None:
    catalogue = Catalogue(wiring.open_catalog_table(settings, clock), clock)
    with staged(settings, clock) as stage:
        for section in ("1", "2", "3"):
            stage.call("POST", "/v1/hits", HIT)
            catalogue.put("abc", [Asset("7", section=section), Asset("8", section=section)])
            stage.call("POST", "/v1/hits", [HIT])
            clock.advance(10_000)
        stage.call("POST", "/v1/hits", HIT)
    sections = [pack.keys[0][1] for pack in packs(wiring.open_stream(settings, clock, read_only=True))]
    assert sections == ["", "", "1", "1", "2", "2", "3"]


def test_a_catalogue_has_one_writer_among_all_functions(settings: Settings, clock: SetClock) -> None:
    with staged(settings, clock) as stage, staged(settings, clock) as other:
        with writing_alone(other.site.catalog_table, "abc", holder="other", clock=clock):
            refused = stage.call("PUT", "/v1/assets?brand=abc", [{"assetId": "1"}])
            assert (refused.status, refused.headers["retry-after"]) == (503, "1")
            assert stage.call("GET", "/v1/assets?brand=abc").status == 200
        assert stage.call("PUT", "/v1/assets?brand=abc", [{"assetId": "1"}]).status == 200


def test_a_writer_that_died_holds_nobody_up_for_longer_than_a_minute(settings: Settings, clock: SetClock) -> None:
    table = wiring.open_catalog_table(settings, clock)
    with writing_alone(table, "abc", holder="dead", clock=clock):
        clock.advance(60_000)
        with writing_alone(table, "abc", holder="next", clock=clock):
            pass
        with (
            writing_alone(table, "abc", holder="third", clock=clock),
            pytest.raises(Throttled, match="is being changed"),
            writing_alone(table, "abc", holder="fourth", clock=clock),
        ):
            pass


def test_more_assets_than_a_function_can_write_are_refused(settings: Settings, clock: SetClock) -> None:
    with staged(settings, clock) as stage:
        answer = stage.call("PUT", "/v1/assets?brand=abc", [{"assetId": str(n)} for n in range(1_001)])
    assert answer.status == 400
    assert b"1,000" in answer.body


def test_a_defect_is_answered_and_the_function_lives_on(
    settings: Settings, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise ZeroDivisionError

    with staged(settings, clock) as stage:
        with monkeypatch.context() as patched:
            patched.setattr(stage.site.desk, "refresh", broken)
            assert stage.call("POST", "/v1/hits", HIT).status == 500
        assert stage.call("POST", "/v1/hits", HIT).status == 202


@pytest.mark.parametrize(
    ("function", "is_without"),
    [
        ("collect", {"starlette", "numpy", "uvloop", "rich", "prometheus_client"}),
        ("serve", {"starlette", "uvloop", "rich", "prometheus_client"}),
    ],
)
def test_a_function_starts_without_what_it_does_not_need(function: str, is_without: set[str]) -> None:
    code = f"import sys, footfall.shells.lambdas.{function}; print(*sys.modules)"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()
    )
    assert loaded & is_without == set()
    assert "boto3" in loaded


def test_every_route_of_an_instance_is_a_functions_as_well(settings: Settings, clock: SetClock) -> None:
    with staged(settings, clock) as stage:
        # Of what begins like an asset's address, a route of its own takes the series and leaves the rest to the pages.
        hot = {path.decode() + "{id}/series" * (path == ASSETS) for path in MAKERS}
        served = hot | set(page_paths(function_pages(stage.site)))
    described = {operation.path for operation in OPERATIONS}
    # A function has no gauges that could be asked for, which it tells to CloudWatch, and nobody listens to it; the plan
    # of a stack is made where its operator is, by `footfall plan --actual`.
    assert {re.sub(r":\w+}", "}", path).replace("asset_id", "id") for path in served} == {
        path.replace("{assetId}", "{id}") for path in described
    } - {"/metrics", "/v1/live", "/v1/plan"} | {"/static/page.css", "/static/docs.css"}


def test_the_door_s_rules_act_in_a_function_and_those_of_another_are_followed(
    settings: Settings, clock: SetClock
) -> None:
    page = {
        "origin": "https://www.example.com",
        "user-agent": "Mozilla/5.0 (X11; rv:132.0) Gecko/20100101 Firefox/132.0",
    }
    bot = {**page, "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"}
    with staged(settings, clock) as function:
        for headers in (page, bot):
            assert function.call("POST", "/v1/hits", HIT, headers).status == 202
        # Somebody else changes the rules and the lists: another function, or the command line.
        other = register_of(settings, clock).screening
        other.put_rules("abc", rules_from_document({"paths": ["/preview/*"]}))
        other.put_list(list_from_text("192.0.2.0/24\n"))
        clock.advance(LOOK_MS)
        assert function.call("POST", "/v1/hits", {**HIT, "url": "https://x/preview/1"}, {}).status == 202
        assert function.call("POST", "/v1/hits", HIT, page).status == 202
    found = [pack.screened for pack in packs(wiring.open_stream(settings, clock, read_only=True))]
    assert found == [None, {0: "bot-agent"}, {0: "rule-path"}, {0: "data-centre"}]
