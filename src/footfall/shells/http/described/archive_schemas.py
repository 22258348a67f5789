"""What the archive tells and takes: requests, lines, captures, comparisons and watches."""

from typing import Any

from footfall.archive.captures import State
from footfall.archive.watching import (
    ALERTS_MAX,
    EVERY_MINUTES_MAX,
    EVERY_MINUTES_MIN,
    NAME_BYTES_MAX,
    TOP_MAX,
    URL_BYTES_MAX,
)
from footfall.ports.capturing import Reason, Stop
from footfall.shells.http.described.operation import Schema, listed, maybe, record, text, whole
from footfall.values.hit import LABEL_BYTES_MAX

REUSE_MINUTES_MAX = 44_640
_TRUTH: Schema = {"type": "boolean"}
_MOMENT = text("to the microsecond", format="date-time")
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}

REQUEST = record(
    {
        "id": text("the capture will have the same"),
        "url": text("as a browser writes it; without a scheme until one was found by trial"),
        "typed": text("as it was typed"),
        "state": text(enum=list(State)),
        "attempts": whole(0),
        "reason": maybe(text("why it failed", enum=list(Reason))),
        "says": text("why it failed or waits, in a sentence"),
        "capture": maybe(text("the id of what was kept")),
        "at": _MOMENT,
        "by": text("a person's id, `key:ID`, `watch:ID` or `operator`"),
    },
    says="Somebody's wish to have a page kept.",
)
_OF_LINE: dict[str, Schema] = {
    "id": text(),
    "url": text(),
    "finalUrl": text("where redirects led"),
    "title": text(),
    "at": _MOMENT,
    "status": whole(100, 599, "that the site answered with"),
    "heightPx": whole(0),
    "sameAs": maybe(text("an earlier capture of the page with equal picture and text")),
    "isShared": {**_TRUTH, "description": "all members of the brand see it"},
    "isHeld": {**_TRUTH, "description": "it is under legal hold, and is not removed"},
    "by": text(),
}
LINE = record(_OF_LINE, says="A capture, as lists show it.")
CAPTURE = record(
    {
        **_OF_LINE,
        "widthPx": whole(1),
        "tiles": listed(record({"heightPx": whole(1), "url": text()}), description="the picture, from the top"),
        "thumbnail": text("an address"),
        "text": text("an address"),
        "wacz": text("an address"),
        "replay": maybe(text("the page as it was, on another origin")),
        "keywords": listed(text()),
        "language": text(),
        "tookMs": whole(0),
        "timings": {"type": "object", "additionalProperties": whole(0)},
        "pendingImages": whole(0, says="that had not come when the picture was taken"),
        "stop": text("why scrolling ended", enum=list(Stop)),
        "bytes": whole(0),
        "outsideUrl": maybe(text("where an outside archive keeps it")),
        "canonicalUrl": maybe(text("what the page calls itself")),
        "heldBy": maybe(text()),
        "pixelsSha256": text("of the picture before it was encoded: equal for equal pictures"),
        "permanent": text("its page, for good"),
    },
    says="A page as it was.",
)
_BAND = record(
    {
        "kind": text(enum=["equal", "added", "removed", "changed"]),
        "aTop": whole(0),
        "aHeight": whole(0),
        "bTop": whole(0),
        "bHeight": whole(0),
        "boxes": listed(listed(whole(0), minItems=4, maxItems=4), description="x, y, width and height in the later"),
    }
)
COMPARISON = record(
    {
        "a": {"$ref": "#/components/schemas/CaptureLine"},
        "b": {"$ref": "#/components/schemas/CaptureLine"},
        "isSame": _TRUTH,
        "text": listed(record({"kind": text(enum=["equal", "added", "removed"]), "text": text()})),
        "picture": record({"bands": listed(_BAND), "changedShare": _SHARE}),
    },
    says="Two captures beside each other.",
)
_EVERY = whole(EVERY_MINUTES_MIN, EVERY_MINUTES_MAX, "how often, in minutes")
PAGE_RULE = {
    **record(
        {
            "kind": text(enum=["page"]),
            "url": text(bytes_max=URL_BYTES_MAX),
            "everyMinutes": _EVERY,
            "onlyChanged": {**_TRUTH, "description": "kept only when its text differs from the capture before"},
        },
        required=("kind", "url", "everyMinutes"),
    ),
    "additionalProperties": False,
}
POPULAR_RULE = {
    **record(
        {
            "kind": text(enum=["popular"]),
            "period": text("of the brand's lists, such as `day`"),
            "top": whole(1, TOP_MAX),
            "section": maybe(text(bytes_max=LABEL_BYTES_MAX)),
            "everyMinutes": _EVERY,
        },
        required=("kind", "period", "top", "everyMinutes"),
    ),
    "additionalProperties": False,
}
_RULE: Schema = {"anyOf": [PAGE_RULE, POPULAR_RULE]}
_ALERT = maybe(record({"places": listed(text("an alert's id, whose places are told of changes"), maxItems=ALERTS_MAX)}))
WATCH_CHANGE = {
    **record(
        {"name": text(bytes_max=NAME_BYTES_MAX), "rule": _RULE, "isOn": _TRUTH, "alert": _ALERT},
        required=(),
    ),
    "additionalProperties": False,
}
NEW_WATCH = {**WATCH_CHANGE, "required": ["rule"]}
WATCH = record(
    {
        "id": text(),
        "name": text(),
        "rule": _RULE,
        "isOn": _TRUTH,
        "alert": _ALERT,
        "lastAt": maybe(_MOMENT),
        "nextAt": maybe(_MOMENT),
        "says": text("what the last turn came to"),
    },
    says="What a brand wants kept by itself.",
)
WISH = {
    **record(
        {
            "url": text("with or without https://"),
            "hideBanners": {**_TRUTH, "description": "hide banners about cookies"},
            "hideSticky": {**_TRUTH, "description": "hide what stays while a reader scrolls"},
            "keepErrors": {**_TRUTH, "description": "keep a page that the site answers with 4xx or 5xx"},
            "share": {**_TRUTH, "description": "show it to all members; for editors"},
            "reuseWithinMinutes": whole(0, REUSE_MINUTES_MAX, "a capture that is no older will do"),
        },
        required=("url",),
    ),
    "additionalProperties": False,
}

