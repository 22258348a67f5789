"""The control socket's server: passes re-counts to the counting process, replays and imported hits to the stream."""

import asyncio
import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from footfall.accounts.audit import Note
from footfall.accounts.brands import require_brand_name
from footfall.accounts.screening_store import INSTANCE
from footfall.app.alert_control import TEST
from footfall.app.alert_sending import senders_from, tried_out
from footfall.app.brand_control import Ground, answer_about_brands, has_no_brand, is_about_brands, is_only_reading
from footfall.app.control import answer_about_aside, asked_from, require_known_brand
from footfall.app.control_audit import is_about_metrics, recount_note, replay_note
from footfall.app.control_socket import SOCKET_FILE, socket_path
from footfall.app.link import Message
from footfall.app.rules_control import REQUEST_BYTES_MAX
from footfall.flow.stream.raw import StreamRaw
from footfall.metrics.errors import ChangedMeanwhile
from footfall.ports.errors import PortError
from footfall.shells.http.imports import Imports
from footfall.shells.http.state import FrontState
from footfall.values.errors import FootfallError, Refused


class ControlServer:
    """Answers an operator's requests, one connection each."""

    def __init__(self, state: FrontState) -> None:
        self._state = state
        self._imports = Imports(state)
        self._directory = Path(state.settings.data_dir)
        self._server: asyncio.Server | None = None
        self._recounting: asyncio.Queue[Message] | None = None

    async def start(self) -> None:
        """Listen in the data directory."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._directory / SOCKET_FILE)
        with socket_path(self._directory) as path:
            self._server = await asyncio.start_unix_server(self._serve, path=path, limit=REQUEST_BYTES_MAX)
            os.chmod(path, 0o600)

    def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()
        self._imports.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._directory / SOCKET_FILE)

    def from_counting(self, message: Message) -> None:
        """Take what the counting process says of a re-count."""
        if self._recounting is None or message[0] == "stopped":
            return
        if message[0] == "ready":
            message = ["failed", "the counting process started anew; ask again"]
        self._recounting.put_nowait(message)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = msgspec.json.decode(await reader.readline(), type=dict[str, Any])
            if request.get("do") == "import":
                await self._imports.talk(str(request.get("brand")), reader, writer)
                writer.close()
                return
            answer: dict[str, Any] = {"done": await self._answer(request, writer)}
        except FootfallError as error:
            answer = {"error": str(error), "refused": isinstance(error, Refused | ChangedMeanwhile)}
        except (ValueError, msgspec.MsgspecError) as error:
            answer = {"error": f"the request makes no sense: {error}"}
        with contextlib.suppress(ConnectionError):
            _tell(writer, answer)
            await writer.drain()
            writer.close()

    async def _answer(self, request: Mapping[str, Any], writer: asyncio.StreamWriter) -> Mapping[str, Any]:
        if request.get("do") == TEST:
            return await self._test_alert(str(request.get("brand")), str(request.get("id")))
        if is_about_brands(request):
            return await self._brands(request)
        if is_about_metrics(request):
            return await self._metrics(request)
        require_known_brand(request, self._state.settings, self._state.stream)
        if request.get("do") == "recount":
            return await self._recount(request, writer)
        raw = StreamRaw(self._state.stream)
        answered = answer_about_aside(self._state.store, raw, request, clock=self._state.clock)
        if isinstance(answered, Mapping):
            return answered
        if answered.entries:
            await self._write_down(replay_note(request, records=len(answered.entries)))
            done = asyncio.get_running_loop().create_future()
            self._state.committer.submit(answered.entries, done.set_result)
            outcome = await done
            if isinstance(outcome, PortError):
                raise outcome
        return answered.report()

    async def _brands(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        state = self._state
        heard = frozenset(state.known_brands())
        ground = Ground(state.settings, heard, state.raw_since_ms())
        if is_only_reading(request):
            await state.desk.note_uses()  # So that what is shown is of this hour.
            return await state.desk.look(lambda register: answer_about_brands(register, request, ground))
        name = INSTANCE if has_no_brand(request) else str(request.get("brand"))
        if name != INSTANCE:
            require_brand_name(name)
        return await state.desk.change(name, lambda register: answer_about_brands(register, request, ground))

    async def _metrics(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        # Formulas bring a parser along, which nobody needs who asks about something else.
        from footfall.app.metric_control import (
            ask_metrics,
            change_metrics,
            is_about_data,
            is_only_reading,
            require_known,
        )

        state, brand = self._state, str(request.get("brand"))
        if brand not in state.known_brands():
            require_known(state.settings, request, state.clock)
        if is_about_data(request):
            return await self._metric_data(brand, request)
        if is_only_reading(request):
            return await state.metrics.asked(brand, lambda metrics: ask_metrics(metrics, request))
        loop = asyncio.get_running_loop()

        def write(note: Note) -> None:  # in the thread that changes metrics, which waits until it is written
            asyncio.run_coroutine_threadsafe(self._write_down(note), loop).result()

        return await state.metrics.change(brand, lambda catalogue: change_metrics(catalogue, request, write))

    async def _metric_data(self, brand: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        from footfall.app.metric_control import DATA
        from footfall.app.metric_data_control import document_of_data, pushed, query_of

        if request["do"] == DATA:
            return document_of_data(await self._state.metrics.data(brand, query_of(request)))
        return await self._state.metrics.push(brand, lambda data: pushed(data, request))

    async def _test_alert(self, brand: str, alert_id: str) -> Mapping[str, Any]:
        """Send a test message beside the writer of accounts, who must not wait for other people's servers."""
        require_brand_name(brand)
        alert = await self._state.desk.look(lambda register: register.alerts.one(brand, alert_id))
        senders = senders_from(self._state.settings, self._state.clock)
        return {"id": alert.id, "deliveries": await asyncio.to_thread(tried_out, alert, senders)}

    async def _write_down(self, note: Note) -> None:
        await self._state.desk.look(lambda register: register.trail.write(note))

    async def _recount(self, request: Mapping[str, Any], writer: asyncio.StreamWriter) -> Mapping[str, Any]:
        asked = asked_from(request)
        if self._recounting is not None:
            raise Busy("another re-count is in progress; wait for its end")
        self._recounting = asyncio.Queue()
        try:
            await self._write_down(recount_note(*asked, user=request.get("user")))
            if not self._state.counting.send(["recount", *asked]):
                raise Busy("the counting process is starting; ask again in a moment")
            while True:
                kind, value = (await self._recounting.get())[:2]
                if kind == "progress":
                    _tell(writer, {"progress": value})
                elif kind == "done":
                    return value
                else:
                    raise Busy(str(value))
        finally:
            self._recounting = None


class Busy(FootfallError):
    """A re-count cannot be done now, or was not finished."""


def _tell(writer: asyncio.StreamWriter, answer: Mapping[str, Any]) -> None:
    writer.write(json.dumps(answer).encode() + b"\n")
