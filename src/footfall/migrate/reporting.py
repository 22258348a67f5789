"""How far a migration is, as a value that lies in the table, and a report at its end that a manager can read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from footfall.migrate import keys
from footfall.migrate.copying import Ground
from footfall.migrate.verifying import Verified
from footfall.ports.relational import Problem, State
from footfall.ports.table import Item, Put, Table
from footfall.values.window import instant_text

PROBLEMS_SHOWN = 50
MIGRATIONS_MAX = 100  # in one answer; each is some hundred bytes
DIFFERENCES_SHOWN = 50
BLOCKED_BOUNDS_MS = (1, 2, 5, 10, 20, 50, 100, 1_000)  # The promise is 10.


@dataclass(frozen=True, slots=True)
class Blocked:
    """How long writers were held up by handovers: how many up to each bound, and in the end how many beyond all."""

    counts: tuple[int, ...] = (0,) * (len(BLOCKED_BOUNDS_MS) + 1)

    def with_one(self, blocked_ms: float) -> "Blocked":
        """Return it with one more."""
        at = sum(blocked_ms > bound for bound in BLOCKED_BOUNDS_MS)
        return Blocked(tuple(count + (place == at) for place, count in enumerate(self.counts)))

    def plus(self, other: "Blocked") -> "Blocked":
        """Return both together."""
        return Blocked(tuple(one + more for one, more in zip(self.counts, other.counts, strict=True)))

    @property
    def total(self) -> int:
        """Return how many handovers there were."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a migration was at a moment."""

    entity: str
    at_ms: int
    started_at_ms: int
    migrated: int = 0
    moving: int = 0
    left: int = 0
    set_aside: int = 0
    lag: int = 0  # notices that wait
    lag_ms: int = 0  # how long the oldest has
    per_second: float = 0.0  # entities that were moved of late
    differences: int | None = None  # None: nothing was verified yet
    behind: int = 0
    blocked: Blocked = Blocked()
    brand: str = ""  # whose catalogue takes it; empty: nobody's
    ended_at_ms: int | None = None  # None: it goes on

    @property
    def all(self) -> int:
        """Return how many entities there are."""
        return self.migrated + self.moving + self.left + self.set_aside

    @property
    def share(self) -> float:
        """Return how much of it is done, from 0 to 1; what is set aside is not."""
        return self.migrated / self.all if self.all else 1.0

    @property
    def time_left_ms(self) -> int | None:
        """Return how long it will take at the pace of late; None where nothing moves."""
        waiting = self.moving + self.left
        if not waiting:
            return 0
        return round(waiting * 1_000 / self.per_second) if self.per_second > 0 else None


def progress_now(
    ground: Ground, *, now_ms: int, before: Progress | None = None, verified: Verified | None = None
) -> Progress:
    """Return how far a migration is, with what was known before of its start, pace, differences and waits."""
    outline = ground.moving.outline
    if before is not None and before.ended_at_ms is not None:
        before = None  # It was prepared anew, and is another one.
    states = ground.relational.states(outline)
    lag, lag_ms = ground.relational.lag(outline, now_ms=now_ms)
    migrated = states.get(State.MIGRATED, 0)
    known = None if before is None else before.differences
    return Progress(
        entity=outline.entity, at_ms=now_ms, started_at_ms=now_ms if before is None else before.started_at_ms,
        migrated=migrated, moving=states.get(State.IN_MIGRATION, 0), left=states.get(State.NOT_MIGRATED, 0),
        set_aside=states.get(State.SET_ASIDE, 0), lag=lag, lag_ms=lag_ms,
        per_second=_pace(before, migrated=migrated, now_ms=now_ms),
        differences=known if verified is None else verified.differing,
        behind=verified.behind if verified is not None else before.behind if before is not None else 0,
        blocked=Blocked() if before is None else before.blocked, brand=ground.moving.brand,
    )  # fmt: skip


def keep_progress(table: Table, progress: Progress) -> None:
    """Write down how far a migration is, for whoever looks."""
    table.put(Put(keys.progress(progress.entity), {"content": msgspec.json.encode(progress)}))


def kept_progress(table: Table, entity: str) -> Progress | None:
    """Return how far a migration said that it is."""
    item = table.get(keys.progress(entity))
    return None if item is None else _progress_from(item)


def kept_progress_of(table: Table, brand: str) -> Sequence[Progress]:
    """Return how far every migration into a brand's catalogue said that it is, by the name of what it moves."""
    found = table.query(keys.PROGRESS, limit=MIGRATIONS_MAX).items
    return [told for told in (_progress_from(one.item) for one in found) if told.brand == brand]


def document_of(progress: Progress) -> Mapping[str, Any]:
    """Return progress as programs read it."""
    told = cast("dict[str, Any]", msgspec.to_builtins(progress))
    bounds = [*(f"<= {bound} ms" for bound in BLOCKED_BOUNDS_MS), f"> {BLOCKED_BOUNDS_MS[-1]} ms"]
    told["blocked"] = dict(zip(bounds, progress.blocked.counts, strict=True))
    return {**told, "all": progress.all, "share": progress.share, "time_left_ms": progress.time_left_ms}


