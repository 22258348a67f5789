"""Points that are pushed: each fits its metric or is refused by its row, and a push replaces what it says again."""

import base64
import json
import random
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapters.embedded.sqlite_table import SqliteTable
from footfall.metrics import keys, points
from footfall.metrics.calendar import day_from
from footfall.metrics.day_points import Row, bytes_from_points, keyed, points_from, points_from_bytes
from footfall.metrics.definition import ValueType, definition_from
from footfall.metrics.errors import NoSuchMetric, PushBroken, PushTooLarge
from footfall.metrics.pushed import PointRefused, points_from_body, rows_by_day
from footfall.ports.errors import Corrupt, Unavailable
from footfall.ports.table import Put, everything
from footfall.sketches.quantiles import sketch_from_values
from footfall.values.clock import SetClock
from footfall.values.errors import Refused
from tests.metrics.stage import BRAND, NOON_MS, Stage, Stopping, hybrid, scalar

DAY: dict[str, Any] = {"first": "2026-11-01", "to": "2026-11-02"}
WEIGHTED = {"name": "w", "valueType": "WEIGHTED_AVERAGE", "relatedDimensions": ["section"]}
PERCENTILE = {"name": "p", "valueType": "PERCENTILE", "aggregationStyle": "PERCENTILE", "aggregationParam": 50}


def staged() -> Stage:
    stage = Stage()
    stage.define(scalar("s", "section", "country"), WEIGHTED, PERCENTILE, hybrid("h", "s * 2"),
                 {**scalar("hits"), "source": {"counts": "hits"}})  # fmt: skip
    return stage


def point(value: float = 1.0, at: str = "2026-11-01", **dimensions: str) -> dict[str, Any]:
    return {"at": at, "dimensions": dimensions, "value": value}


def test_a_push_replaces_the_same_day_and_dimensions_and_nothing_else() -> None:
    stage = staged()
    stage.push("s", [point(1, section="a"), point(2, section="b"), point(4, at="2026-11-02")])
    stage.push("s", [point(10, section="b"), point(100, section="c")])
    assert stage.values("s", first="2026-11-01", to="2026-11-03") == [111.0, 4.0]


def test_a_push_that_comes_again_changes_nothing() -> None:
    stage = staged()
    rows = [point(1, section="a"), point(2, section="b")]
    assert stage.push("s", rows).changed_days == 1
    taken = stage.push("s", rows)
    assert (taken.points, taken.days, taken.changed_days, taken.revision) == (2, 1, 0, 1)
    assert stage.push("s", rows[:1]).revision == 1


@pytest.mark.parametrize(
    ("form", "body"),
    [
        ("json", b'[{"at":"2026-11-01","dimensions":{"section":"a"},"value":1.5},{"at":"2026-11-01","value":2}]'),
        ("ndjson", b'{"at":"2026-11-01","dimensions":{"section":"a"},"value":1.5}\n\n{"at":"2026-11-01","value":2}\n'),
        ("csv", b"\xef\xbb\xbfat,section,value\r\n2026-11-01,a,1.5\r\n2026-11-01,, 2 \r\n"),
        ("csv", b"value,dimensions.section,at\n1.5,a,2026-11-01\n2,,2026-11-01\n"),
    ],
)
def test_points_come_as_json_lines_and_csv(form: str, body: bytes) -> None:
    stage = staged()
    assert stage.data.push(BRAND, "s", body, form).points == 2
    assert stage.values("s", **DAY, by=["section"]) == [2.0, 1.5]


