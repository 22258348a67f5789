"""The Python client against a real footfall: what it was handed is counted once, whatever happens in between."""

import json
import re
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from footfall.client import Footfall, Options, RefusedByServer, Unreachable
from tests.scenarios.instance import Instance, Starter, footfall, free_port, until

HOW_TO = Path(__file__).resolve().parents[2] / "docs" / "how-to"
QUICK = Options(linger_ms=50, timeout_ms=5_000)
PATIENT = Options(linger_ms=20, batch_hits_max=50, queue_hits_max=1_000_000)


@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=pytest.mark.soak)])
def test_what_was_handed_over_is_counted_once_although_the_server_is_killed(
    starter: Starter, data: Path, kills: int
) -> None:
    port = free_port()
    first = starter.start(data, port=port)
    handed = Counter[str]()
    is_over = threading.Event()
    with Footfall(first.url, brand="abc", options=PATIENT) as client:

        def hand_over() -> None:
            number = 0
            while not is_over.wait(0.001):
                number += 1
                handed[str(number % 20)] += 1
                client.hit(number % 20)

        handing = threading.Thread(target=hand_over)
        handing.start()
        try:
            for _ in range(kills):
                sent = client.counts().sent
                until(client.counts, lambda it, sent=sent: it.sent > sent + 200, seconds=20)
                starter.started[-1].kill()
                waiting = client.counts().waiting
                until(client.counts, lambda it, waiting=waiting: it.waiting > waiting + 100, seconds=20)
                starter.start(data, port=port)
        finally:
            is_over.set()
            handing.join()
        assert client.flush(30)
        counts = client.counts()
        assert (counts.sent, counts.refused, counts.dropped) == (handed.total(), 0, 0)
    last = starter.started[-1]
    book = last.drained("abc")
    # A batch whose answer was lost is in the ledger's line of repeats, and counted once.
    assert book["counted"] == handed.total()
    assert last.listed("abc") == dict(handed)


# What is needed to show pages of the sites in docs/how-to without a browser.
FLASK = """
    pages = app.test_client()
    for path in ("/story/1", "/story/2", "/story/2"):
        pages.get(path, headers={"User-Agent": AGENT})
    client.flush()
    wait_until_listed()
    assert pages.get("/leaders", headers={"User-Agent": "curl/8.5.0"}).text == LEADERS
"""
DJANGO = """
    import django
    from django.conf import settings
    from django.core.handlers.wsgi import WSGIHandler
    from django.test import RequestFactory
    from django.urls import path

    urlpatterns = [path("story/<int:number>", story), path("leaders", leaders)]
    settings.configure(
        ROOT_URLCONF=__name__,
        ALLOWED_HOSTS=["testserver"],
        MIDDLEWARE=MIDDLEWARE,
        FOOTFALL=FOOTFALL,
        LOGGING_CONFIG=None,
    )
    django.setup()
    site = WSGIHandler()
    for path in ("/story/1", "/story/2", "/story/2"):
        site.get_response(RequestFactory().get(path, HTTP_USER_AGENT=AGENT))
    client().flush()
    wait_until_listed()
    assert site.get_response(RequestFactory().get("/leaders")).content.decode() == LEADERS
"""
FASTAPI = """
    import asyncio

    def shown(path, *headers):
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
            "path": path, "query_string": b"", "root_path": "", "headers": [(b"host", b"news.example"), *headers],
        }
        messages = []
        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}
        async def send(message):
            messages.append(message)
        asyncio.run(app(scope, receive, send))
        return b"".join(message.get("body", b"") for message in messages).decode()

    for path in ("/story/1", "/story/2", "/story/2"):
        shown(path, (b"user-agent", AGENT.encode()))
    client.flush()
    wait_until_listed()
    assert shown("/leaders") == LEADERS
"""
AGENT = """
AGENT = "Mozilla/5.0 Firefox/131.0"
LEADERS = "<ol><li>2: 2</li><li>1: 1</li></ol>"

def wait_until_listed():
    import json, time, urllib.request
    while True:
        with urllib.request.urlopen("URL/v1/popular?brand=BRAND&period=day") as answer:
            if sum(item["hits"] for item in json.load(answer)["items"]) == 3:
                return
        time.sleep(0.05)
"""


def program_of(page: str, show: str, *, url: str, brand: str) -> str:
    """Return the code that a page of docs/how-to tells people to write, and what looks at its pages."""
    blocks = re.findall(r"```python\n(.*?)```", (HOW_TO / page).read_text(encoding="utf-8"), re.DOTALL)
    looking = AGENT.replace("URL", url).replace("BRAND", brand)
    code = "\n".join([*blocks, looking, textwrap.dedent(show)])
    assert "http://127.0.0.1:8080" in code
    return code.replace("http://127.0.0.1:8080", url).replace('"abc"', f'"{brand}"')


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Generator[Instance]:
    place = tmp_path_factory.mktemp("client")
    starter = Starter(place)
    yield starter.start(place / "data", "--set", "periods=quick=5m/1m/1s")
    starter.end_all()


@pytest.mark.parametrize(("name", "show"), [("flask", FLASK), ("django", DJANGO), ("fastapi", FASTAPI)])
def test_the_site_of_a_how_to_page_is_counted_and_shows_its_leaders(instance: Instance, name: str, show: str) -> None:
    code = program_of(f"count-from-{name}.md", show, url=instance.url, brand=name)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert instance.listed(name) == {"1": 1, "2": 2}


def test_the_how_to_page_of_the_client_works_as_it_is(instance: Instance) -> None:
    code = program_of("python-client.md", "", url=instance.url, brand="pasted")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].split()[0] == "1"  # the ledger's first line


def test_a_key_says_whose_hits_they_are_and_opens_lists_that_are_not_public(instance: Instance) -> None:
    added = footfall("brands", "add", "closed", "--public", "no", "--data", str(instance.data), "--json")
    assert added.returncode == 0, added.stderr
    key = json.loads(added.stdout)["secretKey"]
    with Footfall(instance.url, key=key, options=QUICK) as client, Footfall(instance.url, brand="closed") as stranger:
        client.hit("a")
        stranger.hit("b")
        assert client.flush()
        assert stranger.flush()
        assert (client.counts().sent, stranger.counts().refused) == (1, 1)
        until(client.ledger, lambda book: book.counted == 1, seconds=10)
        found = until(lambda: client.popular(period="quick"), lambda it: len(it) > 0, seconds=10)
        assert [(item.asset, item.hits) for item in found] == [("a", 1)]
        with pytest.raises(RefusedByServer, match=r"\(401\)"):
            stranger.popular(period="quick")


def test_a_program_sends_asks_and_survives_a_server_that_is_away(instance: Instance) -> None:
    with Footfall(instance.url, brand="abc", options=QUICK) as client:
        for _ in range(3):
            client.hit(132141398, section=563, type="article", paid="free")
        client.hit("other", section=7, at="2026-11-15T14:30:00")  # no zone
        assert client.flush()
        assert client.counts().refused == 1
        instance.listed("abc", period="quick")
        (item,) = client.popular(period="quick", section=[563, 7], type="article")
        assert (item.asset, item.hits, item.section, item.type) == ("132141398", 3, "563", "article")
        assert client.ledger().counted == 3
        instance.kill()
        question: dict[str, Any] = {"period": "quick", "section": [7, 563], "type": "article"}
        stale = until(lambda: client.popular(**question), lambda it: it.is_stale, seconds=10)
        assert stale.items == (item,)
        with pytest.raises(Unreachable, match=f"Cannot reach {instance.url}"):
            client.ledger()
