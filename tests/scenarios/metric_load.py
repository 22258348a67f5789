"""A client in a process of its own that asks for data of metrics at a steady rate, over many connections.

`python -m tests.scenarios.metric_load '{"port": ...}'` prints what came back as one line of JSON.
"""

import asyncio
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

import msgspec

ANSWER_S_MAX = 30.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked, how often, and for how long; each second one of the pushes is sent as well."""

    port: int
    key: str
    targets: list[str]
    rate: float
    seconds: float
    connections: int
    pushes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])  # the address, and the points


@dataclass(slots=True)
class Seen:
    """What came back."""

    statuses: Counter[int] = field(default_factory=Counter[int])
    failures: Counter[str] = field(default_factory=Counter[str])
    waits_ms: list[float] = field(default_factory=list[float])
    first_wrong: str = ""
    pushed: int = 0


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes
) -> tuple[int, dict[bytes, bytes], bytes]:
    """Send a request and return its answer."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head[:-4].split(b"\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
    body = await reader.readexactly(int(headers.get(b"content-length", b"0")))
    return int(first.split()[1]), headers, body


def request_of(plan: Plan, method: str, target: str, body: bytes = b"", tag: bytes = b"") -> bytes:
    """Return a request as bytes."""
    lines = [f"{method} {target} HTTP/1.1", "Host: footfall", f"Authorization: Bearer {plan.key}"]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    more = b"If-None-Match: " + tag + b"\r\n" if tag else b""
    return "\r\n".join(lines).encode() + b"\r\n" + more + b"\r\n" + body


async def ask(plan: Plan, number: int, began: float, seen: Seen) -> None:
    """Ask on one connection whenever it is its turn; every eighth time with the tag of the answer before."""
    reader, writer = await asyncio.open_connection("127.0.0.1", plan.port, limit=1 << 24)
    tags: dict[str, bytes] = {}
    places = range(number, round(plan.rate * plan.seconds), plan.connections)
    for turn, at in enumerate(places):
        early = began + at / plan.rate - time.monotonic()
        if early > 0:
            await asyncio.sleep(early)
        target = plan.targets[(number + turn * 7) % len(plan.targets)]
        tag = tags.get(target, b"") if turn % 8 == 0 else b""
        sent = time.monotonic()
        try:
            answer = exchange(reader, writer, request_of(plan, "GET", target, tag=tag))
            status, headers, body = await asyncio.wait_for(answer, ANSWER_S_MAX)
        except (OSError, EOFError, TimeoutError) as error:
            seen.failures[type(error).__name__] += 1
            return
        seen.statuses[status] += 1
        seen.waits_ms.append((time.monotonic() - sent) * 1_000)
        tags[target] = headers.get(b"etag", b"")
        if status not in (200, 304) and not seen.first_wrong:
            seen.first_wrong = f"{target}: {status} {body[:300]!r}"
    writer.close()


async def push(plan: Plan, began: float, seen: Seen) -> None:
    """Push points once a second."""
    reader, writer = await asyncio.open_connection("127.0.0.1", plan.port)
    while plan.pushes and time.monotonic() - began < plan.seconds - 1:
        target, points = plan.pushes[seen.pushed % len(plan.pushes)]
        status, _, body = await exchange(reader, writer, request_of(plan, "POST", target, points.encode()))
        if status not in (200, 202):
            seen.first_wrong = f"{target}: {status} {body[:300]!r}"
        seen.pushed += 1
        await asyncio.sleep(1)
    writer.close()


async def run(plan: Plan) -> Seen:
    """Ask as planned and return what came back."""
    seen, began = Seen(), time.monotonic() + 0.5
    asking = (ask(plan, number, began, seen) for number in range(plan.connections))
    await asyncio.gather(push(plan, began, seen), *asking)
    return seen


def main() -> None:
    """Read a plan, follow it, and tell."""
    plan = msgspec.json.decode(sys.argv[1], type=Plan)
    began = time.monotonic()
    seen = asyncio.run(run(plan))
    waits = sorted(seen.waits_ms) or [0.0]
    told = {
        "statuses": dict(seen.statuses), "failures": dict(seen.failures), "wrong": seen.first_wrong,
        "answers": len(seen.waits_ms), "pushed": seen.pushed, "seconds": time.monotonic() - began,
        "p50_ms": waits[len(waits) // 2], "p99_ms": waits[int(len(waits) * 0.99)], "most_ms": waits[-1],
    }  # fmt: skip
    print(json.dumps(told))


if __name__ == "__main__":
    main()
