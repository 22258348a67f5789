"""/v1/assets: assets are put, shown, listed and forgotten; whatever is wrong is named and costs nothing else."""

import asyncio
import gzip
import json
import threading
from collections.abc import Coroutine, Generator
from dataclasses import dataclass
from itertools import count

import pytest
import zstandard
from starlette.types import Receive, Scope, Send

from footfall.ports.errors import Throttled
from footfall.shells.http.assets import IDS_MAX
from footfall.shells.http.cataloguing import READING_SHARE, WRITING_SHARE, Waiting
from tests.shells.http.stage import Reply, Stage, asked, staged

ASSET = {
    "assetId": "132141398",
    "title": "A title",
    "address": "https://news.example/a",
    "sectionId": "563",
    "resourceType": "article",
    "published": "2026-11-15T12:30Z",
    "authors": ["Ann"],
    "tags": ["sea", "sky"],
}


@dataclass
class Asker:
    """Asks about a brand of its own on a front that all tests share."""

    stage: Stage
    brand: str

    def ask(self, target: str, *, method: str = "GET", brand: str = "") -> Reply:
        sign = "&" if "?" in target else "?"
        return self.stage.ask(f"{target}{sign}brand={brand or self.brand}", method=method)

    def put(self, content: object, **headers: str) -> Reply:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.stage.ask(f"/v1/assets?brand={self.brand}", method="PUT", headers=names, body=body)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Generator[Stage]:
    with staged(tmp_path_factory.mktemp("front"), dev=True, http_batch_hits_max=100) as opened:
        yield opened


_numbers = count()


@pytest.fixture
def asker(stage: Stage) -> Asker:
    return Asker(stage, f"brand{next(_numbers)}")


def problem(reply: Reply, status: int, field: str) -> str:
    assert reply.status == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    document = reply.json()
    assert document["field"] == field
    return str(document["detail"])


def test_an_asset_that_was_put_is_shown_as_it_was_put(asker: Asker) -> None:
    reply = asker.put(ASSET)
    assert (reply.status, reply.json()) == (200, {"stored": 1, "version": 1})
    assert reply.headers["cache-control"] == "no-store"
    shown = asker.ask("/v1/assets/132141398")
    assert shown.json() == {"brand": asker.brand, **ASSET}


def test_an_asset_that_is_put_again_is_replaced_whole(asker: Asker) -> None:
    asker.put(ASSET)
    asker.put({"assetId": 132141398, "title": "Another"})
    assert asker.ask("/v1/assets/132141398").json() == {
        "brand": asker.brand,
        "assetId": "132141398",
        "title": "Another",
    }


@pytest.mark.parametrize("asset_id", ["https://news.example/a?b=c#d", "a/b", "ä ö", "50%", "1"])
def test_any_id_can_be_shown_and_forgotten_by_its_address(asker: Asker, asset_id: str) -> None:
    asker.put({"assetId": asset_id})
    # The application gets paths as the server has decoded them.
    path = f"/v1/assets/{asset_id}"
    shown = asker.stage.runner.run(asked_at(asker, path, "GET"))
    assert shown.json() == {"brand": asker.brand, "assetId": asset_id}
    assert asker.stage.runner.run(asked_at(asker, path, "DELETE")).json() == {"deleted": 1}
    assert "not in the catalogue" in problem(asker.stage.runner.run(asked_at(asker, path, "DELETE")), 404, "assetId")
    problem(asker.stage.runner.run(asked_at(asker, path, "GET")), 404, "assetId")


