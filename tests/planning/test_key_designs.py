"""Key designs are scored before they are built: the talk's, the thesis' and ours; and schemas that are none."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.planning.key_designs import KeyScore, Verdict, score
from footfall.planning.key_schemas import schema_from_yaml
from footfall.planning.simulated_partitions import Sort
from footfall.values.errors import Refused

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "key_designs"
GOOD = """
table: pings
fields: {day: {time: day}, user: {uniform: 1000}, at: {time: second}, kind: {constant: ping}}
partition: "{day}"
sort: "{at}"
access: [{name: ping, does: writes, per_second: 5000, bytes: 300}]
"""


def scored(text: str) -> KeyScore:
    return score(schema_from_yaml(text.encode(), named="keys.yaml"))


def example(name: str) -> KeyScore:
    return score(schema_from_yaml((EXAMPLES / f"{name}.yaml").read_bytes(), named=name))


def test_every_example_is_scored() -> None:
    verdicts = {path.stem: example(path.stem).verdict for path in sorted(EXAMPLES.glob("*.yaml"))}
    assert verdicts == {
        "footfall_followers": Verdict.COOL,
        "footfall_windows": Verdict.COOL,
        "talk_day": Verdict.HOT,
        "talk_series_episode": Verdict.WARM,
        "talk_token": Verdict.COOL,
        "thesis_rows": Verdict.COOL,
    }


def test_the_talks_day_has_a_tenth_of_what_was_provisioned() -> None:
    day = example("talk_day")
    assert day.outcome.writes.served.max() / 60 == pytest.approx(10_000 / 11)  # eleven partitions, one for reads
    assert day.throttled_first == pytest.approx(day.throttled_last, abs=0.01)
    assert day.parts[0].sort is Sort.INCREASING
    assert "the sort key only grows" in " ".join(day.sentences)


def test_the_suffix_that_is_suggested_makes_the_design_cool() -> None:
    hot = scored(GOOD)
    assert hot.verdict is Verdict.HOT
    assert hot.suggestion is not None
    assert f"suffix of {hot.shards} values" in hot.suggestion
    cool = scored(GOOD + f"shards: {hot.shards}\n")
    assert cool.verdict is Verdict.COOL
    assert cool.suggestion is None
    assert cool.throttled_last < 0.001 < hot.throttled_last


def test_one_suffix_fewer_would_not_have_been_enough() -> None:
    hot = scored(GOOD)
    assert scored(GOOD + f"shards: {hot.shards - 1}\n").verdict is Verdict.WARM


def test_a_key_whose_items_are_spread_is_divided_in_time() -> None:
    spread = scored(GOOD.replace('sort: "{at}"', 'sort: "{user}"'))
    assert spread.verdict is Verdict.DIVIDED
    assert spread.throttled_first > 0.1
    assert spread.throttled_last < 0.001


def test_one_item_cannot_be_divided() -> None:
    one = scored(GOOD.replace('sort: "{at}"', 'sort: "{kind}"'))
    assert one.parts[0].sort is Sort.ONE
    assert "it is one item" in " ".join(one.sentences)


def test_hot_reads_are_for_a_cache_and_not_for_a_suffix() -> None:
    text = GOOD.replace("does: writes, per_second: 5000", "does: reads, per_second: 50000")
    assert "cache" in (scored(text).suggestion or "")


TWICE = GOOD.replace('sort: "{at}"', 'sort: "{user}"').replace(
    "access: [{name: ping, does: writes, per_second: 5000, bytes: 300}]",
    """access:
  - {name: ping, does: writes, per_second: 600, bytes: 300}
  - {name: pong, does: writes, per_second: 600, bytes: 300, partition: "{ day }"}""",
)


def test_two_writes_of_one_key_heat_it_together() -> None:
    both = scored(TWICE)
    assert [part.name for part in both.parts] == ["ping, pong"]
    assert both.parts[0].hottest_units == 1_200
    assert both.verdict is Verdict.DIVIDED
    assert both.throttled_first == pytest.approx(200 / 1_200, rel=0.2)  # The hour sees one key, too.


def test_what_cannot_be_divided_decides_about_a_key_only_if_it_is_too_hot_alone() -> None:
    growing = TWICE.replace('partition: "{ day }"', 'partition: "{day}", sort: "{at}"')
    assert scored(growing).verdict is Verdict.DIVIDED
    assert (
        scored(
            growing.replace("name: pong, does: writes, per_second: 600", "name: pong, does: writes, per_second: 1100")
        ).verdict
        is Verdict.HOT
    )


SMALL = """
table: small
capacity: {writes: 100, reads: 10}
fields: {token: {uniform: 100000}}
partition: "{token}"
access: [{name: ping, does: writes, per_second: 900, bytes: 300}]
"""


def test_a_table_that_has_too_few_units_is_told_so_and_not_called_cool() -> None:
    small = scored(SMALL)
    assert small.parts[0].verdict is Verdict.COOL
    assert small.verdict is Verdict.LACKING
    assert not small.verdict.may_be_built
    assert "are asked for at the peak, and there are 100: 88.9% is refused" in small.sentences[-1]
    assert small.suggestion is not None
    assert "write units of the table" in small.suggestion


def test_the_units_that_are_suggested_are_enough() -> None:
    units = (scored(SMALL).suggestion or "").split()[1].replace(",", "")
    assert scored(SMALL.replace("writes: 100,", f"writes: {units},")).verdict is Verdict.COOL


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (SMALL.replace("does: writes", "does: reads"), "read units of the table"),
        (SMALL.replace("reads: 10", "reads: 10, divided: true"), "write units of the table"),
        (
            SMALL.replace("writes: 100,", "writes: 1300,")
            + 'indexes: [{name: again, partition: "{token}", bytes: 300, writes: 50}]\n',
            "write units of the index again",
        ),
        (
            SMALL.replace("{writes: 100, reads: 10}", "on-demand").replace("per_second: 900", "per_second: 60000"),
            "the account's quota is 40,000",
        ),
    ],
)
def test_whatever_lacks_capacity_is_named(text: str, what: str) -> None:
    found = scored(text)
    assert found.verdict is Verdict.LACKING
    assert what in found.sentences[-1]


def test_a_hot_key_is_hot_however_little_capacity_there_is() -> None:
    assert scored(GOOD + "capacity: {writes: 100}\n").verdict is Verdict.HOT


def test_reads_and_writes_of_one_key_have_limits_of_their_own() -> None:
    mixed = scored(TWICE.replace("name: pong, does: writes", "name: pong, does: reads"))
    assert [part.verdict for part in mixed.parts] == [Verdict.COOL, Verdict.COOL]


def test_an_index_is_scored_by_its_own_keys_and_throttles_the_table() -> None:
    text = (
        GOOD.replace('"{day}"', '"{user}"')
        + 'indexes: [{name: by-day, partition: "{day}", sort: "{at}", bytes: 200}]\n'
    )
    table, index = scored(text).parts
    assert (table.verdict, index.verdict) == (Verdict.COOL, Verdict.HOT)
    assert scored(text).throttled_last > 0.5


def test_what_a_key_will_hold_is_told_when_it_is_more_than_a_partition() -> None:
    assert any("GB will lie under one key" in one for one in scored(GOOD).sentences)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("table: [", "is not YAML"),
        ("[]", "is not a schema of keys"),
        (GOOD.replace("table: pings", ""), "missing required field `table`"),
        (GOOD + "colour: red\n", "unknown field `colour`"),
        (GOOD.replace('partition: "{day}"', 'partition: "{dya}"'), "has the field 'dya', and `fields` only at, day"),
        (GOOD.replace('partition: "{day}"', 'partition: "{day"'), "a brace too many or too few"),
        (GOOD.replace("per_second: 5000", "per_second: -1"), r"access\[0\].per_second"),
        (GOOD.replace("per_second: 5000", "per_second: .nan"), r"access\[0\].per_second"),
        (GOOD.replace("per_second: 5000", "per_second: 1e12"), r"access\[0\].per_second"),
        (GOOD.replace("bytes: 300", "bytes: 500000"), r"access\[0\].bytes"),
        (GOOD.replace("does: writes", "does: hopes"), r"access\[0\].does"),
        (GOOD.replace("{uniform: 1000}", "{}"), "the field 'user' needs one of uniform, zipf, time and constant"),
        (GOOD.replace("{uniform: 1000}", "{uniform: 0}"), r"fields"),
        (GOOD.replace("{time: day}", "{time: fortnight}"), "fields"),
        (GOOD.replace("access: [", "access: [{name: ping, does: reads, per_second: 1}, "), "'ping' stands there twice"),
        (GOOD + "shards: 0\n", "shards"),
    ],
)
def test_a_bad_schema_is_told_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        schema_from_yaml(text.encode(), named="keys.yaml")


@settings(max_examples=200)
@given(
    st.one_of(
        st.binary(max_size=80), st.lists(st.sampled_from(GOOD.split()), max_size=20).map(" ".join).map(str.encode)
    )
)
def test_whatever_a_file_holds_is_a_schema_or_a_sentence(text: bytes) -> None:
    with contextlib.suppress(Refused):
        schema_from_yaml(text, named="keys.yaml")
