"""The archive behind functions: what is too large for an answer is fetched from the bucket, and pages are replayed."""

import json
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace
from io import BytesIO
from random import Random
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen
from zipfile import ZipFile

import pytest

from footfall.accounts.brands import Brand
from footfall.app import wiring
from footfall.app.archive_files import ADDRESS_S, HANDED_OUT
from footfall.app.archive_opening import OpenedArchive, open_archive
from footfall.app.settings import Settings
from footfall.archive import keeping, keys, removing
from footfall.archive.captures import Capture
from footfall.archive.replay_tokens import SECRET_BYTES, kept_secret
from footfall.ports.capturing import Captured, Exchange, Frame
from footfall.shells.lambdas.archive import ANSWER_BYTES_MAX
from footfall.values.clock import SetClock, SystemClock
from tests.archive.archive_world import BRAND, World, seen
from tests.engines.dynamodb import VARIABLES, DynamoDbEngine
from tests.engines.kinesis import KinesisEngine
from tests.engines.lambda_runtime import Function
from tests.engines.seaweedfs import Store, remove
from tests.shells.lambdas.api import SOURCES, Reply, event_of, place_on, reply_from

PAGE = "https://news.example/"
LARGE = Random(3).randbytes(ANSWER_BYTES_MAX + 100_000)
REPLAY = "https://replay.example.com"


@dataclass(slots=True)
class Ground:
    """An archive on engines of AWS, the functions that answer for it, and a capture in it."""

    settings: Settings
    opened: OpenedArchive
    serve: Function
    replay: Function
    key: str
    capture: Capture

    def ask(self, target: str, *, key: str | None = None) -> Reply:
        headers = {"authorization": f"Bearer {self.key if key is None else key}"} if key != "" else {}
        return reply_from(self.serve.invoke(event_of("GET", target, headers=headers)))

    def file(self, name: str, *, key: str | None = None) -> Reply:
        return self.ask(f"/v1/archive/captures/{self.capture.id}/{name}?brand={BRAND}", key=key)

    def replayed(self, path: str, *, method: str = "GET", wanted: str = "") -> Reply:
        event = event_of(method, path, headers={"range": wanted} if wanted else {})
        return reply_from(self.replay.invoke(event))


