"""The repository speaks of the product alone, whoever cloned it and wherever it was written."""

import re
from pathlib import Path

import pytest

from tests.tidy.sources import HOUSE, place, repository_files

NOT_OURS = re.compile(
    "|".join(
        [
            # Folders of one machine; what footfall needs is found from the clone or from a setting.
            r"(?<![\w.~}/-])/(?:home|root|work|workspace|Users|mnt|tmp)/\w",
            r"(?<![\w.~}/-])/opt/(?!footfall)\w",
            # Where packages come from is the machine's own setting.
            r"--(?:extra-)?index-url|--find-links|--trusted-host",
            r"\b(?:files\.pythonhosted\.org|pypi\.org/simple|registry\.npmjs\.org|registry\.yarnpkg\.com|ghcr\.io)\b",
            # How the work was divided and by whom belongs to the log of commits at most.
            r"(?i:\bco-authored-by\b|\bfounders?\b|\bsub-?agents?\b|\bcoding (?:agent|assistant)s?\b)",
            r"(?i:\bthe seed's\b|\bseeds/|\bseed documents?\b|\bthis (?:work)?place\b|\bin (?:this|another) session\b)",
        ]
    )
)
MARKS = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))")
OWN = Path(__file__).resolve()  # The one file that has to spell what it looks for.


def found(pattern: re.Pattern[str]) -> list[str]:
    places: list[str] = []
    for path in repository_files():
        if path == OWN or path.name == "LICENSE":
            continue
        text = path.read_bytes().decode("utf-8", errors="replace")
        for match in pattern.finditer(text):
            places.append(f"{place(path, text.count(chr(10), 0, match.start()) + 1)}: {match[0]!r}")
    return places


def test_no_file_speaks_of_a_machine_a_registry_or_a_workplace() -> None:
    assert found(NOT_OURS) == []


def test_every_mark_of_unfinished_work_names_its_issue() -> None:
    assert found(MARKS) == []


def test_no_file_name_speaks_of_a_workplace() -> None:
    names = [str(path.relative_to(HOUSE)) for path in repository_files()]
    assert [name for name in names if NOT_OURS.search(f"/{name}")] == []


@pytest.mark.parametrize(
    "text",
    [
        "see /home/ann/notes",
        "cache = '/opt/wheels'",
        "pip install --index-url x",
        "as the seed's table has it",
        "docs in seeds/a.txt",
    ],
)
def test_words_that_are_not_ours_are_seen(text: str) -> None:
    assert NOT_OURS.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "https://news.example/home/story",
        "Simulation(seed=7)",
        "data/demo",
        "/opt/footfall/data",
        "a session of a member",
        "tests/tmp/x",
    ],
)
def test_words_of_the_product_are_let_through(text: str) -> None:
    assert not NOT_OURS.search(text)
