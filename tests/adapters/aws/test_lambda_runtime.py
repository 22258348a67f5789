"""The ground that handlers are tested on behaves as Lambda does: answers, types of errors, deadlines, archives."""

import zipfile
from pathlib import Path

import pytest

from tests.engines.lambda_runtime import HandlerFailed, RunHandler

CODE = """
import os, sys, time
calls = 0

class StoreAway(Exception):
    pass

def echo(event, context):
    global calls
    calls += 1
    return {"event": event, "calls": calls, "setting": os.environ.get("FOOTFALL_X"), "home": os.environ.get("HOME"),
            "left_ms": context.get_remaining_time_in_millis(), "memory": context.memory_limit_in_mb}

def fail(event, context):
    raise StoreAway(f"no table {event}")

def sleep(event, context):
    time.sleep(event)
    return "slept"

def leave(event, context):
    os._exit(3)

def large(event, context):
    return "x" * event

def sees(event, context):
    import importlib.util
    return [name for name in event if importlib.util.find_spec(name)]
"""


@pytest.fixture
def code(tmp_path: Path) -> Path:
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "shop.py").write_text(CODE)
    return folder


def test_a_warm_function_keeps_its_process_and_sees_its_settings(code: Path, run_handler: RunHandler) -> None:
    function = run_handler(code, "shop.echo", {"FOOTFALL_X": "1"}, timeout_s=20)
    first, second = function.invoke({"a": ["é", 1]}), function.invoke(None)
    assert first["event"] == {"a": ["é", 1]}
    assert (first["calls"], second["calls"], function.starts, len(function.cold_ms)) == (1, 2, 1, 1)
    assert (first["setting"], first["home"], first["memory"]) == ("1", None, "512")
    assert 0 < first["left_ms"] <= 20_000


def test_an_error_is_told_with_its_type_and_where_it_was_raised(code: Path, run_handler: RunHandler) -> None:
    function = run_handler(code, "shop.fail")
    with pytest.raises(HandlerFailed) as raised:
        function.invoke(7)
    assert (raised.value.error_type, raised.value.message) == ("StoreAway", "no table 7")
    assert "shop.py" in raised.value.trace[0]
    with pytest.raises(HandlerFailed):
        function.invoke(8)
    assert function.starts == 1
    assert "no table 8" in function.log()


def test_a_function_over_its_time_is_ended_and_starts_anew(code: Path, run_handler: RunHandler) -> None:
    function = run_handler(code, "shop.sleep", timeout_s=1)
    with pytest.raises(HandlerFailed, match=r"Sandbox\.Timedout.*1\.00 seconds"):
        function.invoke(60)
    assert function.invoke(0) == "slept"
    assert function.starts == 2


def test_a_process_that_ends_is_told_and_starts_anew(code: Path, run_handler: RunHandler) -> None:
    function = run_handler(code, "shop.leave")
    for _ in range(2):
        with pytest.raises(HandlerFailed, match=r"Runtime\.ExitError.*status 3"):
            function.invoke(None)
    assert function.starts == 2


@pytest.mark.parametrize(
    ("handler", "error_type"),
    [("nowhere.echo", "Runtime.ImportModuleError"), ("shop.nothing", "Runtime.HandlerNotFound")],
)
def test_a_handler_that_is_not_there_is_told_at_the_start(
    code: Path, run_handler: RunHandler, handler: str, error_type: str
) -> None:
    with pytest.raises(HandlerFailed) as raised:
        run_handler(code, handler).invoke(None)
    assert raised.value.error_type == error_type


def test_events_and_answers_have_the_limit_of_lambda(code: Path, run_handler: RunHandler) -> None:
    function = run_handler(code, "shop.large")
    with pytest.raises(HandlerFailed, match="RequestTooLarge"):
        function.invoke("x" * 6_300_000)
    with pytest.raises(HandlerFailed, match="ResponseSizeTooLarge"):
        function.invoke(6_300_000)
    assert len(function.invoke(6_000_000)) == 6_000_000


def test_an_archive_sees_what_it_brings_and_nothing_else(code: Path, tmp_path: Path, run_handler: RunHandler) -> None:
    archive = tmp_path / "code.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.write(code / "shop.py", "shop.py")
    asked = ["shop", "json", "awslambdaric", "boto3", "pytest", "msgspec", "footfall"]
    assert run_handler(archive, "shop.sees").invoke(asked) == ["shop", "json", "awslambdaric"]
    assert run_handler(code, "shop.sees").invoke(["shop", "msgspec"]) == ["shop", "msgspec"]
