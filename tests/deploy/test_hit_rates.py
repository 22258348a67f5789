"""The hit rates that docs/caching.md states are those that the benchmark calculates."""

import re
from pathlib import Path

from bench.bench_caching import DISTINCT, modelled_share
from bench.queries import Questions

PAGE = Path(__file__).resolve().parents[2] / "docs" / "caching.md"


def test_the_table_says_what_the_model_says() -> None:
    targets, order = Questions(seed=3).mix(DISTINCT, length=200_000)
    rows = re.findall(r"^\| ([\d,]+) \| ([\d.]+) % \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == 5
    for rate, share in rows:
        expected = 100 * modelled_share(targets, order, rate=float(rate.replace(",", "")))
        assert abs(expected - float(share)) <= 0.051, (rate, expected)


def test_a_question_that_is_asked_often_is_fetched_once_per_cache_time() -> None:
    target = "/v1/popular?brand=bench&period=justnow&limit=5"  # kept for 30 s
    assert modelled_share([target], [0] * 10, rate=1) == 30 / 31
