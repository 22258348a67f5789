"""Batches of a file on their way to the server, and what is said of those in them that were refused."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, cast

from footfall.shells.cli.calls import BUSY, Reply, answer_of
from footfall.shells.cli.command import Surroundings
from footfall.shells.cli.hits_file import Sent

REASONS_SHOWN_MAX = 20  # The first ones tell what is wrong with a file; a million lines would hide them.


class Refusals:
    """Counts what was refused of a file, and tells the first of them."""

    def __init__(self, what: str, around: Surroundings) -> None:
        self.count = 0
        self._what = what
        self._around = around

    def sent(self, batch: Sequence[Sent], send: Callable[[bytes], Reply]) -> Mapping[str, Any]:
        """Send what can be sent of a batch as one JSON array, tell what was refused, and return the answer."""
        for one in batch:
            if one.reason:
                self._tell(one.number, one.reason)
        sendable = [one for one in batch if not one.reason]
        if not sendable:
            return {}
        reply = send(b"[" + b",".join(one.hit for one in sendable) + b"]")
        if reply.status in BUSY:
            answer_of(reply)
        content = reply.table()
        refusals = refusals_of(content)
        if not refusals and reply.status == HTTPStatus.BAD_REQUEST and len(sendable) == 1:
            # The only one of a request is refused in the problem itself.
            refusals = [{"index": 0, "reason": content.get("detail")}]
        if not refusals:
            answer_of(reply)
        for refusal in refusals:
            index = refusal.get("index")
            number = sendable[index].number if isinstance(index, int) and 0 <= index < len(sendable) else "?"
            field = f"{refusal['field']}: " if "field" in refusal else ""
            self._tell(number, f"{field}{refusal.get('reason')}")
        return content

    def _tell(self, number: int | str, reason: str) -> None:
        self.count += 1
        if self.count <= REASONS_SHOWN_MAX:
            self._around.complain(f"refused: {self._what} {number}: {reason}")
        elif self.count == REASONS_SHOWN_MAX + 1:
            self._around.complain("refused: more, which are only counted from here on.")


def refusals_of(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the refusals that an answer lists: index, field and reason of each."""
    listed = content.get("refused")
    return cast("list[Mapping[str, Any]]", listed) if isinstance(listed, list) else []


def whole_in(content: Mapping[str, Any], name: str) -> int:
    """Return a number of an answer; 0 when it has none."""
    number = content.get(name)
    return number if isinstance(number, int) else 0
