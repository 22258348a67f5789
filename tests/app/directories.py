"""Data directories with hits in them, made without a server and on a clock that is set."""

from contextlib import closing
from pathlib import Path

from footfall.accounts.brands import Brand
from footfall.app import wiring
from footfall.app.counting import Counting
from footfall.app.kept_settings import keep_settings
from footfall.app.settings import Settings
from footfall.flow.stream.records import RULES, VERSION, Pack, record_from_pack
from footfall.ports.stream import Entry
from footfall.values.clock import SetClock

NOON_MS = 1_794_744_000_000  # 2026-11-15T12:00Z


def settings_for(directory: Path) -> Settings:
    return Settings(data_dir=str(directory), brands={"abc": Brand("abc")})


def record_of(*assets: str, at_ms: int = NOON_MS) -> Entry:
    """Return a record of hits of abc that arrived at a moment."""
    pack = Pack(VERSION, RULES, at_ms, [(asset, "news", "article", "free") for asset in assets])
    return Entry(0, "abc", len(assets), record_from_pack(pack), at_ms)


def make_directory(directory: Path, *records: Entry, is_counted: bool = True, now_ms: int = NOON_MS) -> Settings:
    """Make a data directory that holds the records, counted or not."""
    directory.mkdir(mode=0o700, exist_ok=True)
    settings, clock = settings_for(directory), SetClock(now_ms)
    keep_settings(settings)
    with (
        closing(wiring.open_stream_to_write(settings, clock)) as stream,
        closing(wiring.open_store(settings, clock)) as store,
    ):
        stream.append(records)
        if is_counted:
            Counting(settings, stream, store, clock=clock).drain()
    for path in directory.iterdir():
        path.chmod(0o600)
    return settings


def contents(directory: Path) -> dict[str, bytes]:
    """Return every file of a directory, so that two can be compared byte by byte."""
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def give_key(settings: Settings) -> None:
    """Store the brand abc with a key, as an operator would."""
    with closing(wiring.open_accounts(settings, SetClock(NOON_MS))) as opened:
        opened.register.add(Brand("abc"), zone_in_use=None)
        opened.register.add_public_key("abc")
    for path in Path(settings.data_dir).iterdir():
        path.chmod(0o600)
