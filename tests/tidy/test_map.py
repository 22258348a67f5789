"""The map shows every module with its first words, and knows when it is stale."""

from pathlib import Path

from scripts.map import branches, first_line


def test_the_map_draws_packages_and_modules_with_their_first_words(tmp_path: Path) -> None:
    (tmp_path / "flow").mkdir()
    (tmp_path / "flow" / "__init__.py").write_text('"""The path.\n\nMore words."""\n')
    (tmp_path / "flow" / "tally.py").write_text('"""Counts."""\n')
    (tmp_path / "assets").mkdir()
    (tmp_path / "hit.py").write_text('"""A hit."""\n')
    drawn = [line.split() for line in branches(tmp_path, "")]
    assert drawn == [
        ["├──", "flow/", "The", "path."],
        ["│", "└──", "tally.py", "Counts."],
        ["└──", "hit.py", "A", "hit."],
    ]


def test_a_module_without_words_gets_none(tmp_path: Path) -> None:
    module = tmp_path / "silent.py"
    module.write_text("x = 1\n")
    assert first_line(module) == ""
