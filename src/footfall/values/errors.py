"""The root of everything footfall raises on purpose."""

from collections.abc import Mapping


class FootfallError(Exception):
    """Something happened that footfall has a name for."""

    @property
    def more(self) -> Mapping[str, object]:
        """Return what a program wants to know of it beside the sentence, as JSON has it."""
        return {}


class Refused(FootfallError):
    """What was sent cannot be taken; the field says where, the reason says why."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason
