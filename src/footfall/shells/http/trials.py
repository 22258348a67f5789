"""/v1/screening/try: what other rules would have changed in the last hours, tried by a process of its own."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.brands import SCREENING_MODES, Brand
from footfall.accounts.keys import EDIT
from footfall.app.screening import screen_limits
from footfall.app.settings import json_from_settings
from footfall.app.settings_reading import child_environment
from footfall.app.trial_errors import NoTrialsHere, TrialFailed, TrialGoesOn
from footfall.app.trial_process import Order, Told
from footfall.app.trying import TryOrder
from footfall.flow.collect.trial import tried_rules_from_document
from footfall.screening.rules import BrandRules
from footfall.shells.http.access import brand_of
from footfall.shells.http.brands import document_in, require_no_parameters, told
from footfall.shells.http.site import Site
from footfall.values.errors import Refused
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, moment_from_text

TRY: Final = "/v1/screening/try"
SECONDS, HITS_MAX = 10.0, 2_000_000
KILL_AFTER_S: Final = 20.0  # A start and an end of a process on a busy machine come beside the seconds of the trial.
SPAN_MS_MAX: Final = DAY_MS
LIMIT: Final = 10
FIELDS: Final = ("rules", "from", "to", "mode")

Endpoint = Callable[[Request], Awaitable[Response]]


def trial_routes(state: Site) -> list[Route]:
    """Return the route on which rules are tried."""
    return [Route(TRY, Trials(state).answer, methods=["GET", "POST"])]


class Trials:
    """The one trial that may go on at a time."""

    def __init__(self, state: Site) -> None:
        self._state = state
        self._is_busy = False

    async def answer(self, request: Request) -> Response:
        """Tell what is in use, or try something else."""
        brand = await brand_of(request, self._state, scope=EDIT)
        require_no_parameters(request)
        stored = await self._state.desk.look(lambda register: register.screening.rules_of(brand.name))
        if request.method == "GET":
            return told({"brand": brand.name, "mode": brand.screening, "rules": self._in_use(stored.rules)})
        order = self._order(brand, stored.rules, await document_in(request))
        if self._state.settings.ground == "aws":
            raise NoTrialsHere(
                "functions that answer do not read raw hits; `footfall screen try` does, with an operator's rights"
            )
        if brand.name not in self._state.hits_of_brands():
            raise Refused("brand", f"{brand.name!r} has no hits yet, so there is nothing to try rules on")
        if self._is_busy:
            raise TrialGoesOn("rules are being tried already; try again in some seconds")
        self._is_busy = True
        try:
            return told(await self._tried(order))
        finally:
            self._is_busy = False

    def _in_use(self, rules: BrandRules) -> dict[str, object]:
        """Return what can be tried as it is now; rules on what is not stored stay out of it."""
        limits = screen_limits(self._state.settings)
        return {
            "paths": list(rules.paths),
            "isOn": rules.is_on,
            "repeatsMax": limits.repeats_max,
            "repeatsMinutes": limits.repeats_ms // MINUTE_MS,
            "visitorPerMinute": limits.visitor_per_minute_max,
        }

    def _order(self, brand: Brand, rules: BrandRules, asked: Mapping[str, Any]) -> TryOrder:
        for name in asked:
            if name not in FIELDS:
                raise Refused(name[:64] or "body", f"is not a field here; those are {', '.join(FIELDS)}")
        wanted: object = asked.get("rules", {})
        if not isinstance(wanted, dict):
            raise Refused("rules", 'must be an object of rules and limits, such as {"repeatsMax": 5}')
        document = self._in_use(rules) | msgspec.convert(wanted, dict[str, Any])
        tried_rules_from_document(document, screen_limits(self._state.settings))
        mode: object = asked.get("mode", "")
        if not isinstance(mode, str) or mode not in ("", *SCREENING_MODES):
            raise Refused("mode", f"{str(mode)[:40]!r} is none of {', '.join(SCREENING_MODES)}")
        from_ms, to_ms = self._span(asked)
        return TryOrder(document, from_ms, to_ms, brand=brand.name, mode=mode, limit=LIMIT)

    def _span(self, asked: Mapping[str, Any]) -> tuple[int, int]:
        now_ms = self._state.clock.now_ms()
        to_ms = _moment(asked, "to", now_ms)
        from_ms = _moment(asked, "from", to_ms - HOUR_MS)
        if not 0 < to_ms - from_ms <= SPAN_MS_MAX:
            raise Refused("from", "must be before `to`, and at most a day before it; the command line tries more")
        return from_ms, to_ms

    async def _tried(self, order: TryOrder) -> Any:
        sent = msgspec.json.encode(Order(json_from_settings(self._state.settings), order, SECONDS, HITS_MAX)) + b"\n"
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "footfall.app.trial_process",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=child_environment(),
        )  # fmt: skip
        try:
            said = await asyncio.wait_for(_said(process, sent), KILL_AFTER_S)
        except TimeoutError as error:
            raise TrialFailed(f"the trial did not end within {KILL_AFTER_S:g} s; try a shorter span") from error
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if not said:
            raise TrialFailed("the trial ended without an answer; the log says why")
        answer = msgspec.json.decode(said, type=Told)
        if answer.refused is not None:
            raise Refused(*answer.refused)
        if answer.report is None:
            raise TrialFailed(answer.failed)
        (one,) = answer.report.pop("brands")
        return one | answer.report


async def _said(process: asyncio.subprocess.Process, sent: bytes) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(sent)  # And left open: its end would mean that we are gone.
    return await process.stdout.read()


def _moment(asked: Mapping[str, Any], name: str, otherwise_ms: int) -> int:
    value: object = asked.get(name)
    if value is None:
        return otherwise_ms
    if not isinstance(value, str):
        raise Refused(name, "is not a moment such as 2026-11-15T14:30Z")
    return moment_from_text(value, field=name)
