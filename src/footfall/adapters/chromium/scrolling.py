"""Scrolling through a page as a person does, until nothing more comes or a limit is reached.

A step is less than a screen. A page that listens to scrolling may wait to see that its reader has stopped, so each step
waits for longer than that: with 50 ms such pages stay empty, with 120 ms they are complete. One that does not listen is
told by the browser, in the frame after, of what has come into sight; there a few frames are enough.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from footfall.adapters.chromium.limits import Limits
from footfall.adapters.chromium.worlds import WAY, World
from footfall.adapters.chromium.writing_down import OURS
from footfall.ports.capturing import HEIGHT_PX_MAX, VIEWPORT_PX, Stop

STEP_PX = VIEWPORT_PX * 8 // 10
SETTLE_MS = 120
TOP_MS = 40  # two frames, in which what stays at its place goes back with us
ASKED_GROWTH_MS = 3_000  # when the page asks for more at its end
GREW_PX = 50  # A header that stays may take some of a page's height with it.
SCROLL_EVENTS = frozenset({"scroll", "scrollend"})
INNER_MAX = 3  # Pages have one list that scrolls by itself, or two.

# A frame may never come, so a timer runs beside each wait for one.
WAITS = """
const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 250); });
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const page = () => document.scrollingElement || document.documentElement;
const height = () => Math.max(page().scrollHeight, document.body ? document.body.scrollHeight : 0);
"""
STEP = f"""async (y, frames, settle) => {{ {WAITS}
  window.scrollTo({{ top: y, behavior: "instant" }});
  for (let n = 0; n < frames; n++) await frame();
  await sleep(settle);
  return {{ y: window.scrollY, height: height() }};
}}"""
SCROLLS = """
const scrolls = (one) => one.scrollHeight >= one.clientHeight + 50
  && one.clientHeight >= innerHeight / 3 && one.clientWidth >= innerWidth / 3
  && ["auto", "scroll"].concat(one === document.body ? ["hidden"] : []).includes(getComputedStyle(one).overflowY);
"""
INNER = f"""async (index, y, settle) => {{ {WAITS} {SCROLLS}
  const found = [...document.querySelectorAll("body *")].filter(scrolls);
  const one = found[index];
  if (!one) return {{ y: -1, height: 0 }};
  one.scrollTo({{ top: y, behavior: "instant" }});
  await frame(); await sleep(settle);
  return {{ y: one.scrollTop, height: one.scrollHeight, step: one.clientHeight }};
}}"""
# Styles stand in a sheet of ours, so that the document that is kept is the page's own.
OPEN = f"""async () => {{ {WAITS} {SCROLLS} {WAY}
  const rules = [];
  const before = height();
  const free = "overflow:visible!important;height:auto!important;max-height:none!important;";
  const loose = "position:relative!important;inset:auto!important;";
  for (const one of [...document.querySelectorAll("body,body *")].filter(scrolls).slice(0, {INNER_MAX}))
    for (let at = one; at; at = at.parentElement)
      rules.push(`${{way(at)}}{{${{free}}${{/fixed|absolute/.test(getComputedStyle(at).position) ? loose : ""}}}}`);
  if (document.body && getComputedStyle(document.body).position === "fixed")
    rules.push("body{{position:static!important}}");
  if (!rules.length) return {{ grew: false }};
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([...new Set(rules)].join("\\n"));
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  ({OURS} ||= []).push(sheet);
  await frame(); await sleep({SETTLE_MS});
  return {{ grew: height() > before + 50 }};
}}"""


STATE = f"() => {{ {WAITS} return {{ height: height(), loaded: document.readyState === 'complete' }}; }}"


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a page is given at each step, and to grow at its end."""

    frames: int
    settle_ms: int
    growth_ms: int


LISTENING = Pace(frames=1, settle_ms=SETTLE_MS, growth_ms=800)
DEAF = Pace(frames=2, settle_ms=30, growth_ms=300)


