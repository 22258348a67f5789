"""Names say what a thing is about, and every module says why it exists."""

import re
from collections import Counter

from tests.tidy.sources import CODE, HOUSE, modules, place, shape_of

EMPTY_NAMES = {"base", "common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}
EMPTY_ENDINGS = ("_common", "_helper", "_helpers", "_manager", "_misc", "_util", "_utils")
EMPTY_CLASS = re.compile(r"^(Abstract|Base)[A-Z]|(Manager|Helpers?|Utils?|Impl|Factory|Provider)$")


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
