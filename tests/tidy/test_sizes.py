"""Small things: modules of 400 lines, functions of 40, six arguments, no large file."""

import ast
import re

from tests.tidy.sources import CODE, Function, modules, place, repository_files, shape_of, shape_of_function

MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 40
ARGUMENTS_MAX = 6
FILE_BYTES_MAX = 500_000
REASON = re.compile(r"# noqa: PLR0913 - \w+")  # The linter asks for the mark; the reason is for the reader.


def test_no_module_is_longer_than_400_lines() -> None:
    lengths = {place(path): len(shape_of(path).lines) for path in modules(*CODE)}
    assert {where: lines for where, lines in lengths.items() if lines > MODULE_LINES_MAX} == {}


def test_no_function_is_longer_than_40_lines() -> None:
    lengths = {
        f"{place(path, function.first_line)} {function.name}": function.lines
        for path in modules(*CODE)
        for function in shape_of(path).functions
    }
    assert {where: lines for where, lines in lengths.items() if lines > FUNCTION_LINES_MAX} == {}


def test_no_function_takes_more_than_six_arguments_without_a_reason() -> None:
    counts = {
        f"{place(path, function.first_line)} {function.name}": function.arguments
        for path in modules("src", "bench", "scripts")
        for function in shape_of(path).functions
        if not REASON.search(shape_of(path).lines[function.first_line - 1])
    }
    assert {where: count for where, count in counts.items() if count > ARGUMENTS_MAX} == {}


def test_no_large_file_is_in_the_repository() -> None:
    sizes = {place(path): path.stat().st_size for path in repository_files()}
    assert {where: size for where, size in sizes.items() if size > FILE_BYTES_MAX} == {}


def test_the_measures_see_what_they_should() -> None:
    source = "class A:\n    @staticmethod\n    def f(self, a, /, b, *c, d, **e):\n        def g():\n            pass\n"
    outer, inner = [shape_of_function(node) for node in ast.walk(ast.parse(source)) if isinstance(node, Function)]
    assert (outer.name, outer.first_line, outer.lines, outer.arguments) == ("f", 3, 3, 5)
    assert (inner.name, inner.first_line, inner.lines, inner.arguments) == ("g", 4, 2, 0)
