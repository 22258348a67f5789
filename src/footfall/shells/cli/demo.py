"""`footfall demo`: invented readers and viewers, so that there is something to look at before the first real one."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from footfall.app.invented_audience import Cinema
from footfall.app.invented_programs import with_programs
from footfall.app.invented_traffic import Newsroom, Story
from footfall.shells.cli.batches import refusals_of
from footfall.shells.cli.calls import BUSY, Caller, RefusedByServer, Reply, answer_of, call_patiently
from footfall.shells.cli.command import URL, Argument, Command, Exit, Surroundings, above_zero, whole_from
from footfall.shells.cli.demo_video import Show, begin_show, encoded, play_on
from footfall.shells.cli.secret_file import SECRET_FILE, key_headers
from footfall.shells.cli.send import post_hits
from footfall.values.window import instant_text

BATCH_HITS_MAX = 1_000  # Some 400 KB: well inside what a server takes in one request.
FIRST_TRIES_MAX = 8  # About 18 seconds: a server that was started together with the demo is up by then.
TICK_S = 0.1
OWED_S_MAX = 2.0  # What a server that was away missed is not made up for: readers do not wait either.
STATUS_MS = 500
MINUTE_MS = 60_000
DESCRIBED_AT_ONCE = 100
BACKFILL_HOURS_MAX = 23  # Older hits would be late by the default limit.


class _TimeIsUp(Exception):
    """The demo was told to end by now."""


@dataclass(slots=True)
class _Run:
    """A demo that is going on."""

    caller: Caller
    newsroom: Newsroom
    around: Surroundings
    rate: float
    key: str
    until_ms: int | None
    brand: str
    seed: int
    last_ms: int
    is_described: bool
    show: Show | None = None
    owed: float = 0.0
    described: set[str] = field(default_factory=set[str])
    batches: int = 0
    sent: int = 0
    refused: int = 0
    shown_at_ms: int = 0


def demo(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Send invented traffic until the time is up or the user stops it."""
    now_ms = around.clock.now_ms()
    run = _Run(
        caller=Caller(arguments.url, headers=key_headers(arguments.secret_file)),
        newsroom=Newsroom(arguments.seed, brand=arguments.brand),
        around=around,
        rate=arguments.rate,
        key=around.new_key(),
        until_ms=None if arguments.seconds is None else now_ms + int(arguments.seconds * 1_000),
        brand=arguments.brand,
        seed=arguments.seed,
        last_ms=now_ms,
        is_described=arguments.titles,
    )
    around.say(f"Sending about {arguments.rate:g} invented hits a second to {arguments.brand} at {arguments.url}.")
    if arguments.video:
        run.show = _show_of(run, arguments)
    try:
        from_ms = now_ms - arguments.backfill_hours * 60 * MINUTE_MS
        _describe(run, from_ms)
        if run.show is not None:
            begin_show(run.show, now_ms=now_ms, is_described=run.is_described)
        if not (arguments.if_empty and _has_hits(run)):
            _backfill(run, from_ms=from_ms, to_ms=now_ms)
        while True:
            if _go_on(run):
                around.pause(TICK_S)
    except (KeyboardInterrupt, _TimeIsUp):
        pass
    finally:
        run.caller.close()
        _end_status(run)
    around.say(f"{run.sent:,} invented hits sent, {run.refused:,} refused.")
    if run.show is not None:
        around.say(f"{run.show.beats:,} beats of invented players sent.")
    return Exit.OK


def _show_of(run: _Run, arguments: argparse.Namespace) -> Show:
    def call(method: str, path: str, document: Any) -> Reply:
        body, headers = encoded(document), {"Content-Type": "application/json"}
        return _patiently(run, lambda: run.caller.call(method, path, body=body, headers=headers))

    if arguments.secret_file is None:
        run.around.say("Its players send beats; follows, histories and playbacks need a key (--secret-file).")
    return Show(
        cinema=Cinema(run.seed, brand=run.brand),
        brand=run.brand,
        call=call,
        say=run.around.say,
        knows_members=arguments.secret_file is not None,
    )


def _backfill(run: _Run, *, from_ms: int, to_ms: int) -> None:
    for minute_ms in range(from_ms, to_ms, MINUTE_MS):
        count = round(run.newsroom.rate_at(minute_ms, mean_per_s=run.rate, zone="UTC") * 60)
        hits = with_programs(run.newsroom.hits(minute_ms, count), seed=run.seed, at_ms=minute_ms)
        for index, hit in enumerate(hits):
            hit["at"] = minute_ms + index * MINUTE_MS // count
        for start in range(0, len(hits), BATCH_HITS_MAX):
            _send(
                run, hits[start : start + BATCH_HITS_MAX], doing=f"backfilling {(to_ms - minute_ms) // MINUTE_MS} min"
            )
        _go_on(run)  # The present does not wait for the past.


