"""The front process: HTTP, the stream's writer, and the parent of the counting and the answering process."""

import asyncio
import contextlib
import logging
import os
import resource
import signal
import sys
from dataclasses import replace
from pathlib import Path

import uvloop

from footfall.accounts.keyring import Keyring
from footfall.accounts.proofs import Proofs
from footfall.app import wiring
from footfall.app.alert_sending import senders_from
from footfall.app.kept_settings import keep_settings
from footfall.app.link import Message
from footfall.app.lock import take_lock
from footfall.app.logs import begin_logging
from footfall.app.people_links import SETUP, link_to
from footfall.app.screening import KeptScreen
from footfall.app.settings import HOUR_MS, Settings, json_from_settings
from footfall.app.supervisor import Supervisor, supervisor
from footfall.flow.collect.accept import Acceptance
from footfall.flow.collect.senders import Salts
from footfall.flow.serve.series_query import SERIES
from footfall.ports.errors import PortError
from footfall.shells.http.access import Access, access_from
from footfall.shells.http.alerting import AlertRounds
from footfall.shells.http.answers import Answers
from footfall.shells.http.archive_beside import ArchiveBeside
from footfall.shells.http.archive_desk import ArchiveDesk
from footfall.shells.http.asgi import AsgiRoute
from footfall.shells.http.audience_desk import AudienceDesk
from footfall.shells.http.cataloguing import Cataloguing
from footfall.shells.http.children import Child
from footfall.shells.http.chores import StreamChores
from footfall.shells.http.commits import Committer
from footfall.shells.http.control import ControlServer
from footfall.shells.http.counter_desk import CounterDesk
from footfall.shells.http.demo import DEMO_BRAND, Demo
from footfall.shells.http.desk import Desk
from footfall.shells.http.door import Door, HitLimits
from footfall.shells.http.hits import HitsRoute, PageHitsRoute
from footfall.shells.http.judged import Judged
from footfall.shells.http.lane import Exchange, Lane, LaneLimits, Route
from footfall.shells.http.late_description import LateDescription
from footfall.shells.http.limit_lines import TellingLimits
from footfall.shells.http.live import LIVE, Live, LiveRoute
from footfall.shells.http.live_questions import live_questions
from footfall.shells.http.metric_desk import MetricDesk
from footfall.shells.http.metric_lane import ReadyData
from footfall.shells.http.page_scripts import script_routes
from footfall.shells.http.pages import page_paths, pages
from footfall.shells.http.pings import PingsRoute
from footfall.shells.http.pixel import PixelRoute
from footfall.shells.http.reading_routes import reading_routes
from footfall.shells.http.series import series_or
from footfall.shells.http.state import FrontState
from footfall.shells.http.static_files import static_routes
from footfall.shells.http.totals import Totals
from footfall.shells.http.wire import response
from footfall.values.clock import Clock, SystemClock
from footfall.values.errors import FootfallError

BACKLOG = 4_096
HEALTHY = response(200, b'{"status":"ok"}', headers={"cache-control": "no-store"})
SALT_CHORES_S = 60.0
JUDGING_AFTER_S = 3.0  # The judge has an hour to read first, and a start has better things to do.
STOP_S_MIN = 0.5  # What a child has for its end, however late it is.

_log = logging.getLogger(__name__)


def run(settings: Settings, *, demo_rate: float | None = None) -> int:
    """Run an instance until it is told to stop; return the exit code."""
    begin_logging(settings, process="front")
    os.umask(0o077)  # What is kept here is nobody else's to read.
    lock = take_lock(Path(settings.data_dir))
    keep_settings(settings)
    _raise_file_limit()
    sys.setswitchinterval(0.001)  # The committing thread waits for the interpreter; five milliseconds are a commit.
    uvloop.run(Front(settings, lock, SystemClock()).run(demo_rate))
    return 0


class CannotListen(FootfallError):
    """The address to listen on is taken, not allowed, or not one of this machine's."""


