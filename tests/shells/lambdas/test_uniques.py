"""Named counters over HTTP: what is taken, answered and refused; the routes are those of an instance."""

import json
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from footfall.accounts.brands import Brand
from footfall.accounts.register import Register
from footfall.app import wiring
from footfall.values.window import DAY_MS
from tests.shells.lambdas.counter_site import Counted, counted, told
from tests.sketches.theirs import datasketches

LINES = {"content-type": "application/x-ndjson"}


@pytest.fixture
def site(tmp_path: Path) -> Generator[Counted]:
    with counted(tmp_path) as opened:
        yield opened


def test_one_value_a_list_or_lines_are_taken_and_each_counts_once(site: Counted) -> None:
    assert told(site.post("a", {"data": "http://some.url/data/point"})) == {"accepted": 1, "duplicates": 0}
    assert told(site.post("a", ["x", {"data": "y"}, 42, "42"])) == {"accepted": 4, "duplicates": 0}
    assert site.post("a", {"data": ["x", "z"]}).status == 202
    assert told(site.post("a", b'"x"\n\n{"data":"line"}\n', **LINES)) == {"accepted": 2, "duplicates": 0}
    site.count()
    answer = told(site.get("/v1/uniques/a"))
    assert (answer["estimate"], answer["lower"], answer["upper"], answer["by"]) == (6, 6, 6, "hll")
    assert (answer["brand"], answer["name"], answer["since"]) == ("abc", "a", "2026-11-14T22:00Z")


def test_the_article_s_address_takes_its_object_and_gives_a_bare_number(site: Counted) -> None:
    for value in ("one", "two", "one"):
        put = site.site.call("POST", "/hyperloglog/pages", json.dumps({"data": value}).encode())
        assert put.status == 200
        assert set(told(put)) == {"ShardId", "SequenceNumber"}
    site.count()
    assert site.site.call("GET", "/hyperloglog/pages").body == b"2"
    assert site.estimate("pages") == 2
    assert site.site.call("POST", "/hyperloglog/pages", b'["one"]').status == 400


@pytest.mark.parametrize(
    "name",
    [
        "caf%C3%A9",
        "%F0%9F%90%98",
        "a%2Fb%23c%40d",
        "%25",
        "a,b",
        "%00",
        "%E2%80%AE",
        "a%20b",
        "a%0Ab",
        "%0A",
        "b%0D%0A",
        "a/sketch%0A",
    ],
)
def test_a_name_is_any_text(site: Counted, name: str) -> None:
    assert site.post(name, ["1", "2"]).status == 202
    site.count()
    assert site.estimate(name) == 2
    assert told(site.get(f"/v1/uniques?union={name}"))["estimate"] == 2


@pytest.mark.parametrize("word", ["union", "intersect", "minus"])
def test_bytes_that_are_no_text_are_refused_in_a_question(site: Counted, word: str) -> None:
    site.post("a", ["x"])
    site.count()
    refused = site.get(f"/v1/uniques?union=a&{word}=%FF")
    assert (refused.status, told(refused)["field"]) == (400, word)
    assert "UTF-8" in told(refused)["detail"]


@pytest.mark.parametrize("name", ["", "x" * 257, "a/sketch"])
def test_what_cannot_be_a_name_is_refused_and_changes_nothing(site: Counted, name: str) -> None:
    assert site.post(name, ["1"]).status in (400, 405)
    with closing(wiring.open_stream(site.settings, site.clock, read_only=True)) as stream:
        assert stream.appended() == {}


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"null", b"{}", b'{"data":null}', b'{"data":""}', b"[1.5]", b"[true]", b'["' + b"x" * 8_193 + b'"]'],
)
def test_a_body_without_a_value_is_refused_and_changes_nothing(site: Counted, body: bytes) -> None:
    reply = site.post("a", body)
    assert (reply.status, reply.headers["content-type"]) == (400, "application/problem+json")
    site.count()
    assert site.estimate("a") == -404


@pytest.mark.parametrize("body", [b'"x"\n"y"\n', b'{"data":"x"}\r\n{"data":"y"}', b"1\n\n2"])
def test_lines_that_do_not_say_what_they_are_are_told_how_to(site: Counted, body: bytes) -> None:
    assert "send it with Content-Type: application/x-ndjson" in told(site.post("a", body))["detail"]
    assert site.post("a", body, **LINES).status == 202
    assert "x-ndjson" not in told(site.post("a", b'{"data":\n"x"'))["detail"]


def test_values_that_cannot_be_taken_are_named_and_the_rest_is_in(site: Counted) -> None:
    answer = told(site.post("a", ["x", "", {"date": 1}, "y"]))
    assert (answer["accepted"], answer["refusedCount"]) == (2, 2)
    assert [(one["index"], one["field"]) for one in answer["refused"]] == [(1, "data"), (2, "data")]


