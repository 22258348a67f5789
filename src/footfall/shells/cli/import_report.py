"""What an import says at its end: how many lines were read, counted, left out and not understood, and why."""

from collections.abc import Iterator, Mapping

from footfall.app.importing import ImportDone
from footfall.flow.collect import imported
from footfall.flow.collect.logfile import pages, people, reading
from footfall.flow.collect.logfile.reading import Tally
from footfall.shells.cli.command import printable
from footfall.shells.cli.log_import import UNFINISHED

# Each reason in a person's words; the word behind it brings such lines in.
REASONS: Mapping[str, tuple[str, str]] = {
    pages.STATIC: ("static files", "static"),
    reading.ERROR: ("errors (status 4xx and 5xx)", "errors"),
    reading.REDIRECT: ("redirects (status 3xx but 304)", "redirects"),
    pages.METHOD: ("requests that are no GET", "methods"),
    people.HEALTH_CHECK: ("health checks", "health-checks"),
    people.ROBOT: ("programs that say so (--no-robots)", ""),
    pages.OTHER_HOST: ("other hosts (--host)", ""),
    pages.NO_ASSET: ("addresses that name no asset (--asset)", ""),
    pages.TOO_LONG: ("assets or labels that are too long", ""),
    reading.HEADER: ("header lines", ""),
    reading.BLANK: ("blank lines", ""),
    UNFINISHED: ("a last line that does not end; it is taken next time", ""),
    imported.TOO_OLD: ("hits older than any window that is kept (store_days_days)", ""),
    imported.NO_SUCH_TIME: ("hits of no time that can be counted", ""),
    imported.UNFIT_TEXT: ("hits whose asset or label cannot be stored", ""),
}
REASONS_SHOWN_MAX = 10


def report(tally: Tally, *, did: str, done: ImportDone) -> Iterator[str]:
    """Yield the lines of the report."""
    counted = tally.counted - sum(done.refused.values()) - sum(done.set_aside.values()) - done.again
    misread = sum(tally.misread.values())
    yield f"{did}: {_of(tally.lines, 'line')} read, {counted:,} counted."
    for name, count in tally.formats.most_common():
        yield _row("format", count, name)
    yield from _left_out(tally, done)
    if tally.robots:
        yield _row(
            "among them",
            tally.robots,
            "hits of programs that say so, labelled as such; leave them out with --no-robots",
        )
    if misread:
        yield _row("not understood", misread, "")
    for reason, count in tally.misread.most_common(REASONS_SHOWN_MAX):
        yield _row("", count, reason)
    for sample in tally.samples:
        yield f"  for example {printable(sample.log)}, line {sample.number:,}: {printable(sample.reason)}"


def _left_out(tally: Tally, done: ImportDone) -> Iterator[str]:
    for reason, count in [*tally.left_out.most_common(), *done.refused.items()]:
        says, word = REASONS.get(reason, (reason, ""))
        yield _row("left out", count, says + (f"; count them with --include {word}" if word else ""))
    if done.again:
        yield _row("left out", done.again, "hits that were imported before")
    for reason, count in done.set_aside.items():
        yield _row("set aside", count, f"{reason}; see footfall dead-letters")


def _row(what: str, count: int, says: str) -> str:
    return f"  {what:<14}  {count:>12,}  {printable(says)}".rstrip()


def _of(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
