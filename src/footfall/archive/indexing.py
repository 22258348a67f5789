"""What is found by words: the text of each capture, put into a search or all of them put in anew."""

from collections.abc import Callable, Iterable

from footfall.archive.captures import Capture
from footfall.ports.searching import Searching, Text


def text_of(capture: Capture, body: str) -> Text:
    """Return a capture as a search takes it."""
    return Text(
        id=capture.id,
        spaces=capture.spaces,
        at_us=capture.at_us,
        address=capture.final_url,
        title=capture.title,
        body=body,
        keywords=capture.keywords,
    )


def rebuild(searching: Searching, captures: Iterable[Capture], get_blob: Callable[[str], bytes]) -> int:
    """Put every capture into an emptied search, with its text from `get_blob`; return how many there are."""
    searching.clear()
    count = 0
    for capture in captures:
        searching.add(text_of(capture, get_blob(capture.text.sha256).decode("utf-8", "replace")))
        count += 1
    return count
