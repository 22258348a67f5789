"""The series that the forest is judged on: the same for the same seed, with spans that can be found."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from bench.labelled_series import LEARNING, made_series, nab_series

LENGTH = 1_100


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_same_seed_makes_the_same_series_and_another_makes_others(seed: int) -> None:
    once, again, other = made_series(seed, LENGTH), made_series(seed, LENGTH), made_series(seed + 1, LENGTH)
    assert all(np.array_equal(a.points, b.points) and a.spans == b.spans for a, b in zip(once, again, strict=True))
    assert not any(np.array_equal(a.points, b.points) for a, b in zip(once, other, strict=True))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_spans_follow_what_is_learned_from_and_do_not_touch(seed: int) -> None:
    for series in made_series(seed, LENGTH):
        ends = [LEARNING, *(stop for _, stop in series.spans)]
        assert all(end <= start < stop <= LENGTH for end, (start, stop) in zip(ends, series.spans, strict=False))
        assert np.isfinite(series.points).all()


def test_a_part_has_the_spans_that_lie_in_it_whole() -> None:
    series = made_series(1, LENGTH)[0]
    (start, stop), *_ = series.spans
    part = series.cut(start - LEARNING, stop)
    assert part.spans == ((LEARNING, LEARNING + stop - start),)
    assert series.cut(start - LEARNING, stop - 1).spans == ()


def test_a_folder_of_nab_is_read_with_its_windows(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    lines = ["timestamp,value", *(f"2014-04-01 00:{minute:02}:00,{minute}" for minute in range(10))]
    (tmp_path / "a" / "one.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    windows = '{"a/one.csv": [["2014-04-01 00:03:00.000000", "2014-04-01 00:05:00.000000"]]}'
    (tmp_path / "windows.json").write_text(windows)
    [series] = nab_series(tmp_path)
    assert series.spans == ((3, 6),)
    assert series.points[:, 0].tolist() == list(range(10))
