"""What a doctor looks at in the audience: follows that wait to be counted."""

from collections.abc import Iterator
from contextlib import closing

from footfall.adapters.embedded.sqlite_changes import waiting_since_ms
from footfall.app import wiring
from footfall.app.findings import Case, Finding, age_text
from footfall.audience.follow_feed import MARK_NAME
from footfall.values.clock import SetClock

WAITING_MS_MAX = 10_000  # A running instance takes them to the stream each second.


def about_follows(case: Case) -> Iterator[Finding]:
    """Yield whether follows go on into the stream, where they are counted."""
    path = case.directory / wiring.AUDIENCE_FILE
    if not path.exists():
        return
    mark = 0
    if (case.directory / wiring.STREAM_FILE).exists():
        with closing(wiring.open_stream(case.settings, SetClock(case.now_ms), read_only=True)) as stream:
            mark = stream.mark(MARK_NAME)
    since_ms = waiting_since_ms(path, after=mark)
    if since_ms and not case.is_running:
        yield Finding(
            "follows", "note", "Follows or unfollows still have to be counted.", "Start the server to count them."
        )
    elif since_ms and case.now_ms - since_ms > WAITING_MS_MAX:
        yield Finding(
            "follows", "todo", f"Follows have been waiting for {age_text(case.now_ms - since_ms)} to be counted.",
            "Look in the log for `follows wait`; none is lost, and they are counted at their own times.",
        )  # fmt: skip
    else:
        yield Finding("follows", "fine", "Follows are in the stream up to the newest.")
