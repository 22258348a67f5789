"""/v1/uniques and /hyperloglog: named counters of distinct values: added to, asked, united, deleted, out and in."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from footfall.accounts.audit import Act
from footfall.accounts.brands import Brand
from footfall.accounts.keys import HITS, WRITE
from footfall.app import wiring
from footfall.flow.collect.fields import Refusal
from footfall.flow.collect.inflate import inflate
from footfall.ports.stream import Appended, Entry
from footfall.ports.table import Table
from footfall.shells.http.audit import note_act
from footfall.shells.http.counter_names import name_of, names_of
from footfall.shells.http.door import KEY_BYTES_MAX
from footfall.shells.http.problems import problem_document, refusals
from footfall.shells.http.proving import TOKEN_PARAMETER, proved_brand
from footfall.shells.http.site import Site
from footfall.shells.http.static_files import GUARDS
from footfall.shells.http.wire import JSON, PROBLEM
from footfall.values.counter import SKETCH_PATH, KeyReused, SharesTold, UnknownCounter
from footfall.values.errors import Refused
from footfall.values.groups import counters_group
from footfall.values.window import Grain, instant_text

if TYPE_CHECKING:  # Whatever works with numbers is loaded when the first value or question comes.
    from footfall.flow.collect.counted import CounterRequest
    from footfall.flow.serve.uniques import Days

OCTETS = "application/octet-stream"
KINDS = ("hll", "theta")

_HEADERS = {**GUARDS, "cache-control": "no-store", "access-control-allow-origin": "*"}
_LINES = ("ndjson", "jsonl", "json-lines", "json-seq")
_SPAN = ("from", "to")
_SETS = ("union", "intersect", "minus")

Endpoint = Callable[[Request], Awaitable[Response]]
Entries = list[Entry]


def uniques_routes(state: Site) -> list[Route]:
    """Return the routes of named counters."""
    return [
        Route("/v1/uniques", _set(state), methods=["GET"]),
        Route("/v1/uniques/{name:sketched_counter}/sketch", _sketch(state), methods=["GET", "PUT"]),
        Route("/v1/uniques/{name:counter}", _one(state), methods=["GET", "POST", "DELETE"]),
        Route("/hyperloglog/{name:counter}", _article(state), methods=["GET", "POST"]),
    ]


def _set(state: Site) -> Endpoint:
    async def answer(request: Request) -> Response:
        brand = state.access.reading_brand(request)
        _require_only(request, (*_SETS, *_SPAN))
        union, intersect, minus = (names_of(request, word) for word in _SETS)

        def told(table: Table) -> dict[str, object]:
            from footfall.flow.serve.uniques import Asked, estimate_fields, told_of_set

            days = _days(state, brand, request, table)
            found = told_of_set(table, brand.name, Asked(union, intersect, minus), days)
            asked = {word: list(names) for word, names in zip(_SETS, (union, intersect, minus), strict=True) if names}
            return {"brand": brand.name, **asked, **_span_fields(days), **estimate_fields(found)}

        return _json(await state.counters.asked(brand.name, told))

    return answer


def _one(state: Site) -> Endpoint:
    async def counter(request: Request) -> Response:
        if str(request.path_params["name"]).endswith(SKETCH_PATH):  # Its own route has other methods.
            raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD, PUT"})
        if request.method == "POST":
            return await _added(state, request)
        if request.method == "DELETE":
            return await _deleted(state, request)
        brand, name = state.access.reading_brand(request), name_of(request)
        _require_only(request, _SPAN)

        def told(table: Table) -> dict[str, object]:
            from footfall.flow.serve.uniques import estimate_fields, told_of

            days = _days(state, brand, request, table)
            found = told_of(table, brand.name, name, days)
            since = {} if found.since_ms is None else {"since": instant_text(found.since_ms)}
            return {"brand": brand.name, "name": name, **since, **_span_fields(days), **estimate_fields(found)}

        return _json(await state.counters.asked(brand.name, told))

    return counter


def _sketch(state: Site) -> Endpoint:
    async def sketch(request: Request) -> Response:
        if request.method == "PUT":
            return await _imported(state, request)
        brand, name = state.access.reading_brand(request), name_of(request)
        _require_only(request, ("kind", *_SPAN))
        kind = _kind(request)

        def taken_out(table: Table) -> bytes:
            from footfall.flow.serve.uniques import exported

            return exported(table, brand.name, name, kind=kind, days=_days(state, brand, request, table))

        body = await state.counters.asked(brand.name, taken_out)
        return Response(body, headers={**_HEADERS, "content-type": OCTETS})

    return sketch


def _article(state: Site) -> Endpoint:
    async def hyperloglog(request: Request) -> Response:
        request = _of_only_brand(state, request)
        if request.method == "POST":
            return await _added_as_article(state, request)
        brand, name = state.access.reading_brand(request), name_of(request)
        _require_only(request, ())

        def card(table: Table) -> int:
            from footfall.flow.serve.uniques import told_of

            return round(told_of(table, brand.name, name).estimate.count)

        number = await state.counters.asked(brand.name, card)
        return _whole(msgspec.json.encode(number), HTTPStatus.OK)

    return hyperloglog


async def _added(state: Site, request: Request) -> Response:
    brand, name = await proved_brand(request, state, scope=HITS), name_of(request)
    _require_only(request, ())
    body, settings = await request.body(), state.settings
    kind = request.headers.get("content-type", "").lower()
    refused: list[Refusal] = []

    def entries() -> Entries:
        from footfall.flow.collect.counted import entries_of_values, values_from_body

        whole = _inflated(state, request, body)
        lines = any(word in kind for word in _LINES)
        sent = values_from_body(whole, lines=lines, values_max=settings.http_batch_hits_max)
        refused.extend(sent.refused)
        return entries_of_values(sent.values, _counter_request(state, request, brand, name, whole))

    return await _taken(state, brand, entries, refused)


async def _added_as_article(state: Site, request: Request) -> Response:
    brand, name = await proved_brand(request, state, scope=HITS), name_of(request)
    _require_only(request, ())
    body = await request.body()

    def entries() -> Entries:
        from footfall.flow.collect.counted import article_value, entries_of_values

        whole = _inflated(state, request, body)
        return entries_of_values([article_value(whole)], _counter_request(state, request, brand, name, whole))

    made = await state.counters.beside(brand.name, entries)
    done = _require_taken(await state.counters.append(made))
    put: dict[str, object] = {"ShardId": f"shardId-{made[0].shard:012d}"}
    if done[0].sequence > 0:  # On Kinesis only readers learn it.
        put["SequenceNumber"] = str(done[0].sequence)
    return _json(put)


async def _deleted(state: Site, request: Request) -> Response:
    brand, name = await proved_brand(request, state, scope=WRITE), name_of(request)
    _require_only(request, ())

    def entries() -> Entries:
        from footfall.flow.collect.counted import entries_of_act
        from footfall.flow.stream.counted_values import Act

        return entries_of_act(Act.DELETE, _counter_request(state, request, brand, name, b"delete"))

    await _require_known(state, brand, name, believes=False)
    await note_act(state, request, brand.name, Act.COUNTER_DELETED, name)
    return await _taken(state, brand, entries)


async def _imported(state: Site, request: Request) -> Response:
    brand, name = await proved_brand(request, state, scope=WRITE), name_of(request)
    _require_only(request, ("kind",))
    kind, body = _kind(request), await request.body()

    def entries() -> Entries:
        from footfall.flow.collect.counted import entries_of_act, imported_sketch

        whole = _inflated(state, request, body)
        act, sketch = imported_sketch(whole, kind=kind)
        return entries_of_act(act, _counter_request(state, request, brand, name, kind.encode() + whole), sketch)

    if kind == "theta":  # It tells what the counter shares with others, not what it is.
        await _require_known(state, brand, name, believes=True)
        await _require_shares_untold(state, brand, name, lambda: _inflated(state, request, body))
    made = await state.counters.beside(brand.name, entries)  # A sketch that cannot be read is no act.
    await note_act(state, request, brand.name, Act.COUNTER_IMPORTED, name, kind=kind)
    return await _taken(state, brand, lambda: made)


async def _taken(
    state: Site, brand: Brand, entries: Callable[[], Entries], refused: Sequence[Refusal] = ()
) -> Response:
    """Answer that the stream has the entries on disk, or what is wrong with all of them."""
    made = await state.counters.beside(brand.name, entries)
    if not made:
        return _nothing_taken(refused)
    done = _require_taken(await state.counters.append(made))
    repeats = sum(entry.weight for entry, one in zip(made, done, strict=True) if one.repeated)
    result: dict[str, object] = {"accepted": sum(entry.weight for entry in made), "duplicates": repeats}
    if refused:
        result |= {"refusedCount": len(refused), "refused": refusals(refused)}
    return _whole(msgspec.json.encode(result), HTTPStatus.ACCEPTED)


def _require_taken(done: Sequence[Appended]) -> Sequence[Appended]:
    if any(one.is_refused for one in done):
        raise KeyReused
    return done


async def _require_known(state: Site, brand: Brand, name: str, *, believes: bool) -> None:
    """Raise UnknownCounter unless there is such a counter, or may be when what is on its way is counted.

    Where only an estimate tells whether anything is on its way, whoever is believed may be right.
    """

    def is_there(table: Table) -> bool:
        from footfall.flow.serve.uniques import is_known

        return is_known(table, brand.name, name)

    # Looked at before: what was on its way then may be counted when the store is asked.
    book = state.ledger(counters_group(brand.name))
    is_on_its_way = book.in_flight > 0 or (book.is_estimate and believes)
    if not await state.counters.asked(brand.name, is_there) and not is_on_its_way:
        raise UnknownCounter(name)


async def _require_shares_untold(state: Site, brand: Brand, name: str, sketch: Callable[[], bytes]) -> None:
    """Raise SharesTold when a Theta sketch is not that of an HLL sketch that was imported before, or is on its way."""

    def is_other(table: Table) -> bool:
        from footfall.flow.collect.counted import theta_sketch
        from footfall.flow.serve.uniques import has_other_shares

        return has_other_shares(table, brand.name, name, theta_sketch(sketch()))

    book = state.ledger(counters_group(brand.name))
    if await state.counters.asked(brand.name, is_other) and book.in_flight <= 0:
        raise SharesTold(name)


def _counter_request(state: Site, request: Request, brand: Brand, name: str, body: bytes) -> "CounterRequest":
    from footfall.flow.collect.counted import CounterRequest

    key = request.headers.get("idempotency-key", "")
    if len(key) > KEY_BYTES_MAX:
        raise Refused("Idempotency-Key", f"has {len(key)} bytes, at most {KEY_BYTES_MAX} are taken")
    return CounterRequest(brand, name, state.clock.now_ms(), state.counters.shards, key, body)


def _inflated(state: Site, request: Request, body: bytes) -> bytes:
    encoding = request.headers.get("content-encoding", "").lower()
    return inflate(body, encoding, bytes_max=state.settings.http_inflated_bytes_max)


def _kind(request: Request) -> str:
    kind = request.query_params.get("kind", KINDS[0])
    if kind not in KINDS:
        raise Refused("kind", f"{kind[:40]!r} is no kind of sketch; those are {' and '.join(KINDS)}")
    return kind


def _days(state: Site, brand: Brand, request: Request, table: Table) -> "Days | None":
    from footfall.flow.serve.uniques import days_between, kept_from_ms

    # A plus sign in an address is a space to those who read addresses.
    ends = [request.query_params.get(word, "").replace(" ", "+") for word in _SPAN]
    if not any(ends):
        return None
    now_ms = state.clock.now_ms()
    from_ms = kept_from_ms(table, now_ms=now_ms, kept_ms=wiring.kept_ms(state.settings)[Grain.DAY])
    return days_between(*ends, zone=brand.zone, now_ms=now_ms, kept_from_ms=from_ms)


def _of_only_brand(state: Site, request: Request) -> Request:
    """Return a request that names no brand as one that names the only brand there is: the article knows of none."""
    names = state.brands.names()
    has_key = "authorization" in request.headers or "key" in request.query_params
    if has_key or "brand" in request.query_params or len(names) != 1 or not state.brands.is_open(names[0]):
        return request
    query = b"&".join(part for part in (request.scope["query_string"], b"brand=" + names[0].encode()) if part)
    return Request({**request.scope, "query_string": query}, request.receive)


def _require_only(request: Request, names: tuple[str, ...]) -> None:
    given = [name for name, _ in request.query_params.multi_items()]
    for name in given:
        if name not in (*names, "brand", "key", TOKEN_PARAMETER):
            raise Refused(name[:64] or "query", f"is not a parameter here; those are {', '.join((*names, 'brand'))}")
        if name not in _SETS and given.count(name) > 1:
            raise Refused(name, "is given twice; give it once")


def _span_fields(days: "Days | None") -> dict[str, object]:
    if days is None:
        return {}
    return {"from": instant_text(days.from_ms), "to": instant_text(days.to_ms)}


def _nothing_taken(refused: Sequence[Refusal]) -> Response:
    if not refused:
        return _whole(b'{"accepted":0,"duplicates":0}', HTTPStatus.ACCEPTED)
    first = refused[0]
    detail = f"{first.field}: {first.reason}"
    if len(refused) > 1:
        detail = f"none of the {len(refused):,} values can be taken; the first: {detail}"
    problem = problem_document(
        HTTPStatus.BAD_REQUEST, detail=detail, field=first.field, refused=refused if len(refused) > 1 else ()
    )
    headers = {**GUARDS, **problem.headers, "content-type": PROBLEM}
    return Response(problem.body, status_code=problem.status, headers=headers)


def _json(content: Mapping[str, object]) -> Response:
    return _whole(msgspec.json.encode(content), HTTPStatus.OK)


def _whole(body: bytes, status: HTTPStatus) -> Response:
    return Response(body, status_code=status, headers={**_HEADERS, "content-type": JSON})
