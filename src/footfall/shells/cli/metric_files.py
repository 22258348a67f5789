"""Metrics as YAML files that live in git: one metric a document, read with their lines and written in one way.

PyYAML composes with libyaml; values are made here, so that a date stays text, `no` is a word, a key that stands twice
is refused, and every metric knows its lines.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from footfall.metrics.applying import Wanted
from footfall.shells.cli.command import WrongUsage
from footfall.values.errors import Refused

FILE_BYTES_MAX = 64 << 20
NESTED_MAX = 10
ENDINGS = (".yaml", ".yml")
WIDTH = 10_000  # Lines are not folded: whoever compares versions sees a change as one line.

_TAG = "tag:yaml.org,2002:"
_PLAIN_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_OTHER = re.compile(r"[^a-z0-9._-]+")


class FileRefused(Refused):
    """A file of metrics cannot be read; the field says which, and the line."""


class NoSuchFile(WrongUsage):
    """The arguments name a file or a folder that is not there, or that may not be read."""


class _Loader(yaml.CSafeLoader):
    """Takes for numbers and truth values only what JSON does."""


class _Dumper(yaml.CSafeDumper):
    """Writes several lines as several lines."""


_Loader.yaml_implicit_resolvers = {}
for _kind, _pattern, _first in (
    ("null", r"(?:null|~|)", ["n", "~", ""]),
    ("bool", r"(?:true|false)", ["t", "f"]),
    ("int", r"-?(?:0|[1-9][0-9]*)", list("-0123456789")),
    ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", list("-0123456789")),
):
    for _one in (_Loader, _Dumper):  # Whoever writes puts in quotes what would be read as something else.
        _one.add_implicit_resolver(_TAG + _kind, re.compile(f"^{_pattern}$"), _first)  # pyright: ignore[reportUnknownMemberType] - as the library leaves it


def _text_as_it_reads(dumper: Any, text: str) -> Node:
    style = "|" if "\n" in text and not text.startswith((" ", "\n")) else None
    return dumper.represent_scalar(f"{_TAG}str", text, style=style)


_Dumper.add_representer(str, _text_as_it_reads)


@dataclass(frozen=True, slots=True)
class MetricFile:
    """A file, and the metrics that it has."""

    path: Path
    metrics: Sequence[Wanted]


def metrics_of_text(text: str, place: str) -> list[Wanted]:
    """Return the metrics of a text, each with its place and line, or raise FileRefused."""
    try:
        return [_wanted(node, place) for node in _documents(text) if not _is_nothing(node)]
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        raise FileRefused(f"{place}:{line}", error.problem or "it is not YAML") from error
    except yaml.YAMLError as error:
        raise FileRefused(place, f"it is not YAML: {error}") from error
    except RecursionError as error:
        raise FileRefused(place, "it is nested too deep to be a metric") from error
    except Refused as refused:
        raise FileRefused(f"{place}:{refused.field}", refused.reason) from refused


def text_of_metrics(documents: Iterable[Mapping[str, Any]]) -> str:
    """Return metrics as a file has them: the same metrics are the same bytes."""
    return "---\n".join(
        yaml.dump(dict(one), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH, default_flow_style=False)
        for one in documents
    )


def files_below(folder: Path) -> list[MetricFile]:
    """Return the files of metrics below a folder, in one order."""
    if not folder.is_dir():
        raise NoSuchFile(f"{folder} is not a folder; name the one that holds the metrics' YAML files.")
    paths = sorted(one for one in folder.rglob("*") if one.suffix in ENDINGS and one.is_file())
    return [file_at(one, shown=str(one.relative_to(folder))) for one in paths]


def file_at(path: Path, *, shown: str = "") -> MetricFile:
    """Return one file with its metrics."""
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise FileRefused(str(path), f"it has more than {FILE_BYTES_MAX:,} bytes; divide it")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise NoSuchFile(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise FileRefused(str(path), f"it is not a text in UTF-8 (byte {error.start})") from error
    return MetricFile(path, metrics_of_text(text, shown or str(path)))


def file_name_of(name: str) -> str:
    """Return the name of a metric's own file: its name where every system can have it, else a likeness with a hash."""
    if _PLAIN_NAME.fullmatch(name) is not None and not name.endswith("."):
        return f"{name}.yaml"
    digest = hashlib.sha256(name.encode()).hexdigest()[:10]
    like = _OTHER.sub("-", name.lower()).strip("-.")[:60]
    return f"{like}~{digest}.yaml" if like else f"~{digest}.yaml"


