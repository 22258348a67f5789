"""Hits that are no ordinary person's, set apart for analysis: one object for each brand and hour, beside the counts.

An hour's object is made from its raw hits and the verdicts as they stood half an hour after its end, and from nothing
else, so that whoever was killed in between writes the same bytes again. docs/formats/set-apart.md draws it.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

import msgspec
import zstandard
from msgspec import Struct

from footfall.flow.stream.raw import RawHits
from footfall.flow.stream.records import (
    Kinds,
    Pack,
    Unreadable,
    kinds_from_record,
    pack_from_record,
    visited_from_record,
)
from footfall.ports.blobs import Blobs, everything
from footfall.ports.stream import Record
from footfall.screening.covering import Covering, Standing
from footfall.screening.hit_columns import NOTHING
from footfall.screening.labels import Label, Reason, label_of
from footfall.screening.verdicts import Change, Verdict, reason_of
from footfall.values.clock import Clock
from footfall.values.window import DAY_MS, HOUR_MS, MINUTE_MS, instant_text

DELAY_MS = 30 * MINUTE_MS  # after an hour's end: what judging finds late in it is known by then
WRITING_MS = MINUTE_MS  # A change that was on its way at that moment has been written a minute later.
SLACK_MS = 10 * MINUTE_MS  # Records lie in the order of arrival, but for the clocks of those at which they arrived.
LOOK_EVERY_MS = MINUTE_MS
READ_RECORDS = 200  # in one step: a tenth of a second, if each has fifty hits
OBJECT_BYTES_MAX = 32_000_000  # of lines, before compression; an hour with more has several objects
LEVEL = 6

_SCREENED, _UNTIL = "screened", "screened-until"
_DAY_CHARACTERS = len("2026-11-15")

_log = logging.getLogger(__name__)


class Changes(Protocol):
    """What VerdictStore.changes is."""

    def __call__(self, brand: str, *, after_version: int = 0) -> Sequence[Change]:
        """Return the changes of a brand's verdicts after a version, in their order."""
        ...


