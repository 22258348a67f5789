"""Pictures of frames that belong to other sites: a browser draws them only where its window shows them.

So each that lies further down is scrolled to, taken from the window, and put into the picture at its place.
"""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from footfall.adapters.chromium.lines import Line
from footfall.adapters.chromium.scrolling import SETTLE_MS, WAITS
from footfall.adapters.chromium.worlds import World
from footfall.ports.capturing import VIEWPORT_PX, WIDTH_PX

FRAMES_MAX = 40
FRAME_PX_MIN = 40  # Smaller ones count readers, and show nothing.
# What a script of this page cannot look into is another site's.
FOREIGN = f"""() => {{
  const frames = [...document.querySelectorAll("iframe,frame")].filter((one) => !one.contentDocument);
  const places = frames.map((one) => one.getBoundingClientRect()).map((at) => ({{
    left: Math.max(0, Math.round(at.left)), top: Math.round(at.top + scrollY),
    right: Math.min({WIDTH_PX}, Math.round(at.right)), bottom: Math.round(at.bottom + scrollY) }}));
  return {{ places: places.filter((at) => at.bottom > {VIEWPORT_PX} && at.top >= 0
    && at.right - at.left >= {FRAME_PX_MIN} && at.bottom - at.top >= {FRAME_PX_MIN}).slice(0, {FRAMES_MAX}) }};
}}"""
SHOW = f"""async (y) => {{ {WAITS}
  scrollTo({{ top: y, behavior: "instant" }});
  await frame(); await frame(); await sleep({SETTLE_MS});
  return {{ y: scrollY }};
}}"""


@dataclass(frozen=True, slots=True)
class Patch:
    """A part of the picture that is put over what was drawn there."""

    left_px: int
    top_px: int
    image: Image.Image

    def put_into(self, tile: Image.Image, tile_top_px: int) -> None:
        """Draw what of it lies in a tile."""
        bottom_px = self.top_px + self.image.height
        if self.top_px < tile_top_px + tile.height and bottom_px > tile_top_px:
            tile.paste(self.image, (self.left_px, self.top_px - tile_top_px))


async def foreign_frames(line: Line, world: World, *, height_px: int) -> Sequence[Patch]:
    """Return pictures of all frames of other sites that lie below the first screen; leave the page at its top."""
    patches: list[Patch] = []
    places = (await world.run(FOREIGN))["places"]
    for place in places:
        for top in range(int(place["top"]), min(int(place["bottom"]), height_px), VIEWPORT_PX):
            bottom = min(int(place["bottom"]), top + VIEWPORT_PX, height_px)
            middle = (top + bottom - VIEWPORT_PX) // 2
            shown = int((await world.run(SHOW, str(max(0, middle))))["y"])
            window = await _window(line)
            box = (int(place["left"]), top - shown, int(place["right"]), min(bottom - shown, VIEWPORT_PX))
            if 0 <= box[1] < box[3]:
                patches.append(Patch(box[0], top, window.crop(box)))
    if places:
        await world.run(SHOW, "0")
    return patches


async def _window(line: Line) -> Image.Image:
    told = await line.ask("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
    return Image.open(io.BytesIO(base64.b64decode(told["data"]))).convert("RGB")
