"""Where readers came from, on a running instance: sent over HTTP, told over HTTP and by the command, and kill -9."""

import json
import os
import signal
from pathlib import Path
from typing import Any

from tests.scenarios.instance import Instance, Starter, footfall, until

JUDGING = "footfall.app.judging"
SENT = {
    "https://www.google.com/search?q=a%20secret": 4,
    "https://l.facebook.com/l.php?u=x": 2,
    "https://www.abc.example/front?token=hidden": 3,
    "": 1,
}
TOLD = {"google.com": 4, "internal": 3, "facebook.com": 2, "direct": 1}


def hits(asset: str) -> list[dict[str, str]]:
    page = {"brand": "abc", "assetId": asset, "sectionId": "news", "url": f"https://abc.example/{asset}"}
    return [{**page, **({"referrer": one} if one else {})} for one, count in SENT.items() for _ in range(count)]


def told(instance: Instance, query: str) -> dict[str, Any]:
    answer = instance.get(f"/v1/referrers?brand=abc{query}")
    assert answer.status == 200, answer.body
    assert b"secret" not in answer.body
    assert b"hidden" not in answer.body
    return answer.json()


def sources(instance: Instance, query: str) -> dict[str, int]:
    return {one["source"]: one["hits"] for one in told(instance, query)["sources"]}


def test_readers_are_told_by_where_they_came_from_and_a_killed_process_tells_none_twice(
    starter: Starter, data: Path
) -> None:
    instance = starter.start(data, env={"FOOTFALL_SCREENING_JUDGING": "false"})
    assert instance.post(hits("one")).status == 202
    assert until(lambda: sources(instance, "&asset=one"), bool, seconds=40) == TOLD
    pid = instance.child(JUDGING)
    assert pid is not None
    assert instance.post(hits("two")).status == 202
    instance.drained("abc")
    os.kill(pid, signal.SIGKILL)
    until(lambda: sources(instance, "&asset=two"), bool, seconds=40)
    assert sources(instance, "&asset=two") == sources(instance, "&asset=one") == TOLD
    brand = told(instance, "")
    assert (brand["hits"], brand["other"], brand["exact"], brand["period"]) == (20, 0, True, "day")
    assert sources(instance, "&section=news&limit=1") == {"google.com": 8}
    assert told(instance, "&section=news&limit=1")["other"] == 12
    for query, field in (("&asset=", "asset"), ("&period=never", "period"), ("&x=1", "x"), ("&limit=0", "limit")):
        refused = instance.get(f"/v1/referrers?brand=abc{query}")
        assert (refused.status, refused.headers["content-type"]) == (400, "application/problem+json")
        assert field in refused.body.decode()
    command = ("referrers", "--url", instance.url, "--brand", "abc")
    shown = footfall(*command, "--asset", "one").stdout
    assert "google.com" in shown
    assert "40.0%" in shown
    asked = footfall(*command, "--json").stdout
    assert json.loads(asked)["hits"] == 20
