"""POST /v1/hits from a socket to the disk: what is answered, and what the stream holds then."""

import asyncio
import gzip
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
import zstandard

from footfall.accounts.brands import Brand, Brands
from footfall.accounts.keyring import Keyring
from footfall.adapters.embedded.sqlite_stream import SqliteStream
from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.flow.collect.accept import Acceptance
from footfall.flow.collect.senders import Salts
from footfall.flow.stream.records import Pack, pack_from_record
from footfall.ports.errors import NoSpace
from footfall.ports.stream import Appended, Entry, Record, Stream
from footfall.shells.http import door as door_module
from footfall.shells.http.commits import Committer
from footfall.shells.http.door import Door, HitLimits
from footfall.shells.http.hits import HitsRoute, PageHitsRoute
from footfall.shells.http.lane import Exchange
from footfall.shells.http.totals import Totals
from footfall.values.clock import SetClock
from tests.shells.http.clients import NOON_MS, Answer, Client, echo, post, run, served
from tests.shells.http.doorkeepers import doorkeeper

HIT = {"brand": "abc", "assetId": "1", "sectionId": 5, "resourceType": "article", "paidType": "free"}
LIMITS = HitLimits(inflated_bytes_max=50_000, batch_hits_max=50, pending_bytes_max=1_000)


class FullDisk(SqliteStream):
    """A real stream on a disk that is full until it is not."""

    is_full = True

    def append(self, entries: Sequence[Entry]) -> list[Appended]:
        if self.is_full:
            raise NoSpace("the disk is full, nothing was written: free some space")
        return super().append(entries)


@dataclass(slots=True)
class House:
    """The route at work: a client, its stream's file, and what was seen."""

    client: Client
    committer: Committer
    path: Path
    clock: SetClock
    door: Door
    totals: Totals = field(default_factory=Totals)

    async def send(self, sent: Any, *headers: str) -> Answer:
        """Send hits and return the answer."""
        body = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        return await self.client.ask(post(body, *headers, target="/v1/hits"))

    def records(self) -> list[Record]:
        """Return what the stream has on disk."""
        with closing(SqliteStream(self.path, clock=self.clock, read_only=True)) as stream:
            return [record for shard in range(stream.shards) for record in stream.read(shard, after=0)]

    def packs(self) -> list[Pack]:
        """Return the packs that the records hold."""
        return [pack_from_record(record.data) for record in self.records()]


def no_chores(_stream: Stream, _is_idle: bool) -> None:
    return None


@asynccontextmanager
async def house(folder: Path, *, kind: type[SqliteStream] = SqliteStream, shards: int = 1) -> AsyncGenerator[House]:
    clock, path = SetClock(NOON_MS), folder / "stream.db"
    async with AsyncExitStack() as stack:
        table = stack.enter_context(closing(SqliteTable(":memory:", clock=clock)))
        salts = Salts(table, random_bytes=lambda size: bytes(range(size)))
        brands = Brands({"abc": Brand("abc"), "def": Brand("def")}, any_brand=False)
        committer = Committer(lambda: kind(path, clock=clock, shards=shards), chores=no_chores)
        await committer.start()
        stack.push_async_callback(committer.stop)
        totals = Totals()
        door = Door(
            Acceptance(brands, salts, shards=shards),
            committer,
            limits=LIMITS,
            access=doorkeeper(brands, Keyring(), clock),
            clock=clock,
            totals=totals,
        )
        routes = {b"/v1/hits": HitsRoute(door), b"/v1/pagehits": PageHitsRoute(door)}
        here = await stack.enter_async_context(served(routes, echo))
        yield House(await here.connect(), committer, path, clock, door, totals)


