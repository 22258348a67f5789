"""Tasks of the workflow contract: plain functions that leave a line in a witness file, and their Lambda handlers.

On Lambda they run in processes of their own, so that whatever they have to remember is in that file.
"""

import os
import time
from pathlib import Path

from footfall.adapters.aws.step_functions_machines import handler_of
from footfall.states.values import Json


class TooMany(Exception):
    """What a task fails with when it is told to."""


def note(given: Json, key: str) -> Json:
    """Leave the key in the witness file, and return what was given."""
    assert isinstance(given, dict)
    _write(given, key)
    return given.get("value")


def flaky(given: Json, key: str) -> Json:
    """Fail until the file has as many lines of this key as `fails` says."""
    assert isinstance(given, dict)
    _write(given, key)
    fails = given.get("fails", 0)
    assert isinstance(fails, int)
    if _lines(given).count(key) <= fails:
        raise TooMany(f"{key} is not yet ready")
    return "at last"


def gated(given: Json, key: str) -> Json:
    """Fail unless there is a file with the name of the witness and `.open` after it."""
    assert isinstance(given, dict)
    _write(given, key)
    if not Path(f"{given['witness']}.open").exists():
        raise TooMany("the gate is closed")
    return "through"


def slow(given: Json, key: str) -> Json:
    """Take three seconds."""
    time.sleep(3)
    return "slow"


def _write(given: dict[str, Json], key: str) -> None:
    number = os.open(str(given["witness"]), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(number, f"{key}\n".encode())
    os.close(number)


def _lines(given: dict[str, Json]) -> list[str]:
    return Path(str(given["witness"])).read_text(encoding="utf-8").splitlines()


TASKS = {"note": note, "flaky": flaky, "gated": gated, "slow": slow}
note_handler = handler_of(note)
flaky_handler = handler_of(flaky)
gated_handler = handler_of(gated)
slow_handler = handler_of(slow)
