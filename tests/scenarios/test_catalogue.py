"""The catalogue as a publisher has it: assets are loaded, hits get their labels, and what was held is counted once."""

import json
import time
from pathlib import Path

from footfall.values.window import HOUR_MS, instant_text
from tests.scenarios.instance import Instance, Starter, footfall, until

HOLDING = ("--brand", "abc:UTC:hold", "--set", "count_flush_ms=100", "--set", "serve_refresh_ms=50")


def put(instance: Instance, *assets: dict[str, object]) -> None:
    answer = instance.call("PUT", "/v1/assets?brand=abc", json.dumps(assets).encode())
    assert answer.status == 200, answer.body
    assert answer.json()["stored"] == len(assets)


def sections(instance: Instance) -> dict[str, tuple[int, object, object]]:
    """Return hits, section and type of every asset in the day's list."""
    items = instance.get("/v1/popular?brand=abc&period=day&limit=100").json()["items"]
    return {item["assetId"]: (item["hits"], item["sectionId"], item["resourceType"]) for item in items}


def test_held_hits_are_counted_once_when_the_catalogue_knows_them_whatever_is_killed(
    starter: Starter, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    instance = starter.start(data, *HOLDING, dev=False)
    unlabelled = [{"brand": "abc", "assetId": asset} for asset in (1, 2, 1)]
    instance.post([*unlabelled, {"brand": "abc", "assetId": 3, "resourceType": "video"}])
    instance.post({"brand": "abc", "assetId": 2, "sectionId": 5})
    book = instance.drained("abc")
    assert (book["unlabelled"], book["counted"]) == (4, 1)

    file = tmp_path / "assets.csv"
    file.write_text("assetId,title,sectionId,resourceType\n1,The first,7,article\n")
    loaded = footfall("assets", "load", str(file), "--url", instance.url, "--brand", "abc")
    assert (loaded.returncode, loaded.stdout) == (0, "1 asset of abc stored, 0 refused\n")
    until(lambda: instance.ledger("abc"), lambda book: (book["unlabelled"], book["counted"]) == (2, 3), seconds=15)
    until(lambda: sections(instance), lambda found: found.get("1") == (2, 7, "article"), seconds=10)
    instance.post({"brand": "abc", "assetId": 1, "sectionId": 99})
    until(lambda: sections(instance), lambda found: found.get("1") == (3, 7, "article"), seconds=10)

    put(instance, {"assetId": 2, "resourceType": "article"})
    instance.kill()  # What was put has its 2xx; whether its hits were released by then is nobody's to know.
    instance = starter.start(data, *HOLDING, dev=False)
    until(lambda: instance.ledger("abc"), lambda book: (book["unlabelled"], book["counted"]) == (0, 6), seconds=15)
    seen = until(lambda: sections(instance), lambda found: sum(hits for hits, *_ in found.values()) == 6, seconds=10)
    assert {asset: hits for asset, (hits, *_) in seen.items()} == {"1": 3, "2": 2, "3": 1}
    assert seen["1"] == (3, 7, "article")

    put(instance, {"assetId": 1, "sectionId": 8, "resourceType": "article"})
    now_ms = int(time.time() * 1_000)
    moments = ("--from", instant_text(now_ms - HOUR_MS), "--to", instant_text(now_ms))
    recounted = footfall("recount", "--data", str(data), "--brand", "abc", *moments)
    assert recounted.returncode == 0, recounted.stderr
    assert "catalogue 3" in recounted.stdout
    until(lambda: sections(instance), lambda found: found.get("1") == (3, 8, "article"), seconds=10)
    book = instance.drained("abc")
    assert (book["accepted"], book["counted"], book["unlabelled"]) == (6, 6, 0)
    instance.terminate()
