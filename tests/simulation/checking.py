"""The strict comparison of what footfall says with what ought to be true."""

import json
from collections import Counter
from typing import Any

from footfall.app import wiring
from footfall.app.counting import recounted
from footfall.flow.serve.ledger import ledger, ledger_json
from footfall.flow.store.checkpoints import Checkpoint, lines_item, load_checkpoint
from footfall.flow.store.columns import CountKey, Slice
from footfall.flow.store.columns import rows as rows_of
from footfall.flow.store.cutting import most_missed
from footfall.flow.store.merging import merge
from footfall.flow.store.summaries import Summaries
from footfall.flow.store.visitors import BRAND_GROUP, group_of_asset, group_of_section, load_visitors
from footfall.ports.table import Table
from footfall.sketches.grouped import uniques_of
from footfall.sketches.uniques import Uniques, merged
from footfall.values.errors import Refused
from footfall.values.period import expires_at_ms
from footfall.values.window import DAY_MS, HOUR_MS, Grain, Window, moment_from_text
from tests.flow.count.visitors_met import expected_of
from tests.flow.store.counts import counts_of
from tests.simulation.oracle import LABELS, LATENESS_MS, Oracle, Seen, Wrong
from tests.simulation.world import World

LINES = ("counted", "duplicate", "late", "future", "unlabelled", "dead")


def check_everything(world: World) -> None:
    """Compare ledgers, windows and some lists of a world that has settled."""
    for brand in world.brands:
        check_ledger(world, brand)
        check_windows(world, brand)
        for _ in range(4):
            check_list(world, brand)


def check_ledger(world: World, brand: str) -> None:
    """Compare every line of a brand's ledger."""
    handled = {
        str(shard): lines_item(checkpoint.lines[brand])
        for shard, checkpoint in _checkpoints(world.store, world.shards).items()
        if brand in checkpoint.lines
    }
    book = json.loads(ledger_json(ledger(brand, handled, appended=world.stream.appended().get(brand, 0))))
    expected = {line: world.oracle.lines[brand][line] for line in LINES}
    found = {line: book[line] for line in LINES}
    screened = {reason: hits for reason in LABELS if (hits := world.oracle.lines[brand][reason])}
    if (found, book["screened"]) != (expected, screened) or book["inFlight"]:
        raise Wrong(f"the ledger of {brand} is {book}, not {expected} and {screened}")
    if book["accepted"] != sum(expected.values()) + sum(screened.values()):
        raise Wrong(f"the ledger of {brand} does not add up: {book}")


def check_windows(world: World, brand: str) -> None:
    """Compare every window that is kept, and see that none is there that ought not to be."""
    closed_until_ms = min(one.passed_ms for one in _checkpoints(world.store, world.shards).values())
    truth, people = world.oracle.windows(brand), world.oracle.visitors(brand)
    for window in _kept(world, truth):
        if window.grain is Grain.MINUTE or window.to_ms <= closed_until_ms:
            _check_window(world, brand, window, truth[window])
            _check_visitors(world, brand, window, people.get(window, set()))
    empty = Counter[CountKey]()
    for window in _kept(world, dict.fromkeys(_neighbours(truth), empty)):
        if window not in truth:
            _check_window(world, brand, window, empty)


def check_list(world: World, brand: str) -> None:
    """Compare a list that a reader asks for, whatever it asks."""
    chance = world.chance
    asked = {
        "section": [name for name in ("12", "563", "9") if chance.random() < 0.25],
        "resourceType": [name for name in ("article", "video") if chance.random() < 0.25],
        "paidType": [name for name in ("free", "paid") if chance.random() < 0.2],
    }
    include = [label for label in LABELS.values() if chance.random() < 0.2]
    limit = chance.choice((1, 3, 10, 100))
    filters = "".join(f"&{name}={','.join(values)}" for name, values in {**asked, "include": include}.items() if values)
    closed = "&closed=true" if chance.random() < 0.3 else ""
    period = chance.choice(("justnow", "day", "week", "week"))
    query = f"brand={brand}&period={period}{filters}&limit={limit}{closed}"
    answer = world.answering.answer(query)
    assert answer is not None
    if answer[2]:
        raise Wrong(f"{query}: {answer[2]}")
    body = json.loads(bytes(answer[5]))  # pyright: ignore[reportArgumentType]
    shown = {"", *include, *(["suspected"] if world.brands[brand].screening == "observe" else [])}
    _check_items(
        world.oracle, brand, body, {**asked, "": sorted(shown)}, limit, where=f"{query} at {world.clock.now_ms()}"
    )


