"""Ways in which a table can be wrong: each plants one fault in a table that was sound."""

import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from footfall.metrics import keys as metric_keys
from footfall.migrate import keys
from footfall.migrate.moved import Moved, item_of
from footfall.ports.relational import Side
from footfall.ports.table import Delete, Key, Put, Table

Corruption = Callable[[Table], None]
READS_2 = metric_keys.version("abc", "reads", 2)
READS_NEWEST = metric_keys.version("abc", "reads", 0)
RATE_NEWEST = metric_keys.version("abc", "rate", 0)
RATE_2 = metric_keys.version("abc", "rate", 2)
OLD_1 = metric_keys.version("abc", "Aufrufe früher", 1)
P95_1 = metric_keys.version("abc", "p95", 1)
CHAINED_2 = metric_keys.version("abc", "chained", 2)
ROW = metric_keys.row("abc", "reads")
MOVE = keys.moved("metric", "1")
HEAD = metric_keys.head("abc")


def changed(key: Key, change: Callable[[dict[str, Any]], Mapping[str, Any] | None]) -> Corruption:
    def plant(table: Table) -> None:
        item = table.get(key)
        assert item is not None, key
        made = change(dict(item))
        assert made is None or made != item or repr(made) != repr(item), "it has to be another"
        if made is None:
            table.delete(Delete(key))
        else:
            table.put(Put(key, made))

    return plant


def with_value(key: Key, name: str, value: Any) -> Corruption:
    def change(item: dict[str, Any]) -> dict[str, Any]:
        assert name in item, (key, name)
        return {**item, name: value(item[name]) if callable(value) else value}

    return changed(key, change)


def without(key: Key, name: str) -> Corruption:
    def change(item: dict[str, Any]) -> dict[str, Any]:
        assert name in item, (key, name)
        return {one: value for one, value in item.items() if one != name}

    return changed(key, change)


def extra(key: Key, **item: Any) -> Corruption:
    def plant(table: Table) -> None:
        assert table.get(key) is None
        table.put(Put(key, item))

    return plant


def dropped(key: Key) -> Corruption:
    return changed(key, lambda _: None)


def swapped(one: Key, other: Key) -> Corruption:
    def plant(table: Table) -> None:
        first, second = table.get(one), table.get(other)
        assert first is not None
        assert second is not None
        table.put(Put(one, second))
        table.put(Put(other, first))

    return plant


def copied(one: Key, to: Key) -> Corruption:
    def plant(table: Table) -> None:
        item = table.get(one)
        assert item is not None
        table.put(Put(to, item))

    return plant


def all_dropped(name: str) -> Corruption:
    def plant(table: Table) -> None:
        for found in table.query(metric_keys.versions("abc", name)).items:
            table.delete(Delete(found.key))

    return plant


def revived_move_item(table: Table) -> None:
    table.put(Put(keys.moved("metric", "8"), item_of(Moved(99, Side.OLD, 0, None, (ROW,)))))


def revived_metric(table: Table) -> None:
    for found in table.query(metric_keys.versions("abc", "users")).items:
        table.put(Put(Key(metric_keys.versions("abc", "gone"), found.key.sort), found.item))


def hash_of(table: Table, key: Key) -> Key:
    item = table.get(key)
    assert item is not None
    return metric_keys.by_hash("abc", str(item["name"]), str(item["hash"]))


def on_hash(change: Callable[[Key], Corruption]) -> Corruption:
    return lambda table: change(hash_of(table, READS_2))(table)


def truncated_keys(names: list[str]) -> list[str]:
    return names[:-1]


