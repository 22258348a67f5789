"""Every intrinsic function: what it gives, and what it refuses."""

from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.states.failing import StateFailed
from footfall.states.intrinsic_grammar import call_from_text
from footfall.states.intrinsics import FUNCTIONS, result_of
from footfall.states.scanning import Unreadable

DATA: Any = {
    "name": "Ann", "n": 3, "f": 2.5, "list": [1, 2, 3, 3, "a", {"b": 1}, {"b": 1}, True, 1.0],
    "map": {"a": 1, "b": {"c": 2}},
    "other": {"b": {"d": 3}}, "json": '{"x":[1,null]}', "null": None, "nine": list(range(1, 10)), "long": "x" * 10_001,
}  # fmt: skip
CONTEXT: Any = {"Execution": {"Name": "run"}}


def result(text: str) -> Any:
    return result_of(text, DATA, CONTEXT, Random(1))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("States.Format('Hello {}', $.name)", "Hello Ann"),
        ("States.Format('{} {} {} {}', $.n, $.f, true, null)", "3 2.5 true null"),
        ("States.Format('{}/{}', $$.Execution.Name, 'x')", "run/x"),
        (r"States.Format('\{\} {} \'q\' \\', 1)", "{} 1 'q' \\"),
        ("States.Format('none')", "none"),
        ("States.StringToJson($.json)", {"x": [1, None]}),
        ("States.JsonToString($.map)", '{"a":1,"b":{"c":2}}'),
        ("States.Array()", []),
        ("States.Array(1, 'a', null, $.n, States.Array(2))", [1, "a", None, 3, [2]]),
        ("States.ArrayPartition($.nine, 4)", [[1, 2, 3, 4], [5, 6, 7, 8], [9]]),
        ("States.ArrayContains($.nine, 5)", True),
        ("States.ArrayContains($.nine, '5')", False),
        ("States.ArrayContains($.list, $.list[5])", True),
        ("States.ArrayRange(1, 9, 2)", [1, 3, 5, 7, 9]),
        ("States.ArrayRange(5, 1, -2)", [5, 3, 1]),
        ("States.ArrayRange(0, 999, 1)", list(range(1_000))),
        ("States.ArrayGetItem($.nine, 5)", 6),
        ("States.ArrayLength($.nine)", 9),
        ("States.ArrayUnique($.list)", [1, 2, 3, "a", {"b": 1}, True]),
        ("States.Base64Encode('Data to encode')", "RGF0YSB0byBlbmNvZGU="),
        ("States.Base64Decode('RGF0YSB0byBlbmNvZGU=')", "Data to encode"),
        ("States.Hash('input data', 'SHA-1')", "aaff4a450a104cd177d28d18d74485e8cae074b7"),
        ("States.Hash('abc', 'MD5')", "900150983cd24fb0d6963f7d28e17f72"),
        ("States.Hash('abc', 'SHA-256')", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("States.JsonMerge($.map, $.other, false)", {"a": 1, "b": {"d": 3}}),
        ("States.MathAdd($.n, -1)", 2),
        ("States.MathAdd(2.5, 1.4)", 4),
        ("States.StringSplit('1,2,3', ',')", ["1", "2", "3"]),
        ("States.StringSplit('This.is+a,test=string', '.+,=')", ["This", "is", "a", "test", "string"]),
        ("States.ArrayLength(States.StringSplit(States.Format('{}-{}', 1, 2), '-'))", 2),
    ],
)
def test_a_function_gives(text: str, value: Any) -> None:
    assert result(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "States.Format('{} {}', 1)",
        "States.Format('{}', 1, 2)",
        "States.Format('{}', $.map)",
        "States.Format($.n)",
        "States.StringToJson('{')",
        "States.StringToJson($.n)",
        "States.ArrayPartition($.nine, 0)",
        "States.ArrayPartition($.name, 1)",
        "States.ArrayContains($.name, 'A')",
        "States.ArrayRange(1, 2, 0)",
        "States.ArrayRange(0, 1000, 1)",
        "States.ArrayRange(1, 2)",
        "States.ArrayGetItem($.nine, 9)",
        "States.ArrayGetItem($.nine, -1)",
        "States.ArrayLength($.map)",
        "States.Base64Encode($.long)",
        "States.Base64Decode('*')",
        "States.Base64Decode('/w==')",
        "States.Hash($.long, 'MD5')",
        "States.Hash('a', 'CRC')",
        "States.JsonMerge($.map, $.other, true)",
        "States.JsonMerge($.map, 1, false)",
        "States.MathAdd('1', 2)",
        "States.MathAdd(2147483648, 2147483648)",
        "States.MathRandom(3, 3)",
        "States.StringSplit($.nine, ',')",
        "States.UUID(1)",
        "States.Nothing(1)",
        "States.Array($.missing)",
        "States.MathAdd(1)",
    ],
)
def test_a_function_refuses(text: str) -> None:
    with pytest.raises(StateFailed) as failed:
        result(text)
    assert failed.value.error == "States.IntrinsicFailure"


@pytest.mark.parametrize(
    "text",
    ["States.Format", "States.Format(", "States.Format('a", "States.Array(1 2)", "States.Array(1,)", "States.UUID() x",
     "States.Array(x)"]
)  # fmt: skip
def test_what_is_no_call_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        call_from_text(text)


def test_functions_stand_ten_deep_and_not_deeper() -> None:
    assert result("States.Array(" * 10 + ")" * 10) == [[[[[[[[[[]]]]]]]]]]
    with pytest.raises(Unreadable):
        result("States.Array(" * 11 + ")" * 11)


def test_chance_is_an_argument() -> None:
    one, other = result("States.Array(States.UUID(), States.UUID())")
    assert one != other
    assert UUID(one).version == 4
    assert result("States.UUID()") == one
    assert all(0 <= result_of("States.MathRandom(0, 3)", DATA, CONTEXT, Random(n)) < 3 for n in range(50))
    assert result("States.MathRandom(1, 999, 5)") == result_of("States.MathRandom(1, 999, 5)", {}, {}, Random(2))


@given(st.lists(st.integers(), max_size=30), st.integers(1, 10))
def test_a_partition_is_the_array_in_pieces(array: list[int], size: int) -> None:
    pieces: Any = result_of("States.ArrayPartition($.a, $.n)", {"a": array, "n": size}, None, Random(1))
    assert [one for piece in pieces for one in piece] == array
    assert all(len(piece) == size for piece in pieces[:-1])


@given(st.text(max_size=200))
def test_base64_comes_back(text: str) -> None:
    assert result_of("States.Base64Decode(States.Base64Encode($))", text, None, Random(1)) == text


@given(st.text("States.(){}$'\\, 1aArray", max_size=30))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        call = call_from_text(text)
    except Unreadable:
        return
    assert call.name is not None


def test_every_published_function_is_there() -> None:
    names = (
        "Format StringToJson JsonToString Array ArrayPartition ArrayContains ArrayRange ArrayGetItem ArrayLength"
        " ArrayUnique Base64Encode Base64Decode Hash JsonMerge MathRandom MathAdd StringSplit UUID"
    )
    assert set(FUNCTIONS) == {f"States.{name}" for name in names.split()}
