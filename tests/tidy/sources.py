"""What the tidy tests read: the files of the repository, and the shape of its Python code."""

import ast
import subprocess
from collections.abc import Iterator
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


def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def functions(tree: ast.AST) -> Iterator[Function]:
    """Yield every function and method, nested ones too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def classes(tree: ast.AST) -> Iterator[ast.ClassDef]:
    """Yield every class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node


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