@dataclass(frozen=True, slots=True)
class State:
    """What a page is like while nobody scrolls."""

    height_px: int
    is_loaded: bool
    is_listening: bool


@dataclass(frozen=True, slots=True)
class Scrolled:
    """How far scrolling came, and why it ended there."""

    stop: Stop
    height_px: int


class Scroller:
    """Scrolls one page; what it asks for meanwhile is told by `asking`."""

    def __init__(self, world: World, limits: Limits, *, asking: Callable[[], bool]) -> None:
        self._world = world
        self._until_s = time.monotonic() + limits.scroll_ms / 1_000
        self._asking = asking
        self._pace = LISTENING
        self._begun: State | None = None

    async def through(self) -> Scrolled:
        """Scroll to the end, through lists that scroll by themselves as well, and back to the top."""
        self._begun = await self._state()
        self._pace = LISTENING if self._begun.is_listening else DEAF
        scrolled = await self._page(0)
        if scrolled.stop is Stop.BOTTOM:
            for index in range(INNER_MAX):
                if not await self._inner(index):
                    break
            if (await self._world.run(OPEN)).get("grew"):
                scrolled = await self._page(VIEWPORT_PX)
        await self._world.run(STEP, f"0, 1, {TOP_MS}")
        return scrolled

    async def has_more(self, scrolled: Scrolled) -> bool:
        """Return whether the page has become one that shows more to whoever scrolls again, and there is time to."""
        begun, now = self._begun, await self._state()
        if begun is None or self._is_late():
            return False
        has_begun = (now.is_loaded and not begun.is_loaded) or (now.is_listening and not begun.is_listening)
        return has_begun or (scrolled.stop is Stop.BOTTOM and now.height_px > scrolled.height_px + GREW_PX)

    async def _state(self) -> State:
        told = await self._world.run(STATE)
        is_listening = await self._world.is_listening(SCROLL_EVENTS)
        return State(int(told["height"]), bool(told["loaded"]), is_listening)

    async def _page(self, y: int) -> Scrolled:
        """Scroll down from a height until the page ends, or time, or the longest picture."""
        last = -1
        while True:
            began_s = time.monotonic()
            at, height = await self._step(y)
            if height > HEIGHT_PX_MAX and at + VIEWPORT_PX >= HEIGHT_PX_MAX:
                return Scrolled(Stop.HEIGHT, HEIGHT_PX_MAX)
            if self._is_late():
                return Scrolled(Stop.TIME, min(height, HEIGHT_PX_MAX))
            is_held = at <= last  # It is higher than its window, and goes no further.
            if at + VIEWPORT_PX >= height - 1 or is_held:
                grown = await self._grown(at, height, since_s=began_s)
                if grown == height:
                    return Scrolled(Stop.BOTTOM, min(height, HEIGHT_PX_MAX))
            last = -1 if is_held else at
            y = at + STEP_PX

    async def _grown(self, y: int, height: int, *, since_s: float) -> int:
        """Return the height after the page had time to grow."""
        while not self._is_late():
            _, now = await self._step(y)
            waited_ms = (time.monotonic() - since_s) * 1_000
            if now != height or waited_ms > (ASKED_GROWTH_MS if self._asking() else self._pace.growth_ms):
                return now
        return height

    async def _inner(self, index: int) -> bool:
        """Scroll through a list of the page's own; tell whether there is one."""
        y = 0
        while not self._is_late():
            told = await self._world.run(INNER, f"{index}, {y}, {SETTLE_MS}")
            at, height, step = int(told["y"]), int(told["height"]), int(told.get("step", 0))
            if at < 0:
                return False
            if at < y or at + step >= height - 1 or height > HEIGHT_PX_MAX:
                return True
            y = at + max(step * 8 // 10, 50)
        return True

    async def _step(self, y: int) -> tuple[int, int]:
        told = await self._world.run(STEP, f"{y}, {self._pace.frames}, {self._pace.settle_ms}")
        return int(told["y"]), int(told["height"])

    def _is_late(self) -> bool:
        return time.monotonic() >= self._until_s
