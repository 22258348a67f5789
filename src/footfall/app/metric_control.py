"""What an operator asks about metrics from the command line: of the running instance, of the directory, or of AWS."""

import base64
import binascii
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from footfall.accounts.audit import Act, Note, command_line
from footfall.accounts.brands import UnknownBrand, require_brand_name
from footfall.app import metric_acts, wiring
from footfall.app.control_audit import write_down
from footfall.app.kept_settings import kept_settings
from footfall.app.lock import take_lock
from footfall.app.metric_acts import PAGE_DEFAULT, PAGE_MAX, Answer, MetricChange, Metrics, known_kinds, metrics_in
from footfall.app.settings import Settings
from footfall.metrics.applying import Wanted, carry_out, document_of_file, planned
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.definition import ValueType
from footfall.metrics.interchange import interchange_of
from footfall.metrics.listing import Sought
from footfall.values.clock import Clock, SystemClock
from footfall.values.errors import Refused
from footfall.values.window import moment_from_text

OFFLINE_WAIT_S = 0.5
SENT_BYTES_MAX = 256 << 20  # of files, unpacked: some 200,000 metrics
EXPORTED_MAX = 500  # in one answer

DATA, PUSH = "metrics-data", "metrics-push"

Request = Mapping[str, Any]
WriteDown = Callable[[Note], None]


def packed(wanted: Sequence[Wanted]) -> str:
    """Return metrics of files as a request carries them."""
    sent = msgspec.json.encode([[one.place, one.document] for one in wanted])
    return base64.b64encode(zlib.compress(sent, 6)).decode()


def change_metrics(catalogue: MetricCatalogue, request: Request, write: WriteDown) -> Answer:
    """Do what a request asks for, written down before it is done, and return what there is to tell."""
    if request["do"] == "metrics-apply":
        return _apply(catalogue, request, write)
    if request["do"] == "metrics-own":
        from footfall.app.own_metrics import define_own

        brand = str(request["brand"])
        return {"brand": brand, **asdict(define_own(catalogue, brand, write, by=_by(request)))}
    change = _CHANGES[str(request["do"])](request, _by(request))
    note = change.rehearsed(catalogue)
    if note is not None:
        write(note)
    return change.done(catalogue)


def ask_metrics(metrics: Metrics, request: Request) -> Answer:
    """Return the answer to a request that changes nothing."""
    return _QUESTIONS[str(request["do"])](metrics, str(request["brand"]), request)


def run_metrics(settings: Settings, request: Request) -> Answer:
    """Do what is asked on a directory that no instance runs on, or on AWS, where nobody else has to be asked."""
    if settings.ground == "aws":
        return _run(settings, request)
    before = os.umask(0o077)  # What is kept here is nobody else's to read.
    try:
        lock = take_lock(Path(settings.data_dir), wait_s=OFFLINE_WAIT_S)
        try:
            return _run(kept_settings(settings.data_dir) or settings, request)
        finally:
            os.close(lock)
    finally:
        os.umask(before)


def _run(settings: Settings, request: Request) -> Answer:
    clock = SystemClock()
    require_known(settings, request, clock)
    with closing(wiring.open_metrics_table(settings, clock)) as table:
        if is_about_data(request):
            from footfall.app.metric_data_control import run_data

            return run_data(settings, table, request, clock)
        if is_only_reading(request):
            return ask_metrics(metrics_in(table, clock=clock), request)
        catalogue = MetricCatalogue(table, clock=clock, known=known_kinds(settings))
        return change_metrics(catalogue, request, lambda note: write_down(settings, clock, note))


def is_about_data(request: Request) -> bool:
    """Tell whether a request asks for a metric's data, or pushes some: its module brings numpy along."""
    return request.get("do") in (DATA, PUSH)


def is_only_reading(request: Request) -> bool:
    """Tell whether a request about metrics changes none."""
    return request.get("do") in _QUESTIONS


def require_known(settings: Settings, request: Request, clock: Clock) -> None:
    """Refuse a brand that is not set up: most likely it is misspelt."""
    name = str(request.get("brand"))
    require_brand_name(name)
    if not (settings.dev or name in settings.brands or wiring.brand_lookup(settings, clock).is_known(name)):
        raise UnknownBrand("brand", f"{name!r} is not a brand here; footfall brands list shows those that are")


def _apply(catalogue: MetricCatalogue, request: Request, write: WriteDown) -> Answer:
    brand, by, reason = str(request["brand"]), _by(request), str(request.get("reason") or "")
    plan = planned(catalogue, brand, _unpacked(request), by=by, reason=reason, prune=bool(request.get("prune")))
    answer: Answer = {"brand": brand, **plan.document(), "applied": False}
    if plan.refused or request.get("dry_run"):
        return answer
    if not plan.is_empty:
        details = {
            "added": len(plan.added), "changed": len(plan.changed), "deprecated": len(plan.deprecated),
            "restored": len(plan.restored), "removed": len(plan.removed), "reason": reason,
        }  # fmt: skip
        write(Note(brand, by, Act.METRICS_APPLIED, "files", details))
        carry_out(catalogue, brand, plan, by=by)
    return {**answer, "applied": True}


