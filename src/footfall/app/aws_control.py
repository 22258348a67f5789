"""What an operator asks of an instance on AWS: done here, straight on its tables, its archive and its stream.

There is no server that owns them and nobody else to ask. The functions go on meanwhile; every write is on a condition.
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

from footfall.accounts.brands import require_brand_name
from footfall.app import aws_wiring, wiring
from footfall.app.brand_control import Ground, answer_about_brands, is_about_brands
from footfall.app.control import answer_about_aside, asked_from
from footfall.app.control_audit import is_about_metrics, recount_note, replay_note, write_down
from footfall.app.settings import DAY_MS, Settings, require_named
from footfall.flow.store import keys
from footfall.flow.store.checkpoints import checkpoint_from_item
from footfall.flow.stream.raw import ArchiveRaw
from footfall.ports.table import Table, everything
from footfall.values.clock import Clock, SystemClock
from footfall.values.errors import Refused
from footfall.values.groups import brands_of_groups

OnProgress = Callable[[float], None]


def run_on_aws(settings: Settings, request: Mapping[str, Any], on_progress: OnProgress) -> Mapping[str, Any]:
    """Do what is asked; raise ImpossibleSetting for whatever is needed and not named."""
    clock = SystemClock()
    for name in ("aws_accounts_table", "aws_store_table"):
        require_named(settings, name)
    if is_about_brands(request):
        with (
            closing(wiring.open_accounts(settings, clock)) as accounts,
            closing(wiring.open_store(settings, clock, read_only=True)) as store,
        ):
            # The archive keeps raw hits by their age.
            since_ms = clock.now_ms() - settings.stream_keep_days * DAY_MS
            return answer_about_brands(accounts.register, request, Ground(settings, _heard(store), since_ms))
    if is_about_metrics(request):
        from footfall.app.metric_control import run_metrics

        return run_metrics(settings, request)
    for name in ("aws_stream", "aws_raw_bucket", "aws_catalog_table"):
        require_named(settings, name)
    with closing(wiring.open_store(settings, clock)) as store:
        _require_known_brand(settings, request, store, clock)
        if request.get("do") == "recount":
            return _recounted(settings, request, store, clock, on_progress)
        return _about_aside(settings, request, store, clock)


def _recounted(
    settings: Settings, request: Mapping[str, Any], store: wiring.OpenTable, clock: Clock, on_progress: OnProgress
) -> Mapping[str, Any]:
    # Counting brings numpy along, which brands and keys have no use for.
    from footfall.app.counting import Counting, recounted
    from footfall.app.event_counting import keeper_in

    archive = aws_wiring.open_archive(settings, clock)
    keep = keeper_in(archive)
    with closing(aws_wiring.open_stream(settings, clock, read_only=True, keep_unreadable=keep)) as stream:
        counting = Counting(settings, stream, store, clock=clock, archive=archive)
        asked = asked_from(request)
        write_down(settings, clock, recount_note(*asked, user=request.get("user")))
        return recounted(counting, *asked, on_progress=on_progress)


def _about_aside(settings: Settings, request: Mapping[str, Any], store: Table, clock: Clock) -> Mapping[str, Any]:
    archive = aws_wiring.open_archive(settings, clock)
    answered = answer_about_aside(store, ArchiveRaw(archive), request, clock=clock)
    if isinstance(answered, Mapping):
        return answered
    with closing(aws_wiring.open_stream(settings, clock)) as stream:
        if answered.entries:
            write_down(settings, clock, replay_note(request, records=len(answered.entries)))
            stream.append(answered.entries)
    return answered.report()


def _require_known_brand(settings: Settings, request: Mapping[str, Any], store: Table, clock: Clock) -> None:
    """Refuse a brand that is not set up and was never heard of: most likely it is misspelt."""
    name = str(request.get("brand"))
    require_brand_name(name)
    if name not in settings.brands and name not in _heard(store):
        if wiring.brand_lookup(settings, clock).is_known(name):
            return
        raise Refused("brand", f"{name!r} is not a brand of {settings.aws_stack}, and no hit of it was ever counted")


def _heard(store: Table) -> frozenset[str]:
    """Return the brands that hits were counted for."""
    found = everything(store, keys.SHARDS)
    return brands_of_groups(group for one in found for group in checkpoint_from_item(one.item).lines)
