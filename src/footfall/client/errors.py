"""What can go wrong between a program and its footfall server; sending hits in the background raises none of it."""


class CallFailed(Exception):
    """The root of everything that the client raises."""


class NotAnAddress(CallFailed):
    """The text is not the address of an HTTP server."""


class Unreachable(CallFailed):
    """No server answers at the address, or what answers is no footfall."""


class RefusedByServer(CallFailed):
    """The server answered that it will not do what was asked."""

    def __init__(self, sentence: str, *, status: int, field: str = "") -> None:
        super().__init__(sentence)
        self.status = status
        self.field = field