def check_recount(world: World) -> None:
    """Count some range again and see that nothing has changed."""
    brand, chance, now_ms = world.chance.choice(list(world.brands)), world.chance, world.clock.now_ms()
    to_ms = now_ms - chance.choice((0, chance.randrange(DAY_MS), chance.randrange(5 * DAY_MS)))
    from_ms = to_ms - 1 - chance.randrange(chance.choice((HOUR_MS, DAY_MS, 3 * DAY_MS)))
    try:
        report = recounted(world.counting, brand, from_ms, to_ms, on_progress=lambda _: None)
    except Refused as error:
        raise Wrong(f"the re-count of {from_ms} to {to_ms} was refused: {error}") from error
    # A hit that is replayed into a window after its cut may be one of an asset that was cut out: then it is the
    # re-count that knows better.
    if report["changed"] and world.settings.store_keep_rows == 0:
        raise Wrong(f"the re-count of {brand}, {from_ms} to {to_ms}, changed {report['changed']} windows")


def _checkpoints(table: Table, shards: int) -> dict[int, Checkpoint]:
    return {shard: load_checkpoint(table, shard) or Checkpoint() for shard in range(shards)}


def _kept(world: World, windows: dict[Window, Any]) -> list[Window]:
    """Return the windows that nobody may have let go of yet."""
    retention_ms = wiring.retention_ms(world.settings)
    periods = world.settings.periods.values()
    return [
        window
        for window in windows
        if expires_at_ms(window, retention_ms=retention_ms, periods=periods, lateness_ms=LATENESS_MS)
        > world.clock.now_ms()
    ]


def _neighbours(truth: dict[Window, Any]) -> list[Window]:
    lengths = [(window, window.to_ms - window.from_ms) for window in truth if window.grain is Grain.MINUTE]
    return [Window(window.grain, window.to_ms, window.to_ms + length) for window, length in lengths]


def _check_window(world: World, brand: str, window: Window, truth: Counter[CountKey]) -> None:
    parts = Summaries(world.store, world.clock).live(brand, window)
    columns = merge([part.columns for part in parts])
    found = counts_of(columns)
    where = f"{brand} {window} ({', '.join(part.part for part in parts)})"
    if columns.other or columns.other_screened:
        raise Wrong(f"{where}: {columns.other} hits found no row")
    for key in truth.keys() | found.keys():
        # A row of a window that was cut and then added to may lack what was cut out before.
        is_cut = key not in found or columns.cuts.reaches_kept
        missed = most_missed(columns.cuts, [Slice(*key[1:])]) if is_cut else 0
        if not found[key] <= truth[key] <= found[key] + missed:
            raise Wrong(f"{where}: {key} has {found[key]} (and at most {missed} more), not {truth[key]}")


def _check_visitors(world: World, brand: str, window: Window, people: set[Seen]) -> None:
    """Compare the visitors of a window with the sets that came; of one that was cut, of what it kept."""
    columns = merge([part.columns for part in Summaries(world.store, world.clock).live(brand, window)])
    found, truth = load_visitors(world.store, brand, window), expected_of(people, lambda who: world.hash_of(brand, who))
    where = f"{brand} {window}: the visitors"
    if not columns.cuts.any_asset:
        if found != truth:
            raise Wrong(
                f"{where} are {len(found.coupons)} in {len(found)} sets, not {len(truth.coupons)}, {len(truth)}"
            )
        return
    sections = {group_of_section(section) for (_, section, *_), _ in people}
    rows = {group_of_asset(row.asset) for row in rows_of(columns)}
    for group in {*found.groups.tolist(), *truth.groups.tolist()}:
        is_asset = group != BRAND_GROUP and group not in sections
        met, came = uniques_of(found, group), uniques_of(truth, group)
        # Whatever was cut out before may have come again since.
        is_cut = is_asset and (group not in rows or columns.cuts.reaches_kept)
        if met != came and not (is_cut and (met is None or (came is not None and _is_part(met, came)))):
            raise Wrong(f"{where} of set {group} are not those that came")


def _is_part(met: Uniques, came: Uniques) -> bool:
    return merged([met, came], lg_k=met.lg_k) == came


def _check_items(
    oracle: Oracle, brand: str, body: dict[str, Any], asked: dict[str, list[str]], limit: int, *, where: str
) -> None:
    totals = Counter[str]()
    span = {"from_ms": moment_from_text(body["from"]), "to_ms": moment_from_text(body["to"])}
    for key, hits in oracle.between(brand, **span).items():
        labels = (*key[1:], "") if len(key) == 4 else key[1:]
        if all(not values or label in values for label, values in zip(labels, asked.values(), strict=True)):
            totals[key[0]] += hits
    items = [(item["assetId"], item["hits"]) for item in body["items"]]
    if body["exact"]:
        plain = sorted(totals.items(), key=lambda one: (-one[1], one[0].encode()))[:limit]
        if items != plain:
            raise Wrong(f"{where}: the list is {items}, not {plain}")
        return
    for item in body["items"]:
        if not item["hits"] <= totals[item["assetId"]] <= item["hitsAtMost"]:
            raise Wrong(f"{where}: {item} is really {totals[item['assetId']]}")