def test_a_request_that_is_sent_again_counts_once_and_its_key_serves_no_other(site: Counted) -> None:
    assert told(site.post("a", ["x"], idempotency_key="k")) == {"accepted": 1, "duplicates": 0}
    assert told(site.post("a", ["x"], idempotency_key="k")) == {"accepted": 1, "duplicates": 1}
    assert site.post("a", ["y"], idempotency_key="k").status == 422
    assert site.post("b", ["x"], idempotency_key="k").status == 422
    site.count()
    assert (site.estimate("a"), site.estimate("b")) == (1, -404)


def test_sets_are_told_with_their_bounds(site: Counted) -> None:
    site.post("a", [f"v{n}" for n in range(4_000)])
    site.post("b", [f"v{n}" for n in range(2_000, 5_000)])
    site.post("c", ["v0", "v1", "v2"])
    site.count()
    cases = {
        "union=a&union=b": 5_000,
        "intersect=a&intersect=b": 2_000,
        "union=a&minus=b": 2_000,
        "union=a&union=b&intersect=c": 3,
        "union=c&minus=a": 0,
        "union=a&union=a": 4_000,
    }
    for query, truth in cases.items():
        answer = told(site.get(f"/v1/uniques?{query}"))
        assert answer["lower"] <= truth <= answer["upper"], query
        assert answer["by"] == ("hll" if "minus" not in query and "intersect" not in query else "theta")
        assert answer["confidence"] == 0.95


def test_no_bound_is_above_the_size_of_a_set_that_it_is_part_of(site: Counted) -> None:
    site.post("few", [f"f{n}" for n in range(5)])
    for start in range(0, 50_000, 5_000):
        site.post("many", [f"v{n}" for n in range(start, start + 5_000)])
    site.post("some", [f"v{n}" for n in range(3)])
    site.count()
    cases = {
        "intersect=few&intersect=many": 5,
        "union=few&union=some&intersect=many": 8,
        "union=many&intersect=some": 3,
        "union=many&minus=many": 0,
        "union=few&union=many&minus=many": 5,
        "union=few&intersect=many&minus=many": 0,
    }
    for query, most in cases.items():
        answer = told(site.get(f"/v1/uniques?{query}"))
        assert 0 <= answer["lower"] <= answer["estimate"] <= answer["upper"] <= most, query
    assert site.get("/v1/uniques?union=many&minus=many&minus=nobody").status == 404


@pytest.mark.parametrize(
    "query", ["", "minus=a", "union=", "union=a&union=", "union=a&sort=b", "union=a&from=2026-11-15"]
)
def test_a_set_of_nothing_is_refused(site: Counted, query: str) -> None:
    site.post("a", ["x"])
    site.count()
    assert site.get(f"/v1/uniques?{query}").status == 400


def test_a_comma_is_part_of_a_name(site: Counted) -> None:
    site.post("a,b", ["x"])
    site.post("a", ["y"])
    site.post("b", ["z"])
    site.count()
    assert told(site.get("/v1/uniques?union=a,b"))["union"] == ["a,b"]
    assert site.get("/v1/uniques?union=a&union=nobody").status == 404


def test_a_counter_that_is_deleted_is_gone_and_may_begin_anew(site: Counted) -> None:
    site.post("a", ["x", "y"])
    site.count()
    site.clock.advance(DAY_MS)
    site.post("a", ["z"])
    assert told(site.call("DELETE", "/v1/uniques/a")) == {"accepted": 1, "duplicates": 0}
    site.count()
    assert site.estimate("a") == -404
    site.post("a", ["new"])
    site.count()
    assert site.estimate("a") == 1
    assert told(site.get("/v1/uniques/a?from=2026-11-15T00:00Z&to=2026-11-16T00:00Z"))["estimate"] == 1
    assert site.call("DELETE", "/v1/uniques/nobody").status == 404


def test_a_sketch_goes_out_to_datasketches_and_comes_back_in(site: Counted) -> None:
    values = [f"v{n}" for n in range(5_000)]
    site.post("a", values)
    site.count()
    for kind in ("hll", "theta"):
        sketch = site.get(f"/v1/uniques/a/sketch?kind={kind}")
        assert sketch.headers["content-type"] == "application/octet-stream"
        assert site.call("PUT", f"/v1/uniques/copy/sketch?kind={kind}", sketch.body).status == 202
    site.count()
    theirs = datasketches.hll_sketch(14)
    for value in values:
        theirs.update(value)
    ours = datasketches.hll_sketch.deserialize(site.get("/v1/uniques/a/sketch").body)
    assert abs(ours.get_estimate() / theirs.get_estimate() - 1) < 0.01
    assert site.get("/v1/uniques/copy/sketch").body == site.get("/v1/uniques/a/sketch").body
    assert site.call("PUT", "/v1/uniques/theirs/sketch", theirs.serialize_compact()).status == 202
    site.count()
    assert site.get("/v1/uniques/theirs/sketch").body == site.get("/v1/uniques/a/sketch").body
    assert told(site.get("/v1/uniques?union=copy&minus=a"))["estimate"] == 0
    assert site.get("/v1/uniques?union=theirs&minus=a").status == 409


