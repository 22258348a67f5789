"""No address and no agent of a reader is in any file, however it is packed, nor in the log."""

import ipaddress
from collections.abc import Iterator
from pathlib import Path

import apsw
import zstandard

from tests.scenarios.instance import Starter, hit

AGENTS = [f"Zyxwvut-Browser-{number}/7.3 (Quokka; rv:{number})" for number in range(5)]
ADDRESSES = [f"203.0.113.{number}" for number in range(201, 206)] + ["2001:db8:7a7a::beef"]
MARKER = "marker-that-must-be-found"


def spelled() -> list[bytes]:
    """Return every way in which an address or an agent could lie in a file."""
    texts = [text.encode() for text in (*AGENTS, *ADDRESSES, "Zyxwvut", "Quokka", "2001:db8:7a7a")]
    # Four bytes of an address may occur by chance, sixteen do not.
    return texts + [ipaddress.ip_address(text).packed for text in ADDRESSES if ":" in text]


def contents(data: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes of every file, and of every value in the databases, unpacked where it is packed."""
    for path in sorted(path for path in data.iterdir() if path.is_file()):
        yield path.name, path.read_bytes()
        if path.suffix == ".db":
            for value in values_of(path):
                yield path.name, value
                if (start := value.find(zstandard.FRAME_HEADER)) >= 0:
                    yield path.name, zstandard.ZstdDecompressor().decompressobj().decompress(value[start:])


def values_of(path: Path) -> Iterator[bytes]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for name in names:
        for row in connection.execute(f'SELECT * FROM "{name}"'):
            yield from (value if isinstance(value, bytes) else str(value).encode() for value in row)
    connection.close()


def test_no_file_holds_an_address_or_an_agent(starter: Starter, data: Path) -> None:
    instance = starter.start(data, "--log-level", "debug")
    for number, address in enumerate(ADDRESSES):
        headers = {"User-Agent": AGENTS[number % len(AGENTS)], "X-Forwarded-For": address}
        assert instance.post(hit(MARKER, at=None, url="https://x/y"), headers).status == 202
        assert instance.post({"brand": "abc"}, headers).status == 400  # A refusal is logged with no more.
        assert instance.call("GET", "/nothing", headers=headers).status == 404
    instance.drained("abc")
    instance.terminate()
    found = [name for name, content in contents(data) for text in spelled() if text in content]
    assert found == []
    assert not any(text in instance.log.read_bytes() for text in spelled())
    # The same look does find what is meant to be kept.
    assert {name for name, content in contents(data) if MARKER.encode() in content} >= {"stream.db", "store.db"}