def _unpacked(request: Request) -> list[Wanted]:
    try:
        whole = zlib.decompressobj().decompress(
            base64.b64decode(str(request.get("data")), validate=True), SENT_BYTES_MAX
        )
        sent = msgspec.json.decode(whole, type=list[tuple[str, dict[str, Any]]])
    except (binascii.Error, zlib.error, msgspec.MsgspecError) as error:
        raise Refused("data", f"is not what footfall metrics apply sends: {error}") from error
    return [Wanted(document, place) for place, document in sent]


def _by(request: Request) -> str:
    return command_line(request.get("user"))


def _document(request: Request) -> Mapping[str, Any]:
    document: object = request.get("document", {})
    if not isinstance(document, Mapping):
        raise Refused("document", "is not an object")
    return cast("Mapping[str, Any]", document)


def _add(request: Request, by: str) -> MetricChange:
    return metric_acts.adding(str(request["brand"]), _document(request), by=by)


def _update(request: Request, by: str) -> MetricChange:
    return metric_acts.updating(str(request["brand"]), str(request.get("name")), _document(request), by=by)


def _deprecate(request: Request, by: str) -> MetricChange:
    return metric_acts.deprecating(str(request["brand"]), str(request.get("name")), _document(request), by=by)


def _restore(request: Request, by: str) -> MetricChange:
    return metric_acts.restoring(str(request["brand"]), str(request.get("name")), _document(request), by=by)


def _remove(request: Request, by: str) -> MetricChange:
    return metric_acts.removing(str(request["brand"]), str(request.get("name")), by=by)


def _get(metrics: Metrics, brand: str, request: Request) -> Answer:
    moment: object = request.get("asOf")
    asked = {
        "version": request.get("version"),
        "hash": request.get("hash"),
        "asOf": None if moment is None else moment_from_text(str(moment), field="asOf"),
    }
    version = metric_acts.version_asked(metrics, brand, str(request.get("name")), asked)
    return metric_acts.shown(metrics.catalogue, brand, version)


def _list(metrics: Metrics, brand: str, request: Request) -> Answer:
    kind = str(request.get("valueType") or "")
    if kind and kind not in set(ValueType):
        raise Refused("valueType", f"{kind[:40]!r} is not one of {', '.join(ValueType)}")
    texts = {name: str(request.get(name) or "") for name in ("q", "prefix", "uses", "after")}
    deprecated: object = request.get("deprecated")
    sought = Sought(
        words=texts["q"], prefix=texts["prefix"], value_type=kind, uses=texts["uses"],
        is_deprecated=deprecated if isinstance(deprecated, bool) else None,
    )  # fmt: skip
    return metric_acts.listed(metrics, brand, sought, limit=_limit(request, PAGE_MAX), after=texts["after"])


def _versions(metrics: Metrics, brand: str, request: Request) -> Answer:
    before = cast("int | None", request.get("before"))
    limit = _limit(request, PAGE_MAX)
    return metric_acts.versions(metrics, brand, str(request.get("name")), limit=limit, before=before)


def _diff(metrics: Metrics, brand: str, request: Request) -> Answer:
    earlier, later = cast("int | None", request.get("from")), cast("int | None", request.get("to"))
    return metric_acts.compared(metrics, brand, str(request.get("name")), earlier=earlier, later=later)


def _lineage(metrics: Metrics, brand: str, request: Request) -> Answer:
    return metric_acts.lineage(metrics, brand, str(request.get("name")))


def _export(metrics: Metrics, brand: str, request: Request) -> Answer:
    """Return some metrics as their files have them."""
    after, items = str(request.get("after") or ""), list[dict[str, object]]()
    limit = _limit(request, EXPORTED_MAX)
    for row in metrics.catalogue.rows(brand, after=after):
        if len(items) == limit:
            return {"brand": brand, "items": items, "after": items[-1]["name"]}
        version = metrics.catalogue.known(brand, row.name)
        if version is not None:  # It may have gone while the list was read.
            items.append(document_of_file(version))
    return {"brand": brand, "items": items}


def _interchange(metrics: Metrics, brand: str, _request: Request) -> Answer:
    newest = (metrics.catalogue.known(brand, row.name) for row in metrics.catalogue.rows(brand))
    return interchange_of(brand, [one for one in newest if one is not None])


def _limit(request: Request, most: int) -> int:
    limit: object = request.get("limit", PAGE_DEFAULT)
    if type(limit) is not int or not 1 <= limit <= most:
        raise Refused("limit", f"{limit!r} is not a whole number from 1 to {most:,}")
    return limit


_CHANGES: Final[Mapping[str, Callable[[Request, str], MetricChange]]] = {
    "metrics-add": _add,
    "metrics-update": _update,
    "metrics-deprecate": _deprecate,
    "metrics-restore": _restore,
    "metrics-remove": _remove,
}
_QUESTIONS: Final[Mapping[str, Callable[[Metrics, str, Request], Answer]]] = {
    "metrics-get": _get,
    "metrics-list": _list,
    "metrics-versions": _versions,
    "metrics-diff": _diff,
    "metrics-lineage": _lineage,
    "metrics-export": _export,
    "metrics-interchange": _interchange,
}