async def asked_at(asker: Asker, path: str, method: str) -> Reply:
    async def with_path(scope: Scope, receive: Receive, send: Send) -> None:
        await asker.stage.application({**scope, "path": path}, receive, send)

    return await asked(with_path, f"/?brand={asker.brand}", method=method, headers={})


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (json.dumps([ASSET, ASSET]).encode(), {}),
        (json.dumps(ASSET).encode() + b"\n" + json.dumps(ASSET).encode(), {"content_type": "application/x-ndjson"}),
        (b"assetId,title\n132141398,A title\n2,B\n", {"content_type": "text/csv; charset=utf-8"}),
        (gzip.compress(json.dumps([ASSET, ASSET]).encode()), {"content_encoding": "gzip"}),
        (zstandard.compress(json.dumps([ASSET, ASSET]).encode()), {"content_encoding": "zstd"}),
    ],
)
def test_many_assets_come_in_every_form_that_hits_do_and_as_a_table(
    asker: Asker, body: bytes, headers: dict[str, str]
) -> None:
    assert asker.put(body, **headers).json()["stored"] == 2
    assert asker.ask("/v1/assets/132141398").json()["title"] == "A title"


def test_what_is_refused_is_named_and_the_rest_is_stored(asker: Asker) -> None:
    reply = asker.put([ASSET, {"assetId": "2", "title": 7}, {"assetId": "3"}])
    assert reply.status == 200
    assert reply.json() == {
        "stored": 2,
        "version": 1,
        "refusedCount": 1,
        "refused": [{"index": 1, "field": "title", "reason": "must be text, not a number"}],
    }
    assert asker.ask("/v1/assets/2").status == 404


def test_a_request_of_which_nothing_can_be_taken_is_a_problem(asker: Asker) -> None:
    assert problem(asker.put({"assetId": "2", "title": 7}), 400, "title") == "title: must be text, not a number"
    reply = asker.put([{"assetId": ""}, {}])
    assert "none of the 2 assets" in problem(reply, 400, "assetId")
    assert [one["index"] for one in reply.json()["refused"]] == [0, 1]
    for body in (b"", b"  ", b"[", b"\xff"):
        problem(asker.put(body), 400, "body")
    problem(asker.put([{"assetId": str(number)} for number in range(101)]), 400, "body")
    problem(asker.put(b"x", content_encoding="br"), 400, "Content-Encoding")
    assert asker.put(gzip.compress(b" " * 5_000_000), content_encoding="gzip").status == 413
    assert asker.ask("/v1/assets").json() == {"brand": asker.brand, "version": 0, "items": []}


def test_an_empty_array_stores_nothing(asker: Asker) -> None:
    assert asker.put([]).json() == {"stored": 0, "version": 0}


