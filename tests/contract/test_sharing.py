"""One server for all processes of a run: started once, used by each, and ended with the run alone."""

from pathlib import Path

import pytest
from botocore.exceptions import EndpointConnectionError

from tests.engines import kinesis
from tests.engines.kinesis import KinesisEngine
from tests.engines.sharing import Sharing, shared


def test_a_server_is_started_once_and_outlives_whoever_asked_first(tmp_path: Path) -> None:
    sharing = Sharing()
    try:
        with shared(sharing.place, KinesisEngine, kinesis.running, tmp_path) as first:
            name = first.new_stream()
        with shared(sharing.place, KinesisEngine, kinesis.running, tmp_path / "nowhere") as second:
            assert second == first
            assert second.shared().list_streams()["StreamNames"] == [name]
    finally:
        sharing.close()
    with pytest.raises(EndpointConnectionError):
        first.shared().list_streams()
    assert not Path(sharing.place).exists()


def test_whoever_asks_for_a_server_that_cannot_start_is_told_why(tmp_path: Path) -> None:
    sharing = Sharing()
    try:
        with (
            pytest.raises(AssertionError, match="No such file"),
            shared(sharing.place, KinesisEngine, kinesis.running, tmp_path / "nowhere"),
        ):
            pytest.fail("nothing can be started there")
    finally:
        sharing.close()