class Front:
    """One instance, put together."""

    def __init__(self, settings: Settings, lock: int, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._stopping = asyncio.Event()
        self._totals = Totals()
        self._brands = wiring.brands(settings)
        self._keyring = Keyring()
        self._nonce_table, nonces = wiring.open_nonces(settings, clock)
        self._proofs = Proofs(self._keyring, nonces, clock=clock)
        self._kept_screen = KeptScreen(settings)
        self._people = wiring.PeopleReader(settings, clock)
        self._desk = Desk(
            lambda: wiring.open_accounts(settings, clock),
            self._brands,
            self._keyring,
            counts=self._proofs.counts,
            clock=clock,
            follow=self._kept_screen.follow,
        )
        self._catalogue = Cataloguing(settings, self._brands, clock)
        self._metrics = MetricDesk(settings, clock)
        self._archive = ArchiveDesk(settings, clock)
        self._audience = AudienceDesk(settings, clock)
        text = json_from_settings(settings)
        self._counting = Child("footfall.app.counting", text, lock=lock, on_message=self._from_counting)
        self._answering = Child("footfall.app.answering", text, lock=lock, on_message=self._from_answering)
        self._judged = Judged(self._desk)
        self._judging = Child(
            "footfall.app.judging", text, lock=lock, on_message=self._judged.on_message, is_apart=True
        )
        self._judged.answer_by(self._judging.send)
        self._archiving = Child("footfall.app.archiving", text, lock=lock, on_message=_unheard, is_apart=True)
        self._control: ControlServer | None = None
        self._answers: Answers | None = None
        self._live: Live | None = None
        self._alerts: AlertRounds | None = None
        self._beside: ArchiveBeside | None = None

    async def run(self, demo_rate: float | None) -> None:
        """Start everything, serve, and stop in order."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._begin_to_stop)
        settings, clock = self._settings, self._clock
        salt_table = wiring.open_salt_table(settings, clock)
        chores = StreamChores(settings, clock, lambda: wiring.made_store(settings, clock))
        committer = Committer(lambda: wiring.open_stream_to_write(settings, clock), chores=chores)
        await committer.start()  # Makes the stream, which the children open.
        # So it is with the brands and the catalogue.
        await asyncio.gather(self._desk.start(open_brands=tuple(settings.brands.values())), self._catalogue.start())
        self._answers = Answers(self._answering.send, bytes_max=settings.serve_answers_bytes_max)
        self._counting.start()
        self._answering.start()
        if not await self._is_up(self._counting):  # By then the store is there as well.
            await self._give_up(committer)
            return
        state = self._state(committer, wiring.salts(salt_table))
        self._control = ControlServer(state)
        server = await _listening(state.lane, settings)
        await self._control.start()
        port = server.sockets[0].getsockname()[1]
        await self._begin_beside(state, port=port)
        demo = await self._demo(demo_rate, port)
        await self._tell_address(port, demo)
        salts = loop.create_task(_forget_salts(salt_table))
        await _supervised(supervisor(), self._stopping)
        salts.cancel()
        if demo is not None:
            demo.stop()
        server.close()
        await self._stop(state)

    def _begin_to_stop(self) -> None:
        # The same signal may have ended a judge that was only starting, which is no failure of it.
        self._judging.let_end()
        self._archiving.let_end()
        self._stopping.set()

    async def _stop(self, state: FrontState) -> None:
        """Answer what is in progress, commit it, count it, and end."""
        give_up_at = asyncio.get_running_loop().time() + self._settings.shutdown_ms_max / 1_000
        if self._live is not None:
            self._live.stop()  # Else its listeners would be waited for.
        if self._alerts is not None:
            await self._alerts.stop()
        if self._beside is not None:
            await self._beside.stop()
        state.lane.drain()
        while state.lane.connections and asyncio.get_running_loop().time() < give_up_at - 5.0:
            await asyncio.sleep(0.02)
        await self._catalogue.stop_releasing()
        await self._audience.stop()  # What was followed last goes into the stream.
        await state.committer.stop()
        await state.counters.stop()
        await self._catalogue.stop()
        await self._metrics.stop()
        await self._archive.stop()
        left = give_up_at - asyncio.get_running_loop().time() - STOP_S_MIN
        await self._stop_children(max(STOP_S_MIN, left))
        if self._control is not None:
            self._control.close()
        await self._judged.stop()
        await state.desk.stop()
        self._nonce_table.close()
        self._people.close()

    async def _give_up(self, committer: Committer) -> None:
        """Let go of everything: a stop came before the start was over."""
        await committer.stop()
        await self._catalogue.stop()
        await self._metrics.stop()
        await self._archive.stop()
        await self._audience.stop()
        await self._desk.stop()
        self._nonce_table.close()
        self._people.close()
        await self._stop_children(STOP_S_MIN)

    async def _stop_children(self, timeout_s: float) -> None:
        children = (self._counting, self._answering, self._judging, self._archiving)
        await asyncio.gather(*(child.stop(timeout_s=timeout_s) for child in children))

    async def _is_up(self, child: Child) -> bool:
        """Wait until a child is ready; tell whether it is, or whether a stop came first."""
        waits = [asyncio.ensure_future(event.wait()) for event in (child.is_ready, self._stopping)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        return child.is_ready.is_set()

    async def _begin_beside(self, state: FrontState, *, port: int) -> None:
        """Start what nobody waits for after all others are up: the alerts and the judge."""
        await self._is_up(self._answering)
        self._alerts = AlertRounds(state, senders_from(self._settings, self._clock))
        self._alerts.start()
        self._audience.tell_follows(state.stream, state.committer)
        self._beside = ArchiveBeside(state)
        self._beside.start(port=port)
        if self._settings.screening_judging or self._settings.referrers:
            self._judging.start(after_s=JUDGING_AFTER_S)
        if self._settings.archive and not self._settings.archive_worker_apart:
            self._archiving.start()

    def _state(self, committer: Committer, salts: Salts) -> FrontState:
        settings, clock = self._settings, self._clock
        brands = self._brands
        if not brands.names() and not settings.dev:
            _log.warning("there is no brand, so every hit is refused; footfall brands add makes one while this runs")
        access = access_from(settings, brands, self._keyring, proofs=self._proofs, clock=clock, people=self._people)
        assert self._answers is not None
        stream = wiring.open_stream(settings, clock, read_only=True)
        door = self._door(committer, salts, access, shards=stream.shards)
        description = LateDescription()
        routes: dict[bytes, Route] = {
            b"/v1/hits": HitsRoute(door),
            b"/v1/pixel.gif": PixelRoute(HitsRoute(door)),
            b"/v1/pagehits": PageHitsRoute(door),
            b"/v1/pings": PingsRoute(door),
            **reading_routes(self._answers, brands, settings, access=access, clock=clock),
            b"/healthz": _healthy,
            **script_routes(),
            **static_routes(),
            **description.routes(),
        }
        rest = AsgiRoute()
        others = ReadyData(self._metrics, access, rest)
        lane = Lane(routes, series_or(routes[SERIES.encode()], others), limits=_lane_limits(settings), clock=clock)
        store = wiring.open_store(settings, clock, read_only=True)
        state = FrontState(
            settings=settings, brands=brands, clock=clock, store=store, stream=stream, lane=lane,
            committer=committer, answers=self._answers, counting=self._counting, answering=self._answering,
            judging=self._judging, judged=self._judged,
            totals=self._totals, started_at_ms=clock.now_ms(),
            access=access, desk=self._desk, catalogue=self._catalogue,
            counters=CounterDesk(settings, committer, shards=stream.shards, clock=clock), metrics=self._metrics,
            archive=self._archive, audience=self._audience,
        )  # fmt: skip
        routes[LIVE.encode()] = self._live_route(state)
        self._catalogue.release_to(committer, brand_names=brands.names)
        rest_of_them = pages(state)
        description.covers([*(path.decode() for path in routes), *page_paths(rest_of_them)])
        rest.serve(TellingLimits(rest_of_them), lane)
        return state

    def _live_route(self, state: FrontState) -> LiveRoute:
        questions = live_questions(state.brands, state.settings)
        self._live = Live(state.answers, questions, state.last_hits)
        return LiveRoute(self._live, state.access, lambda: state.lane.date)

    def _door(self, committer: Committer, salts: Salts, access: Access, *, shards: int) -> Door:
        settings = self._settings
        acceptance = Acceptance(
            self._brands,
            salts,
            shards=shards,
            lateness_ms=settings.count_lateness_hours * HOUR_MS,
            future_ms=settings.count_future_ms,
            labels=self._catalogue.labels,
        )
        if settings.screening_rules:
            acceptance.screen_with(self._kept_screen.screen)
        return Door(
            acceptance,
            committer,
            limits=HitLimits(
                settings.http_inflated_bytes_max, settings.http_batch_hits_max, settings.http_pending_bytes_max
            ),
            access=access,
            clock=self._clock,
            totals=self._totals,
        )

    async def _tell_address(self, port: int, demo: Demo | None) -> None:
        """Say where the instance is and, as long as nobody owns it, how the first account is made."""
        lines = [f"footfall is on http://{self._settings.http_host}:{port}/"]
        code = await self._desk.look(lambda register: register.people.code_if_needed())
        if code:
            page = link_to(replace(self._settings, http_port=port), SETUP, "")
            lines.append(f"nobody owns it yet: {page} takes the code {code}")
        if demo is not None and demo.has_key:
            lines.append(f"a key of the brand {DEMO_BRAND} is in {demo.key_file}; it works as long as this runs")
        print("\n".join(lines), flush=True)  # noqa: T201 - what was asked for

    def _from_counting(self, message: Message) -> None:
        if self._control is not None:
            self._control.from_counting(message)

    def _from_answering(self, message: Message) -> None:
        assert self._answers is not None
        if message == ["ready"]:
            self._answers.forget()
        self._answers.on_message(message)

    async def _demo(self, rate: float | None, port: int) -> Demo | None:
        if rate is None:
            return None
        demo = Demo(self._settings, self._clock, rate=rate)
        demo.lend_key(self._keyring)
        await demo.define(self._metrics, self._desk)
        await demo.start(port)
        return demo


async def _listening(lane: Lane, settings: Settings) -> asyncio.Server:
    host, port = settings.http_host, settings.http_port
    try:
        return await asyncio.get_running_loop().create_server(lane, host, port, backlog=BACKLOG, reuse_address=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CannotListen(
            f"{host} port {port} cannot be had: {reason}; choose another with --host or --port"
        ) from error


def _unheard(_message: Message) -> None:
    """Hear what a child says that has nothing to say but that it is up."""


def _healthy(exchange: Exchange) -> None:
    exchange.reply(HEALTHY)


def _lane_limits(settings: Settings) -> LaneLimits:
    return LaneLimits(
        body_bytes_max=settings.http_body_bytes_max,
        pending_bytes_max=settings.http_pending_bytes_max,
        connections_max=settings.http_connections_max,
        head_s_max=settings.http_header_ms_max / 1_000,
        body_s_max=settings.http_body_ms_max / 1_000,
        idle_s_max=settings.http_idle_ms_max / 1_000,
    )


async def _supervised(above: Supervisor, stopping: asyncio.Event) -> None:
    """Tell the supervisor that the instance is up, that it lives, and, when it is to stop, that it does."""
    above.tell("READY=1")
    while not stopping.is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), above.alive_every_s)
        above.tell("STOPPING=1" if stopping.is_set() else "WATCHDOG=1")


async def _forget_salts(table: wiring.OpenTable) -> None:
    while True:
        try:
            wiring.forget_expired(table)
        except PortError as error:  # A full disk passes; what should be forgotten is then forgotten late, not never.
            _log.warning("salts are kept for longer than they should be: %s", error)
        await asyncio.sleep(SALT_CHORES_S)


def _raise_file_limit() -> None:
    """Let the process have as many connections as the system allows it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
