"""Which asset a request was for, or why it was for none: the rules that turn a path into an id and labels.

By default the asset is the path: without query and fragment, %-escapes read, double slashes and the last slash gone.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote_from_bytes, unquote_to_bytes

from footfall.flow.collect.logfile.line import NotUnderstood
from footfall.flow.collect.page_address import asset_from_address, cleaned_address
from footfall.flow.stream.records import HitKey
from footfall.values.errors import Refused
from footfall.values.hit import ADDRESS_BYTES_MAX, ASSET_BYTES_MAX, LABEL_BYTES_MAX

STATIC, METHOD, NO_ASSET, TOO_LONG, OTHER_HOST = "static", "method", "no-asset", "too-long", "other-host"
CACHED_MAX = 50_000  # Some 30 MB at the length of usual requests.
GROUPS = ("asset", "section", "type", "paid")

# What a page is made of, and what programs read; documents (pdf, epub) are read by people and count.
_ENDINGS = """
    7z atom avi avif bmp br bz2 css csv cur eot flac gif gz ico jpeg jpg js json m3u8 m4a m4s m4v map mjs mkv mov mp3
    mp4 mpd oga ogg ogv opus otf png rar rss svg svgz swf tar tgz tif tiff ts ttf txt vtt wasm wav webm webmanifest
    webp wmv woff woff2 xml xz zip zst