@pytest.mark.parametrize(
    ("name", "row", "field", "reason"),
    [
        ("s", point(planet="x"), "dimensions", "'planet' is not a dimension of the metric, which has country, section"),
        ("s", point(at="2026-11-17"), "at", "has not come; the last day that is taken is 2026-11-16"),
        ("s", point(at="2026-13-01"), "at", "is not a day"),
        ("s", {"at": "2026-11-01"}, "value", "is missing"),
        ("s", point(1e101), "value", "not a finite number"),
        ("s", {**point(), "weight": 1}, "weight", "is for WEIGHTED_AVERAGE"),
        ("s", {"at": "2026-11-01", "values": [1]}, "values", "is for PERCENTILE"),
        ("s", point(section="x" * 501), "dimensions", "501 bytes"),
        ("s", {"at": "2026-11-01", "value": "1"}, "value", "has to be a number, and is a text"),
        ("s", {"at": "2026-11-01", "value": 1, "colour": 2}, "colour", "is not a field here"),
        ("s", {"value": 1}, "at", "is missing"),
        ("s", 7, "body", "has to be an object, and is a whole number"),
        ("w", point(), "weight", "is missing"),
        ("w", {**point(), "weight": -1}, "weight", "is negative"),
        ("p", point(), "value", "is not for PERCENTILE"),
        ("p", {"at": "2026-11-01"}, "values", "either values or a sketch"),
        ("p", {"at": "2026-11-01", "values": []}, "values", "0 numbers"),
        ("p", {"at": "2026-11-01", "sketch": "?"}, "sketch", "is not a KLL sketch"),
        ("p", {"at": "2026-11-01", "sketch": base64.b64encode(b"x" * 30).decode()}, "sketch", "is not a KLL sketch"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_by_its_number_and_field(
    name: str, row: dict[str, Any], field: str, reason: str
) -> None:
    stage = staged()
    good = {"s": point(section="ok"), "w": {**point(), "weight": 1}, "p": {"at": "2026-10-01", "values": [1]}}[name]
    with pytest.raises(PointRefused, match=f"row 2: .*{reason}" if "(" not in reason else "row 2") as refused:
        stage.push(name, [good, row])
    assert (refused.value.row, refused.value.field) == (2, field)
    assert stage.points.mark(BRAND, name).revision == 0  # Nothing of the push was taken.


@pytest.mark.parametrize(
    ("form", "body", "said"),
    [
        ("json", b"{}", "it has to be a list of points"),
        ("json", b"[", "is not JSON"),
        ("json", b"\xff", "is not JSON"),
        ("ndjson", b'{"at":"2026-11-01","value":1}\n{', "row 2: is not JSON"),
        ("csv", b"", "needs a header"),
        ("csv", b"at,section\n", "needs a header"),
        ("csv", b"at,value,value\n", "names a column twice"),
        ("csv", b"at,value\n2026-11-01,one\n", "row 1: 'one' is not a number"),
        ("csv", b"at,value\n2026-11-01,nan\n", "row 1: nan is not a finite number"),
        ("csv", b"at,value\n2026-11-01,1\n2026-11-02\n", "row 2: has 1 cells, and the header 2"),
        ("csv", b'at,value\n"2026', "is not CSV"),
        ("csv", b"at,value\n\xff", "is not UTF-8"),
        ("csv", b"at,value,planet\n2026-11-01,1,x\n", "row 1: 'planet' is not a dimension"),
        ("xml", b"", "'xml' is not one of json, ndjson, csv"),
    ],
)
def test_what_cannot_be_read_is_refused(form: str, body: bytes, said: str) -> None:
    with pytest.raises(Refused, match=said):
        staged().data.push(BRAND, "s", body, form)


def test_a_row_that_comes_twice_in_a_push_is_refused() -> None:
    with pytest.raises(PointRefused, match="row 3: says the same day and dimensions as row 1"):
        staged().push("s", [point(section="a"), point(section="b"), point(7, section="a")])


def test_only_metrics_of_pushed_points_take_any() -> None:
    stage = staged()
    for name, said in (("h", "push points of s instead"), ("hits", "footfall's own counts of hits")):
        with pytest.raises(Refused, match=said):
            stage.push(name, [point()])
    with pytest.raises(NoSuchMetric):
        stage.push("nobody", [point()])


def test_percentiles_take_values_and_sketches() -> None:
    stage = staged()
    sketch = base64.b64encode(sketch_from_values(np.array([3.0, 4.0, 5.0]))).decode()
    stage.push("p", [{"at": "2026-11-01", "values": [1, 2]}, {"at": "2026-11-02", "sketch": sketch}])
    assert stage.values("p", first="2026-11-01", to="2026-11-03", grain="month") == [3.0]
    stage.data.push(BRAND, "p", b"at,values\n2026-11-01,9;8;7\n", "csv")
    assert stage.values("p", **DAY) == [8.0]


def pushed_as(stage: Stage, document: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Push points of a metric as it was once, before changes that would leave points behind were refused."""
    definition = definition_from(document)
    days = rows_by_day(points_from_body(json.dumps(rows).encode(), "json"), definition, last_day=1_000_000)
    newest = keys.version(BRAND, definition.name, keys.NEWEST)
    today = stage.table.get(newest)
    assert today is not None
    stage.table.transact([Put(newest, {**today, "hash": definition.hash})])
    stage.points.push(BRAND, definition, days)
    stage.table.transact([Put(newest, today)])


def test_points_stay_readable_when_dimensions_were_others() -> None:
    stage = Stage()
    stage.define(scalar("s", "section", "device"))
    rows = [point(1, section="a", country="fi"), point(2, section="a", country="se")]
    pushed_as(stage, scalar("s", "section", "country"), rows)
    assert stage.values("s", **DAY, by=["section"]) == [3.0]
    assert stage.values("s", **DAY, by=["device"]) == [3.0]
    # A point of the dimensions that there are now stands for all that differed only in one that is no more.
    stage.push("s", [point(10, section="a"), point(5, section="a", device="phone")])
    assert stage.values("s", **DAY) == [15.0]
    assert stage.values("s", **DAY, by=["device"]) == [10.0, 5.0]


def test_points_of_another_kind_are_left_out() -> None:
    stage = Stage()
    stage.define({**WEIGHTED, "name": "s"})
    pushed_as(stage, scalar("s"), [point(1), point(2, at="2026-11-02")])
    assert stage.values("s", first="2026-11-01", to="2026-11-03") == [None, None]
    stage.push("s", [{**point(5), "weight": 2}])
    assert stage.values("s", first="2026-11-01", to="2026-11-03") == [5.0, None]


def test_a_day_has_so_many_points_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "ROWS_OF_DAY_MAX", 3)
    stage = staged()
    stage.push("s", [point(section=str(n)) for n in range(3)])
    with pytest.raises(Refused, match="would have 4 points, a day of a metric has at most 3"):
        stage.push("s", [point(section="more")])
    stage.push("s", [point(7, section="1")])


def test_a_day_too_large_for_an_item_lies_in_pieces() -> None:
    stage = staged()
    stage.define({**PERCENTILE, "relatedDimensions": ["section"]})
    chance = random.Random(7)
    rows = [
        {"at": "2026-11-01", "dimensions": {"section": str(n)}, "values": [chance.random() for _ in range(400)]}
        for n in range(300)
    ]
    stage.push("p", rows)
    partition = keys.points(BRAND, "p")
    found = [one.key.sort for one in everything(stage.table, partition)]
    assert found[:2] == ["2026-11-01", "2026-11-01#01"]
    assert len(stage.values("p", **DAY, by=["section"])) == 300
    assert 0.4 < (stage.values("p", **DAY)[0] or 0) < 0.6
    # Fewer points take fewer pieces, and none stays behind.
    stage.points.forget(BRAND, "p")
    stage.push("p", rows[:1])
    assert [one.key.sort for one in everything(stage.table, partition)] == ["2026-11-01", "head"]


def test_points_too_large_for_a_day_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "PIECE_BYTES_MAX", 20)
    with pytest.raises(Refused, match="a day of a metric has at most 160"):
        staged().push("s", [point(random.Random(n).random(), section=str(n)) for n in range(100)])


def test_many_days_are_written_over_several_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "DAY_ACTIONS_MAX", 4)
    stage = staged()
    taken = stage.push("s", [point(n, at=f"2026-10-{n:02d}") for n in range(1, 31)])
    assert (taken.days, taken.changed_days, taken.revision) == (30, 30, 8)
    assert stage.values("s", first="2026-10-01", to="2026-10-31", grain="year") == [sum(range(1, 31))]


def test_days_are_forgotten_and_the_revision_goes_on() -> None:
    stage = staged()
    stage.push("s", [point(n, at=f"2026-10-{n:02d}") for n in range(1, 31)])
    first, end = (day_from(text, field="at") for text in ("2026-10-02", "2026-10-04"))
    assert stage.points.forget(BRAND, "s", first=first, end=end) == 2
    assert stage.values("s", first="2026-10-01", to="2026-10-05") == [1.0, None, None, 4.0]
    assert stage.data.forget_points(BRAND, "s") == 28
    assert stage.values("s", first="2026-10-01", to="2026-10-05") == [None] * 4
    assert stage.points.mark(BRAND, "s").revision == 3


def test_a_push_for_a_metric_that_is_removed_meanwhile_is_refused() -> None:
    stage = staged()
    definition = stage.catalogue.newest(BRAND, "w").definition
    stage.catalogue.delete(BRAND, "w")
    with pytest.raises(Refused, match="was removed meanwhile"):
        stage.points.push(BRAND, definition, {day_from("2026-11-01", field="at"): {("",): Row(1.0, 1.0)}})


def test_pushers_at_once_lose_no_row(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    stage = Stage(table=SqliteTable(path, clock=SetClock(NOON_MS), durable=False))
    stage.define(scalar("s", "section"))
    barrier, failed = Barrier(4), list[BaseException]()

    def work(number: int) -> None:
        try:
            table = SqliteTable(path, clock=SetClock(NOON_MS), durable=False)
            mine = Stage(table=table)
            barrier.wait()
            for at in range(8):
                mine.push(
                    "s", [point(1, section=f"{number}-{at}"), point(1, at="2026-11-02", section=f"{number}-{at}")]
                )
            table.close()
        except BaseException as error:  # noqa: BLE001 - the test looks at what happened
            failed.append(error)

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert stage.values("s", first="2026-11-01", to="2026-11-03") == [32.0, 32.0]
    assert stage.points.mark(BRAND, "s").revision == 32


KEYS = st.tuples(st.sampled_from(["", "a", "b", "ä"]), st.text(max_size=5))
ROWS = st.dictionaries(KEYS, st.builds(Row, st.floats(-1e9, 1e9), st.floats(0, 10)), min_size=1, max_size=300)


@given(ROWS, st.sampled_from([ValueType.SCALAR, ValueType.WEIGHTED_AVERAGE]))
def test_points_come_back_from_their_bytes(rows: dict[tuple[str, ...], Row], kind: ValueType) -> None:
    found = points_from_bytes(bytes_from_points(points_from(kind, ("one", "two"), rows)))
    told = {key: row if kind is ValueType.WEIGHTED_AVERAGE else Row(row.value) for key, row in rows.items()}
    assert keyed(found, ("one", "two")) == told
    shuffled = dict(reversed(rows.items()))
    assert bytes_from_points(points_from(kind, ("one", "two"), shuffled)) == bytes_from_points(found)


@given(st.data())
def test_damaged_bytes_are_never_read_as_points(data: st.DataObject) -> None:
    whole = bytearray(bytes_from_points(points_from(ValueType.SCALAR, ("one",), {("a",): Row(1.0)})))
    at, value = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(1, 255))
    whole[at] ^= value
    with pytest.raises(Corrupt):
        points_from_bytes(bytes(whole))
    with pytest.raises(Corrupt):
        points_from_bytes(bytes(whole[:at]))


@given(st.binary(max_size=200), st.sampled_from(["json", "ndjson", "csv"]))
def test_any_bytes_are_points_or_refused(body: bytes, form: str) -> None:
    try:
        staged().data.push(BRAND, "s", body, form)
    except Refused:
        return


def test_a_large_push_is_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footfall.metrics.pushed.POINTS_MAX", 2)
    with pytest.raises(Refused, match="has more than 2 points"):
        staged().data.push(BRAND, "s", json.dumps([point(section=str(n)) for n in range(3)]).encode(), "json")


def rows_of_october(value: float) -> list[dict[str, Any]]:
    return [point(value, at=f"2026-10-{n:02d}", section="x") for n in range(1, 31)]


@pytest.mark.parametrize("form", ["json", "ndjson", "csv"])
def test_too_many_points_or_days_are_refused_in_every_form(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = {
        "json": json.dumps(rows_of_october(1)).encode(),
        "ndjson": b"\n".join(json.dumps(one).encode() for one in rows_of_october(1)),
        "csv": b"at,value\n" + b"".join(f"2026-10-{n:02d},1\n".encode() for n in range(1, 31)),
    }
    stage = staged()
    monkeypatch.setattr("footfall.metrics.pushed.POINTS_MAX", 29)
    with pytest.raises(PushTooLarge, match="more than 29 points, which are taken at once: send parts"):
        stage.data.push(BRAND, "s", bodies[form], form)
    monkeypatch.setattr("footfall.metrics.pushed.POINTS_MAX", 30)
    monkeypatch.setattr(points, "DAYS_MAX", 29)
    with pytest.raises(PushTooLarge, match="30 days, at most 29 are taken at once: send parts"):
        stage.data.push(BRAND, "s", bodies[form], form)
    assert stage.points.mark(BRAND, "s").revision == 0
    monkeypatch.setattr(points, "DAYS_MAX", 30)
    assert stage.data.push(BRAND, "s", bodies[form], form).changed_days == 30


def test_a_push_that_is_stopped_between_transactions_says_how_far_it_came_and_is_finished_by_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(points, "DAY_ACTIONS_MAX", 4)
    table = Stopping(":memory:", clock=SetClock(NOON_MS))
    stage = Stage(table=table)
    stage.define(scalar("s", "section"))
    table.left = 3
    with pytest.raises(PushBroken, match="first 12 of 30 days for 's', up to 2026-10-12, were taken") as broken:
        stage.push("s", rows_of_october(2))
    assert broken.value.more == {"daysTaken": 12, "days": 30, "takenUntil": "2026-10-12"}
    table.left = 1_000
    october = {"first": "2026-10-01", "to": "2026-10-31"}
    assert stage.values("s", **october) == [2.0] * 12 + [None] * 18
    taken = stage.push("s", rows_of_october(2))
    assert (taken.days, taken.changed_days) == (30, 18)
    assert stage.values("s", **october) == [2.0] * 30
    assert stage.push("s", rows_of_october(2)).changed_days == 0
    # Stopped before the first, nothing was written, and it is told as what it is.
    table.left = 0
    with pytest.raises(Unavailable):
        stage.push("s", rows_of_october(3))
    table.left = 1_000
    assert stage.values("s", **october) == [2.0] * 30


def test_a_day_that_is_too_large_is_refused_before_any_other_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "DAY_ACTIONS_MAX", 4)
    monkeypatch.setattr(points, "ROWS_OF_DAY_MAX", 3)
    stage = staged()
    last = [point(1, at="2026-10-30", section=str(n)) for n in range(3)]
    stage.push("s", last)
    revision = stage.points.mark(BRAND, "s").revision
    with pytest.raises(Refused, match="2026-10-30 would have 4 points"):
        stage.push("s", rows_of_october(2))
    assert stage.points.mark(BRAND, "s").revision == revision


def test_many_values_that_are_pushed_again_in_another_order_change_nothing() -> None:
    stage = staged()
    values = np.random.default_rng(3).normal(size=5_000).tolist()
    assert stage.push("p", [{"at": "2026-11-01", "values": values}]).changed_days == 1
    assert stage.push("p", [{"at": "2026-11-01", "values": values[::-1]}]).changed_days == 0


@pytest.mark.parametrize(("header", "told"), [("at;value", "';'"), ("at\tvalue", "tabs"), ("at|value", r"'\|'")])
def test_a_table_with_another_separator_is_refused_by_its_name(header: str, told: str) -> None:
    with pytest.raises(Refused, match=f"parts its columns with {told}"):
        staged().data.push(BRAND, "s", f"{header}\n".encode(), "csv")


def test_the_field_of_a_point_is_named_as_its_sender_does() -> None:
    with pytest.raises(PointRefused, match="row 1: has to be a text, and is a whole number") as refused:
        staged().push("s", [{"at": "2026-11-01", "value": 1, "dimensions": {"section": 7}}])
    assert refused.value.field == "dimensions"
