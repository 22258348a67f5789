"""What is read from a page when it stands still: its documents, its text, and what it says of itself."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from playwright.async_api import Error as BrowserError
from playwright.async_api import Page

from footfall.adapters.chromium.worlds import World
from footfall.ports.capturing import Frame

FRAME_S_MAX = 3.0
HTML_CHARACTERS_MAX = 20_000_000
TEXT_CHARACTERS_MAX = 5_000_000
# With what components draw within themselves, as a document may have it written down.
DOCUMENT = """
  const roots = [];
  const look = (from) => { for (const one of from.querySelectorAll("*")) {
    if (one.shadowRoot) { roots.push(one.shadowRoot); look(one.shadowRoot); } } };
  look(document);
  const all = document.documentElement;
  const shell = all ? all.cloneNode(false).outerHTML : "";
  const close = shell.lastIndexOf("</");
  const inner = all && all.getHTML ? all.getHTML({ shadowRoots: roots }) : all ? all.innerHTML : "";
  const kind = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
  const html = close < 0 ? new XMLSerializer().serializeToString(document)
    : kind + shell.slice(0, close) + inner + shell.slice(close);
"""
FRAME = f"() => {{ {DOCUMENT} return html; }}"
PAGE = f"""() => {{ {DOCUMENT}
  const link = document.querySelector("link[rel~=canonical]");
  return {{
    html, title: document.title || "", text: document.body ? document.body.innerText : all ? all.textContent : "",
    language: (all && all.lang) || "", canonical: link && link.href ? link.href : "",
  }};
}}"""
PENDING = "() => ({ pending: [...document.images].filter((one) => !one.complete).length })"


@dataclass(frozen=True, slots=True)
class Read:
    """A page in words."""

    html: str
    text: str
    title: str
    language: str
    canonical_url: str | None


async def pending_images(world: World) -> int:
    """Return how many images have not come."""
    return int((await world.run(PENDING))["pending"])


async def read_page(world: World) -> Read:
    """Return what the page's own document says."""
    told = await world.run(PAGE)
    canonical = str(told["canonical"])
    return Read(
        str(told["html"])[:HTML_CHARACTERS_MAX],
        str(told["text"])[:TEXT_CHARACTERS_MAX],
        str(told["title"])[:1_000],
        str(told["language"])[:35],
        canonical if canonical.startswith(("http://", "https://")) else None,
    )


async def inner_frames(page: Page, *, frames_max: int) -> Sequence[Frame]:
    """Return the documents of frames inside the page, as they stand now; one that does not answer is left out."""
    frames: list[Frame] = []
    for frame in page.frames[1 : frames_max + 1]:
        if not frame.url.startswith(("http://", "https://")):
            continue
        try:
            html = await asyncio.wait_for(frame.evaluate(FRAME), FRAME_S_MAX)
        except (BrowserError, TimeoutError):
            continue
        frames.append(Frame(frame.url, str(html)[:HTML_CHARACTERS_MAX]))
    return frames
