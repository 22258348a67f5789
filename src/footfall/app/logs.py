"""The log of an instance: a line of text or of JSON for each event, with no key and no address spelled out."""

import ipaddress
import logging
import re
import sys
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TextIO, cast

import msgspec

from footfall.app.settings import Settings

TRACE_CHARACTERS_MAX = 20_000  # A trace that is longer repeats itself.

_log = logging.getLogger(__name__)

_KEY = re.compile(r"\bff(pub|sec)_[\w-]+")
_TOKEN = re.compile(r"(?i)\b(bearer\s+|[?&]key=)[^\s&\"'\\]+")
_ADDRESS = re.compile(
    r"(?<!\w)[0-9a-fA-F]{0,4}:[0-9a-fA-F]{0,4}:[0-9a-fA-F:.]*(?!\w)|(?<!\d)(?:\d{1,3}\.){3}\d{1,3}(?!\d)"
)


def begin_logging(settings: Settings, *, process: str, out: TextIO | None = None) -> None:
    """Have this process write its log to the error output, in the format that the settings choose."""
    handler = logging.StreamHandler(out or sys.stderr)
    handler.setFormatter(JsonLines(process) if settings.log_format == "json" else TextLines(process))
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler])
    # What nobody caught ends the process or a thread; its trace goes the way of every other.
    sys.excepthook = lambda kind, error, trace: _log.critical("the process fails", exc_info=(kind, error, trace))
    threading.excepthook = lambda failed: _log.critical("a thread failed", exc_info=failed.exc_value)


def fields(**values: object) -> Mapping[str, object]:
    """Return what a log call takes as `extra` to have these fields in its line."""
    return {"fields": values}


class OwnLink(str):
    """A link to one of our own pages as a field's value: somebody is to open it, so its host is spelled out."""

    __slots__ = ()


class TextLines(logging.Formatter):
    """Lines for people: the moment, the level, the process, what happened, and its fields behind it."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line; a trace follows on lines of its own."""
        given = _fields_of(record).items()
        named = "".join(f" {name}={_one_word(value)}" for name, value in given if not isinstance(value, OwnLink))
        links = "".join(f" {name}={_one_word(value)}" for name, value in given if isinstance(value, OwnLink))
        line = f"{_moment(record)} {record.levelname} {self._process} {_one_line(record.getMessage())}{named}"
        trace = _trace(self, record)
        return without_secrets(line) + links + (f"\n{without_secrets(trace)}" if trace else "")


class JsonLines(logging.Formatter):
    """Lines for machines: one JSON object each."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of JSON."""
        line: dict[str, object] = {
            "time": _moment(record),
            "level": record.levelname.lower(),
            "process": self._process,
            "event": without_secrets(record.getMessage()),
        }
        for name, value in _fields_of(record).items():
            line.setdefault(name, _without_secrets(value))
        trace = _trace(self, record)
        if trace:
            line["trace"] = without_secrets(trace)
        return msgspec.json.encode(line, enc_hook=str).decode()


def without_secrets(text: str) -> str:
    """Return the text with every key and every address of the internet hidden.

    Nothing that is logged should hold one. But messages of libraries and of errors are not ours to word, and a log
    travels further than any other file.
    """
    text = _KEY.sub(r"ff\1_[hidden]", text)
    text = _TOKEN.sub(r"\1[hidden]", text)
    return _ADDRESS.sub(_hidden_address, text)


def _without_secrets(value: object) -> object:
    if isinstance(value, OwnLink) or not isinstance(value, str):
        return value
    return without_secrets(value)


def _hidden_address(found: re.Match[str]) -> str:
    text = found[0]
    if ":" not in text:
        return "[address]"  # Leading zeros are no address to the library, and one to everybody else.
    # A colon of the sentence may stand before it, a full stop, a colon or a port behind it.
    plain = text.rstrip(".")
    for address in (plain, plain.removesuffix(":"), plain.rpartition(":")[0]):
        for start in (0, 1):
            if _is_address(address[start:]):
                return f"{text[:start]}[address]{text[len(address) :]}"
    return text  # A time such as 14:30:00 looks like the beginning of one.


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _fields_of(record: logging.LogRecord) -> Mapping[str, object]:
    found: object = getattr(record, "fields", None)
    return cast("Mapping[str, object]", found) if isinstance(found, Mapping) else {}


def _moment(record: logging.LogRecord) -> str:
    # Always with its milliseconds, so that lines stand below each other and sort as texts.
    moment = datetime.fromtimestamp(record.created, tz=UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _trace(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    return formatter.formatException(record.exc_info)[-TRACE_CHARACTERS_MAX:] if record.exc_info else ""


def _one_line(text: str) -> str:
    return text.replace("\r", r"\r").replace("\n", r"\n")


def _one_word(value: object) -> str:
    text = _one_line(str(value))
    return msgspec.json.encode(text).decode() if not text or " " in text or '"' in text or "=" in text else text
