"""The dashboard's pages: one HTML shell with a policy of its own for each answer, and the built files that it loads.

The files are made of web/ by `make dashboard`. Their names hold a hash of what is in them, so they are kept for good.
"""

import html
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall import __version__
from footfall.accounts.brands import Brand
from footfall.shells.http.problems import problem_document
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import static_text
from footfall.shells.http.wire import PROBLEM

FILES = "/static/{file}"
PAGES = (
    "/",
    "/most-read",
    "/trending",
    "/assets/{id:path}",
    "/sections",
    "/audience",
    "/watching",
    "/catalogue",
    "/catalogue/{name:path}",
    "/migration",
    "/archive",
    "/archive/page",
    "/archive/capture/{id}",
    "/archive/compare",
    "/archive/watches",
    "/screening",
    "/ledger",
    "/operations",
    "/settings",
    "/account",
    "/sign-in",
    "/setup",
    "/invitation",
    "/reset",
)
NO_PAGES = ("v1", "static", "hyperloglog")  # Nobody looks at what is below these.
ENCODINGS = (("br", ".br"), ("gzip", ".gz"))  # the smaller first
YEAR_S = 31_536_000
NONCE_BYTES = 18

Shell = Callable[[Request, HTTPStatus], Response]

_KINDS = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
_NAME = re.compile(r"[\w.-]{1,100}")
_MARK = re.compile(r"\{\{\w+\}\}")


@dataclass(frozen=True, slots=True)
class Built:
    """What the build left: the two files of the page, and every file as bytes by encoding."""

    script: str = ""
    style: str = ""
    files: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict[str, Mapping[str, bytes]])


@cache
def built() -> Built:
    """Return the built files; none where the package was made without Node."""
    folder = resources.files("footfall.shells.http") / "static" / "built"
    manifest = folder / "manifest.json"
    if not manifest.is_file():
        return Built()
    entry = msgspec.json.decode(manifest.read_bytes(), type=dict[str, str])
    files = {name: _encoded(folder, name) for name in (entry["script"], entry["style"])}
    return Built(entry["script"], entry["style"], files)


def _encoded(folder: Traversable, name: str) -> dict[str, bytes]:
    found = {"": (folder / name).read_bytes()}
    for encoding, ending in ENCODINGS:
        found[encoding] = (folder / (name + ending)).read_bytes()
    return found


def dashboard_routes(page: Shell) -> list[Route]:
    """Return the routes of the pages and their files."""

    async def shown(request: Request) -> Response:
        return page(request, HTTPStatus.OK)

    return [*(Route(path, shown, methods=["GET"]) for path in PAGES), Route(FILES, _file, methods=["GET"])]


def wants_page(request: Request) -> bool:
    """Tell whether a browser has gone to an address; programs, and whoever asks the API, want no page."""
    first = request.url.path.split("/")[1]
    return (
        request.method in ("GET", "HEAD") and first not in NO_PAGES and "text/html" in request.headers.get("accept", "")
    )


def dashboard_shell(state: Site, *, is_live: bool) -> Shell:
    """Return what draws the shell of every page, also of those that there are not: the page itself says so."""
    template = static_text("dashboard.html" if built().script else "unbuilt.html")

    def page(request: Request, status: HTTPStatus) -> Response:
        nonce = secrets.token_urlsafe(NONCE_BYTES)
        values = {
            "{{facts}}": html.escape(msgspec.json.encode(_facts(request, state, is_live=is_live)).decode(), quote=True),
            "{{nonce}}": nonce,
            "{{script}}": built().script,
            "{{style}}": built().style,
            "{{version}}": html.escape(__version__),
        }
        # In one pass: a brand that is spelled like a mark is not one.
        text = _MARK.sub(lambda mark: values[mark[0]], template)
        guards = page_guards(nonce, framed=state.archive.replay_origin, pictured=state.archive.bytes_origin)
        headers = {**guards, "content-type": "text/html; charset=utf-8"}
        return Response(text, status_code=status, headers=headers)

    return page


def page_guards(nonce: str, *, framed: str = "", pictured: str = "") -> Mapping[str, str]:
    """Return the headers of a page: what strangers named never runs.

    Of other origins, only `framed` is shown in frames, and only pictures of `pictured` are.
    """
    frames = framed or "'none'"
    policy = (
        "default-src 'none'",
        f"script-src 'nonce-{nonce}'",
        f"style-src 'nonce-{nonce}'",
        "connect-src 'self'",
        f"img-src 'self' data: {pictured}".rstrip(),
        f"frame-src {frames}",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    )
    return {
        "content-security-policy": "; ".join(policy),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=()",
        "cache-control": "no-store",
    }


def _facts(request: Request, state: Site, *, is_live: bool) -> dict[str, Any]:
    """Return what a page has to know before it can ask anything."""
    heard = state.hits_of_brands()
    # With dev, a brand is there as soon as it is named.
    named = {request.query_params.get("brand", "")} - {""} if state.settings.dev else set[str]()
    # A brand with keys is nobody else's to know of.
    known = [name for name in {*state.brands.names(), *heard, *named} if state.brands.is_open(name)]
    brands = [_brand(state, name) for name in sorted(known, key=lambda brand: (-heard.get(brand, 0), brand))]
    return {
        "brands": brands,
        "periods": list(state.settings.periods),
        "live": is_live,
        "people": True,
        "verdicts": True,
        "archive": state.settings.archive or bool(state.settings.aws_archive_table),
        "version": __version__,
    }


def _brand(state: Site, name: str) -> dict[str, str | bool | Sequence[str]]:
    # One that was heard of may have a name that no brand could be given.
    brand = state.brands.named(name) or Brand("unnamed")
    about = {"brand": name, "title": brand.title, "zone": brand.zone, "periods": list(brand.periods)}
    return {**about, "isOpen": state.brands.is_open(name)}


async def _file(request: Request) -> Response:
    name = str(request.path_params["file"])
    found = built().files.get(name) if _NAME.fullmatch(name) else None
    if found is None:
        document = problem_document(HTTPStatus.NOT_FOUND, detail=f"there is nothing at {request.url.path[:200]!r}")
        return Response(
            document.body, status_code=document.status, headers={**document.headers, "content-type": PROBLEM}
        )
    encoding = _encoding(request.headers.get("accept-encoding", ""))
    headers = {
        "content-type": _KINDS[name[name.rindex(".") :]],
        "cache-control": f"public, max-age={YEAR_S}, immutable",
        "vary": "accept-encoding",
        "x-content-type-options": "nosniff",
    }
    if encoding:
        headers["content-encoding"] = encoding
    return Response(found[encoding], headers=headers)


def _encoding(accepted: str) -> str:
    """Return the best encoding that a browser takes; it says which by name, and rarely with a weight of none."""
    words = {word.partition(";")[0].strip(): word.replace(" ", "") for word in accepted.lower().split(",")}
    for name, _ in ENCODINGS:
        if name in words and not words[name].endswith((";q=0", ";q=0.0")):
            return name
    return ""
