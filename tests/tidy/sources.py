"""What the tidy tests read: the files of the repository, and the shape of its Python code."""

import ast
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[2]
CODE = ("src", "bench", "scripts", "tests")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules(*folders: str) -> list[Path]:
    """Return the Python files below the folders, in order."""
    return sorted(path for folder in folders for path in (HOUSE / folder).rglob("*.py"))


def place(path: Path, line: int = 1) -> str:
    """Return a place as an editor opens it."""
    return f"{path.relative_to(HOUSE)}:{line}"


@dataclass(frozen=True, slots=True)
class FunctionShape:
    """What the rules measure of a function."""

    name: str
    first_line: int
    lines: int
    arguments: int


@dataclass(frozen=True, slots=True)
class Shape:
    """What the rules look at in a module; its syntax tree is a hundred times as large."""

    lines: tuple[str, ...]
    docstring: str
    functions: tuple[FunctionShape, ...]
    classes: tuple[tuple[str, int], ...]  # names with their lines
    outermost: tuple[str, ...]  # the names of functions that stand in nothing else


@cache
def shape_of(path: Path) -> Shape:
    """Return the shape of a module, which is read once for all rules."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text, filename=str(path))
    nodes = list(ast.walk(tree))
    return Shape(
        tuple(text.splitlines()),
        ast.get_docstring(tree) or "",
        tuple(shape_of_function(node) for node in nodes if isinstance(node, Function)),
        tuple((node.name, node.lineno) for node in nodes if isinstance(node, ast.ClassDef)),
        tuple(node.name for node in tree.body if isinstance(node, ast.FunctionDef)),
    )


def shape_of_function(function: Function) -> FunctionShape:
    """Return what is measured of a function."""
    return FunctionShape(function.name, function.lineno, line_count(function), argument_count(function))


def line_count(function: Function) -> int:
    """Return how many lines a function takes, from its `def` to its end."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def argument_count(function: Function) -> int:
    """Return how many arguments a caller may give."""
    given = function.args
    named = [argument.arg for argument in [*given.posonlyargs, *given.args]]
    own = 1 if named[:1] in (["self"], ["cls"]) else 0
    return len(named) - own + len(given.kwonlyargs) + bool(given.vararg) + bool(given.kwarg)


def repository_files() -> list[Path]:
    """Return the files that are in the repository or would be with the next commit."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=HOUSE, capture_output=True, check=True, text=True).stdout
    return [path for name in listed.split("\0") if name and (path := HOUSE / name).is_file()]