class ApartHit(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A hit as a line of an object has it; what was not sent is left out."""

    arrived: str
    at: str
    asset: str
    label: str  # that the hit has by its reason
    reason: str
    section: str = ""
    resource_type: str = ""
    paid_type: str = ""
    hits: int = 1  # how many it stands for
    visitor: str = ""  # the hash, in hexadecimal digits
    url: str = ""
    referrer: str = ""
    verdict: str = ""  # the id of the verdict that covers it
    cause: str = ""
    state: str = ""  # of the verdict, half an hour after the hour's end


class SetApart:
    """Writes what is due, a little at a time."""

    def __init__(  # noqa: PLR0913 - where from, where to, and when
        self,
        blobs: Blobs,
        raw: RawHits,
        *,
        shards: int,
        brands: Callable[[], Iterable[str]],
        changes: Changes,
        clock: Clock,
        keep_ms: int,
        read_until_ms: Callable[[], int] | None = None,
    ) -> None:
        """Take what it stands on; `read_until_ms` tells up to which arrival raw hits are all there to be read."""
        self._blobs = blobs
        self._raw = raw
        self._shards = shards
        self._brands = brands
        self._changes = changes
        self._clock = clock
        self._keep_ms = keep_ms
        self._read_until_ms = read_until_ms
        self._standing: dict[str, Standing] = {}
        self._work: Iterator[None] | None = None
        self._looked_at_ms: int | None = None

    def step(self) -> bool:
        """Do some of what is due; return whether there may be more to do at once."""
        if self._work is None:
            now_ms = self._clock.now_ms()
            if self._looked_at_ms is not None and 0 <= now_ms - self._looked_at_ms < LOOK_EVERY_MS:
                return False
            self._looked_at_ms = now_ms
            self._work = self._all_brands(now_ms)
        try:
            next(self._work)
        except StopIteration:
            self._work = None
            return False
        except BaseException:
            # Whoever asks again begins with the hour that was not written.
            self._work, self._looked_at_ms = None, None
            raise
        return True

    def _all_brands(self, now_ms: int) -> Iterator[None]:
        due_ms = (now_ms - DELAY_MS - WRITING_MS) // HOUR_MS * HOUR_MS  # Hours that end until then are due.
        if self._read_until_ms is not None:
            due_ms = min(due_ms, self._read_until_ms() // HOUR_MS * HOUR_MS)
        # Brands that were removed have objects as well, which go with their time.
        begun = [one.name.removeprefix(f"{_UNTIL}/") for one in everything(self._blobs, f"{_UNTIL}/")]
        for brand in sorted({*begun, *self._brands()}):
            yield from self._one_brand(brand, due_ms=due_ms, now_ms=now_ms)

    def _one_brand(self, brand: str, *, due_ms: int, now_ms: int) -> Iterator[None]:
        place = f"{_UNTIL}/{brand}"
        written = self._blobs.get(place)
        hour_ms = due_ms - HOUR_MS if written is None else int(written)
        if hour_ms >= due_ms:
            return
        since_ms = -(-self._raw.kept_since_ms(brand) // HOUR_MS) * HOUR_MS
        if since_ms > hour_ms:
            _log.warning(
                "raw hits of %s until %s went before they were looked through; nothing of them is set apart",
                brand,
                instant_text(since_ms),
            )
            hour_ms = since_ms
        while hour_ms < due_ms:
            yield from self._one_hour(brand, hour_ms)
            hour_ms += HOUR_MS
            self._blobs.put(place, str(hour_ms).encode())
            yield
        yield from self._forget(brand, before_ms=now_ms - self._keep_ms)

    def _one_hour(self, brand: str, hour_ms: int) -> Iterator[None]:
        standing = self._standing.setdefault(brand, Standing())
        standing.take(self._changes(brand, after_version=standing.version))
        covering = standing.at(hour_ms + HOUR_MS + DELAY_MS)
        lines: list[bytes] = []
        size = part = 0
        for records in self._read(brand, hour_ms):
            for line in (line for record in records for line in lines_of(record, covering)):
                if lines and size + len(line) > OBJECT_BYTES_MAX:
                    part += 1
                    self._put(brand, hour_ms, part, lines)
                    lines, size = [], 0
                lines.append(line)
                size += len(line)
            yield
        if lines:
            self._put(brand, hour_ms, part + 1, lines)

    def _read(self, brand: str, hour_ms: int) -> Iterator[list[Record]]:
        """Yield the brand's records that arrived in an hour, shard by shard, some at a time."""
        end_ms = hour_ms + HOUR_MS
        for shard in range(self._shards):
            after = self._raw.first(brand, shard, arrived_at_ms=hour_ms)
            while records := self._raw.read(brand, shard, after=after, limit=READ_RECORDS):
                after = records[-1].sequence
                yield [one for one in records if one.group == brand and hour_ms <= one.arrived_at_ms < end_ms]
                if records[0].arrived_at_ms >= end_ms + SLACK_MS:
                    break

    def _put(self, brand: str, hour_ms: int, part: int, lines: Sequence[bytes]) -> None:
        data = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(b"".join(lines))
        self._blobs.put(name_of(brand, hour_ms, part), data)

    def _forget(self, brand: str, *, before_ms: int) -> Iterator[None]:
        """Delete the days that ended before a moment."""
        prefix = f"{_SCREENED}/{brand}/"
        first_kept = instant_text(before_ms // DAY_MS * DAY_MS)[:_DAY_CHARACTERS]
        # Names are in the order of time, so the first that is kept is the end of those that go.
        for one in everything(self._blobs, prefix):
            if one.name[len(prefix) :][:_DAY_CHARACTERS] >= first_kept:
                return
            self._blobs.delete(one.name)
            yield


def name_of(brand: str, hour_ms: int, part: int = 1) -> str:
    """Return the name of an hour's object; hours and days are those of arrival, in UTC."""
    day, _, clock = instant_text(hour_ms).partition("T")
    more = f"-{part:03d}" if part > 1 else ""
    return f"{_SCREENED}/{brand}/{day}/{clock[:2]}{more}.ndjson.zst"


def lines_of(record: Record, covering: Covering) -> list[bytes]:
    """Return the lines of a record's hits that are suspected or covered; repeats and what is dead count nowhere."""
    if record.repeated or record.dead:
        return []
    try:
        found = _found(record, covering)
        pack = pack_from_record(record.data) if found else None
    except Unreadable:
        return []
    if pack is None:
        return []
    return [msgspec.json.encode(_hit(pack, place, verdict)) + b"\n" for place, verdict in found.items()]


def _found(record: Record, covering: Covering) -> dict[int, Verdict | None]:
    """Return the places of hits that are set apart, with the verdicts on them."""
    # Most packs have nothing, and their addresses need not be read.
    pack = kinds_from_record(record.data) if covering.has_agents else visited_from_record(record.data)
    agents = pack.agents if isinstance(pack, Kinds) else None
    screened = pack.screened or {}
    if not screened and not covering:
        return {}
    found: dict[int, Verdict | None] = {}
    # Without verdicts only those can be meant that the door spoke of.
    for place in range(len(pack.keys)) if covering else sorted(screened):
        label = label_of(screened.get(place, ""))
        if label not in (Label.PERSON, Label.SUSPECTED) or place in record.repeats:
            continue
        visitor = pack.visitors[place] if pack.visitors else b""
        at_ms = pack.at_ms[place] if pack.at_ms else pack.arrived_at_ms
        agent = agents[place] if agents else NOTHING
        verdict = covering.of_hit(visitor=visitor, asset=pack.keys[place][0], at_ms=at_ms, agent=agent)
        if verdict is not None or label is Label.SUSPECTED:
            found[place] = verdict
    return found


def _hit(pack: Pack, place: int, verdict: Verdict | None) -> ApartHit:
    asset, section, resource_type, paid_type = pack.keys[place]
    reason = (pack.screened or {}).get(place, "")
    if verdict is not None:
        found = reason_of(verdict)
        # A person's word counts also of hits that the door only suspected.
        if found is Reason.VERDICT_CONFIRMED or not reason:
            reason = found.value
    return ApartHit(
        arrived=instant_text(pack.arrived_at_ms),
        at=instant_text(pack.at_ms[place] if pack.at_ms else pack.arrived_at_ms),
        asset=asset,
        label=label_of(reason).value,
        reason=reason,
        section=section,
        resource_type=resource_type,
        paid_type=paid_type,
        hits=pack.weights[place] if pack.weights else 1,
        visitor=pack.visitors[place].hex() if pack.visitors else "",
        url=pack.urls[place] if pack.urls else "",
        referrer=pack.referrers[place] if pack.referrers else "",
        verdict="" if verdict is None else verdict.id,
        cause="" if verdict is None else verdict.cause.value,
        state="" if verdict is None else verdict.state.value,
    )
