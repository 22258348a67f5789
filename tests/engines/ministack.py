"""ministack for tests: AWS in one process, which lists S3's names as S3 does and deploys templates."""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.engines.seaweedfs import Store, free_ports
from tests.engines.serving import serving


@pytest.fixture(scope="session")
def ministack(tmp_path_factory: pytest.TempPathFactory) -> Generator[Store]:
    folder = tmp_path_factory.mktemp("ministack")
    (port,) = free_ports(1)
    variables = {"GATEWAY_PORT": str(port), "LOG_LEVEL": "ERROR", "TMPDIR": str(folder)}
    store = Store(f"http://127.0.0.1:{port}")
    client = store.client(connect_timeout=1, read_timeout=5)
    program = Path(sys.executable).with_name("ministack")
    with serving([program], folder, variables=variables, ask=client.list_buckets):
        yield store
