"""Rows that entities share as parts: gated for each of them, and written back as one entity changed them."""

import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import pytest

from footfall.adapters.relational.sessions import Busy
from footfall.ports.relational import EPOCH_STEP, Document, Outline, Relational, Route, Side, Snapshot
from tests.contract.old_schemas import OLD, Source, run
from tests.contract.relational_asking import clock, leave, refused, seen

PAIRS = "dimensions_metric_groups (dimension_id, metric_group_id)"


@pytest.fixture
def relational(grouped: Source) -> Relational:
    """Two metrics of one group, which has one dimension, and a metric of another group; prepared."""
    grouped.run("INSERT INTO metric_groups (id, name) VALUES (1, 'a'), (2, 'b')")
    grouped.run("INSERT INTO dimensions (id, name) VALUES (6, 'page'), (7, 'country'), (8, 'device'), (9, 'hour')")
    grouped.run(f"INSERT INTO {PAIRS} VALUES (7, 1), (7, 2)")
    for number, group in ((1, 1), (2, 1), (3, 2)):
        grouped.add_metric(number, group=group)
    opened = grouped.opened()
    opened.prepare(OLD)
    return opened


def dimensions(relational: Relational, key: str) -> list[object]:
    return [row["dimension_id"] for row in document(relational, key).parts["dimensions"]]


def document(relational: Relational, key: str) -> Document:
    (found,) = seen(relational, OLD, key)
    assert found.document is not None
    return found.document


def with_dimensions(before: Document, *numbers: int, group: int = 1) -> Document:
    rows: list[Mapping[str, int]] = [{"dimension_id": number, "metric_group_id": group} for number in numbers]
    return replace(before, parts={**before.parts, "dimensions": rows})


def test_a_row_of_one_who_was_left_takes_no_write(grouped: Source, relational: Relational) -> None:
    assert leave(relational, OLD, "2") is not None
    for sql in (
        f"INSERT INTO {PAIRS} VALUES (8, 1)",
        "DELETE FROM dimensions_metric_groups WHERE metric_group_id = 1",
        "UPDATE dimensions_metric_groups SET dimension_id = 8 WHERE metric_group_id = 1",
        "UPDATE dimensions_metric_groups SET metric_group_id = 2, dimension_id = 8 WHERE metric_group_id = 1",
        "UPDATE dimensions_metric_groups SET metric_group_id = 1, dimension_id = 8 WHERE metric_group_id = 2",
    ):
        with refused():
            grouped.run(sql)
    grouped.run(f"INSERT INTO {PAIRS} VALUES (8, 2)")
    grouped.run("UPDATE dimensions SET name = 'land' WHERE id = 7")
    assert (dimensions(relational, "1"), dimensions(relational, "3")) == ([7], [7, 8])


def test_none_of_those_is_left_whose_shared_row_somebody_writes(grouped: Source, relational: Relational) -> None:
    writer = grouped.connected()
    run(writer, f"INSERT INTO {PAIRS} VALUES (8, 1)")
    assert [leave(relational, OLD, key) is None for key in ("1", "2", "3")] == [True, True, False]
    with pytest.raises(Busy):
        relational.enter(OLD, "1", Route(Side.DOUBT, 1), expects=Route(Side.OLD, 0))
    writer.commit()
    writer.close()
    assert relational.leave(OLD, ["1"], fences={"1": 0}) == {}
    assert leave(relational, OLD, "1") == Route(Side.DOUBT, 1, 1)


def test_a_shared_row_that_comes_between_look_and_lock_is_not_left_behind(
    grouped: Source, relational: Relational, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = relational.snapshot

    @contextmanager
    def looked(outline: Outline) -> Generator[Snapshot]:
        with look(outline) as snapshot:
            yield snapshot
        grouped.run(f"INSERT INTO {PAIRS} VALUES (8, 1)")

    with monkeypatch.context() as patched:
        patched.setattr(relational, "snapshot", looked)
        assert relational.leave(OLD, ["1", "3"], fences={"1": 0, "3": 0}) == {"3": Route(Side.DOUBT, 1, 0)}
    assert clock(relational, OLD, "1") == 1
    assert dimensions(relational, "1") == [7, 8]


def test_writers_of_shared_rows_do_not_wait_for_each_other_or_for_new_entities(
    grouped: Source, relational: Relational
) -> None:
    first, second = grouped.connected(), grouped.connected()
    run(first, f"INSERT INTO {PAIRS} VALUES (8, 1)")
    run(second, f"INSERT INTO {PAIRS} VALUES (9, 1)")
    ended = threading.Event()

    def others() -> None:
        grouped.add_metric(4, group=1)
        grouped.add_version(1, 2)
        grouped.run("UPDATE metrics SET metric_group_id = 1 WHERE id = 3")
        ended.set()

    thread = threading.Thread(target=others)
    thread.start()
    assert ended.wait(20)
    thread.join()
    first.commit()
    second.commit()
    first.close()
    second.close()
    assert dimensions(relational, "4") == [7, 8, 9]


def test_what_others_gave_back_of_shared_rows_stays(relational: Relational) -> None:
    before = {key: document(relational, key) for key in ("1", "2")}
    for key in before:
        assert leave(relational, OLD, key) is not None
    fence = EPOCH_STEP + 1
    assert relational.write_back(OLD, "1", with_dimensions(before["1"], 7, 8), epoch=1, fence=fence)
    unaware = replace(before["2"], root={**before["2"].root, "created_by": "zoe"})
    assert relational.write_back(OLD, "2", unaware, epoch=1, fence=fence)
    assert dimensions(relational, "1") == [7, 8]
    assert document(relational, "2").root["created_by"] == "zoe"
    assert relational.write_back(OLD, "2", with_dimensions(unaware, 6), epoch=1, fence=fence + 1)
    assert dimensions(relational, "1") == [6, 8]
    # What the first has not changed since, such as the one that went, is not made again.
    assert relational.write_back(OLD, "1", with_dimensions(before["1"], 7, 8), epoch=1, fence=fence + 1)
    assert dimensions(relational, "1") == [6, 8]
    assert relational.write_back(OLD, "1", with_dimensions(before["1"], 7), epoch=1, fence=fence + 2)
    assert dimensions(relational, "1") == [6]


def test_who_goes_to_another_group_leaves_the_rows_of_the_first(relational: Relational) -> None:
    before = document(relational, "1")
    assert leave(relational, OLD, "1") is not None
    moved = with_dimensions(replace(before, root={**before.root, "metric_group_id": 2}), 7, 9, group=2)
    assert relational.write_back(OLD, "1", moved, epoch=1, fence=EPOCH_STEP + 1)
    assert [dimensions(relational, key) for key in ("1", "2", "3")] == [[7, 9], [7], [7, 9]]
    assert relational.write_back(OLD, "1", None, epoch=1, fence=EPOCH_STEP + 2)
    assert dimensions(relational, "3") == [7, 9]


def test_who_comes_back_is_noted_and_its_clock_stands(relational: Relational) -> None:
    doubt = leave(relational, OLD, "1")
    assert doubt is not None
    new = replace(doubt, side=Side.NEW)
    assert relational.enter(OLD, "1", new, expects=doubt)
    assert relational.waiting(OLD, limit=9) == []
    assert relational.enter(OLD, "1", Route(Side.OLD, 2), expects=new)
    assert [(one.key, one.table) for one in relational.waiting(OLD, limit=9)] == [("1", None)]
    assert clock(relational, OLD, "1") == 0
    assert not relational.enter(OLD, "1", Route(Side.OLD, 2), expects=new)
    assert len(relational.waiting(OLD, limit=9)) == 1