def written_files(folder: Path, documents: Sequence[Mapping[str, Any]], kept: Sequence[MetricFile]) -> Iterator[Path]:
    """Write metrics into their files and yield those that changed or went: a metric stays in the file that has it."""
    wanted = {str(one["name"]): one for one in documents}
    placed: set[str] = set()
    for file in kept:
        names = [
            name for one in file.metrics if (name := str(one.document.get("name"))) in wanted and name not in placed
        ]
        placed |= {*names}
        if [dict(one.document) for one in file.metrics] == [wanted[name] for name in names]:
            continue  # What it says is so, whatever comments it has.
        if names:
            file.path.write_text(text_of_metrics(wanted[name] for name in names), encoding="utf-8")
        else:
            file.path.unlink()
        yield file.path
    for name, document in wanted.items():
        if name not in placed:
            path = folder / file_name_of(name)
            path.write_text(text_of_metrics([document]), encoding="utf-8")
            yield path


def _documents(text: str) -> Iterator[Node]:
    return cast("Iterator[Node]", yaml.compose_all(text, Loader=_Loader))  # pyright: ignore[reportUnknownMemberType] - as the library leaves it


def _is_nothing(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.tag == f"{_TAG}null"


def _wanted(node: Node, place: str) -> Wanted:
    if not isinstance(node, MappingNode):
        raise Refused(_line(node), "is not a metric: a document is a list of fields, such as name and valueType")
    keys = (key for key, _ in cast("list[tuple[Node, Node]]", node.value))
    lines = {str(key.value): key.start_mark.line + 1 for key in keys if isinstance(key, ScalarNode)}
    return Wanted(_mapping(node, seen=set(), depth=0), f"{place}:{_line(node)}", lines)


def _line(node: Node) -> str:
    return str(node.start_mark.line + 1)


def _value(node: Node, *, seen: set[int], depth: int) -> Any:
    if id(node) in seen:
        raise Refused(_line(node), "stands for another part of the file; write it out")
    if depth > NESTED_MAX:
        raise Refused(_line(node), "is nested too deep to be part of a metric")
    if isinstance(node, ScalarNode):
        return _scalar(node)
    seen.add(id(node))
    if isinstance(node, MappingNode):
        return _mapping(node, seen=seen, depth=depth)
    assert isinstance(node, SequenceNode), "there are three kinds"
    _require_tag(node, "seq")
    return [_value(one, seen=seen, depth=depth + 1) for one in node.value]


def _mapping(node: MappingNode, *, seen: set[int], depth: int) -> dict[str, Any]:
    _require_tag(node, "map")
    made: dict[str, Any] = {}
    for key, value in cast("list[tuple[Node, Node]]", node.value):
        if not isinstance(key, ScalarNode):
            raise Refused(_line(key), "is not the name of a field")
        name = str(key.value)
        if name in made:
            raise Refused(_line(key), f"{name!r} stands there twice")
        made[name] = _value(value, seen=seen, depth=depth + 1)
    return made


def _scalar(node: ScalarNode) -> object:
    text = str(node.value)
    match node.tag.removeprefix(_TAG):
        case "str":
            return text
        case "int":
            return int(text) if len(text) < 20 else float(text)
        case "float":
            return float(text)
        case "bool":
            return text == "true"
        case "null":
            return None
        case _:
            raise Refused(_line(node), f"{node.tag[:60]!r} is not a kind of value that a metric has")


def _require_tag(node: Node, kind: str) -> None:
    if node.tag != _TAG + kind:
        raise Refused(_line(node), f"{node.tag[:60]!r} is not a kind of value that a metric has")
