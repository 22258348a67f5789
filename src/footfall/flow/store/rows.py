"""Windows as rows, for people who read them with other tools: the table of the page-hit-counter thesis, as it had it.

A row is an asset of a window, under its hits, so that a query from the highest key down is the list. Nothing of ours
reads it. docs/formats/rows.md draws it.
"""

from collections.abc import Mapping

import numpy as np

from footfall.flow.store.columns import Columns, asset_starts, persons_of, texts_by_ident
from footfall.ports.table import BATCH_ITEMS_MAX, Delete, Item, Key, Put, Table, Value, everything
from footfall.values.window import Window, instant_text

HITS_DIGITS = 8
HITS_MAX = 10**HITS_DIGITS - 1  # More would need a longer key, which would sort before the others.

PARTITION_NAME, SORT_NAME = "hashKey", "rangeKey"  # what the thesis' table calls its keys


def partition(brand: str, window: Window) -> str:
    """Return where a window's rows lie: as in the store, but for the letter at the end that the thesis left out."""
    return f"{brand}#{window.grain}#{instant_text(window.from_ms).removesuffix('Z')}"


def sort_key(hits: int, asset: str) -> str:
    """Return the key of an asset's row."""
    return f"{min(hits, HITS_MAX):0{HITS_DIGITS}d}#{asset}"


def rows_from_columns(columns: Columns, keep: int) -> dict[str, Item]:
    """Return the top `keep` assets and everything that ties with them as items by their sort keys; 0 keeps all.

    An asset that was seen under several labels is one row, with the labels under which it was seen most. Persons only:
    whoever reads the table knows of no others.
    """
    columns = persons_of(columns)
    starts = asset_starts(columns)
    if not len(columns.ident):
        return {}
    totals = np.add.reduceat(columns.hits, starts)
    least = 0
    if keep and len(totals) > keep:
        least = int(np.partition(totals, len(totals) - keep)[len(totals) - keep])
    texts = texts_by_ident(columns)
    ends = np.append(starts[1:], len(columns.ident))
    rows: dict[str, Item] = {}
    for at in np.flatnonzero(totals >= np.uint64(least)).tolist():
        first = int(starts[at])
        largest = first + int(columns.hits[first : int(ends[at])].argmax())
        ident = int(columns.ident[first])
        labels = columns.slices[int(columns.slice_no[largest])]
        rows[sort_key(int(totals[at]), texts.get(ident, str(ident)))] = _item(*labels[:3])
    return rows


def write_rows(table: Table, brand: str, window: Window, rows: Mapping[str, Item], *, expires_at_ms: int) -> int:
    """Make these the rows of a window, whatever was there; return how many writes it took.

    Killed anywhere and done again it ends the same. What differs is written asset by asset, so that a reader who comes
    in between finds few that are missing or there twice; on SQLite none.
    """
    place = partition(brand, window)
    before = {found.key.sort: found.item for found in everything(table, place)}
    actions: list[tuple[str, Put | Delete]] = [
        (sort, Put(Key(place, sort), item, expires_at_ms=expires_at_ms))
        for sort, item in rows.items()
        if before.get(sort) != item
    ]
    actions += [(sort, Delete(Key(place, sort))) for sort in before.keys() - rows.keys()]
    actions.sort(key=lambda one: (one[0].partition("#")[2], one[0]))
    with table.together():
        for start in range(0, len(actions), BATCH_ITEMS_MAX):
            table.write([action for _, action in actions[start : start + BATCH_ITEMS_MAX]])
    return len(actions)


def _item(section: str, resource_type: str, paid_type: str) -> Item:
    labels: dict[str, Value] = {"sectionId": _number_or_text(section)}
    labels |= {"resourceType": resource_type, "paidType": paid_type}
    # A label that was not sent is not there, as in the thesis; an empty text would be taken for one.
    return {name: value for name, value in labels.items() if value != ""}


def _number_or_text(section: str) -> int | str:
    is_number = section.isascii() and section.isdigit() and len(section) <= 18 and (section[0] != "0" or section == "0")
    return int(section) if is_number else section
