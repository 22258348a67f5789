"""Data of metrics on a running instance: pushed, computed, counted, kept apart, and asked for all the time."""

import http.client
import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.instance import Instance, Starter, footfall, taken, until

THESIS_PER_S = 93  # 8 million calls a day, as the metric-migration thesis counts them
FIRST = datetime(2026, 10, 1, tzinfo=UTC).date()
DAYS, SECTIONS, COUNTRIES = 30, 5, 4
SPAN = f"from={FIRST}&to={FIRST + timedelta(DAYS)}"


class Place:
    """A running instance with one brand and a key for everything."""

    def __init__(self, instance: Instance, keys: dict[str, str]) -> None:
        self.instance = instance
        self.keys = keys

    def send(self, method: str, target: str, body: Any = None, *, of: str = "abc") -> Any:
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.instance.call(method, target, data, {"Authorization": f"Bearer {self.keys[of]}"})

    def json(self, target: str) -> Any:
        answer = self.send("GET", f"/v1/metrics{target}")
        assert answer.status == 200, answer.body
        return answer.json()

    def define(self, name: str, **fields: Any) -> None:
        told = self.send("POST", "/v1/metrics", {"name": name, "valueType": "SCALAR", **fields})
        assert told.status == 201, told.body


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[Place]:
    folder = tmp_path_factory.mktemp("metric-data")
    data, keys = folder / "data", dict[str, str]()
    for brand in ("abc", "other"):
        assert footfall("brands", "add", brand, "--data", str(data)).returncode == 0
        made = footfall("keys", "add", "--brand", brand, "--scope", "admin", "--data", str(data), "--json")
        keys[brand] = str(json.loads(made.stdout)["key"])
    starter = Starter(folder)
    yield Place(starter.start(data), keys)
    starter.end_all()


def points(factor: float) -> list[dict[str, Any]]:
    return [
        {
            "at": str(FIRST + timedelta(day)),
            "dimensions": {"section": f"s{section}", "country": f"c{country}"},
            "value": factor * (1 + day + section + country),
        }
        for day in range(DAYS)
        for section in range(SECTIONS)
        for country in range(COUNTRIES)
    ]