FIELDS: dict[str, tuple[Key, str, Any]] = {
    "a name in other letters": (READS_2, "name", "Reads"),
    "another type": (READS_2, "valueType", "WEIGHTED_AVERAGE"),
    "another style": (P95_1, "aggregationStyle", "SUM"),
    "another percentile": (P95_1, "aggregationParam", 95.6),
    "a percentile as text": (P95_1, "aggregationParam", "95.5"),
    "another unit": (READS_2, "unit", "hits"),
    "another formula": (RATE_2, "hybridFormula", "reads / users * 3"),
    "a formula with other spaces": (RATE_2, "hybridFormula", "reads/users*2"),
    "another chained metric": (CHAINED_2, "chainedMetric", "reads"),
    "a cutoff a day later": (CHAINED_2, "chainCutoffDate", "2020-02-02"),
    "a moment a millisecond later": (READS_2, "updatedAt", lambda at: at + 1),
    "a moment in seconds": (READS_2, "updatedAt", lambda at: at // 1_000),
    "a moment an hour off": (READS_2, "createdAt", lambda at: at + 3_600_000),
    "a moment as text": (READS_2, "createdAt", str),
    "another editor": (READS_2, "updatedBy", "editor 3"),
    "an editor with a space behind": (READS_2, "updatedBy", lambda by: f"{by} "),
    "another creator": (READS_2, "createdBy", "Ann"),
    "a creator who is null": (READS_2, "createdBy", None),
    "a creator who is empty": (READS_2, "createdBy", ""),
    "a version off by one": (READS_2, "version", 3),
    "a version as text": (READS_2, "version", "2"),
    "a version that is true": (metric_keys.version("abc", "reads", 1), "version", True),
    "another hash": (READS_2, "hash", lambda text: text[::-1]),
    "a hash in capitals": (READS_2, "hash", lambda text: text.upper()),
    "a dimension fewer": (READS_2, "relatedDimensions", frozenset({"section"})),
    "a dimension more": (READS_2, "relatedDimensions", frozenset({"section", "country", "city"})),
    "dimensions as a list": (READS_2, "relatedDimensions", ["country", "section"]),
    "another consumed metric": (RATE_2, "consumedMetrics", frozenset({"reads", "people"})),
    "a deprecation at another moment": (OLD_1, "deprecatedAt", lambda at: at - 1),
    "a deprecation by another": (OLD_1, "deprecatedBy", "rob"),
    "a reason that is cut short": (OLD_1, "deprecatedReason", "nobody asks"),
    "a name in another form of Unicode": (OLD_1, "name", lambda name: unicodedata.normalize("NFD", name)),
    "a newest version that is not the newest": (READS_NEWEST, "version", 2),
    "a latest version off by one": (READS_NEWEST, "latestVersion", 2),
    "a newest version that says another editor": (READS_NEWEST, "updatedBy", "editor 2"),
    "a line of another version": (ROW, "version", 2),
    "a line of another hash": (ROW, "hash", "0" * 32),
    "a line that is deprecated": (ROW, "isDeprecated", True),
    "a line that is 0 and not false": (ROW, "isDeprecated", 0),
    "a line that needs another": (metric_keys.row("abc", "rate"), "needs", frozenset({"reads"})),
    "a line of another unit": (ROW, "unit", "hits"),
    "a line with other dimensions": (ROW, "dimensions", frozenset({"country"})),
    "a line with null for a title": (ROW, "title", None),
    "a fence that is lower": (MOVE, "fence", lambda fence: fence - 1),
    "a fence that is higher": (MOVE, "fence", lambda fence: fence + 1),
    "a digest of other rows": (MOVE, "digest", "0" * 64),
    "a document with another byte": (MOVE, "document", lambda content: content.replace(b"editor 1", b"editor 9")),
    "a document that is cut short": (MOVE, "document", lambda content: content[:-20]),
    "a side that is new": (MOVE, "side", "new"),
    "another epoch": (MOVE, "epoch", 1),
    "a key fewer": (MOVE, "keys", truncated_keys),
    "keys that are none": (MOVE, "keys", []),
    "a head that counts one metric more": (HEAD, "metrics", lambda count: count + 1),
    "a head that counts one metric fewer": (HEAD, "metrics", lambda count: count - 1),
    "a head that counts in text": (HEAD, "metrics", str),
}  # fmt: skip

CORRUPTIONS: dict[str, Corruption] = {
    **{name: with_value(*field) for name, field in FIELDS.items()},
    "no editor": without(READS_2, "updatedBy"),
    "no dimensions": without(READS_2, "relatedDimensions"),
    "no formula": without(RATE_2, "hybridFormula"),
    "no deprecation": without(OLD_1, "deprecatedAt"),
    "no latest version": without(READS_NEWEST, "latestVersion"),
    "no document": without(MOVE, "document"),
    "no count of metrics": without(HEAD, "metrics"),
    "a head that is dropped": dropped(HEAD),
    "null where nothing should be": changed(READS_2, lambda item: {**item, "reason": None}),
    "an attribute more": changed(READS_2, lambda item: {**item, "colour": "red"}),
    "a reason to be set aside": changed(MOVE, lambda item: {**item, "refused": "no reason"}),
    "a version that is dropped": dropped(READS_2),
    "a newest version that is dropped": dropped(READS_NEWEST),
    "a line that is dropped": dropped(ROW),
    "a hash that is dropped": on_hash(dropped),
    "a hash of another version": on_hash(lambda key: with_value(key, "version", 1)),
    "an edge that is dropped": dropped(metric_keys.user("abc", "reads", "rate")),
    "a move item that is dropped": dropped(MOVE),
    "all versions that are dropped": all_dropped("users"),
    "a version more": extra(metric_keys.version("abc", "reads", 4), name="reads"),
    "a version twice": copied(READS_2, metric_keys.version("abc", "reads", 7)),
    "two versions swapped": swapped(READS_2, metric_keys.version("abc", "reads", 1)),
    "the newest of another metric": copied(RATE_NEWEST, READS_NEWEST),
    "an older version as the newest": copied(READS_2, READS_NEWEST),
    "a hash more": extra(metric_keys.by_hash("abc", "reads", "f" * 32), version=1),
    "an edge more": extra(metric_keys.user("abc", "users", "reads")),
    "an edge to a metric that nobody needs": extra(metric_keys.user("abc", "twice", "reads")),
    "a line of a metric that is not there": extra(metric_keys.row("abc", "ghost"), version=1),
    "a line of a metric that is gone": extra(metric_keys.row("abc", "gone"), version=1),
    "a version of a metric that is gone": extra(metric_keys.version("abc", "gone", 1), name="gone"),
    "a metric that was revived": revived_metric,
    "a move item of a metric that is gone": revived_move_item,
    "a tombstone that is dropped": dropped(keys.moved("metric", "8")),
    "two lines swapped": swapped(ROW, metric_keys.row("abc", "users")),
    "two move items swapped": swapped(MOVE, keys.moved("metric", "2")),
    "a metric under a name with a space": extra(metric_keys.row("abc", "reads "), version=1),
}