"""
STATIC_ENDINGS = frozenset(_ENDINGS.split())
STATIC_FOLDERS = ("/.well-known/", "/_next/", "/cdn-cgi/", "/wp-content/", "/wp-includes/", "/wp-json/")

_KEPT_ESCAPED = {b"%": b"%25", b"/": b"%2F", b"?": b"%3F", b"#": b"%23"}
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_SERVER_ESCAPE = re.compile(rb'\\(?:x([0-9A-Fa-f]{2})|(["\\]))')
_SLASHES = re.compile(r"/{2,}")
_USUAL_PROTOCOLS = (b" HTTP/1.1", b" HTTP/2.0", b" HTTP/1.0")
_METHOD = re.compile(rb"[A-Z][A-Z0-9_.-]{0,40}")

# Why it is for no asset (empty: it is for one), what it is counted under, and its address.
Page = tuple[str, HitKey, str]
_NO_KEY: HitKey = ("", "", "", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRules:
    """What an operator may say of the pages of a log."""

    asset: re.Pattern[str] | None = None  # with groups named as in GROUPS, searched in the path, then with the query
    origin: str = ""  # put before the target, so that ids are the addresses that browsers send
    hosts: frozenset[bytes] = frozenset()  # empty: any
    counts_static: bool = False
    counts_any_method: bool = False


def asset_pattern(text: str) -> re.Pattern[str]:
    """Return the expression that picks the asset from a path, or refuse one that cannot."""
    try:
        pattern = re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise Refused("asset", f"is not a regular expression: {error}") from error
    unknown = sorted(pattern.groupindex.keys() - set(GROUPS))
    if "asset" not in pattern.groupindex or unknown:
        wrong = f"has a group {unknown[0]!r}" if unknown else "has no group named asset"
        raise Refused("asset", f"{wrong}; groups are (?P<asset>…) and, if wanted, section, type and paid")
    return pattern


class Pages(dict[tuple[bytes, bytes], Page]):
    """Pages by request and host; one that is asked for the first time is worked out."""

    def __init__(self, rules: PageRules) -> None:
        super().__init__()
        self._rules = rules

    def __missing__(self, asked: tuple[bytes, bytes]) -> Page:
        page = self._page(*asked)
        if len(self) >= CACHED_MAX:
            self.clear()
        self[asked] = page
        return page

    def _page(self, request: bytes, host: bytes) -> Page:
        rules = self._rules
        method, target = _method_and_target(request)
        target, host = _without_origin(target, host)
        if rules.hosts and host.lower() not in rules.hosts:
            return OTHER_HOST, _NO_KEY, ""
        if method != b"GET" and not rules.counts_any_method:
            return METHOD, _NO_KEY, ""
        target = target.partition(b"#")[0]
        raw, _, query = target.partition(b"?")
        path = canonical_path(raw)
        if not rules.counts_static and _is_static(path, is_folder=raw.endswith(b"/")):
            return STATIC, _NO_KEY, ""
        if rules.origin:
            whole = rules.origin + cleaned(target)
            key, address = (asset_from_address(whole), "", "", ""), cleaned_address(whole)
        else:
            key, is_from_query = self._key(path, query)
            # A log seldom knows the scheme, and often not the host. A query may say who somebody is, so it is kept
            # only where it says which asset it was.
            address = ("//" + cleaned(host) if host else "") + cleaned(target if is_from_query else raw)
        reason = _wrong_with(key)
        return (reason, _NO_KEY, "") if reason else ("", key, _fitting(address))

    def _key(self, path: str, query: bytes) -> tuple[HitKey, bool]:
        """Return what a page is counted under, and whether its query was needed for it."""
        pattern = self._rules.asset
        if pattern is None:
            return (path, "", "", ""), False
        found = pattern.search(path)
        is_from_query = bool(query) and (found is None or not found["asset"])
        if is_from_query:
            # The path alone comes first, so that an expression may end with $ whatever readers have behind it.
            found = pattern.search(f"{path}?{cleaned(query)}")
        if found is None:
            return _NO_KEY, False
        named: Mapping[str, str | None] = found.groupdict()
        key = (named["asset"] or "", named.get("section") or "", named.get("type") or "", named.get("paid") or "")
        return key, is_from_query


def canonical_path(raw: bytes) -> str:
    """Return the one text that stands for a path, however it was escaped."""
    if b"%" in raw:
        raw = _ESCAPE.sub(_unescaped, raw)
    path = cleaned(raw)
    if "//" in path:
        path = _SLASHES.sub("/", path)
    return path[:-1] if len(path) > 1 and path.endswith("/") else path


def cleaned(raw: bytes) -> str:
    """Return bytes of a log as text, where what is no character of a text stays escaped as %XX."""
    if b"\\" in raw:
        raw = _SERVER_ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()) if found[1] else found[2], raw)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = "".join(map(_character, raw.decode("utf-8", "surrogateescape")))
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else quote_from_bytes(one.encode("utf-8", "replace")) for one in text)


def _method_and_target(request: bytes) -> tuple[bytes, bytes]:
    if request.startswith(b"GET /") and request.endswith(_USUAL_PROTOCOLS):
        return b"GET", request[4:-9]
    method, space, rest = request.partition(b" ")
    if not space or _METHOD.fullmatch(method) is None:
        raise NotUnderstood("its request is not one of HTTP")
    target, _, protocol = rest.rpartition(b" ")
    # HTTP/0.9 has no protocol, and a target may hold a space that nobody escaped.
    return method, target if target and protocol.startswith(b"HTTP/") else rest


def _without_origin(target: bytes, host: bytes) -> tuple[bytes, bytes]:
    if not target.startswith((b"http://", b"https://")):
        return target, host
    named, slash, path = target.partition(b"://")[2].partition(b"/")
    return slash + path or b"/", host or named.partition(b":")[0]


def _fitting(address: str) -> str:
    return address if len(address) * 4 <= ADDRESS_BYTES_MAX or len(address.encode()) <= ADDRESS_BYTES_MAX else ""


def _wrong_with(key: HitKey) -> str:
    asset, *labels = key
    if not asset:
        return NO_ASSET
    # A character has at most four bytes.
    is_short = len(asset) * 4 <= ASSET_BYTES_MAX or len(asset.encode()) <= ASSET_BYTES_MAX
    if is_short and (not any(labels) or all(len(label.encode()) <= LABEL_BYTES_MAX for label in labels)):
        return ""
    return TOO_LONG


def _is_static(path: str, *, is_folder: bool) -> bool:
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    if dot and not is_folder and ending.lower() in STATIC_ENDINGS:
        return True
    return path.startswith(STATIC_FOLDERS)


def _unescaped(found: re.Match[bytes]) -> bytes:
    byte = unquote_to_bytes(found[0])
    # What would mean something else without its escape keeps it, in one spelling.
    return _KEPT_ESCAPED.get(byte) or (found[0].upper() if byte < b" " or byte == b"\x7f" else byte)


def _character(piece: str) -> str:
    """Return a byte that is no text as %XX, and a character as it is."""
    return f"%{ord(piece) - 0xDC00:02X}" if 0xDC80 <= ord(piece) <= 0xDCFF else piece
