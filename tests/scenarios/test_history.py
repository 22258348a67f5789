"""History as a reader has it: series, rises and roll-ups over HTTP and in the terminal, and exports beside a server."""

import csv
import io
import json
from pathlib import Path

from tests.scenarios.instance import Starter, footfall, hit, until


def test_what_was_sent_is_told_as_series_rises_and_roll_ups(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    instance.post([hit("1"), hit("1"), hit("=2"), *(hit("/a/series") for _ in range(30))])
    instance.drained("abc")
    series = until(
        lambda: instance.get("/v1/series?brand=abc&grain=hour&compare=previous"),
        lambda it: it.status == 200 and it.json()["hits"] == 33,
        seconds=20,
    )
    assert series.headers["content-location"] == "/v1/series?brand=abc&compare=previous&grain=hour"
    assert series.headers["cache-control"].startswith("public, max-age=60")
    assert len(series.json()["points"]) == 24
    again = instance.call("GET", "/v1/series?brand=abc&compare=previous", headers={"If-None-Match": "*"})
    assert (again.status, again.body) == (304, b"")
    one = instance.get("/v1/assets/%2Fa%2Fseries/series?brand=abc").json()
    assert (one["assetId"], one["hits"], one["exact"]) == ("/a/series", 30, True)
    assert instance.get("/v1/assets/%2Fa%2Fseries?brand=abc").status == 404  # The catalogue does not know the asset.
    sections = instance.get("/v1/top/sections?brand=abc&period=day").json()
    assert (sections["hits"], sections["items"][0]["share"]) == (33, 1.0)
    assert instance.get("/v1/top/types?brand=abc&period=day").json()["hits"] == 33
    rising = instance.get("/v1/trending?brand=abc").json()
    assert (rising["hits"], rising["basis"]) == (33, "hits")
    table = instance.get("/v1/popular?brand=abc&format=csv")
    assert table.headers["content-type"].startswith("text/csv")
    assert "'=2" in [row["assetId"] for row in csv.DictReader(io.StringIO(table.body.decode(), newline=""))]
    shown = footfall("series", "--url", instance.url, "--brand", "abc", "--asset", "1")
    assert "2 hits" in shown.stdout, shown.stderr
    assert footfall("trending", "--url", instance.url, "--brand", "abc", "--json").returncode == 0
    file = data.parent / "out.ndjson"
    span = ("--from", "2026-01-01T00:00Z", "--format", "ndjson", str(file))
    done = footfall("export", "--data", str(data), "--brand", "abc", *span)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert sum(row["hits"] for row in rows) == 33
    instance.terminate()


def test_brands_are_rolled_up_for_whoever_may_read_them(starter: Starter, data: Path) -> None:
    instance = starter.start(data)
    flags = ("--data", str(data))
    keys: dict[str, dict[str, str]] = {}
    for name in ("quiet", "shy"):
        assert footfall("brands", "add", name, *flags, "--public", "no").returncode == 0
        made = footfall("keys", "add", *flags, "--brand", name, "--scope", "read", "--scope", "write", "--json")
        keys[name] = {"Authorization": f"Bearer {json.loads(made.stdout)['key']}"}
        assert instance.post([{"assetId": "1"}] * 2, keys[name]).status == 202
    instance.post([hit("1")])
    answer = until(
        lambda: instance.call("GET", "/v1/top/brands?brand=quiet&brand=abc&period=day", headers=keys["quiet"]),
        lambda it: it.status == 200 and it.json()["hits"] == 3,
        seconds=20,
    )
    assert [(item["rank"], item["brand"], item["hits"]) for item in answer.json()["items"]] == [
        (1, "quiet", 2),
        (2, "abc", 1),
    ]
    assert answer.headers["cache-control"].startswith("private")
    for asked, status in (("brand=quiet&brand=shy", 403), ("brand=abc&period=never", 400), ("", 400)):
        assert instance.call("GET", f"/v1/top/brands?{asked}", headers=keys["quiet"]).status == status
    assert instance.get("/v1/top/brands?brand=abc&brand=quiet").status == 401
    made = footfall("keys", "add", *flags, "--brand", "quiet", "--scope", "read", "--also-reads", "shy", "--json")
    desk = {"Authorization": f"Bearer {json.loads(made.stdout)['key']}"}
    both = instance.call("GET", "/v1/top/brands?brand=quiet&brand=shy&period=day", headers=desk)
    assert (both.status, both.json()["hits"]) == (200, 4)
    assert instance.call("GET", "/v1/popular?brand=shy&period=day", headers=desk).json()["brand"] == "shy"
    assert instance.call("GET", "/v1/popular?period=day", headers=desk).json()["brand"] == "quiet"
    for closed in ("/v1/ledger?brand=shy", "/v1/assets?brand=shy"):
        assert instance.call("GET", closed, headers=desk).status == 403
    table = instance.get("/v1/top/brands?brand=abc&format=csv&period=day")
    columns = "rank,brand,period,from,to,exact,keptSince,final,hits,hitsAtMost,hitsBefore"
    assert table.body.decode().splitlines()[0] == columns
    instance.terminate()
