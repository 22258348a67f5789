"""Showing captures again: which bytes stand at an address of the replay's origin, and of what kind they are.

An address begins with a token that opens one capture for a while (archive/replay_tokens.py). Below it lie the page, the
documents of its frames, whatever was recorded, and a note for each link that led elsewhere.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from footfall.archive.captures import Capture
from footfall.archive.packing import body_from, frames_from, recorded_from
from footfall.archive.replay_addresses import link_from
from footfall.archive.replay_resources import CSS, HTML, Resource, Resources, kind_of
from footfall.archive.replay_tokens import TOKEN_CHARACTERS_MAX, capture_from_token, token_for
from footfall.archive.replaying import Replayed
from footfall.ports.capturing import Frame
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError

CAPTURES_HELD_MAX = 8  # A page asks for its parts within seconds; a pack has a few megabytes in memory.


class NotRecorded(FootfallError):
    """A page asks for something that its capture does not have."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands at an address."""

    kind: str
    body: bytes
    is_within: bool  # It is a part of a page, shown inside of it.
    of: Capture | None = None  # Whose page it is, as a whole.


@dataclass(frozen=True, slots=True)
class Lookups:
    """Where captures and their bytes are found, and what tokens are signed with."""

    capture: Callable[[str], Capture | None]
    blob: Callable[[str], bytes]
    secret: bytes
    clock: Clock


@dataclass(frozen=True, slots=True)
class _Held:
    capture: Capture
    resources: Resources
    frames: list[Frame]


class ReplayReader:
    """Answers what pages on the replay's origin ask for; several threads may ask at once."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._lock = threading.Lock()

    def shown(self, path: str) -> Shown:
        """Return what stands at a path; raise NoSuchReplay or NotRecorded."""
        token, _, rest = path.removeprefix("/").partition("/")
        id = capture_from_token(token, secret=self._lookups.secret, now_ms=self._lookups.clock.now_ms())
        held = self._of(id)
        replayed = Replayed(held.frames, held.resources, prefix=f"/{token[:TOKEN_CHARACTERS_MAX]}")
        what, _, name = rest.partition("/")
        if what == "to":
            return _note(link_from(name))
        if what == "r":
            return self._resource(held.resources.by_digest(name), replayed)
        number = int(name) if what == "f" and name.isdecimal() and len(name) < 5 else -1
        document = replayed.document(number if what else 0)
        if document is None:
            raise NotRecorded("this capture has no such part")
        body = document.encode("utf-8", "replace")
        return Shown(HTML, body, is_within=True) if what else Shown(HTML, body, is_within=False, of=held.capture)

    def _resource(self, found: Resource | None, replayed: Replayed) -> Shown:
        if found is None:
            raise NotRecorded("this was not recorded when the page was captured")
        body = body_from(found.recorded.body, self._lookups.blob)
        kind = kind_of(found.recorded, body[:64])
        if kind == HTML:
            document = replayed.rewritten(Frame(found.url, body.decode("utf-8", "replace")))
            body = document.encode("utf-8", "replace")
        elif kind == CSS:
            body = replayed.styles(body.decode("utf-8", "replace"), url=found.url).encode("utf-8", "replace")
        return Shown(kind, body, is_within=True)

    def _of(self, id: str) -> _Held:
        with self._lock:
            if (held := self._held.get(id)) is not None:
                self._held.move_to_end(id)
                # A capture may have been removed since; what is held is not shown then.
                if self._lookups.capture(id) is not None:
                    return held
            capture = self._lookups.capture(id)
            if capture is None:
                self._held.pop(id, None)
                raise NotRecorded("there is no such capture any more")
            blob = self._lookups.blob
            exchanges = recorded_from(blob(capture.records.sha256))
            held = _Held(capture, Resources(exchanges), list(frames_from(blob(capture.html.sha256))))
            self._held[id] = held
            while len(self._held) > CAPTURES_HELD_MAX:
                self._held.popitem(last=False)
            return held


def replay_url(base_url: str, capture_id: str, *, secret: bytes, now_ms: int) -> str:
    """Return where a capture is replayed for an hour; `base_url` is the public address of the replay's origin."""
    return f"{base_url.rstrip('/')}/{token_for(capture_id, secret=secret, now_ms=now_ms)}/"


def _note(url: str) -> Shown:
    if not url:
        raise NotRecorded("this is no link of a replayed page")
    text = (
        '<!doctype html><meta charset="utf-8"><title>A link of a replayed page</title>'
        '<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 3em auto; padding: 0 1em">'
        "<p>This link led to:</p>"
        f'<p style="overflow-wrap: anywhere"><strong>{escape(url)}</strong></p>'
        "<p>It is not part of this capture. Look for its address in the archive, or go back.</p></body>"
    )
    return Shown(HTML, text.encode(), is_within=False)
