"""What a doctor finds: each with how it is and what to do, in sentences that an operator can follow."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from footfall.app.settings import Settings
from footfall.values.window import instant_text

SHOWN_MAX = 5  # Of a long list the first ones tell enough.

Level = Literal["fine", "note", "todo"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: how it is, and what to do when it is not as it should be."""

    check: str
    level: Level
    says: str
    do: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """What is looked at: a directory, the settings that count for it, the time, and who runs on it."""

    directory: Path
    settings: Settings
    now_ms: int
    runs_as: int | None = None  # the process that holds the directory

    @property
    def is_running(self) -> bool:
        """Tell whether an instance runs on the directory."""
        return self.runs_as is not None


def size_text(size: float) -> str:
    """Return a number of bytes as people say it."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if abs(size) < 1_000:
            return f"{size:,.0f} {unit}" if unit == "bytes" or size >= 100 else f"{size:,.1f} {unit}"
        size /= 1_000
    return f"{size:,.1f} TB"


def some(texts: Sequence[str]) -> str:
    """Return the first of the texts, and how many more there are."""
    more = f" and {len(texts) - SHOWN_MAX:,} more" if len(texts) > SHOWN_MAX else ""
    return ", ".join(texts[:SHOWN_MAX]) + more


def many(count: int, thing: str) -> str:
    """Return a number of things as people say it."""
    return f"1 {thing}" if count == 1 else f"{count:,} {thing}s"


def age_text(age_ms: int) -> str:
    """Return a length of time as people say it."""
    seconds = age_ms / 1_000
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:,.0f} s"


def when_text(moment_ms: int) -> str:
    """Return a moment to the second."""
    return instant_text(moment_ms - moment_ms % 1_000)
