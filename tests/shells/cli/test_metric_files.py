"""Metrics as YAML: whatever is written is read back as it was."""

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from footfall.shells.cli.metric_files import file_name_of, files_below, metrics_of_text, text_of_metrics, written_files

TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), max_size=60
) | st.sampled_from(
    [
        "no",
        "yes",
        "~",
        "null",
        "1e3",
        "0x10",
        "1:30",
        "2026-01-31",
        "- a",
        "# b",
        "a: b",
        "true",
        "'",
        '"',
        "|",
        " x ",
        "é\n",
        "\n",
    ]
)
METRICS = st.fixed_dictionaries(
    {"name": TEXTS.filter(bool)},
    optional={
        "title": TEXTS,
        "description": TEXTS,
        "aggregationParam": st.floats(0, 100) | st.integers(0, 100),
        "relatedDimensions": st.lists(TEXTS, max_size=4),
        "source": st.fixed_dictionaries(
            {"counts": TEXTS, "where": st.dictionaries(TEXTS, st.lists(TEXTS), max_size=2)}
        ),
        "deprecated": st.fixed_dictionaries({"reason": TEXTS}),
        "chainedMetric": st.none() | TEXTS,
    },
)


@given(st.lists(METRICS, max_size=4))
def test_what_is_written_is_read_as_it_was_and_written_again_is_the_same(metrics: list[dict[str, Any]]) -> None:
    text = text_of_metrics(metrics)
    read = [dict(one.document) for one in metrics_of_text(text, "m.yaml")]
    assert read == metrics
    assert text_of_metrics(read) == text


@given(st.lists(TEXTS.filter(bool), unique=True, max_size=20))
def test_every_name_has_a_file_of_its_own(names: list[str]) -> None:
    files = [file_name_of(name) for name in names]
    assert len({one.casefold() for one in files}) == len(names)
    assert all(len(one) < 120 and "/" not in one and one.isascii() for one in files)


def test_each_metric_knows_the_line_that_it_begins_at() -> None:
    read = metrics_of_text("# first\nname: a\n---\n\nname: b\ntitle: B\n---\n---\n", "m.yaml")
    assert [(one.document["name"], one.place) for one in read] == [("a", "m.yaml:2"), ("b", "m.yaml:5")]
    assert read[1].lines == {"name": 5, "title": 6}


def test_words_stay_words_and_numbers_numbers() -> None:
    text = (
        "a: no\nb: 2026-01-31\nc: 1:30\nd: 95\ne: 99.5\nf: true\ng: ~\nh: 0x1F\ni: 1_000\nj: 12345678901234567890123\n"
    )
    (read,) = metrics_of_text(text, "m")
    assert read.document == {
        "a": "no", "b": "2026-01-31", "c": "1:30", "d": 95, "e": 99.5, "f": True, "g": None, "h": "0x1F", "i": "1_000",
        "j": 1.2345678901234568e22,
    }  # fmt: skip


def test_files_are_read_in_one_order(tmp_path: Path) -> None:
    for place in ("b/2.yaml", "a.yml", "b/1.yaml", "not.txt"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(f"name: {place}\n")
    assert [one.metrics[0].place for one in files_below(tmp_path)] == ["a.yml:1", "b/1.yaml:1", "b/2.yaml:1"]
    assert list(written_files(tmp_path, [{"name": "a.yml"}], files_below(tmp_path))) != []
    assert [one.path.name for one in files_below(tmp_path)] == ["a.yml"]
