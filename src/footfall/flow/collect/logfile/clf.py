"""Lines of the common log format and its kin: combined, with virtual host, Traefik's, and S3's.

All of them put what a client wrote between quotes, so that cutting a line at its quotes gives the fields at once.
Only a line with quotes inside quotes is read with care, by an expression.
"""

import re

from footfall.flow.collect.logfile.line import Fields, NotUnderstood, host_without_port

_QUOTED = rb'"((?:[^"\\]|\\.)*)"'
# Behind the size come referrer and agent, then whatever an operator has added. Some agents are cut off by the server,
# closing quote and all.
_BEHIND = rb"(?: " + _QUOTED + rb' "((?:[^"\\]|\\.)*)(?:"(?: .*)?)?|(?: [^"]*)?)'
_TAIL = rb" \[([^\]]{1,40})\] " + _QUOTED + rb" (\d{3}) \S+" + _BEHIND
_CAREFUL = re.compile(rb"(\S+) \S+ .{0,256}?" + _TAIL, re.DOTALL)
_CAREFUL_VHOST = re.compile(rb"(\S+) (\S+) \S+ .{0,256}?" + _TAIL, re.DOTALL)
_CAREFUL_S3 = re.compile(
    rb"\S+ \S+ \[([^\]]{1,40})\] (\S+) \S+ \S+ (\S+) \S+ "
    + _QUOTED
    + rb" (\d{3}|-) \S+ \S+ \S+ \S+ \S+ "
    + _QUOTED
    + rb" "
    + _QUOTED
    + rb"((?: .*)?)",
    re.DOTALL,
)
_TRAEFIK = re.compile(rb'.*" \d+ "[^"]*" "[^"]*" \d+ms', re.DOTALL)
_IS_TIME = re.compile(rb"\[\d\d/[A-Z][a-z]{2}/\d{4}:[^\]]*\] $")
_S3_HOST_PLACE = (
    5  # After the agent: version, host id, signature, cipher, authentication, then the host that was asked.
)


def split_common(line: bytes) -> Fields:
    """Return the fields of `ADDRESS - USER [TIME] "REQUEST" STATUS BYTES`."""
    parts = line.split(b'"')
    if len(parts) != 3:
        fields = _carefully(line, "common")
        if fields[4] != b"-":
            raise NotUnderstood("it goes on behind the size; it may be combined")
        return fields
    head, request, tail = parts
    _require_time(head)
    return request, tail[1:4], head[-28:-2], head[: head.index(b" ")], b"-", b"-", b""


def split_combined(line: bytes) -> Fields:
    """Return the fields of a common line that goes on with `"REFERRER" "AGENT"`."""
    parts = line.split(b'"')
    if len(parts) != 7:
        return _carefully(line, "combined")
    head, request, middle, referrer, _, agent, _ = parts
    # The time ends the head and is always as long, whatever a user is called.
    return request, middle[1:4], head[-28:-2], head[: head.index(b" ")], agent, referrer, b""


def split_vhost(line: bytes) -> Fields:
    """Return the fields of a common or combined line behind `HOST:PORT `."""
    parts = line.split(b'"')
    if len(parts) != 7:
        return _carefully_with_host(line)
    head, request, middle, referrer, _, agent, _ = parts
    host, address, _, user, _ = head.split(b" ", 4)
    if user.startswith(b"["):
        raise NotUnderstood("it has no host before the address")
    return request, middle[1:4], head[-28:-2], address, agent, referrer, host_without_port(host)


def split_traefik(line: bytes) -> Fields:
    """Return the fields of Traefik's own line: combined, then number, router, server and duration."""
    if _TRAEFIK.fullmatch(line) is None:
        raise NotUnderstood("it does not end as Traefik's lines do")
    return _carefully(line, "traefik")


def split_s3(line: bytes) -> Fields:
    """Return the fields of a line of S3's server access log."""
    found = _CAREFUL_S3.fullmatch(line)
    if found is None:
        raise NotUnderstood("it is not a line of an S3 access log")
    time, address, operation, request, status, referrer, agent, tail = found.groups()
    rest = tail.split(b" ")
    host = rest[_S3_HOST_PLACE + 1] if len(rest) > _S3_HOST_PLACE + 1 else b""
    if not operation.endswith(b".GET.OBJECT"):
        # A listing or an access rule is asked for with GET as well; the operation tells what it was.
        request = operation + b" " + request.partition(b" ")[2]
    return request, b"000" if status == b"-" else status, time, address, agent, referrer, b"" if host == b"-" else host


def _require_time(head: bytes) -> None:
    if _IS_TIME.search(head) is None:
        raise NotUnderstood("it has no [time] before its request")


def _carefully(line: bytes, name: str) -> Fields:
    found = _CAREFUL.fullmatch(line)
    if found is None:
        raise NotUnderstood(f"it is not a line of the {name} format")
    address, time, request, status, referrer, agent = found.groups()
    return request, status, time, address, agent or b"-", referrer or b"-", b""


def _carefully_with_host(line: bytes) -> Fields:
    found = _CAREFUL_VHOST.fullmatch(line)
    if found is None:
        raise NotUnderstood("it is not a line of the vhost format")
    host, address, time, request, status, referrer, agent = found.groups()
    return request, status, time, address, agent or b"-", referrer or b"-", host_without_port(host)
