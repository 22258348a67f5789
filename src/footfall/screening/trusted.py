"""What an operator has released is not held again the next time: for a day, whatever is found of it is only told."""

from collections.abc import Iterable

import msgspec

from footfall.screening.findings import SubjectKind
from footfall.screening.verdicts import JUDGE, State, Verdict
from footfall.values.window import DAY_MS

TRUST_MS = DAY_MS


class Trusted:
    """The visitors and assets of a brand that operators have released lately."""

    def __init__(self) -> None:
        self._until_ms: dict[tuple[SubjectKind, str], int] = {}

    def take(self, verdicts: Iterable[Verdict], *, now_ms: int) -> None:
        """Take in what was decided; who confirms takes back what was released before."""
        for one in verdicts:
            if one.by == JUDGE:
                continue
            subject = one.kind, one.subject
            until_ms = one.changed_at_ms + TRUST_MS
            if one.state is State.RELEASED and until_ms > now_ms:
                self._until_ms[subject] = max(until_ms, self._until_ms.get(subject, 0))
            elif one.state is State.CONFIRMED:
                self._until_ms.pop(subject, None)

    def told(self, found: Iterable[Verdict], *, now_ms: int) -> list[Verdict]:
        """Return what was found, with nothing held that is trusted by now."""
        self._until_ms = {subject: until_ms for subject, until_ms in self._until_ms.items() if until_ms > now_ms}
        return [
            msgspec.structs.replace(one, state=State.FOUND) if (one.kind, one.subject) in self._until_ms else one
            for one in found
        ]
