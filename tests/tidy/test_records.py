"""Decision records and change fragments have the form that makes them useful later."""

import re

import pytest

from scripts.changelog import KINDS, NotAFragment, fragment_paths, section
from tests.tidy.sources import HOUSE, place

DECISIONS = HOUSE / "docs" / "decisions"
RECORDS = sorted(path for path in DECISIONS.glob("*.md") if path.name != "README.md")
PARTS = ["## Context", "## Choice", "## What we gave up"]
RECORD_LINES_MAX = 60  # Half a page to a page: a longer one is a manual.


def test_every_decision_says_context_choice_and_what_was_given_up() -> None:
    for path in RECORDS:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if line.startswith("## ")] == PARTS, place(path)
        assert len(lines) <= RECORD_LINES_MAX, place(path)


def test_decisions_are_numbered_from_one_without_gaps() -> None:
    assert all(re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", path.name) for path in RECORDS)
    assert [int(path.name[:4]) for path in RECORDS] == list(range(1, len(RECORDS) + 1))


def test_every_decision_is_in_the_list() -> None:
    listed = (DECISIONS / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in RECORDS if f"({path.name})" not in listed] == []


def test_every_change_fragment_can_be_gathered() -> None:
    fragments = {path.name: path.read_text(encoding="utf-8") for path in fragment_paths(HOUSE / "changes")}
    assert section("next", fragments).startswith("## next\n")


def test_a_changelog_section_groups_fragments_by_kind() -> None:
    gathered = section("0.2.0", {"b.md": "Fixed: two.\n", "a.md": "Added: one\nline.\n", "c.md": "Added: three.\n"})
    assert gathered == "## 0.2.0\n\n### Added\n\n- one line.\n- three.\n\n### Fixed\n\n- two.\n"


def test_a_fragment_without_a_kind_is_refused_by_name() -> None:
    with pytest.raises(NotAFragment, match=rf"changes/a\.md .*{KINDS[0]}"):
        section("0.2.0", {"a.md": "we changed something"})