def test_assets_are_listed_page_by_page_and_by_id(asker: Asker) -> None:
    asker.put([{"assetId": str(number)} for number in range(5)])
    first = asker.ask("/v1/assets?limit=3").json()
    assert [one["assetId"] for one in first["items"]] == ["0", "1", "2"]
    second = asker.ask(f"/v1/assets?limit=3&after={first['after']}").json()
    assert [one["assetId"] for one in second["items"]] == ["3", "4"]
    assert "after" not in second
    some = asker.ask("/v1/assets?ids=4&ids=9&ids=0&ids=4").json()
    assert [one["assetId"] for one in some["items"]] == ["4", "0"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=x", "limit"),
        ("limit=5&limit=5", "limit"),
        ("offset=3", "offset"),
        ("after=" + "a" * 257, "after"),
        ("ids=" + "a" * 257, "ids"),
        ("&".join(f"ids={number}" for number in range(IDS_MAX + 1)), "ids"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(asker: Asker, query: str, field: str) -> None:
    problem(asker.ask(f"/v1/assets?{query}"), 400, field)


def test_other_methods_are_told_which_there_are(asker: Asker) -> None:
    many, one = asker.ask("/v1/assets", method="POST"), asker.ask("/v1/assets/1", method="PUT")
    assert (many.status, many.headers["allow"]) == (405, "GET, HEAD, PUT")
    assert (one.status, one.headers["allow"]) == (405, "DELETE, GET, HEAD")


def test_one_brand_s_assets_are_not_another_s(asker: Asker) -> None:
    asker.put(ASSET)
    assert asker.ask("/v1/assets", brand="xyz").json() == {"brand": "xyz", "version": 0, "items": []}
    assert asker.ask("/v1/assets/132141398", brand="xyz").status == 404
    assert asker.ask("/v1/assets/132141398", brand="xyz", method="DELETE").status == 404
    assert asker.ask("/v1/assets/132141398").status == 200
    assert problem(asker.put({**ASSET, "brand": "xyz"}), 400, "brand")


def test_the_door_knows_labels_from_the_answer_on(asker: Asker) -> None:
    labels = asker.stage.state.catalogue.labels
    hits = [("132141398", "", "", "")]
    assert labels.labelled(asker.brand, hits) == hits
    asker.put(ASSET)
    assert labels.labelled(asker.brand, hits) == [("132141398", "563", "article", "")]
    asker.put({**ASSET, "sectionId": 8})
    assert labels.labelled(asker.brand, hits) == [("132141398", "8", "article", "")]
    asker.ask("/v1/assets/132141398", method="DELETE")
    assert labels.labelled(asker.brand, hits) == hits


def put_of(asker: Asker, brand: str, body: bytes = json.dumps(ASSET).encode()) -> Coroutine[object, object, Reply]:
    return asked(asker.stage.application, f"/v1/assets?brand={brand}", method="PUT", headers={}, body=body)


def test_a_brand_that_writes_much_keeps_nobody_else_from_writing_or_reading(asker: Asker) -> None:
    catalogue, is_over, other = asker.stage.state.catalogue, threading.Event(), f"{asker.brand}b"
    asker.put(ASSET)

    async def crowd() -> tuple[list[Reply], Reply, Reply]:
        stalled = asyncio.ensure_future(catalogue.beside(lambda: is_over.wait(10)))
        waits = [asyncio.ensure_future(put_of(asker, asker.brand)) for _ in range(WRITING_SHARE)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        one_more = await put_of(asker, asker.brand, b"not even read")
        others = asyncio.ensure_future(put_of(asker, other))
        target = f"/v1/assets?brand={asker.brand}"
        shown = await asked(asker.stage.application, target, method="GET", headers={})
        is_over.set()
        await stalled
        return [*await asyncio.gather(*waits), await others], one_more, shown

    taken, one_more, shown = asker.stage.runner.run(crowd())
    assert [reply.status for reply in taken] == [200] * (WRITING_SHARE + 1)
    assert (one_more.status, one_more.headers["retry-after"]) == (503, "1")
    assert (shown.status, len(shown.json()["items"])) == (200, 1)
    assert asker.put(ASSET).status == 200


def test_a_brand_that_asks_much_keeps_nobody_else_from_asking(asker: Asker) -> None:
    catalogue, is_over = asker.stage.state.catalogue, threading.Event()

    async def crowd() -> tuple[Reply, Reply]:
        waits = [
            asyncio.ensure_future(catalogue.asked(asker.brand, lambda _catalogue: is_over.wait(10)))
            for _ in range(READING_SHARE)
        ]
        await asyncio.sleep(0)
        target = "/v1/assets?brand="
        own = await asked(asker.stage.application, target + asker.brand, method="GET", headers={})
        others = asyncio.ensure_future(asked(asker.stage.application, f"{target}abc", method="GET", headers={}))
        await asyncio.sleep(0)
        is_over.set()
        await asyncio.gather(*waits)
        return own, await others

    own, others = asker.stage.runner.run(crowd())
    assert (own.status, others.status) == (503, 200)
    assert asker.ask("/v1/assets").status == 200


def test_what_waits_has_an_end_for_all_brands_together() -> None:
    waiting = Waiting(total_max=3, share=2)
    with waiting.one_of("a"), waiting.one_of("a"):
        with pytest.raises(Throttled, match="'a'"), waiting.one_of("a"):
            pass
        with waiting.one_of("b"), pytest.raises(Throttled, match="3 requests wait"), waiting.one_of("c"):
            pass
        with waiting.one_of("c"):
            pass