def test_one_hit_is_on_disk_when_it_is_answered(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            answer = await here.send(HIT)
            assert (answer.status, answer.json()) == (202, {"accepted": 1, "duplicates": 0})
            assert answer.headers["access-control-allow-origin"] == "*"
            assert [pack.keys for pack in here.packs()] == [[("1", "5", "article", "free")]]
            assert here.totals.hits_accepted == 1

    run(work())


@pytest.mark.parametrize("kind", ["application/x-ndjson", "application/jsonl; charset=utf-8", "Application/NDJSON"])
def test_arrays_and_lines_are_batches(tmp_path: Path, kind: str) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            assert (await here.send([HIT, HIT | {"url": "/"}])).json() == {"accepted": 2, "duplicates": 0}
            lines = b"\n".join(json.dumps(HIT | {"assetId": n}).encode() for n in range(3))
            assert (await here.send(lines, f"content-type: {kind}")).json() == {"accepted": 3, "duplicates": 0}
            assert (await here.send([])).json() == {"accepted": 0, "duplicates": 0}
            assert [len(pack.keys) for pack in here.packs()] == [2, 3]

    run(work())


def test_compressed_bodies_are_taken(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            body = json.dumps([HIT] * 20).encode()
            for packed, encoding in ((gzip.compress(body), "gzip"), (zstandard.compress(body), "ZSTD")):
                assert (await here.send(packed, f"content-encoding: {encoding}")).json()["accepted"] == 20
            answer = await here.send(gzip.compress(bytes(50_001)), "content-encoding: gzip")
            assert answer.status == 413
            answer = await here.send(body, "content-encoding: br")
            assert (answer.status, answer.json()["field"]) == (400, "Content-Encoding")
            answer = await here.send(gzip.compress(body)[:-9], "content-encoding: gzip")
            assert (answer.status, answer.json()["field"]) == (400, "body")

    run(work())


def test_a_batch_tells_which_hits_were_refused_and_takes_the_rest(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            sent = [HIT, {"brand": "abc"}, HIT | {"brand": "nobody"}, HIT | {"assetId": True}, HIT]
            answer = await here.send(sent)
            document = answer.json()
            assert (answer.status, document["accepted"], document["refusedCount"]) == (202, 2, 3)
            assert [(one["index"], one["field"]) for one in document["refused"]] == [
                (1, "assetId"), (2, "brand"), (3, "assetId"),
            ]  # fmt: skip
            assert [len(pack.keys) for pack in here.packs()] == [2]

    run(work())


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"brand": "abc"}, "assetId"),
        (HIT | {"brand": "nobody"}, "brand"),
        (HIT | {"at": "yesterday"}, "at"),
        ([HIT | {"at": 5}, HIT | {"at": 6}], "at"),
        (b"", "body"),
        (b"{", "body"),
        (b'[{"brand":"abc","assetId":1}', "body"),
        ([HIT] * 51, "body"),
    ],
)
def test_nothing_to_take_is_a_problem_that_names_the_field(tmp_path: Path, sent: Any, field: str) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            answer = await here.send(sent)
            assert answer.headers["content-type"] == "application/problem+json"
            assert (answer.status, answer.json()["field"]) == (400, field)
            assert here.records() == []
            assert (await here.send(HIT)).status == 202

    run(work())


def test_a_retry_under_the_same_key_counts_once(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path, shards=3) as here:
            sent = [HIT | {"assetId": str(number)} for number in range(20)]
            for duplicates in (0, 20, 20):
                answer = await here.send(sent, "idempotency-key: k1")
                assert (answer.status, answer.json()) == (202, {"accepted": 20, "duplicates": duplicates})
            assert (await here.send(sent, "idempotency-key: k2")).json()["duplicates"] == 0
            weights = [record.weight for record in here.records() if not record.repeated]
            assert sum(weights) == 40

    run(work())


def test_the_same_key_with_another_body_is_refused_and_stores_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path, shards=3) as here:
            assert (await here.send([HIT], "idempotency-key: k")).status == 202
            for other in (HIT, [HIT, HIT], [{"brand": "abc"}, HIT], [HIT | {"assetId": str(n)} for n in range(20)]):
                answer = await here.send(other, "idempotency-key: k")
                assert (answer.status, answer.json()["field"]) == (422, "Idempotency-Key")
            assert sum(record.weight for record in here.records()) == 1
            assert here.totals.hits_accepted == 1

    run(work())