def _go_on(run: _Run) -> bool:
    """Send what the readers of this moment owe, and tell whether that was all."""
    now_ms = run.around.clock.now_ms()
    _require_time_left(run, now_ms)
    if run.show is not None:
        play_on(run.show, now_ms=now_ms)
    rate = run.newsroom.rate_at(now_ms, mean_per_s=run.rate, zone="UTC")
    # A clock that is set back owes nothing.
    run.owed = min(run.owed + rate * max(now_ms - run.last_ms, 0) / 1_000, max(rate * OWED_S_MAX, 1.0))
    if now_ms // MINUTE_MS != run.last_ms // MINUTE_MS:
        _describe(run, now_ms)
    run.last_ms = now_ms
    count = min(int(run.owed), BATCH_HITS_MAX)
    if count:
        hits = with_programs(run.newsroom.hits(now_ms, count), seed=run.seed, at_ms=now_ms)
        _send(run, hits, doing=f"{rate:,.0f} a second")
        run.owed -= count
    return run.owed < BATCH_HITS_MAX


def _describe(run: _Run, from_ms: int) -> None:
    """Tell the catalogue the titles of the stories that were read since, as far as it was not told."""
    if not run.is_described:
        return
    read = {one.asset_id: one for at_ms in (from_ms, run.around.clock.now_ms()) for one in run.newsroom.stories(at_ms)}
    new = [one for name, one in read.items() if name not in run.described]
    for start in range(0, len(new), DESCRIBED_AT_ONCE):
        some = new[start : start + DESCRIBED_AT_ONCE]
        body = msgspec.json.encode([_described(one) for one in some])
        answer_of(_patiently(run, lambda body=body: run.caller.call("PUT", f"/v1/assets?brand={run.brand}", body=body)))
        run.described.update(one.asset_id for one in some)


def _described(story: Story) -> dict[str, Any]:
    return {
        "assetId": story.asset_id,
        "title": story.title,
        "url": story.url,
        "published": instant_text(story.published_at_ms),
        "tags": [story.section.lower()],
    }


def _has_hits(run: _Run) -> bool:
    path = f"/v1/popular?brand={run.brand}&period=day&limit=1"
    return bool(answer_of(_patiently(run, lambda: run.caller.call("GET", path))).table()["items"])


def _patiently(run: _Run, call: Callable[[], Reply]) -> Reply:
    # A server that never answered is a wrong address; one that did is being restarted.
    tries_max = None if run.sent else FIRST_TRIES_MAX
    return call_patiently(call, pause=run.around.pause, tries_max=tries_max, on_wait=lambda why: _wait(run, why))


def _send(run: _Run, hits: Sequence[dict[str, Any]], *, doing: str) -> None:
    body = msgspec.json.encode(hits)
    run.batches += 1
    key = f"{run.key}-{run.batches}"
    reply = _patiently(run, lambda: post_hits(run.caller, body, key=key))
    refusals = [] if reply.status in BUSY else refusals_of(reply.table())
    if not refusals:
        answer_of(reply)
    if len(refusals) == len(hits):
        first = refusals[0]
        sentence = f"The server refused every hit: {first.get('field')}: {first.get('reason')}."
        raise RefusedByServer(sentence, status=reply.status)
    run.refused += len(refusals)
    run.sent += len(hits) - len(refusals)
    _show_status(run, doing)


def _wait(run: _Run, why: str) -> None:
    _require_time_left(run, run.around.clock.now_ms())
    run.shown_at_ms = 0
    _show_status(run, f"waiting: {why}")


def _require_time_left(run: _Run, now_ms: int) -> None:
    if run.until_ms is not None and now_ms >= run.until_ms:
        raise _TimeIsUp


def _show_status(run: _Run, doing: str) -> None:
    now_ms = run.around.clock.now_ms()
    if run.around.out.isatty() and now_ms - run.shown_at_ms >= STATUS_MS:
        run.shown_at_ms = now_ms
        # The line is drawn over itself; the escape clears what a longer one left behind.
        print(f"\r{run.sent:,} sent · {doing}\x1b[K", end="", file=run.around.out, flush=True)


def _end_status(run: _Run) -> None:
    if run.around.out.isatty():
        print("\r\x1b[K", end="", file=run.around.out, flush=True)


COMMAND = Command(
    name="demo",
    says="Send invented traffic: a daily rhythm, a few favourites, many others, and now and then a viral story.",
    example="footfall demo --brand demo --rate 200 --backfill-hours 3",
    more_examples=("footfall demo --brand demo --video --secret-file data/demo.key",),
    run=demo,
    arguments=(
        URL,
        SECRET_FILE,
        Argument("--brand", "The brand to send to.", shows="BRAND", default="demo"),
        Argument("--rate", "Hits a second, on average over a day.", shows="RATE", reads=above_zero, default=40.0),
        Argument(
            "--seed", "The same seed invents the same newsroom.", shows="SEED", reads=whole_from(0, 2**53), default=1
        ),
        Argument("--seconds", "Stop after so many seconds.", shows="SECONDS", reads=above_zero),
        Argument(
            "--backfill-hours",
            "Send so many past hours first.",
            shows="HOURS",
            reads=whole_from(0, BACKFILL_HOURS_MAX),
            default=0,
        ),
        Argument("--if-empty", "Send past hours only if the last day has no hits.", is_switch=True),
        Argument("--titles", "Tell the catalogue what the stories are called.", is_switch=True),
        Argument(
            "--video",
            "Play as well: beats of invented players, the last hour first; with a key also what members do.",
            is_switch=True,
        ),
    ),
)
