"""Lines of Amazon's load balancers: Application (ALB) and Classic (ELB). They name no referrer."""

from footfall.flow.collect.logfile.line import Fields, NotUnderstood, address_without_port, host_without_port


def split_alb(line: bytes) -> Fields:
    """Return the fields of an Application Load Balancer's line."""
    # Behind the request come the agent, the cipher and more; a quote inside a field is written as %22 or \\x22.
    head, quote, rest = line.partition(b'"')
    parts = head.split(b" ")
    if not quote or len(parts) != 13:
        raise NotUnderstood("it has not the twelve fields that an ALB writes before the request")
    _, time, _, client, _, _, _, _, status = parts[:9]
    return _fields(rest, status=status, time=time, client=client)


def split_elb(line: bytes) -> Fields:
    """Return the fields of a Classic Load Balancer's line."""
    head, quote, rest = line.partition(b'"')
    parts = head.split(b" ")
    if not quote or len(parts) != 12:
        raise NotUnderstood("it has not the eleven fields that an ELB writes before the request")
    time, _, client, _, _, _, _, status = parts[:8]
    return _fields(rest, status=status, time=time, client=client)


def _fields(rest: bytes, *, status: bytes, time: bytes, client: bytes) -> Fields:
    parts = rest.split(b'"')
    if len(parts) < 2 or len(parts) == 3:
        raise NotUnderstood("its request or agent does not end")
    agent = parts[2] if len(parts) > 2 else b"-"
    request, host = _without_origin(parts[0])
    return request, b"000" if status == b"-" else status, time, address_without_port(client), agent, b"-", host


def _without_origin(request: bytes) -> tuple[bytes, bytes]:
    """Return `GET https://example.com:443/p HTTP/1.1` as the request for the path, and the host."""
    method, _, target = request.partition(b" ")
    scheme, found, rest = target.partition(b"://")
    if not found or not scheme.isalpha():
        return request, b""
    host, slash, path = rest.partition(b"/")
    return method + b" " + slash + path, host_without_port(host)
