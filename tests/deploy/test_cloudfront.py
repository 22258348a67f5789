"""The CloudFront template is sound, and its function gives every spelling of a question one text that asks the same."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from footfall.flow.serve.query import popular_query
from footfall.values.errors import Refused
from footfall.values.period import DEFAULT_PERIODS

TEMPLATE = Path(__file__).resolve().parents[2] / "deploy" / "cloudfront" / "footfall-cache.yaml"
# Each line: spellings of one question, which is not that of any other line.
QUESTIONS = [
    ["brand=abc", "brand=abc&period=justnow", "limit=100&closed=false&period=justnow&brand=abc"],
    ["brand=abc&period=day", "period=day&brand=abc", "sort=hits&period=day&brand=abc"],
    ["brand=abc&period=day&sort=uniques", "sort=uniques&period=day&brand=abc"],
    ["brand=abc&limit=5", "limit=5&brand=abc&closed=false"],
    ["brand=abc&closed=true", "closed=true&brand=abc", "closed=true&edited=true&brand=abc"],
    ["brand=abc&edited=false", "edited=false&brand=abc&limit=100"],
    ["brand=abc&section=7", "section=7,7&brand=abc", "section=7&section=7&brand=abc"],
    [
        "brand=abc&section=7,8,10",
        "section=10&section=8,7&brand=abc",
        "section=8%2C7%2C10&brand=abc",
        "section=7%2c8&brand=abc&section=10,8",
    ],
    [
        "brand=abc&section=7&resourceType=article&paidType=free",
        "paidType=free&resourceType=article&section=7&brand=abc",
    ],
    ["brand=abc&author=Ann%20Lee&tag=b,a", "tag=a&author=Ann%20Lee&brand=abc&tag=b"],
    [r"brand=abc&section=a\,b"],
    ["brand=abc&section=a,b", "brand=abc&section=b&section=a"],
    [
        "brand=abc&from=2026-11-15T00:00:00Z&to=2026-11-15T01:00:00Z",
        "to=2026-11-15T01:00:00Z&from=2026-11-15T00:00:00Z&brand=abc",
        "edited=true&to=2026-11-15T01:00:00Z&from=2026-11-15T00:00:00Z&brand=abc",
    ],
]
REFUSED = [
    "brand=abc&period=day&period=week",
    "brand=abc&section=7,",
    "brand=abc&limit=100&limit=100",
    "brand=abc&other=1",
    "brand=abc&closed=maybe",
    "brand=abc&edited=maybe",
    "brand=abc&period=justnow&from=2026-11-15T00:00:00Z&to=2026-11-15T01:00:00Z",
]


def asked(query: str) -> dict[str, Any]:
    """Return the query as CloudFront hands it to a function."""
    found: dict[str, Any] = {}
    for part in query.split("&"):
        name, _, value = part.partition("=")
        if name in found:
            found[name].setdefault("multiValue", [{"value": found[name]["value"]}]).append({"value": value})
        else:
            found[name] = {"value": value}
    return found


@pytest.fixture(scope="module")
def canonical() -> dict[str, str]:
    """Return what the template's function makes of every query above."""
    node = shutil.which("node")
    assert node is not None, "node is missing: `make setup-tests` installs it"
    queries = [*(spelling for spellings in QUESTIONS for spelling in spellings), *REFUSED]
    code = re.search(r"FunctionCode: \|\n((?: {8}.*\n|\n)+)", TEMPLATE.read_text(encoding="utf-8"))
    assert code is not None
    events = json.dumps([{"request": {"querystring": asked(query)}} for query in queries])
    program = f"{code[1]}\nconsole.log(JSON.stringify({events}.map(event => handler(event).querystring)))"
    said = subprocess.run([node, "-e", program], capture_output=True, text=True, timeout=30, check=True).stdout
    return dict(zip(queries, json.loads(said), strict=True))


def test_the_linter_finds_nothing() -> None:
    linter = Path(sys.executable).with_name("cfn-lint")
    done = subprocess.run([linter, str(TEMPLATE)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_every_spelling_of_a_question_becomes_one_text(canonical: dict[str, str]) -> None:
    texts = [{canonical[spelling] for spelling in spellings} for spellings in QUESTIONS]
    assert [len(text) for text in texts] == [1] * len(QUESTIONS)
    assert len(set[str]().union(*texts)) == len(QUESTIONS)


def test_the_text_asks_what_was_asked(canonical: dict[str, str]) -> None:
    for spellings in QUESTIONS:
        for spelling in spellings:
            meant = popular_query(spelling, periods=DEFAULT_PERIODS)
            assert popular_query(canonical[spelling], periods=DEFAULT_PERIODS) == meant, spelling


def test_what_footfall_refuses_stays_refused(canonical: dict[str, str]) -> None:
    for query in REFUSED:
        with pytest.raises(Refused):
            popular_query(query, periods=DEFAULT_PERIODS)
        with pytest.raises(Refused):
            popular_query(canonical[query], periods=DEFAULT_PERIODS)
