"""Small things: modules of 400 lines, functions of 40, six arguments, no large file."""

import ast
import re

from tests.tidy.sources import (
    CODE,
    argument_count,
    functions,
    line_count,
    modules,
    place,
    repository_files,
    tree_of,
)

MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 40
ARGUMENTS_MAX = 6
FILE_BYTES_MAX = 500_000
REASON = re.compile(r"# noqa: PLR0913 - \w+")  # The linter asks for the mark; the reason is for the reader.


def test_no_module_is_longer_than_400_lines() -> None:
    lengths = {place(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules(*CODE)}
    assert {where: lines for where, lines in lengths.items() if lines > MODULE_LINES_MAX} == {}


def test_no_function_is_longer_than_40_lines() -> None:
    lengths = {
        f"{place(path, function.lineno)} {function.name}": line_count(function)
        for path in modules(*CODE)
        for function in functions(tree_of(path))
    }
    assert {where: lines for where, lines in lengths.items() if lines > FUNCTION_LINES_MAX} == {}


def test_no_function_takes_more_than_six_arguments_without_a_reason() -> None:
    counts = {
        f"{place(path, function.lineno)} {function.name}": argument_count(function)
        for path in modules("src", "bench", "scripts")
        for function in functions(tree_of(path))
        if not REASON.search(path.read_text(encoding="utf-8").splitlines()[function.lineno - 1])
    }
    assert {where: count for where, count in counts.items() if count > ARGUMENTS_MAX} == {}


def test_no_large_file_is_in_the_repository() -> None:
    sizes = {place(path): path.stat().st_size for path in repository_files()}
    assert {where: size for where, size in sizes.items() if size > FILE_BYTES_MAX} == {}


def test_the_measures_see_what_they_should() -> None:
    source = "class A:\n    @staticmethod\n    def f(self, a, /, b, *c, d, **e):\n        def g():\n            pass\n"
    outer, inner = functions(ast.parse(source))
    assert (outer.name, line_count(outer), argument_count(outer)) == ("f", 3, 5)
    assert (inner.name, line_count(inner), argument_count(inner)) == ("g", 2, 0)
