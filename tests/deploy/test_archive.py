"""The archive of the functions: how it is made, that handlers start from it alone, and docs/deploying.md with it."""

import importlib.metadata
import json
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from footfall.adapters.aws.sessions import Ground, client_of
from footfall.app import deploying_archive
from footfall.app.deploying_archive import (
    ARCHITECTURES,
    LEFT_OUT,
    NEEDED,
    RUNTIMES,
    UNPACKED_BYTES_MAX,
    NotPacked,
    Packed,
    Target,
    TooLargeToDeploy,
    archive_name,
    own_runtime,
    pack,
    pinned,
    platforms,
    read_archive,
)
from footfall.shells.cli.command import Exit
from tests.engines.dynamodb import REGION, DynamoDbEngine
from tests.engines.dynamodb import VARIABLES as KEYS
from tests.engines.lambda_runtime import Function, RunHandler
from tests.engines.seaweedfs import Store
from tests.scenarios.test_tutorial import is_as_shown, steps
from tests.shells.cli.conftest import Shell

HERE = Target(own_runtime(), {"aarch64": "arm64"}.get(platform.machine(), platform.machine()))
HANDLERS = ("collect", "serve", "count", "objects", "follows", "maintenance", "judge")
# Resources that nothing listens for: what is refused at the door is refused without them.
VARIABLES = {
    "FOOTFALL_GROUND": "aws",
    "FOOTFALL_AWS_STREAM": "s",
    **{f"FOOTFALL_AWS_{name}_TABLE": name.lower() for name in ("STORE", "ACCOUNTS", "CATALOG", "SALTS")},
    "FOOTFALL_AWS_RAW_BUCKET": "raw",
    **{f"FOOTFALL_AWS_{name}_ENDPOINT": "http://127.0.0.1:9" for name in ("DYNAMODB", "KINESIS", "S3", "OTHER")},
}
PAGE = Path(__file__).resolve().parents[2] / "docs" / "deploying.md"
PAGE_REGION = "eu-north-1"
STEPS_MIN = 9
FIRST_LIST_S_MAX = 120.0  # The machine may be busy; timing decides no test.
ELF_MACHINES = {"x86_64": 62, "arm64": 183}


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Packed:
    """Pack for the interpreter of the tests, which Lambda does not have, so that handlers can be started here."""
    return pack(HERE, tmp_path_factory.mktemp("archive"))


