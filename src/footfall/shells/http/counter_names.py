"""Names of counters in addresses: any text may be one, a line's end as well, and bytes that are no text are refused."""

from typing import ClassVar
from urllib.parse import unquote_to_bytes

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request

from footfall.values.counter import SKETCH_PATH, require_counter_name
from footfall.values.errors import Refused


class _Name(Convertor[str]):
    """All that follows in a path. The `path` that comes with Starlette ends where a line does."""

    regex: ClassVar[str] = r"[\s\S]*"

    def convert(self, value: str) -> str:
        """Return the name as it is."""
        return value

    def to_string(self, value: str) -> str:
        """Return the name as it is."""
        return value


class _SketchedName(_Name):
    """A name before the address of a sketch, which is the very end of the path: no line's end follows it."""

    regex: ClassVar[str] = rf"[\s\S]*(?={SKETCH_PATH}\Z)"


register_url_convertor("counter", _Name())
register_url_convertor("sketched_counter", _SketchedName())


def name_of(request: Request) -> str:
    """Return the name in the path; what was escaped there has to be UTF-8."""
    _require_text("name", request.scope.get("raw_path", b""))
    return require_counter_name(str(request.path_params["name"]))


def names_of(request: Request, word: str) -> tuple[str, ...]:
    """Return the names that a parameter gives, each once; what was escaped there has to be UTF-8."""
    for part in bytes(request.scope["query_string"]).split(b"&"):
        if part.partition(b"=")[0] == word.encode():
            _require_text(word, part)
    return tuple(dict.fromkeys(request.query_params.getlist(word)))


def _require_text(field: str, escaped: bytes) -> None:
    try:
        unquote_to_bytes(escaped).decode()
    except UnicodeDecodeError as error:
        raise Refused(field, "is not UTF-8; escape a name's UTF-8 bytes, as in caf%C3%A9") from error
