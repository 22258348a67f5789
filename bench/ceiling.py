"""The ceiling of ingest: a bare protocol on uvloop and httptools that only decodes and validates, and answers.

It keeps nothing, limits nothing and counts nothing. No server in Python can take hits faster; how near footfall comes
while it writes every hit to disk and counts it is the measure. Started by the benchmark as `python -m bench.ceiling`.
"""

import asyncio
from typing import Annotated, cast

import httptools
import msgspec
import uvloop
from msgspec import Meta, Struct

from bench.client import HOST
from footfall.values.hit import ASSET_BYTES_MAX, LABEL_BYTES_MAX, NUMBER_MAX

ANSWER = b"HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\n{}"

_Label = Annotated[str, Meta(max_length=LABEL_BYTES_MAX)]


class DecodedHit(Struct, forbid_unknown_fields=True, gc=False):
    """The five counted fields, as strictly as footfall takes them."""

    brand: _Label
    assetId: Annotated[str, Meta(min_length=1, max_length=ASSET_BYTES_MAX)]  # noqa: N815 - the sender's spelling
    sectionId: Annotated[int, Meta(ge=0, le=NUMBER_MAX)]  # noqa: N815
    resourceType: _Label  # noqa: N815
    paidType: _Label  # noqa: N815


decode = msgspec.json.Decoder(list[DecodedHit]).decode


class Bare(asyncio.Protocol):
    """One connection."""

    def __init__(self) -> None:
        self._parser = httptools.HttpRequestParser(self)
        self._body: list[bytes] = []
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where answers go."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Parse what came."""
        self._parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        """Take a piece of a body."""
        self._body.append(body)

    def on_message_complete(self) -> None:
        """Decode and answer."""
        body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        self._body = []
        decode(body)
        assert self._transport is not None
        self._transport.write(ANSWER)


async def serve() -> None:
    """Serve until the process is ended."""
    server = await asyncio.get_running_loop().create_server(Bare, HOST, 0, backlog=1_024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve())
