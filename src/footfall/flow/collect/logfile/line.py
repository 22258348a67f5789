"""What a line of a log says of a request, in the same seven places whatever the format."""

from collections.abc import Callable

from footfall.values.errors import FootfallError


class NotUnderstood(FootfallError):
    """A line is not what its format promises; the message says in what, and quotes nothing of it."""


class HeaderLine(FootfallError):
    """A line speaks of the log itself, so no hit was lost with it."""


# A request as the log has it; a dash or nothing stands for what the log does not tell. In order: the request (method,
# target and protocol, as on the wire), status, time, address, agent, referrer, host. A plain tuple, because naming the
# places would cost a fifth of a line's time.
Fields = tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes]
Split = Callable[[bytes], Fields]


def host_without_port(host: bytes) -> bytes:
    """Return the host without the port that some servers write behind it."""
    name, colon, port = host.rpartition(b":")
    return name if colon and port.isdigit() else host


def address_without_port(text: bytes) -> bytes:
    """Return a client's address without its port: `192.0.2.1:80`, `[2001:db8::1]:80` and bare ones are all written."""
    if text.startswith(b"["):
        return text[1:].partition(b"]")[0]
    return text.partition(b":")[0] if text.count(b":") == 1 else text
