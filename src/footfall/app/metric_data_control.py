"""What an operator asks of metrics' data from the command line, and the points that are pushed from there."""

import base64
import binascii
import zlib
from collections.abc import Mapping
from contextlib import closing
from typing import Any, cast

import msgspec

from footfall.app import wiring
from footfall.app.metric_control import DATA
from footfall.app.metric_data import OpenedData
from footfall.app.metric_questions import data_query, taken_document
from footfall.app.settings import Settings
from footfall.flow.serve.parameters import Given
from footfall.metrics.data import DataQuery, MetricData, Told
from footfall.metrics.names import require_metric_name
from footfall.values.clock import Clock
from footfall.values.errors import Refused

PUSHED_BYTES_MAX = 256 << 20  # of a file, unpacked

Request = Mapping[str, Any]
Answer = dict[str, Any]


def packed_points(body: bytes) -> str:
    """Return a file of points as a request carries it."""
    return base64.b64encode(zlib.compress(body, 6)).decode()


def query_of(request: Request) -> DataQuery:
    """Return the question of a request, whose parameters are those of an address."""
    given: object = request.get("given")
    if not isinstance(given, Mapping):
        raise Refused("given", "is not what footfall metrics get-data sends")
    return data_query(str(request.get("name")), cast("Given", given))


def document_of_data(told: Told) -> Answer:
    """Return an answer as a document."""
    return msgspec.json.decode(told.body, type=dict[str, Any])


def pushed(data: MetricData, request: Request) -> Answer:
    """Take the points of a request and return what there is to tell."""
    brand, name = str(request["brand"]), require_metric_name(str(request.get("name")))
    body = _unpacked(str(request.get("data")))
    return taken_document(brand, name, data.push(brand, name, body, str(request.get("form"))))


def run_data(settings: Settings, table: wiring.OpenTable, request: Request, clock: Clock) -> Answer:
    """Answer a question, or take points, where no instance runs that would."""
    with closing(OpenedData(settings, clock, table=table)) as opened:
        if request["do"] == DATA:
            return document_of_data(opened.data.ask(str(request["brand"]), query_of(request)))
        return pushed(opened.data, request)


def _unpacked(text: str) -> bytes:
    try:
        stream = zlib.decompressobj()
        whole = stream.decompress(base64.b64decode(text, validate=True), PUSHED_BYTES_MAX)
    except (binascii.Error, zlib.error) as error:
        raise Refused("data", f"is not what footfall metrics push sends: {error}") from error
    if stream.unconsumed_tail:
        raise Refused("data", f"has more than {PUSHED_BYTES_MAX:,} bytes; push it in parts")
    return whole