@pytest.fixture(scope="module")
def unpacked(packed: Packed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack it once for all handlers."""
    root = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(packed.path) as opened:
        opened.extractall(root)
    return root


Start = Callable[[str, Mapping[str, str]], Function]


@pytest.fixture
def start(packed: Packed, unpacked: Path, run_handler: RunHandler) -> Start:
    def started(name: str, variables: Mapping[str, str]) -> Function:
        function = run_handler(packed.path, f"footfall.shells.lambdas.{name}.handler", variables)
        (function.folder / "task").symlink_to(unpacked)
        return function

    return started


def names_in(archive: Path) -> set[str]:
    with zipfile.ZipFile(archive) as opened:
        return set(opened.namelist())


def test_it_is_small_enough_and_has_what_runs_and_nothing_else(packed: Packed) -> None:
    with zipfile.ZipFile(packed.path) as opened:
        sizes = {one.filename: one.file_size for one in opened.infolist()}
    assert packed.unpacked_bytes == sum(sizes.values()) < UNPACKED_BYTES_MAX
    tops = {name.split("/")[0] for name in sizes}
    assert {"footfall", "numpy", "botocore", "tzdata", "PIL"} <= tops
    assert not tops & {*LEFT_OUT, "bin", "awslambdaric", "pytest"}
    assert not [name for name in sizes if name.startswith("footfall/shells/cli/") or "/tests/" in name]
    # What was built for this machine would be wrong on another.
    assert "footfall/native/__init__.py" in sizes
    assert not [name for name in sizes if name.startswith("footfall/") and name.endswith((".so", ".c", ".h"))]
    services = {name.split("/")[2] for name in sizes if re.match(r"botocore/data/[^/]+/", name)}
    assert services == set(deploying_archive.SERVICES)
    assert "footfall/shells/lambdas/__pycache__/start.cpython-311.pyc" in sizes


def test_it_takes_the_versions_that_are_installed(packed: Packed) -> None:
    inside = {name.split("/")[0] for name in names_in(packed.path) if ".dist-info/" in name}
    assert len(packed.versions) == len(inside) == len(NEEDED)
    assert f"numpy-{importlib.metadata.version('numpy')}.dist-info" in inside


def test_every_dependency_is_packed_or_left_out_on_purpose() -> None:
    declared = {
        re.split(r"[><=\[; ]", one)[0]
        for one in importlib.metadata.requires("footfall") or []
        if "extra" not in one or 'extra == "aws"' in one
    }
    assert declared <= {*NEEDED, *LEFT_OUT}
    assert not set(NEEDED) & set(LEFT_OUT)


def test_the_same_content_is_the_same_bytes_wherever_and_whenever_it_is_packed(
    packed: Packed, unpacked: Path, tmp_path: Path
) -> None:
    root = tmp_path / "another place"
    shutil.copytree(unpacked / "footfall", root / "footfall", ignore=shutil.ignore_patterns("__pycache__"))
    deploying_archive._compile(root)
    for path in root.rglob("*"):
        os.utime(path, (1, 1))
    deploying_archive._zip(root, tmp_path / "again.zip")
    with zipfile.ZipFile(tmp_path / "again.zip") as again, zipfile.ZipFile(packed.path) as opened:
        ours = [one for one in opened.infolist() if one.filename.startswith("footfall/")]
        assert [one.filename for one in ours] == again.namelist()
        for one in ours:
            same = again.getinfo(one.filename)
            assert (same.CRC, same.date_time, same.external_attr) == (one.CRC, one.date_time, one.external_attr)
    assert any(one.filename.endswith(".pyc") for one in ours)


def test_an_archive_is_read_again_as_it_was_made(packed: Packed) -> None:
    with read_archive(packed.path) as again:
        assert (again.name, again.target, again.digest) == (packed.path.name, packed.target, packed.digest)


@pytest.mark.parametrize("name", HANDLERS)
def test_a_handler_starts_from_the_archive_alone(start: Start, name: str) -> None:
    function = start(name, VARIABLES)
    function._started()  # Which raises what the import raised.
    assert function.cold_ms
    assert "Traceback" not in function.log()


def test_pictures_can_be_compared_from_the_archive_alone(unpacked: Path, tmp_path: Path) -> None:
    Image.new("RGB", (1_280, 80), "white").save(tmp_path / "tile", "WEBP", lossless=True)
    compare = (
        "import sys; from footfall.archive.comparing import picture_difference; from footfall.archive.picture_rows "
        "import Picture; tile = open(sys.argv[1], 'rb').read(); "
        "print(picture_difference(Picture([80], lambda _: tile), Picture([80], lambda _: tile)).is_exact)"
    )
    ran = subprocess.run(
        [sys.executable, "-S", "-c", compare, str(tmp_path / "tile")], env={"PYTHONPATH": str(unpacked)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.stdout, ran.stderr) == ("True\n", "")


def request(method: str, path: str, body: str) -> dict[str, Any]:
    return {
        "version": "2.0",
        "routeKey": f"{method} {path}",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"content-type": "application/json", "host": "example.com", "authorization": "Bearer ffsec_nobodys"},
        "requestContext": {
            "http": {"method": method, "path": path, "sourceIp": "192.0.2.1", "protocol": "HTTP/1.1"},
            "stage": "$default",
            "domainName": "example.com",
        },
        "body": body,
        "isBase64Encoded": False,
    }


def test_collect_in_the_archive_refuses_a_key_that_nobody_has(start: Start, dynamodb: DynamoDbEngine) -> None:
    client = dynamodb.shared()
    tables = {f"FOOTFALL_AWS_{one}_TABLE": dynamodb.names(client).table for one in ("ACCOUNTS", "CATALOG", "SALTS")}
    where = {"FOOTFALL_AWS_DYNAMODB_ENDPOINT": dynamodb.endpoint, "FOOTFALL_AWS_REGION": REGION, **KEYS}
    answer = start("collect", {**VARIABLES, **tables, **where}).invoke(request("POST", "/v1/hits", '{"assetId":1}'))
    assert answer["statusCode"] == 401
    assert json.loads(answer["body"])["status"] == 401


def test_wheels_are_asked_for_as_old_as_amazon_linux() -> None:
    assert platforms("arm64")[0] == "manylinux_2_34_aarch64"
    assert "manylinux2014_x86_64" in platforms("x86_64")
    assert "manylinux_2_35_x86_64" not in platforms("x86_64")


def test_what_pip_cannot_bring_is_told_with_its_own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(NotPacked, match="No matching distribution"):
        pack(HERE, tmp_path)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deploying_archive, "NEEDED", ("not-installed-anywhere",))
    with pytest.raises(NotPacked, match=r"pip install 'footfall\[aws\]'"):
        pinned()


@pytest.mark.soak
@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_it_is_packed_for_what_lambda_has_and_twice_the_same(tmp_path: Path, runtime: str, architecture: str) -> None:
    shell = Shell()
    made: list[bytes] = []
    for one in ("a", "b"):
        (tmp_path / one).mkdir()
        argv = ("--runtime", runtime, "--architecture", architecture, "--out", str(tmp_path / one))
        assert shell.run("deploy", "package", *argv) == Exit.OK
        (archive,) = (tmp_path / one).iterdir()
        made.append(archive.read_bytes())
    assert made[0] == made[1]
    with zipfile.ZipFile(archive) as opened:
        libraries = [name for name in opened.namelist() if name.endswith(".so")]
        machines = {struct.unpack_from("<H", opened.read(name), 18)[0] for name in libraries}
    assert machines == {ELF_MACHINES[architecture]}
    assert any(f"cpython-{runtime.replace('.', '')}" in name for name in libraries)


def test_an_archive_that_lambda_would_not_unpack_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deploying_archive, "NEEDED", ("six",))
    monkeypatch.setattr(deploying_archive, "_trim", lambda _root: None)
    monkeypatch.setattr(deploying_archive, "UNPACKED_BYTES_MAX", 1_000)
    with pytest.raises(TooLargeToDeploy, match="Lambda takes 1,000"):
        pack(Target("3.12", "x86_64"), tmp_path)


# --- the page ---------------------------------------------------------------------------------------


def test_whoever_follows_the_page_has_a_first_hit_in_a_list_and_leaves_again(
    packed: Packed, ministack: Store, tmp_path: Path
) -> None:
    # ministack runs functions with the interpreter of the tests, whatever Python they ask for.
    named = archive_name(packed.version, Target(RUNTIMES[0], HERE.architecture), packed.digest)
    archive = shutil.copy(packed.path, tmp_path / named)
    walked = steps(PAGE.read_text(encoding="utf-8"))
    assert len(walked) >= STEPS_MIN
    for step in walked:
        typed = as_typed_here(step.typed, ministack, archive=Path(archive))
        ends_at = time.monotonic() + FIRST_LIST_S_MAX
        while True:
            done = type_it(typed, ministack, tmp_path)
            assert done.returncode == 0, f"{typed}\n{done.stdout}{done.stderr}"
            if step.said is None or is_as_shown(done.stdout, step.said):
                break
            assert "/v1/popular" in typed, f"{typed}\nsaid:\n{done.stdout}\nthe page says:\n{step.said}"
            assert time.monotonic() < ends_at, f"the hit is in no list after {FIRST_LIST_S_MAX} s: {done.stdout}"
            time.sleep(0.5)


def type_it(typed: str, aws: Store, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Type a command in a shell that knows what earlier ones exported."""
    kept = folder / "kept.sh"
    kept.touch()
    variables = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "AWS_ACCESS_KEY_ID": aws.access_key,
        "AWS_SECRET_ACCESS_KEY": aws.secret,
    }
    command = ["bash", "-euo", "pipefail", "-c", f"source {kept}\n{typed}\nexport -p > {kept}\n"]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=120, check=False)


def as_typed_here(typed: str, aws: Store, *, archive: Path) -> str:
    """Return a command for what stands for AWS, with an archive that is packed already, and without its CDN."""
    typed = re.sub(r"\bfootfall deploy (\w+)", rf"footfall deploy \1 --endpoint {aws.endpoint}", typed)
    typed = re.sub(r"\bfootfall deploy (up|update)\b", rf"footfall deploy \1 --archive {archive}", typed)
    typed = re.sub(r"\bfootfall deploy up\b", "footfall deploy up --freshness 1", typed)
    typed = typed.replace('"$API_ADDRESS/', '"$ADDRESS/')  # There is no CloudFront here, so both are the API.
    if '"$ADDRESS/' not in typed:
        return typed
    ground = Ground(region=PAGE_REGION, endpoint=aws.endpoint, access_key=aws.access_key, secret_key=aws.secret)
    found = client_of("apigatewayv2", ground).get_apis()["Items"]
    (api,) = [one["ApiId"] for one in found if one["Name"] == "footfall"]
    host = f"{api}.execute-api.localhost:{aws.endpoint.rpartition(':')[2]}"
    return typed.replace('"$ADDRESS/', f'-H "Host: {host}" "{aws.endpoint}/')