def report_of(progress: Progress, verified: Verified | None, problems: Sequence[Problem]) -> str:
    """Return the report of a migration in Markdown."""
    parts = [
        f"# Moving every {progress.entity}",
        f"As of {instant_text(progress.at_ms)}, begun {instant_text(progress.started_at_ms)}.",
        f"**{_verdict(progress, verified)}**",
        "## How many", _counts(progress),
        "## What was compared", _compared(verified),
        "## How long writers waited", _blocked(progress.blocked),
    ]  # fmt: skip
    if problems:
        parts += ["## Set aside", _problems(problems, progress.set_aside)]
    if verified is not None and verified.differences:
        parts += ["## Differences", _differences(verified)]
    parts += ["## What to do next", _advice(progress, verified)]
    return "\n\n".join(parts) + "\n"


def _progress_from(item: Item) -> Progress:
    return msgspec.json.decode(cast("bytes", item["content"]), type=Progress)


def _pace(before: Progress | None, *, migrated: int, now_ms: int) -> float:
    if before is None or now_ms <= before.at_ms:
        return 0.0 if before is None else before.per_second
    recent = max(0, migrated - before.migrated) * 1_000 / (now_ms - before.at_ms)
    # A chunk is settled at once, so a single look sees all or nothing of it.
    return recent if before.per_second == 0 else 0.7 * before.per_second + 0.3 * recent


def _verdict(progress: Progress, verified: Verified | None) -> str:
    if verified is None:
        return "Nothing was verified yet."
    if not verified.is_sound:
        return f"{verified.differing:,} differences were found: do not switch."
    if progress.set_aside:
        return (
            f"All that was moved is equal on both sides; {progress.set_aside:,} could not be moved and are set aside."
        )
    if progress.left or progress.moving or verified.left:
        return "All that was moved is equal on both sides; not everything is moved yet."
    return "Everything is moved, and equal on both sides."


def _counts(progress: Progress) -> str:
    rows = [
        ("moved", progress.migrated), ("being moved", progress.moving), ("left", progress.left),
        ("set aside", progress.set_aside), ("all", progress.all), ("changes that wait", progress.lag),
    ]  # fmt: skip
    return _table(("what", "how many"), [(name, f"{count:,}") for name, count in rows])


def _compared(verified: Verified | None) -> str:
    if verified is None:
        return "Nothing yet."
    rows = [
        ("entities", f"{verified.entities:,}"), ("differences", f"{verified.differing:,}"),
        ("changed, and still to be carried over", f"{verified.behind:,}"), ("not copied yet", f"{verified.left:,}"),
        ("digest of the source", f"`{verified.source_root}`"), ("digest of the table", f"`{verified.table_root}`"),
        ("compared", instant_text(verified.at_ms)),
    ]  # fmt: skip
    return _table(("what", "value"), rows)


def _blocked(blocked: Blocked) -> str:
    if not blocked.total:
        return "Nobody waited: nothing was handed over yet."
    bounds = [*(f"up to {bound:,} ms" for bound in BLOCKED_BOUNDS_MS), "longer"]
    rows = [(bound, f"{count:,}") for bound, count in zip(bounds, blocked.counts, strict=True) if count]
    return _table(("a handover took", "how often"), rows)


def _problems(problems: Sequence[Problem], count: int) -> str:
    rows = [(one.key, one.reason) for one in problems[:PROBLEMS_SHOWN]]
    more = max(count, len(problems)) - len(rows)
    return _table(("key", "why"), rows) + (f"\n\nAnd {more:,} more." if more > 0 else "")


def _differences(verified: Verified) -> str:
    shown = verified.differences[:DIFFERENCES_SHOWN]
    rows = [
        (one.key or "nobody's", f"{one.partition} {one.sort}", one.attribute or "the item", one.expected or "nothing",
         one.actual or "nothing")
        for one in shown
    ]  # fmt: skip
    more = verified.differing - len(rows)
    told = _table(("key", "item", "attribute", "expected", "found"), rows)
    return told + (f"\n\nAnd {more:,} more." if more > 0 else "")


def _advice(progress: Progress, verified: Verified | None) -> str:
    steps: list[str] = []
    if progress.set_aside:
        steps.append("Repair what is set aside in the old database, by the reasons above: it is then moved by itself.")
    if verified is not None and not verified.is_sound:
        steps.append(
            "Find out who writes to the new table beside the migration; then `footfall migrate repair` carries over "
            "again what differs."
        )
    if progress.left or progress.moving:
        steps.append("Let it run until nothing is left.")
    if progress.lag:
        steps.append("Wait until no changes wait.")
    if verified is None:
        steps.append("`footfall migrate verify` compares both sides.")
    if not steps:
        steps.append("`footfall migrate switch`, some first or all; `back` is open until you end the migration.")
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
