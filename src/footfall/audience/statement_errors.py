"""What may be wrong with a question about earnings, for those who answer it without knowing anything of money."""

from footfall.values.errors import FootfallError


class AlreadyClosed(FootfallError):
    """The period has a statement, which stays as it is."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name!r} is closed, and a closed period is never changed; put a mistake right by a correction"
        )


class DaysClosed(AlreadyClosed):
    """Some of the period's days are those of another that was closed: they would be divided twice."""

    def __init__(self, name: str, *, other: str, days: str) -> None:
        super().__init__(name)
        self.args = (f"{days} are closed as {other!r}, and a day is divided once; correct that one, or leave them out",)


class NotClosed(FootfallError):
    """The period has no statement."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name[:80]!r} is no period that was closed")


class NotOver(FootfallError):
    """The period may still be watched, or beats of it may still come."""


class LogTooLong(FootfallError):
    """The watch log has more rows than can be read in the time that there is."""


class LogChanged(FootfallError):
    """The watch log is not what it was when the period was closed."""
