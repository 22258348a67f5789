"""Lines of the W3C extended log format: IIS, and CloudFront's standard logs.

The log says itself what its columns are, in a line `#Fields: …` that may come again with others. Times are UTC.
"""

from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from footfall.flow.collect.logfile.line import Fields, HeaderLine, NotUnderstood

FIELDS = b"#Fields:"
_NOTHING = b"-"


class W3cSplit:
    """Splits lines by the columns that the log has named last."""

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}
        self._columns = 0
        self._date = b""

    def __call__(self, line: bytes) -> Fields:
        """Return the fields of a line; a line that begins with # teaches the columns."""
        if line.startswith(b"#"):
            self._learn(line)
            raise HeaderLine
        if not self._places:
            raise NotUnderstood("no #Fields line came before it")
        is_tabbed = b"\t" in line  # CloudFront's; it writes what is special in a field as %XX.
        values = line.split(b"\t") if is_tabbed else line.split(b" ")
        if len(values) != self._columns:
            raise NotUnderstood(f"it has {len(values)} columns where #Fields names {self._columns}")
        return self._fields(self._getter(values), is_tabbed=is_tabbed)

    def _fields(self, value: Callable[[bytes], bytes], *, is_tabbed: bool) -> Fields:
        stem, query = value(b"cs-uri-stem"), value(b"cs-uri-query")
        if stem == _NOTHING:
            stem = value(b"cs-uri")
        target = stem if query == _NOTHING else stem + b"?" + query
        host, referrer = value(b"x-host-header"), value(b"cs(referer)")
        if host == _NOTHING:
            host = value(b"cs-host") if b"cs-host" in self._places else value(b"cs(host)")
        if is_tabbed:
            target, referrer = unquote_to_bytes(target), unquote_to_bytes(referrer)
        date = value(b"date")
        moment = (self._date if date == _NOTHING else date) + b"T" + value(b"time") + b"Z"
        agent = value(b"cs(user-agent)")
        host = b"" if host == _NOTHING else host
        # A protocol is added, for a target of this format may hold spaces.
        request = value(b"cs-method") + b" " + target + b" HTTP/1.1"
        return request, value(b"sc-status"), moment, value(b"c-ip"), agent, referrer, host

    def _getter(self, values: list[bytes]) -> Callable[[bytes], bytes]:
        places = self._places

        def value(name: bytes) -> bytes:
            place = places.get(name)
            return _NOTHING if place is None else values[place]

        return value

    def _learn(self, line: bytes) -> None:
        if line.startswith(FIELDS):
            names = line[len(FIELDS) :].lower().split()
            self._places = {name: place for place, name in enumerate(names)}
            self._columns = len(names)
        elif line.startswith(b"#Date:"):
            self._date = line[len(b"#Date:") :].split()[0] if line[len(b"#Date:") :].split() else b""
