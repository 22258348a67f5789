"""A plain log of bodies on disk, synced before it returns: it stands for the stream before those who only count."""

import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

HEAD = struct.Struct("<QI")  # when it came, and its bytes


class BodiesLog:
    """One file of frames; a frame that a kill cut off is dropped when it is opened again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        whole = sum(HEAD.size + len(body) for _, body in self.arrived())
        self._file = path.open("ab", buffering=0)
        self._file.truncate(whole)

    def append(self, bodies: Sequence[bytes], *, now_ms: int) -> None:
        """Write bodies and wait until they are on disk."""
        self._file.write(b"".join(HEAD.pack(now_ms, len(body)) + body for body in bodies))
        os.fdatasync(self._file.fileno())

    def arrived(self) -> Iterator[tuple[int, bytes]]:
        """Yield all bodies that are whole, with the moments they came at."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            while len(head := file.read(HEAD.size)) == HEAD.size:
                at_ms, size = HEAD.unpack(head)
                body = file.read(size)
                if len(body) < size:
                    return
                yield at_ms, body

    def close(self) -> None:
        """Close the file."""
        self._file.close()
