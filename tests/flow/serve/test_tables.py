"""Answers as tables: what spreadsheets open is never a formula, and what was in the answer is in the table."""

import csv
import io
import json
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.flow.serve.answer import answer_from
from footfall.flow.serve.tables import csv_lines, formatted, json_lines, safe_cell

values = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.sampled_from(["=1+1", "+1", "-1", "@x", "\t=1", "\uff1d1"])
)
rows = st.lists(st.fixed_dictionaries({"assetId": values, "title": values, "hits": st.integers(0)}), max_size=20)


@given(st.text())
def test_no_text_becomes_a_cell_that_a_spreadsheet_calculates(text: str) -> None:
    cell = safe_cell(text)
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"))
    assert cell.removeprefix("'") == text or cell == text


@pytest.mark.parametrize("value", [0, -5, 2.5, -0.25])
def test_a_number_stays_a_number(value: float) -> None:
    assert safe_cell(value) == repr(value)


@pytest.mark.parametrize("text", ["-2.50", "0.00", "-0.0001", "1000000000000000"])
def test_an_amount_of_money_stays_a_number_with_all_its_digits(text: str) -> None:
    assert safe_cell(Decimal(text)) == text


@given(rows)
def test_a_csv_has_a_head_and_a_line_for_every_row_whatever_is_in_it(some: list[dict[str, object]]) -> None:
    text = b"".join(csv_lines(["assetId", "title", "hits"], some)).decode()
    head, *found = list(csv.reader(io.StringIO(text, newline="")))
    assert head == ["assetId", "title", "hits"]
    assert found == [[safe_cell(row[name]) for name in head] for row in some]


@given(rows)
def test_ndjson_has_an_object_a_line(some: list[dict[str, object]]) -> None:
    lines = b"".join(json_lines(some)).splitlines()
    assert [json.loads(line) for line in lines] == some


COLUMNS = ("rank", "assetId", "hits", "title")


def test_a_list_is_a_table_of_its_entries_with_the_columns_of_its_kind() -> None:
    items = [{"rank": 1, "assetId": "=cmd()"}, {"rank": 2, "assetId": "2", "title": "Two"}]
    body = msgspec.json.encode({"brand": "abc", "items": items})
    answer = answer_from(body, max_age_s=30, exact=True, columns=COLUMNS)
    table = formatted(answer, "csv")
    assert table.body.decode() == "rank,assetId,hits,title\r\n1,'=cmd(),,\r\n2,2,,Two\r\n"
    assert table.etag != answer.etag
    assert formatted(answer, "json") is answer
    assert [json.loads(line) for line in formatted(answer, "ndjson").body.splitlines()] == items


def test_a_table_of_nothing_has_the_same_head() -> None:
    answer = answer_from(b'{"brand":"abc","items":[]}', max_age_s=30, exact=True, columns=COLUMNS)
    assert formatted(answer, "csv").body == b"rank,assetId,hits,title\r\n"
    assert formatted(answer, "ndjson").body == b""
