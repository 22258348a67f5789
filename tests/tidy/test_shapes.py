"""What every module is like: its names say what a thing is about, it says why it exists, and it is small.

The rules are in one file, so that one process reads all modules for them.
"""

import ast
import re
from collections import Counter

from tests.tidy.sources import CODE, HOUSE, Function, modules, place, repository_files, shape_of, shape_of_function

EMPTY_NAMES = {"base", "common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}
EMPTY_ENDINGS = ("_common", "_helper", "_helpers", "_manager", "_misc", "_util", "_utils")
EMPTY_CLASS = re.compile(r"^(Abstract|Base)[A-Z]|(Manager|Helpers?|Utils?|Impl|Factory|Provider)$")
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


def test_no_module_or_package_has_an_empty_name() -> None:
    names = [part for path in modules(*CODE) for part in path.relative_to(HOUSE).with_suffix("").parts]
    assert [name for name in names if is_empty(name)] == []


def test_no_class_has_an_empty_name() -> None:
    found = [(place(path, line), name) for path in modules("src") for name, line in shape_of(path).classes]
    assert [(where, name) for where, name in found if EMPTY_CLASS.search(name)] == []


def test_every_module_starts_with_why_it_exists() -> None:
    silent = [place(path) for path in modules(*CODE) if not shape_of(path).docstring.strip()]
    assert silent == []


def test_every_folder_of_the_product_is_a_package() -> None:
    folders = {path.parent for path in modules("src/footfall")}
    assert [place(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


def test_no_test_is_named_twice_in_a_file() -> None:
    # Python keeps only the last of two functions with one name, so the first would never run.
    for path in modules("tests"):
        assert [name for name, times in Counter(shape_of(path).outermost).items() if times > 1] == [], place(path)


def is_empty(name: str) -> bool:
    return name in EMPTY_NAMES or name.endswith(EMPTY_ENDINGS)