def test_a_theta_sketch_is_taken_only_beside_an_hll_sketch_that_was_imported(site: Counted) -> None:
    site.post("a", ["x", "y"])
    site.post("b", [f"v{n}" for n in range(50)])
    site.count()
    other, own = (site.get(f"/v1/uniques/{name}/sketch?kind=theta").body for name in ("b", "a"))
    refused = site.call("PUT", "/v1/uniques/a/sketch?kind=theta", other)
    assert (refused.status, refused.headers["content-type"]) == (409, "application/problem+json")
    assert site.call("PUT", "/v1/uniques/a/sketch?kind=theta", own).status == 202, "it says nothing new"
    site.count()
    answer = told(site.get("/v1/uniques?intersect=a"))
    assert (answer["estimate"], answer["upper"]) == (2, 2)
    assert site.call("PUT", "/v1/uniques/a/sketch", site.get("/v1/uniques/b/sketch").body).status == 202
    site.count()
    assert site.call("PUT", "/v1/uniques/a/sketch?kind=theta", other).status == 202
    site.count()
    assert told(site.get("/v1/uniques?intersect=a&intersect=b"))["estimate"] == 50
    assert site.call("PUT", "/v1/uniques/a/sketch?kind=theta", other).status == 202, "it may be sent again"
    assert site.call("PUT", "/v1/uniques/a/sketch?kind=theta", b"nonsense").status == 400


def test_bytes_that_are_no_sketch_or_one_of_another_size_change_nothing(site: Counted) -> None:
    small = datasketches.hll_sketch(12)
    small.update("x")
    site.post("a", ["x", "y"])
    site.count()
    for body in (b"", b"nonsense", bytes(40), small.serialize_compact(), site.get("/v1/uniques/a/sketch").body[:-1]):
        reply = site.call("PUT", "/v1/uniques/a/sketch", body)
        assert (reply.status, told(reply)["field"]) == (400, "body")
    assert site.call("PUT", "/v1/uniques/a/sketch?kind=cpc", b"").status == 400
    site.count()
    assert site.estimate("a") == 2


def test_a_write_key_adds_and_only_a_secret_one_deletes_imports_or_reads_what_is_not_public(tmp_path: Path) -> None:
    with counted(tmp_path) as site:
        register = Register(
            wiring.open_accounts(site.settings, site.clock).table, clock=site.clock, random_bytes=Random(1).randbytes
        )
        register.add(Brand("keyed", is_public=False), zone_in_use=None)
        public = register.add_public_key("keyed").text
        secrets = {scope: register.add_secret_key("keyed", [scope]).text for scope in ("read", "write")}
        site.clock.advance(60_000)

        def call(method: str, target: str, key: str, body: bytes = b"") -> int:
            return site.site.call(method, target, body, {"authorization": f"Bearer {key}"}).status

        assert call("POST", "/v1/uniques/a", public, b'["x"]') == 202
        assert call("POST", "/v1/uniques/a", secrets["write"], b'["y"]') == 202
        assert call("POST", "/v1/uniques/a", secrets["read"], b'["z"]') == 403
        site.count()
        assert call("GET", "/v1/uniques/a", secrets["read"]) == 200
        assert call("GET", "/v1/uniques/a", public) == 403
        assert call("GET", "/v1/counters", secrets["read"]) == 200
        assert call("GET", "/v1/counters", public) == 403
        assert site.site.call("GET", "/v1/counters?brand=keyed").status == 401
        assert site.site.call("GET", "/v1/uniques/a?brand=keyed").status == 401
        assert call("PUT", "/v1/uniques/a/sketch", public, b"x") == 403
        assert call("DELETE", "/v1/uniques/a", public) == 403
        assert call("DELETE", "/v1/uniques/a", secrets["write"]) == 202


def test_the_ledger_has_a_balance_of_their_own(site: Counted) -> None:
    assert "uniques" not in told(site.get("/v1/ledger"))
    site.post("a", ["x", "y"], idempotency_key="k")
    site.post("a", ["x", "y"], idempotency_key="k")
    site.count()
    book = told(site.get("/v1/ledger"))
    assert book["accepted"] == 0
    lines = {"accepted": 4, "counted": 2, "duplicate": 2, "screened": {}, "dead": 0, "inFlight": 0}
    assert book["uniques"] == {**lines, "inFlightIsEstimate": True}
