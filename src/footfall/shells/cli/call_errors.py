"""What may go wrong with a call: apart from calls, for the commands that make none."""

from footfall.values.errors import FootfallError


class Unreachable(FootfallError):
    """No server answers at the address, or it stopped answering."""


class RefusedByServer(FootfallError):
    """The server answered that it will not do what was asked."""

    def __init__(self, sentence: str, *, status: int) -> None:
        super().__init__(sentence)
        self.status = status


class NotAnAddress(FootfallError):
    """The text is not the address of an HTTP server."""