def test_a_key_that_is_too_long_is_refused(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            assert (await here.send(HIT, f"idempotency-key: {'k' * 255}")).status == 202
            answer = await here.send(HIT, f"idempotency-key: {'k' * 256}")
            assert (answer.status, answer.json()["field"]) == (400, "Idempotency-Key")

    run(work())


def test_hits_with_ids_count_once(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            sent = [HIT | {"id": "a"}, HIT | {"id": "b"}, HIT | {"id": "a"}, HIT]
            assert (await here.send(sent)).json() == {"accepted": 4, "duplicates": 1}
            assert (await here.send(sent)).json() == {"accepted": 4, "duplicates": 3}
            assert [record.repeats for record in here.records()] == [(2,), (0, 1, 2)]

    run(work())


def test_a_sender_is_known_behind_a_trusted_proxy_and_unknown_when_it_asks_for_privacy(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            reader, other = "x-forwarded-for: 203.0.113.7", "x-forwarded-for: 203.0.113.8"
            forged = "x-forwarded-for: 198.51.100.1, 203.0.113.7"
            for headers in ([reader], [forged], [other], [reader, "sec-gpc: 1"], [reader, "dnt: 1"]):
                assert (await here.send(HIT, "user-agent: Firefox", *headers)).status == 202
            first, through, another, *private = [pack.visitors for pack in here.packs()]
            assert first == through != another
            assert private == [None, None]

    run(work())


def test_hits_are_turned_away_while_too_much_waits_for_the_disk(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            here.committer.pending_bytes += 1_001
            answer = await here.send(HIT)
            assert (answer.status, answer.headers["retry-after"]) == (429, "1")
            here.committer.pending_bytes -= 1_001
            assert (await here.send(HIT)).status == 202
            assert len(here.records()) == 1

    run(work())


def test_batches_are_taken_in_turns_and_whoever_else_asks_goes_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_module, "TURN_S", 0.0)

    async def work() -> None:
        async with house(tmp_path) as here:
            done: list[int] = []
            exchange = Exchange(cast("Any", None), b"POST", b"/v1/hits")
            exchange.body = bytes(400)
            for number in range(3):
                here.door.take_in_turn(exchange, lambda number=number: done.append(number))
            assert here.door.is_full
            for turns in range(4):
                assert done == list(range(turns))
                await asyncio.sleep(0)
            assert not here.door.is_full

    run(work())


def test_a_batch_that_fails_by_our_fault_is_answered_and_the_next_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            with monkeypatch.context() as patch:
                patch.setattr(Door, "take", lambda *_: 1 // 0)
                assert (await here.send([HIT])).status == 500
            assert (await here.send([HIT])).status == 202
            assert not here.door.is_full

    run(work())


def test_a_full_disk_is_said_and_taking_goes_on_when_there_is_space(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path, kind=FullDisk) as here:
            answer = await here.send(HIT)
            assert (answer.status, answer.headers["retry-after"]) == (503, "1")
            assert "disk is full" in answer.json()["detail"]
            assert here.totals.hits_accepted == 0
            FullDisk.is_full = False
            assert (await here.send(HIT)).status == 202
            assert len(here.records()) == 1

    try:
        run(work())
    finally:
        FullDisk.is_full = True


def test_a_browser_may_ask_before_it_sends(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            answer = await here.client.ask(
                b"OPTIONS /v1/hits HTTP/1.1\r\nhost: x\r\norigin: https://news.example\r\n\r\n"
            )
            assert (answer.status, answer.body) == (204, b"")
            assert answer.headers["access-control-allow-origin"] == "*"
            assert answer.headers["access-control-allow-methods"] == "POST, OPTIONS"
            assert "idempotency-key" in answer.headers["access-control-allow-headers"]
            assert "content-length" not in answer.headers
            assert (await here.send(HIT)).status == 202

    run(work())


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_hits_are_sent_with_post_alone(tmp_path: Path, method: str) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            answer = await here.client.ask(f"{method} /v1/hits HTTP/1.1\r\nhost: x\r\n\r\n".encode())
            assert answer.status == 405

    run(work())


def test_many_senders_at_once_are_all_answered_and_all_on_disk(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            await here.client.send(
                b"".join(post(json.dumps(HIT | {"assetId": n}).encode(), target="/v1/hits") for n in range(200))
            )
            assert {(await here.client.answer()).status for _ in range(200)} == {202}
            assert [pack.keys[0][0] for pack in here.packs()] == [str(number) for number in range(200)]
            assert here.committer.pending_bytes == 0

    run(work())


def test_an_old_senders_page_hits_weigh_what_they_say(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            sent = [
                {"assetId": 132141398, "hits": 258, "sectionId": 563, "resourceType": "article", "paidType": "free"},
                {"assetId": 7, "hits": 0, "sectionId": 1, "resourceType": "article", "paidType": "free"},
                {"assetId": 8, "hits": -1},
                {"assetId": 9, "sectionId": 2},
                {"assetId": 10, "hits": 1_000_001},
                {"assetId": 11, "hits": 2, "brand": "def"},
            ]
            answer = await here.client.ask(post(json.dumps(sent).encode(), target="/v1/pagehits?brand=abc"))
            document = answer.json()
            assert (answer.status, document["accepted"], document["refusedCount"]) == (202, 3, 3)
            assert [(one["index"], one["field"]) for one in document["refused"]] == [
                (2, "hits"),
                (3, "hits"),
                (4, "hits"),
            ]
            assert [(pack.keys, pack.weights) for pack in here.packs()] == [
                ([("132141398", "563", "article", "free")], [258]),
                ([("11", "", "", "")], [2]),
            ]
            assert here.totals.hits_accepted == 260

    run(work())


def test_an_old_senders_page_hits_without_a_brand_are_refused_when_no_key_tells_it(tmp_path: Path) -> None:
    async def work() -> None:
        async with house(tmp_path) as here:
            answer = await here.client.ask(post(b'[{"assetId":1,"hits":1}]', target="/v1/pagehits"))
            assert (answer.status, answer.json()["field"]) == (400, "brand")
            answer = await here.client.ask(post(b'"no"', target="/v1/pagehits?brand=abc"))
            assert (answer.status, answer.json()["field"]) == (400, "body")

    run(work())