def test_what_is_pushed_and_what_is_counted_are_told_by_one_question(place: Place) -> None:
    for name in ("reads", "users"):
        place.define(name, relatedDimensions=["section", "country"])
    place.define("rate", valueType="HYBRID", hybridFormula="reads / users")
    for name, factor in (("reads", 3.0), ("users", 2.0)):
        told = place.send("POST", f"/v1/metrics/{name}/data", points(factor))
        assert (told.status, told.json()["days"]) == (200, DAYS), told.body
    by = place.json(f"/rate/data?{SPAN}&by=section&by=country")
    assert len(by["items"]) == DAYS * SECTIONS * COUNTRIES
    assert {one["value"] for one in by["items"]} == {1.5}
    day = place.json(f"/reads/data?{SPAN}&where=section:s0,s1&where=country:c0&grain=month")["items"][0]["value"]
    assert day == 3 * sum(1 + day + section for day in range(DAYS) for section in (0, 1))
    done = footfall(
        "metrics", "get-data", "rate", "--from", str(FIRST), "--to", str(FIRST + timedelta(1)), "--json",
        "--brand", "abc", "--data", str(place.instance.data),
    )  # fmt: skip
    assert json.loads(done.stdout)["items"][0]["value"] == 1.5, done.stderr
    pushed = subprocess.run(
        [sys.executable, "-m", "footfall.shells.cli.main", "metrics", "push", "reads", "-", "--brand", "abc",
         "--data", str(place.instance.data)],
        input=f"at,section,country,value\n{FIRST},s0,c0,9\n", capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert pushed.returncode == 0, pushed.stderr
    first = place.json(f"/reads/data?{SPAN}&where=section:s0&where=country:c0")["items"][0]
    assert first["value"] == 9, "the command line's points are seen by the next question"


def test_an_answer_that_is_ready_is_sent_as_one_that_is_made(place: Place) -> None:
    place.define("été/lectures")
    place.send("POST", "/v1/metrics/%C3%A9t%C3%A9%2Flectures/data", [{"at": str(FIRST), "value": 4}])
    target = f"/v1/metrics/%C3%A9t%C3%A9%2Flectures/data?{SPAN}"
    made, ready = (place.send("GET", target) for _ in range(2))
    named = place.send("GET", f"{target}&brand=abc")
    for one in (ready, named):
        assert (one.status, one.body) == (made.status, made.body)
        assert {**one.headers, "date": ""} == {**made.headers, "date": ""}
    key = {"Authorization": f"Bearer {place.keys['abc']}"}
    tag = {"If-None-Match": f'"other", {made.headers["etag"]}'}
    again = place.instance.call("GET", target, headers={**key, **tag})
    assert (again.status, again.body) == (304, b"")
    table = place.instance.call("GET", target, headers={**key, "Accept": "text/csv"})
    for more, wanted in (("", {"Accept": "text/csv"}), ("&format=csv", {})):  # The lane has it now.
        one = place.instance.call("GET", f"{target}{more}", headers={**key, **wanted})
        assert (one.status, one.body) == (table.status, table.body)
        assert {**one.headers, "date": ""} == {**table.headers, "date": ""}
    assert table.headers["content-type"].startswith("text/csv")
    for wrong in (f"{target}&brand=other", f"{target}&brand=abc&brand=abc", f"{target}&colour=red"):
        assert place.send("GET", wrong).status in (400, 401, 403), wrong
    assert place.instance.call("HEAD", target, headers=key).body == b""


def test_a_connection_goes_on_after_an_answer_that_has_no_body(place: Place) -> None:
    place.define("kept")
    key = {"Authorization": f"Bearer {place.keys['abc']}"}
    line = http.client.HTTPConnection("127.0.0.1", place.instance.port, timeout=30)
    with closing(line):
        # Of definitions, and of data that are made first and ready then.
        for target in ("/v1/metrics/kept", f"/v1/metrics/kept/data?{SPAN}", f"/v1/metrics/kept/data?{SPAN}"):
            line.request("GET", target, headers=key)
            first = taken(line.getresponse())
            for _ in range(2):
                line.request("GET", f"{target}{'&' if '?' in target else '?'}brand=abc",
                             headers={**key, "If-None-Match": first.headers["etag"]})  # fmt: skip
                same = taken(line.getresponse())
                assert (same.status, same.body) == (304, b"")
                assert "transfer-encoding" not in same.headers
            line.request("GET", target, headers=key)
            assert taken(line.getresponse()).body == first.body


def test_footfalls_own_hits_are_what_the_series_says(place: Place) -> None:
    place.define("own", source={"counts": "hits"}, relatedDimensions=["section"])
    hits = [
        {"assetId": str(n), "sectionId": n % 3, "resourceType": "article", "paidType": "free"} for n in range(30)
    ]  # fmt: skip
    assert place.send("POST", "/v1/hits", hits).status == 202
    today = datetime.now(UTC).date() - timedelta(1)  # A test that runs at midnight has hits on both days.
    span = f"from={today}T00:00Z&to={today + timedelta(2)}T00:00Z"
    series = until(
        lambda: place.send("GET", f"/v1/series?brand=abc&grain=day&{span}").json(),
        lambda told: told.get("hits") == 30,
        seconds=20,
    )
    own = place.json(f"/own/data?from={today}&to={today + timedelta(2)}")
    assert [one["value"] or 0 for one in own["items"]] == [one["hits"] for one in series["points"]]
    by = place.json(f"/own/data?from={today}&to={today + timedelta(2)}&by=section&grain=year")
    assert {one["dimensions"]["section"]: one["value"] for one in by["items"]} == {"0": 10, "1": 10, "2": 10}


def test_no_other_brand_reads_or_pushes_a_metrics_data(place: Place) -> None:
    place.define("zzsecret", relatedDimensions=["section"])
    rows = [{"at": str(FIRST), "dimensions": {"section": "zzmark"}, "value": 7}]
    assert place.send("POST", "/v1/metrics/zzsecret/data", rows).status == 200
    before = place.json(f"/zzsecret/data?{SPAN}&by=section")
    for target, status in (("", 404), ("&brand=abc", 403), ("&brand=nobody", 403)):
        asked = place.send("GET", f"/v1/metrics/zzsecret/data?{SPAN}&by=section{target}", of="other")
        assert asked.status == status, asked.body
        assert b"zzmark" not in asked.body
    for target, status in (("", 404), ("?brand=abc", 403)):
        pushed = place.send("POST", f"/v1/metrics/zzsecret/data{target}", [{**rows[0], "value": 8}], of="other")
        assert pushed.status == status, pushed.body
    for brand in ("abc", "nobody"):
        stranger = place.instance.get(f"/v1/metrics/zzsecret/data?{SPAN}&brand={brand}")
        assert stranger.status in (401, 404), stranger.body
    assert place.json(f"/zzsecret/data?{SPAN}&by=section") == before


def loaded(place: Place, *, rate: float, seconds: float, connections: int) -> dict[str, Any]:
    """Ask an instance from a process of its own, with pushes and hits in between, and return what came back."""
    for name in ("pages", "people"):
        if place.send("GET", f"/v1/metrics/{name}").status == 404:
            place.define(name, relatedDimensions=["section", "country"])
            assert place.send("POST", f"/v1/metrics/{name}/data", points(2.0)).status == 200
    if place.send("GET", "/v1/metrics/pages_each").status == 404:
        place.define("pages_each", valueType="HYBRID", hybridFormula="pages / people")
        place.define("all_hits", source={"counts": "hits"})
    base, today = "/v1/metrics", datetime.now(UTC).date()
    plan = {
        "port": place.instance.port, "key": place.keys["abc"], "rate": rate, "seconds": seconds,
        "connections": connections,
        "targets": [
            *(f"{base}/pages_each/data?{SPAN}&where=section:s{n}" for n in range(SECTIONS)),
            *(f"{base}/pages_each/data?{SPAN}&grain={grain}&by=section" for grain in ("week", "month")),
            f"{base}/pages_each/data?{SPAN}&by=section&by=country",
            f"{base}/pages/data?{SPAN}", f"{base}/people/data?{SPAN}&by=country&grain=week",
            f"{base}/all_hits/data?from={today}&to={today + timedelta(1)}",
        ],
        "pushes": [
            (f"{base}/pages/data", json.dumps(points(3.0)[: SECTIONS * COUNTRIES])),
            ("/v1/hits", json.dumps([{"assetId": "1", "sectionId": 1, "resourceType": "a", "paidType": "f"}])),
            (f"{base}/pages/data", json.dumps(points(4.0)[: SECTIONS * COUNTRIES])),
        ],
    }  # fmt: skip
    command = [sys.executable, "-m", "tests.scenarios.metric_load", json.dumps(plan)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds + 120, cwd=root)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert not told["wrong"], told
    assert not told["failures"], told
    assert set(told["statuses"]) <= {"200", "304"}, told
    return told


def test_data_are_answered_without_an_error_while_points_and_hits_come_in(place: Place) -> None:
    told = loaded(place, rate=200, seconds=5, connections=16)
    assert told["answers"] == 1_000, told
    assert told["pushed"] >= 3, told


@pytest.mark.soak
def test_twenty_times_the_thesis_load_is_held_for_ten_minutes_without_an_error(place: Place) -> None:
    rate, seconds = 20 * THESIS_PER_S, 600
    told = loaded(place, rate=rate, seconds=seconds, connections=64)
    assert told["answers"] == rate * seconds, told
    assert told["seconds"] < seconds + 5, f"the rate was not held: {told}"
    print(told)