ID = "01M8Z4Q0W3T6V9X2C5B8N1K4J7"
A_REQUEST: dict[str, Any] = {
    "id": ID,
    "url": "https://news.example/",
    "typed": "news.example",
    "state": "pending",
    "attempts": 0,
    "reason": None,
    "says": "",
    "capture": None,
    "at": "2026-11-17T09:30:00.000000Z",
    "by": "p_3k7mqz2v9xw4t6ra",
}
A_LINE: dict[str, Any] = {
    "id": ID,
    "url": "https://news.example/",
    "finalUrl": "https://news.example/",
    "title": "The News",
    "at": "2026-11-17T09:30:02.104512Z",
    "status": 200,
    "heightPx": 6_120,
    "sameAs": None,
    "isShared": False,
    "isHeld": False,
    "by": "p_3k7mqz2v9xw4t6ra",
}
_FILES = f"/v1/archive/captures/{ID}"
A_CAPTURE: dict[str, Any] = {
    **A_LINE,
    "widthPx": 1_280,
    "tiles": [
        {"heightPx": 4_000, "url": f"{_FILES}/tiles/0?brand=abc"},
        {"heightPx": 2_120, "url": f"{_FILES}/tiles/1?brand=abc"},
    ],
    "thumbnail": f"{_FILES}/thumbnail?brand=abc",
    "text": f"{_FILES}/text?brand=abc",
    "wacz": f"{_FILES}/wacz?brand=abc",
    "replay": None,
    "keywords": ["election", "harbour"],
    "language": "en",
    "tookMs": 3_120,
    "timings": {"open": 640, "scroll": 1_900},
    "pendingImages": 0,
    "stop": "bottom",
    "bytes": 812_340,
    "outsideUrl": None,
    "canonicalUrl": "https://news.example/",
    "heldBy": None,
    "pixelsSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "permanent": f"https://footfall.example.com/archive/capture/{ID}?brand=abc",
}
A_COMPARISON: dict[str, Any] = {
    "a": A_LINE,
    "b": {**A_LINE, "id": "01M8Z5Q0W3T6V9X2C5B8N1K4J7", "at": "2026-11-17T09:45:01.900021Z"},
    "isSame": False,
    "text": [{"kind": "equal", "text": "The News"}, {"kind": "added", "text": "Harbour closed"}],
    "picture": {
        "bands": [{"kind": "changed", "aTop": 0, "aHeight": 80, "bTop": 0, "bHeight": 80, "boxes": [[16, 8, 320, 40]]}],
        "changedShare": 0.01,
    },
}
A_RULE: dict[str, Any] = {"kind": "page", "url": "https://news.example/", "everyMinutes": 15, "onlyChanged": False}
A_POPULAR_RULE: dict[str, Any] = {"kind": "popular", "period": "day", "top": 10, "section": None, "everyMinutes": 60}
A_WATCH: dict[str, Any] = {
    "id": "wa_3k7mqz2v9xw4t6ra",
    "name": "Front page",
    "rule": A_RULE,
    "isOn": True,
    "alert": {"places": ["al_3k7mqz2v9xw4t6ra"]},
    "lastAt": "2026-11-17T09:30:00.000000Z",
    "nextAt": "2026-11-17T09:45:00.000000Z",
    "says": "Asked for 1 page.",
}
SCHEMAS: dict[str, Schema] = {
    "ArchiveRequest": REQUEST,
    "ArchiveWish": WISH,
    "CaptureLine": LINE,
    "Capture": CAPTURE,
    "CaptureComparison": COMPARISON,
    "Watch": WATCH,
    "NewWatch": NEW_WATCH,
    "WatchChange": WATCH_CHANGE,
}
