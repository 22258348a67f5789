"""Watches in a real instance, with a real browser: the front page and the most read are kept, and a change is told."""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from footfall.client import verified_message
from tests.engines.webhook import webhook_receiver
from tests.scenarios.instance import Instance, Starter, footfall, hit, until

HARBOUR = "Harbour open"


@dataclass
class News:
    """A news site on loopback, whose front page says what the test wants."""

    port: int = 0
    front: str = HARBOUR

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"


@contextmanager
def news_site() -> Generator[News]:
    news = News()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = news.front if self.path == "/" else f"The story at {self.path}"
            body = f"<!doctype html><title>News{self.path}</title><h1>News</h1><p>{text}</p>".encode()
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    news.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield news
    server.shutdown()
    server.server_close()
    thread.join()


@dataclass
class Editor:
    """Somebody with a key that may do everything in a brand."""

    instance: Instance
    key: str

    def ask(self, method: str, path: str, body: object = None) -> Any:
        sent = None if body is None else json.dumps(body).encode()
        answer = self.instance.call(method, path, sent, {"authorization": f"Bearer {self.key}"})
        assert answer.status in (200, 201, 202), answer.body
        return answer.json()

    def kept(self) -> list[dict[str, Any]]:
        return self.ask("GET", "/v1/archive/library?of=brand")["captures"]


def edited(starter: Starter, data: Path, news: News) -> Editor:
    """Start an instance that archives, with five stories that were read, the first of them most."""
    env = {
        "FOOTFALL_ALERTS_EVERY_S": "1",
        "FOOTFALL_ALERTS_PRIVATE_PLACES": "true",
        "FOOTFALL_ARCHIVE": "true",
        "FOOTFALL_ARCHIVE_ALLOWED": f"127.0.0.1:{news.port}",
    }
    instance = starter.start(data, dev=False, env=env)
    footfall("brands", "add", "daily", "--data", str(data))
    made = footfall("keys", "add", "--data", str(data), "--brand", "daily", "--scope", "admin", "--json")
    editor = Editor(instance, json.loads(made.stdout)["key"])
    editor.ask("PUT", "/v1/assets", [{"assetId": f"s{n}", "address": news.url(f"/story/{n}")} for n in range(5)])
    editor.ask("POST", "/v1/hits", [hit(f"s{n}", "daily") for n in range(5) for _ in range(5 - n)])
    until(lambda: editor.ask("GET", "/v1/ledger"), lambda book: book["counted"] == 15, seconds=30)
    return editor


def require_shown(editor: Editor, capture_id: str, text: bytes) -> None:
    """Assert that a capture has a text, and is replayed on another origin, where it can do nothing."""
    headers = {"authorization": f"Bearer {editor.key}"}
    assert text in editor.instance.call("GET", f"/v1/archive/captures/{capture_id}/text", None, headers).body
    shown = editor.ask("GET", f"/v1/archive/captures/{capture_id}")
    assert not shown["replay"].startswith(editor.instance.url)
    with urlopen(shown["replay"], timeout=10) as replayed:
        assert "sandbox" in replayed.headers["content-security-policy"]
        assert text in replayed.read()


def test_the_front_page_and_the_most_read_are_kept_by_themselves_and_a_change_is_told(
    starter: Starter, tmp_path: Path
) -> None:
    with news_site() as news, webhook_receiver() as receiver:
        editor = edited(starter, tmp_path / "data", news)
        alert = {"name": "Front", "kind": "page-changes", "webhooks": [receiver.url]}
        told = editor.ask("POST", "/v1/alerts", alert)
        rule = {"kind": "page", "url": news.url("/"), "everyMinutes": 15}
        front = {"name": "Front page", "rule": rule, "alert": {"places": [told["id"]]}}
        watch = editor.ask("POST", "/v1/archive/watches", front)
        top = {"kind": "popular", "period": "day", "top": 3, "everyMinutes": 60}
        editor.ask("POST", "/v1/archive/watches", {"rule": top})
        kept = until(editor.kept, lambda seen: len(seen) >= 4, seconds=90, pause_s=0.5)
        assert sorted(one["url"] for one in kept) == sorted(map(news.url, ("/", "/story/0", "/story/1", "/story/2")))

        news.front = "Harbour closed"
        at = f"/v1/archive/watches/{watch['id']}"
        editor.ask("PATCH", at, {"rule": {**rule, "everyMinutes": 20}})  # Another rule has its first turn at once.
        until(lambda: receiver.bodies, lambda seen: bool(seen), seconds=90, pause_s=0.5)
        message = verified_message(told["secret"], receiver.bodies[0], receiver.headers[0]["footfall-signature"])
        about: Any = message["about"]
        assert (message["type"], about["url"]) == ("page-changed", news.url("/"))
        assert (about["added"], about["removed"]) == (["Harbour closed"], [HARBOUR])
        require_shown(editor, about["capture"], b"Harbour closed")
        editor.instance.terminate()
