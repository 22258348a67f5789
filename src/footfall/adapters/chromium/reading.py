"""What is read from a page when it stands still: its documents, its text, and what it says of itself."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from playwright.async_api import Error as BrowserError
from playwright.async_api import Page

from footfall.adapters.chromium.worlds import World
from footfall.adapters.chromium.writing_down import WRITTEN
from footfall.ports.capturing import Frame

FRAME_S_MAX = 3.0
HTML_CHARACTERS_MAX = 20_000_000
TEXT_CHARACTERS_MAX = 5_000_000
FRAME = f"(prefix) => {{ {WRITTEN} return [{{ html: document_() }}, ...inners]; }}"
PAGE = f"""() => {{ const prefix = ""; {WRITTEN}
  const html = document_();
  const all = document.documentElement;
  const link = document.querySelector("link[rel~=canonical]");
  return {{
    html, inners, title: document.title || "",
    text: document.body ? document.body.innerText : all ? all.textContent : "",
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
    inners: Sequence[Frame]  # documents of frames without an address


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
        [_frame(one) for one in told["inners"]],
    )


async def inner_frames(page: Page, *, frames_max: int) -> Sequence[Frame]:
    """Return the documents of frames inside the page, as they stand now; one that does not answer is left out."""
    frames: list[Frame] = []
    inners: list[Frame] = []
    for number, frame in enumerate(page.frames[1 : frames_max + 1], 1):
        if not frame.url.startswith(("http://", "https://")):
            continue
        try:
            told = await asyncio.wait_for(frame.evaluate(FRAME, f"{number}-"), FRAME_S_MAX)
        except (BrowserError, TimeoutError):
            continue
        frames.append(_frame({"url": frame.url, **told[0]}))
        inners += [_frame(one) for one in told[1:]]
    return [*frames, *inners]


def _frame(told: Mapping[str, str]) -> Frame:
    return Frame(told["url"], told["html"][:HTML_CHARACTERS_MAX])