@pytest.fixture(scope="module")
def ground(
    dynamodb: DynamoDbEngine, kinesis: KinesisEngine, seaweedfs: Store, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Ground]:
    bucket = seaweedfs.new_bucket()
    place = place_on(
        dynamodb, kinesis, aws_archive_table=dynamodb.names(dynamodb.shared()).table, aws_archive_bucket=bucket,
        aws_s3_endpoint=seaweedfs.endpoint, aws_s3_lists="by-folders", archive_replay_url=REPLAY,
        people_url="https://footfall.example.com", aws_raw_bucket=bucket,
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patched:
        for name, value in VARIABLES.items():
            patched.setenv(name, value)
        with closing(wiring.open_accounts(place.settings, SystemClock())) as accounts:
            accounts.register.add(Brand(BRAND), zone_in_use=None)
            key = accounts.register.add_secret_key(BRAND, ["read"]).text
        opened = open_archive(place.settings, SystemClock())
        kept_secret(opened.table, new=Random(4).randbytes(SECRET_BYTES))  # as the function does that starts pages
        serve, replay = (
            Function(SOURCES, f"footfall.shells.lambdas.{name}.handler", place.variables, folder, memory_mb=1_024)
            for name in ("serve", "archive_replay")
            for folder in [tmp_path_factory.mktemp(name)]
        )
        yield Ground(place.settings, opened, serve, replay, key, _kept(opened))
        serve.close()
        replay.close()
        opened.close()
    remove(seaweedfs, bucket)


def _page(at_us: int) -> Captured:
    page = seen(PAGE, "Budget passed.", at_us=at_us, picture=LARGE)
    html = '<html><body><h1>Budget</h1><img src="small.png"><video src="film.mp4"></video></body></html>'
    exchanges = [
        Exchange(f"{PAGE}small.png", "GET", 200, at_us, [], [("content-type", "image/png")], b"\x89PNG" + b"s" * 99),
        Exchange(f"{PAGE}film.mp4", "GET", 200, at_us, [], [("content-type", "video/mp4")], LARGE),
    ]
    return replace(page, frames=[Frame(PAGE, html)], exchanges=exchanges)


def _kept(opened: OpenedArchive) -> Capture:
    world = World(opened.table, opened.archive.blobs, SetClock(SystemClock().now_ms()))
    world.ask("key", PAGE, space=keys.brand_space(BRAND))
    begun = world.begin()
    assert begun is not None
    now_ms = world.clock.now_ms()
    keeping.store(world.table, world.blobs, begun, _page(now_ms * 1_000), keywords=[], now_ms=now_ms)
    assert world.keep(begun).capture == begun.id
    return world.capture(begun.id)


def fetched(address: str) -> tuple[bytes, dict[str, str]]:
    with urlopen(address, timeout=30) as answer:
        return answer.read(), {name.lower(): value for name, value in answer.headers.items()}


def test_what_is_larger_than_an_answer_is_fetched_from_the_bucket_by_those_who_may_see_it(ground: Ground) -> None:
    moved = ground.file("tiles/0")
    assert (moved.status, moved.body, moved.headers["cache-control"]) == (302, b"", "no-store")
    data, headers = fetched(moved.headers["location"])
    assert (data, headers["content-type"]) == (LARGE, "image/webp")
    for _ in range(2):  # The second time it is there already.
        packed = ground.file("wacz")
        assert packed.status == 302
        assert f"/{HANDED_OUT}{ground.capture.id}.wacz?" in packed.headers["location"]
        assert parse_qs(urlsplit(packed.headers["location"]).query)["X-Amz-Expires"] == [str(ADDRESS_S)]
        data, headers = fetched(packed.headers["location"])
        assert headers["content-disposition"] == f'attachment; filename="{ground.capture.id}.wacz"'
        assert "datapackage.json" in ZipFile(BytesIO(data)).namelist()
    assert (ground.file("text").status, ground.file("text").body) == (200, b"Budget passed.")
    refused = ground.file("wacz", key="")
    assert refused.status == 401
    assert "location" not in refused.headers
    with pytest.raises(HTTPError, match="403"):
        fetched(moved.headers["location"].replace("Expires=300", "Expires=301"))


def test_a_page_lets_its_browser_fetch_parts_of_pictures_there(ground: Ground) -> None:
    page = reply_from(ground.serve.invoke(event_of("GET", "/archive", headers={"accept": "text/html"})))
    policy = page.headers["content-security-policy"]
    assert f"img-src 'self' data: {ground.settings.aws_s3_endpoint};" in policy
    assert f"frame-src {REPLAY};" in policy


def test_a_capture_is_replayed_by_a_function_with_an_origin_of_its_own(ground: Ground) -> None:
    told = json.loads(ground.ask(f"/v1/archive/captures/{ground.capture.id}?brand={BRAND}").body)
    assert told["replay"].startswith(f"{REPLAY}/")
    path = told["replay"].removeprefix(REPLAY)
    shown = ground.replayed(path)
    assert (shown.status, shown.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"<h1>Budget</h1>" in shown.body
    assert "frame-ancestors https://footfall.example.com" in shown.headers["content-security-policy"]
    assert "sandbox" in shown.headers["content-security-policy"]
    parts = [part for part in shown.body.decode().split('"') if "/r/" in part]
    small, film = parts
    assert ground.replayed(small).body == b"\x89PNG" + b"s" * 99
    whole = ground.replayed(film)
    assert (whole.status, whole.body.decode()) == (
        501,
        f"this part of the page has {len(LARGE):,} bytes, and here no more than {ANSWER_BYTES_MAX:,} are answered at "
        "once; the capture's download has it\n",
    )
    begun = ground.replayed(film, wanted="bytes=0-")
    assert (begun.status, begun.body) == (206, LARGE[:ANSWER_BYTES_MAX])
    assert begun.headers["content-range"] == f"bytes 0-{ANSWER_BYTES_MAX - 1}/{len(LARGE)}"
    rest = ground.replayed(film, wanted=f"bytes={ANSWER_BYTES_MAX}-")
    assert begun.body + rest.body == LARGE


def test_nothing_else_is_answered_there(ground: Ground) -> None:
    told = json.loads(ground.ask(f"/v1/archive/captures/{ground.capture.id}?brand={BRAND}").body)
    path = told["replay"].removeprefix(REPLAY)
    head = ground.replayed(path, method="HEAD")
    assert (head.status, head.body) == (200, b"")
    assert ground.replayed(path, method="POST").status == 405
    assert ground.replayed(path.replace(".", "x")).status == 404
    assert ground.replayed("/").status == 404
    other = _kept(ground.opened)
    told = json.loads(ground.ask(f"/v1/archive/captures/{other.id}?brand={BRAND}").body)
    path = told["replay"].removeprefix(REPLAY)
    assert ground.replayed(path).status == 200
    removing.remove(ground.opened.table, other.id, by="Eve", why="", now_ms=SystemClock().now_ms())
    assert ground.replayed(path).status == 404
