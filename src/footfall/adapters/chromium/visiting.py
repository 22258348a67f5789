"""One capture: a fresh context, the page opened, scrolled, read and pictured, in this order, and nothing left of it."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Dialog, Page, ProxySettings, Request, Response
from playwright.async_api import Error as BrowserError
from playwright.async_api import TimeoutError as BrowserTimeout

from footfall.adapters.chromium import failures
from footfall.adapters.chromium.coming import Coming
from footfall.adapters.chromium.hiding import hide
from footfall.adapters.chromium.launching import Crashes, Running
from footfall.adapters.chromium.limits import Limits
from footfall.adapters.chromium.lines import Line, NotDone, PageLine
from footfall.adapters.chromium.picturing import Picture, take_picture
from footfall.adapters.chromium.reading import Read, inner_frames, pending_images, read_page
from footfall.adapters.chromium.recording import Recorder, is_file
from footfall.adapters.chromium.scrolling import Scrolled, Scroller
from footfall.adapters.chromium.worlds import Moved, World
from footfall.adapters.gate.gate_proxy import BrowserProxy
from footfall.adapters.gate.jobs import JobSeen
from footfall.ports.capturing import VIEWPORT_PX, WIDTH_PX, Captured, CaptureFailed, Frame, Reason, Wanted

QUIET_S = 0.05  # A page that goes on by script does it at once; one that does later is met while it is scrolled.
SAVING_S = 1.0
MOVES_MAX = 4  # A page goes on to another, and that perhaps once more.
PASSES_MAX = 3  # the second for what a page does once it has loaded, the third for what is higher than it said
LOOK_MS = 50
KILLED = frozenset({"killed", "oom"})  # how the browser says that a process was ended, or had no memory left
WEB = ("http://", "https://")


@dataclass(slots=True)
class Seen:
    """What a page did while it was open."""

    latest: Response | None = None  # to the last request for a page itself; of a file, nothing is ever shown.
    answer: Response | None = None  # with which the page came that is shown
    openings: int = 0  # that were asked for; a page that writes its own address anew opens nothing.
    dialogs: int = 0
    coming: Coming = field(default_factory=Coming)
    saving: "asyncio.Future[None]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


@dataclass(frozen=True, slots=True)
class Sight:
    """All there was to see of a page."""

    scrolled: Scrolled
    pending_images: int
    read: Read
    frames: Sequence[Frame]
    picture: Picture


class Visit:
    """A page that is open for one capture."""

    def __init__(
        self,
        running: Running,
        wanted: Wanted,
        limits: Limits,
        *,
        now_us: Callable[[], int],
        gate: Callable[[], JobSeen],
    ) -> None:
        self._running = running
        self._wanted = wanted
        self._limits = limits
        self._now_us = now_us
        self._gate = gate
        self._seen = Seen()
        self._timings: dict[str, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._began_s = time.monotonic()
        self.fate: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._targets: list[str] = []
        self._recorder = Recorder(
            now_us,
            limits,
            too_large=lambda: self.end(failures.too_large(limits.body_bytes_max)),
            entered=lambda target: self._hear_crash(target, self._crash_frame),
        )

    def end(self, failure: CaptureFailed) -> None:
        """Let the capture fail now, whatever it waits for."""
        if not self.fate.done():
            self.fate.set_exception(failure)

    async def captured(self, context: BrowserContext) -> Captured:
        """Return the page as it is seen in a context; raise CaptureFailed."""
        at_us = self._now_us()
        page = await context.new_page()
        context.on("page", lambda other: self._later(_closed(other)))
        self._listen(page)
        line = PageLine(await context.new_cdp_session(page))
        tree = await line.ask("Page.getFrameTree")
        frame = str(tree["frameTree"]["frame"]["id"])
        self._hear_crash(frame, self._crash)
        await self._recorder.follow(line, page_frame=frame)
        world = World(line, frame, stuck_ms=self._limits.stuck_ms)
        self._mark("start")
        await self._open(page)
        self._mark("open")
        sight = await self._sight(page, line, world)
        exchanges = await self._recorder.finish()
        self._mark("record")
        answer = self._seen.answer
        return Captured(
            url=self._wanted.url,
            final_url=page.url,
            canonical_url=sight.read.canonical_url,
            at_us=at_us,
            took_ms=self._passed_ms(),
            status=answer.status if answer else 200,
            title=sight.read.title,
            language=sight.read.language,
            text=sight.read.text,
            frames=[Frame(page.url, sight.read.html), *sight.frames, *sight.read.inners][: self._limits.frames_max + 1],
            tiles=sight.picture.tiles,
            thumbnail=sight.picture.thumbnail,
            exchanges=exchanges,
            height_px=sight.scrolled.height_px,
            stop=sight.scrolled.stop,
            pending_images=sight.pending_images,
            pixels_sha256=sight.picture.pixels_sha256,
            timings_ms=self._timings,
        )

    def stop(self) -> None:
        """Record nothing more."""
        self._recorder.stop()
        for target in self._targets:
            self._running.crashes.pop(target, None)
        if not self.fate.cancel():
            self.fate.exception()  # Another failure came first; nobody asks for this one any more.

    def explained(self, failure: CaptureFailed) -> CaptureFailed:
        """Return a failure with the reason that the gate knows, if it does."""
        seen = self._gate()
        if seen.is_over is Reason.TOO_LARGE:
            return failures.too_large(self._limits.received_bytes_max)
        if failure.reason is not Reason.NO_CONNECTION:
            return failure
        address = self._seen.latest.url if self._seen.latest else self._wanted.url
        refusal = seen.refusals[-1] if seen.refusals else None
        if found := seen.refusal_of(*_place(address)) or refusal:
            return CaptureFailed(found.reason, found.text)
        return failure

    def _listen(self, page: Page) -> None:
        page.on("dialog", lambda dialog: self._later(self._dismiss(dialog)))
        page.on("download", lambda _: self._note_saving())
        page.on("response", self._note_answer)
        page.on("framenavigated", lambda frame: self._note_move() if frame == page.main_frame else None)
        page.on("request", self._note_asking)
        page.on("requestfinished", self._seen.coming.note_end)
        page.on("requestfailed", self._seen.coming.note_end)

    async def _open(self, page: Page) -> None:
        """Open the page, and wait for what it names as long as it may take."""
        opening = asyncio.ensure_future(
            page.goto(self._wanted.url, wait_until="domcontentloaded", timeout=self._limits.open_ms)
        )
        try:
            await asyncio.wait({opening, self._seen.saving}, return_when=asyncio.FIRST_COMPLETED)
            if not opening.done() and self._seen.answer:
                # It is open, and what it leads to by itself is a file: the browser would wait for a page in vain.
                await asyncio.wait({opening}, timeout=SAVING_S)
            if opening.done() or not self._seen.answer:
                await opening
            await self._loaded(page)
        except BrowserError as error:
            raise failures.failure_of_opening(error.message) from error
        finally:
            opening.cancel()

    async def _loaded(self, page: Page) -> None:
        """Wait until a page is made and goes on to no other one."""
        for _ in range(MOVES_MAX):
            openings = self._seen.openings
            await self._made(page)
            await asyncio.sleep(QUIET_S)
            if openings == self._seen.openings:
                self._require_page(page)
                return
            await page.wait_for_load_state("domcontentloaded", timeout=self._limits.open_ms)
        raise failures.restless()

    async def _made(self, page: Page) -> None:
        """Wait until all is there that a page names; for images alone one waits while one reads."""
        until_s = time.monotonic() + (SAVING_S if self._seen.saving.done() else self._limits.load_ms / 1_000)
        while time.monotonic() < until_s and not self._seen.coming.is_made():
            with contextlib.suppress(BrowserTimeout):  # Something of it hangs; what is there is what a person sees.
                await page.wait_for_load_state("load", timeout=LOOK_MS)
                return

    async def _sight(self, page: Page, line: Line, world: World) -> Sight:
        """Scroll, read and picture the page; again when it went on to another meanwhile."""
        for _ in range(MOVES_MAX):
            answer = self._seen.answer
            try:
                world.forget()
                sight = await self._seen_through(page, line, world)
            except Moved:
                await self._loaded(page)
                continue
            self._require_page(page)
            if answer is self._seen.answer:
                return sight
        raise failures.restless()

    async def _seen_through(self, page: Page, line: Line, world: World) -> Sight:
        """Return all there is to see of a page that stays."""
        scroller = Scroller(world, self._limits, asking=self._seen.coming.is_asking)
        scrolled, pending = await self._scrolled(scroller, world)
        for _ in range(1, PASSES_MAX):
            if not await scroller.has_more(scrolled):
                break
            scrolled, pending = await self._scrolled(scroller, world)
        read = await read_page(world)
        frames = await inner_frames(page, frames_max=self._limits.frames_max)
        self._require_page(page)
        self._mark("read")
        picture = await take_picture(line, world, height_px=max(1, scrolled.height_px))
        self._mark("picture")
        return Sight(scrolled, pending, read, frames, picture)

    async def _scrolled(self, scroller: Scroller, world: World) -> tuple[Scrolled, int]:
        """Scroll through the page, and return how far that was and how many of its images did not come."""
        await hide(world, self._wanted)
        scrolled = await scroller.through()
        await hide(world, self._wanted)  # Some headers stay only once one has scrolled.
        self._mark("scroll")
        pending = await self._shown(world)
        self._mark("images")
        return scrolled, pending

    async def _shown(self, world: World) -> int:
        """Wait until all images are there, or hang, and return how many of the page's own are not."""
        images_ms = self._limits.images_ms
        until_s = time.monotonic() + images_ms / 1_000
        coming = self._seen.coming
        while (pending := await pending_images(world)) or coming.is_awaited(images_ms):
            if time.monotonic() >= until_s or coming.has_hung(images_ms):
                break
            await asyncio.sleep(LOOK_MS / 1_000)
        return pending

    def _require_page(self, page: Page) -> None:
        """Raise what speaks against keeping the page that is open now."""
        if page.url.startswith("chrome-error:"):
            raise CaptureFailed(Reason.NO_CONNECTION, "The page leads on to a site that could not be reached.")
        if not page.url.startswith(WEB):
            raise failures.astray(page.url)
        seen = self._gate()
        if seen.is_over is Reason.TOO_LARGE:
            raise failures.too_large(self._limits.received_bytes_max)
        if answer := self._seen.answer:
            headers = answer.headers
            if "x-footfall-blocked" in headers or "x-footfall-failed" in headers:
                raise CaptureFailed(Reason.NO_CONNECTION, "The site could not be reached.")
            if is_file(lambda name: headers.get(name, "")):
                raise failures.download(f"a file ({headers.get('content-type', '')[:60]})")
            failure = failures.failure_of_status(answer.status)
            if failure and not self._wanted.keep_errors:
                raise failure

    def _note_answer(self, response: Response) -> None:
        request = response.request
        if request.is_navigation_request() and request.frame.parent_frame is None:
            self._seen.latest = response

    def _note_move(self) -> None:
        self._seen.answer = self._seen.latest

    def _note_saving(self) -> None:
        self._seen.latest = self._seen.answer
        if not self._seen.saving.done():
            self._seen.saving.set_result(None)

    def _note_asking(self, request: Request) -> None:
        self._seen.coming.note(request)
        if request.is_navigation_request() and request.frame.parent_frame is None:
            self._seen.openings += 1

    def _later(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _dismiss(self, dialog: Dialog) -> None:
        self._seen.dialogs += 1
        if self._seen.dialogs > self._limits.dialogs_max:
            self.end(CaptureFailed(Reason.TOO_SLOW, "The page opens one dialog after the other, without an end."))
            return
        try:
            await dialog.dismiss()
        except BrowserError:
            return  # It has gone by itself.

    def _hear_crash(self, target: str, hears: Crashes) -> None:
        self._targets.append(target)
        self._running.crashes[target] = hears

    def _crash(self, how: str) -> None:
        """Let the capture fail: nobody but the watch of memory ends processes from outside, and the machine itself."""
        self.end(failures.out_of_memory() if how in KILLED else failures.crashed())

    def _crash_frame(self, how: str) -> None:
        if how in KILLED:  # A frame that ends by itself is empty, as whoever reads the page sees it.
            self._crash(how)

    def _passed_ms(self) -> int:
        return round((time.monotonic() - self._began_s) * 1_000)

    def _mark(self, stage: str) -> None:
        spent = sum(self._timings.values())
        self._timings[stage] = self._timings.get(stage, 0) + self._passed_ms() - spent


def failure_from(error: Exception) -> CaptureFailed:
    """Return the failure that an error of the browser is, once a page was open."""
    if isinstance(error, CaptureFailed):
        return error
    if isinstance(error, BrowserTimeout):
        return failures.failure_of_opening(error.message)
    if isinstance(error, Moved):
        return failures.restless()
    if isinstance(error, NotDone | BrowserError):
        return failures.crashed()
    raise error


async def fresh_context(running: Running, about: str, proxy: BrowserProxy) -> BrowserContext:
    """Return a context as every capture has it: a screen of one size, no memory, no way but the gate."""
    major = running.version.split(".")[0]
    agent = f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Safari/537.36"
    return await running.browser.new_context(
        viewport={"width": WIDTH_PX, "height": VIEWPORT_PX},
        user_agent=f"{agent} {about}",
        proxy=ProxySettings(**proxy),
        service_workers="block",
        accept_downloads=False,
        reduced_motion="reduce",
    )


def _place(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


async def _closed(page: Page) -> None:
    try:
        await page.close()
    except BrowserError:
        return  # It has gone by itself.
