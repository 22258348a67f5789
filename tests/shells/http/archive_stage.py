"""An archive on a stage: members, keys and captures that a browser would have made, in the stage's own files."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
from PIL import Image

from footfall.accounts.brands import Brand
from footfall.app.archive_opening import OpenedArchive, open_archive
from footfall.archive import keeping, queueing
from footfall.archive.captures import Request
from tests.archive.archive_world import seen
from tests.shells.http.people_stage import Browser, invited, set_up
from tests.shells.http.stage import Reply, Stage, staged

BRAND = "daily"


def _picture() -> bytes:
    out = BytesIO()
    Image.new("RGB", (1_280, 800), "white").save(out, "WEBP", lossless=True)
    return out.getvalue()


PICTURE = _picture()


@dataclass(slots=True)
class Program:
    """Somebody with a key."""

    stage: Stage
    key: str

    def ask(self, method: str, target: str, document: Any = None, headers: dict[str, str] | None = None) -> Reply:
        body = b"" if document is None else msgspec.json.encode(document)
        sent = {"authorization": f"Bearer {self.key}", **(headers or {})}
        return self.stage.ask(target, method=method, headers=sent, body=body)


Asks = Browser | Program


@dataclass(slots=True)
class ArchiveStage:
    """A stage with a stored brand, two members, an editor, and keys."""

    stage: Stage
    opened: OpenedArchive
    people: dict[str, Asks] = field(default_factory=dict)

    def kept(self, who: str, url: str, text: str, **more: Any) -> str:
        """Have somebody ask for a page, see it, keep it, and return the capture's id."""
        reply = self.people[who].ask("POST", f"/v1/archive?brand={BRAND}", {"url": url, **more})
        assert reply.status == 202, reply.text
        request_id = reply.json()["request"]["id"]
        self.work(text, request_id)
        return request_id

    def work(self, text: str, request_id: str = "", *, picture: bytes = PICTURE) -> Request:
        """Do what the worker does with a request that waits, or with the next one."""
        table, archive, now_ms = self.opened.table, self.opened.archive, self.stage.clock.now_ms()
        waiting = queueing.waiting(table, limit=50)
        begun = queueing.begin(table, next(one for one in waiting if request_id in ("", one.request.id)), now_ms=now_ms)
        assert begun is not None
        self.stage.clock.advance(1_000)
        now_ms = self.stage.clock.now_ms()
        url = begun.url if "://" in begun.url else f"https://{begun.url}"
        captured = seen(url, text, at_us=now_ms * 1_000, picture=picture)
        stored = keeping.store(table, archive.blobs, begun, captured, keywords=["word"], now_ms=now_ms)
        done = keeping.keep(table, begun.id, attempt=begun.attempts, now_ms=now_ms)
        if done.capture == begun.id:
            archive.let_be_found(stored)
        return done

    def capture(self, who: str, capture_id: str) -> Reply:
        return self.people[who].ask("GET", f"/v1/archive/captures/{capture_id}?brand={BRAND}")


@contextmanager
def archive_staged(folder: Path) -> Generator[ArchiveStage]:
    """Open a stage with members Ann and Bob, who view, Eve, who edits, and keys that read and that edit."""
    with staged(folder, people_url="https://footfall.example.com", brands={}) as stage:
        run, desk = stage.runner.run, stage.state.desk
        for name in (BRAND, "other"):
            run(desk.change(name, lambda one, name=name: one.add(Brand(name), zone_in_use=None)))
        owner = set_up(stage)
        people: dict[str, Asks] = {
            "owner": owner,
            "ann": invited(owner, BRAND, "viewer", "ann@example.com"),
            "bob": invited(owner, BRAND, "viewer", "bob@example.com"),
            "eve": invited(owner, BRAND, "editor", "eve@example.com"),
            "stranger": invited(owner, "other", "admin", "sam@example.com"),
        }
        for name, brand, scope in (("reader", BRAND, "read"), ("key", BRAND, "edit"), ("strange-key", "other", "edit")):
            made = run(desk.change(brand, lambda one, brand=brand, scope=scope: one.add_secret_key(brand, [scope])))
            people[name] = Program(stage, made.text)
        opened = open_archive(stage.state.settings, stage.clock)
        yield ArchiveStage(stage, opened, people)
        opened.close()


def captures_in(reply: Reply) -> list[str]:
    """Return the ids of an answer's captures."""
    return [one["id"] for one in reply.json()["captures"]]
