"""Messages between the processes of one instance: length, then msgpack, over a pair of sockets."""

import select
import socket
import struct
from math import ceil
from typing import Any

import msgspec

MESSAGE_BYTES_MAX = 64_000_000
_LENGTH = struct.Struct("<I")

Message = list[Any]


def framed(message: Message) -> bytes:
    """Return a message as it travels."""
    body = msgspec.msgpack.encode(message)
    return _LENGTH.pack(len(body)) + body


class Unframed:
    """Takes bytes as they come and gives whole messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages that the data completes."""
        if not self._buffer and len(data) >= _LENGTH.size and len(data) - _LENGTH.size == _LENGTH.unpack_from(data)[0]:
            return [msgspec.msgpack.decode(memoryview(data)[_LENGTH.size :])]  # One that came whole, as nearly all do.
        self._buffer += data
        messages: list[Message] = []
        start = 0
        while len(self._buffer) - start >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer, start)
            if len(self._buffer) - start - _LENGTH.size < length:
                break
            start += _LENGTH.size
            messages.append(msgspec.msgpack.decode(bytes(self._buffer[start : start + length])))
            start += length
        del self._buffer[:start]
        return messages


class Link:
    """A child process's end of the pair."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self._unframed = Unframed()
        self._poll = select.poll()
        self._poll.register(end, select.POLLIN)

    def send(self, message: Message) -> None:
        """Send a message, waiting until it is taken."""
        self._socket.sendall(framed(message))

    def receive(self, *, timeout_s: float) -> list[Message] | None:
        """Return the messages that arrive within the time; None when the other side is gone."""
        if not self._poll.poll(ceil(1_000 * timeout_s)):
            return []
        data = self._socket.recv(1 << 18)
        return self._unframed.feed(data) if data else None
