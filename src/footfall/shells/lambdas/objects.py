"""The function that takes objects of other pipelines: told of them by S3, SNS, SQS or EventBridge, or sent to look.

A message of SQS that fails is answered for by its id, so that it alone comes again. S3 and SNS deliver an event again
as a whole; what was taken of it is known and left out.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from footfall.accounts.brands import Brands
from footfall.adapters.aws import at_start as at_start
from footfall.app import aws_wiring, wiring
from footfall.app.logs import fields
from footfall.app.object_feed import Fed, NotInTime, ObjectFeed, ObjectName
from footfall.app.screening import KeptScreen
from footfall.app.settings import HOUR_MS, Settings
from footfall.catalog.labels import KnownLabels
from footfall.flow.collect.accept import Acceptance
from footfall.flow.collect.object_hits import ObjectHits
from footfall.shells.lambdas import gauges
from footfall.shells.lambdas.object_events import Look, look_in, told_in
from footfall.shells.lambdas.start import begin
from footfall.values.clock import Clock
from footfall.values.errors import FootfallError

SPARE_MS = 15_000  # What a stretch may take when the ground is slow, before Lambda ends the function.
FAILED_MAX = 1_000  # Keys that a look names before it answers; Lambda carries 6 MB, and a key has up to 1 KB.

_log = logging.getLogger(__name__)
_state: list["Objects"] = []


class Context(Protocol):
    """What we use of Lambda's."""

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the function may still run."""
        ...


class ObjectsFailed(FootfallError):
    """Some objects of the event were not taken; the event is to be delivered again."""


def handler(event: Mapping[str, Any], context: Context) -> Mapping[str, Any]:
    """Take the objects that an event tells of."""
    if not _state:
        _state.append(Objects(*begin("objects")))
    return _state[0].answer(event, context)


class Objects:
    """What a warm function keeps: its clients."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._source = aws_wiring.open_source(settings)
        self._stream = wiring.open_stream_to_write(settings, clock)
        self._store = wiring.open_store(settings, clock)
        self._salts = wiring.salts(wiring.open_salt_table(settings, clock))
        self._accounts = wiring.open_accounts(settings, clock, read_only=True)
        self._catalog = wiring.open_catalog_table(settings, clock, read_only=True)
        self._kept_screen = KeptScreen(settings)

    def answer(self, event: Mapping[str, Any], context: Context) -> Mapping[str, Any]:
        """Take what there is, and say what has to come again."""

        def has_time() -> bool:
            return context.get_remaining_time_in_millis() > SPARE_MS

        feed = self._feed()
        look = look_in(event)
        if look is not None:
            return self._look(feed, look, has_time)
        failed: list[str] = []
        for told in told_in(event):
            reasons = [reason for one in told.objects if (reason := self._take(feed, one, has_time))]
            if told.reason:
                _log.error("a message is no notification: %s", told.reason, extra=fields(message=told.message_id))
                reasons.append(told.reason)
            if reasons and not told.message_id:
                raise ObjectsFailed("; ".join(reasons))
            if reasons:
                failed.append(told.message_id)
        return {"batchItemFailures": [{"itemIdentifier": one} for one in failed]}

    def _look(self, feed: ObjectFeed, look: Look, has_time: Callable[[], bool]) -> Mapping[str, Any]:
        """Take the objects under a prefix that were not taken yet; answer where to go on when time is over."""
        taken, after = 0, look.after
        failed: list[str] = []
        while True:
            page = self._source.page(look.bucket, look.prefix, after=after)
            for key in page.keys:
                if len(failed) >= FAILED_MAX:
                    return {"taken": taken, "failed": failed, "after": after}
                try:
                    self._take_in_time(feed, ObjectName(look.bucket, key), has_time)
                    taken += 1
                except NotInTime:
                    # The next look begins before this one, whose rest would be left otherwise.
                    return {"taken": taken, "failed": failed, "after": after}
                except FootfallError:
                    failed.append(key)
                after = key
            if page.after is None:
                return {"taken": taken, "failed": failed}

    def _take(self, feed: ObjectFeed, named: ObjectName, has_time: Callable[[], bool]) -> str:
        """Take one object; return why it has to come again, or nothing."""
        try:
            self._take_in_time(feed, named, has_time)
        except FootfallError as error:
            return f"{named}: {error}"
        return ""

    def _take_in_time(self, feed: ObjectFeed, named: ObjectName, has_time: Callable[[], bool]) -> None:
        """Take one object; raise NotInTime when it is not done in time, or why it cannot be taken."""
        try:
            if not has_time():
                raise NotInTime("the function's time is over; the next delivery takes it")
            fed = feed.take(named, has_time=has_time)
        except FootfallError as error:
            _log.warning("an object was not taken: %s", error, extra=fields(object=str(named)))
            raise
        _tell(named, fed)

    def _feed(self) -> ObjectFeed:
        """Return a feed that knows brands, labels and the rules of screening as they are now."""
        settings = self._settings
        brands = Brands(settings.brands, any_brand=False)
        stored = self._accounts.register.all()
        kept = [one.brand for one in stored.values() if one.brand is not None]
        brands.take_stored(kept, removed=[name for name, one in stored.items() if one.was_removed])
        acceptance = Acceptance(
            brands,
            self._salts,
            shards=settings.stream_shards,
            lateness_ms=settings.count_lateness_hours * HOUR_MS,
            future_ms=settings.count_future_ms,
            labels=KnownLabels(self._catalog),
        )
        if settings.screening_rules:
            self._kept_screen.follow(self._accounts.register)
            acceptance.screen_with(self._kept_screen.screen)
        hits = ObjectHits(brands, acceptance)
        return ObjectFeed(self._source, self._stream, self._store, hits, clock=self._clock)


def _tell(named: ObjectName, fed: Fed) -> None:
    if fed.is_gone:
        _log.warning("an object was gone before it was read", extra=fields(object=str(named)))
    elif fed.was_done:
        _log.info("an object was taken before", extra=fields(object=str(named)))
    else:
        refused = dict(fed.refused)
        told = fields(object=str(named), hits=fed.hits, refused=refused, first=fed.shown)
        _log.log(logging.WARNING if refused else logging.INFO, "an object was taken", extra=told)
        gauges.emit(ObjectHits=fed.hits, RefusedLines=sum(refused.values()))
