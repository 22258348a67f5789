"""The archive that Lambda runs: the installed footfall, and the versions of what it needs that are installed beside it.

The same footfall, versions, runtime and architecture give the same bytes, so an archive can be told by its digest.
"""

import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import footfall
from footfall.values.errors import FootfallError

ARCHITECTURES = ("x86_64", "arm64")
# Lambda's Python 3.11 and older run on Amazon Linux 2 with glibc 2.26; numpy's wheels begin at 2.27.
RUNTIMES = ("3.12", "3.13")
GLIBC_MINOR = 34  # Of Amazon Linux 2023.
GLIBC_MINOR_OLDEST = 5
UNPACKED_BYTES_MAX = 250 * 1_024 * 1_024  # Lambda's own limit.
COMPRESSION = 3  # Half the time of 6 for 7 % more bytes, and an archive goes up once.
MOMENT = (1980, 1, 1, 0, 0, 0)  # The first that an archive can hold: the real one would change its bytes.

# What handlers need. Lambda has a boto3, but its own choice of version changes under us without a test.
NEEDED = (
    "ada-url", "apsw", "argon2-cffi", "argon2-cffi-bindings", "cffi", "crawler-user-agents", "datasketches",
    "google-re2",
    "httptools", "krcf", "lark", "msgspec", "numpy", "pillow",
    "prometheus_client", "starlette", "anyio", "idna", "typing_extensions", "tzdata", "xxhash", "zstandard", "boto3",
    "botocore", "s3transfer", "jmespath", "python-dateutil", "six", "urllib3", "warcio",
)  # fmt: skip
# What footfall depends on and no handler does: terminals, files of people, and the event loop of a server.
LEFT_OUT = ("pyyaml", "rich", "uvloop")
PARTS_LEFT_OUT = ("shells/cli", "client")  # Of footfall itself: commands and the client for other programs.
# Of footfall as well: native code is built for the machine that packs, and the function's may be another. Without it
# handlers do the same in Python, and the same archive is made everywhere.
NATIVE_ENDS = (".so", ".c", ".h")
SERVICES = ("dynamodb", "kinesis", "s3")  # botocore describes 400; a function calls these.
# What pip writes about an installation differs from one to the next, and programs and type stubs do not run there.
NAMES_LEFT_OUT = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "__pycache__", "tests"})

_NAME = re.compile(
    r"footfall-(?P<version>.+)-python(?P<runtime>\d\.\d+)-(?P<architecture>x86_64|arm64)-(?P<digest>[0-9a-f]{16})\.zip"
)


class NotPacked(FootfallError):
    """The archive could not be made; the message says what to do."""


class TooLargeToDeploy(NotPacked):
    """The archive is larger than what Lambda unpacks."""


@dataclass(frozen=True, slots=True)
class Target:
    """What the archive is for."""

    runtime: str
    architecture: str

    @property
    def is_compiled_here(self) -> bool:
        """Tell whether this interpreter's compiled modules are those of the runtime."""
        return self.runtime == own_runtime()


@dataclass(frozen=True, slots=True)
class Packed:
    """An archive that was made."""

    path: Path
    target: Target
    digest: str  # SHA-256, in hex
    packed_bytes: int
    unpacked_bytes: int
    versions: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name under which it is kept: another content is another name."""
        return archive_name(self.version, self.target, self.digest)

    @property
    def version(self) -> str:
        """The version of footfall in it."""
        return version_in_name(self.path.name) or footfall.__version__


def archive_name(version: str, target: Target, digest: str) -> str:
    """Return the name of an archive, which says its version, what it is for, and its content."""
    return f"footfall-{version}-python{target.runtime}-{target.architecture}-{digest[:16]}.zip"


def version_in_name(name: str) -> str:
    """Return the version that an archive's name says; nothing when it is no archive's name."""
    named = _NAME.fullmatch(name)
    return named["version"] if named else ""


def own_runtime() -> str:
    """Return the runtime that is this interpreter's."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def default_runtime() -> str:
    """Return this interpreter's runtime where Lambda has it, else the nearest to it."""
    return own_runtime() if own_runtime() in RUNTIMES else RUNTIMES[0]


def pack(target: Target, out: Path) -> Packed:
    """Make the archive for a target in a file, or in a folder under its own name."""
    versions = pinned()
    with tempfile.TemporaryDirectory(prefix="footfall-pack-") as made:
        root = Path(made) / "root"
        _install(versions, target, root)
        _copy_footfall(root)
        _trim(root)
        if target.is_compiled_here:
            _compile(root)
        unpacked_bytes = sum(path.stat().st_size for path in _files(root))
        if unpacked_bytes > UNPACKED_BYTES_MAX:
            raise TooLargeToDeploy(
                f"The archive has {unpacked_bytes:,} bytes unpacked and Lambda takes {UNPACKED_BYTES_MAX:,}: "
                "see what has grown with `pip list` and leave it out."
            )
        archive = Path(made) / "archive.zip"
        _zip(root, archive)
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        if out.is_dir():
            out = out / archive_name(footfall.__version__, target, digest)
        shutil.move(archive, out)
    return Packed(out, target, digest, out.stat().st_size, unpacked_bytes, versions)


@contextmanager
def fresh_archive(target: Target) -> Generator[Packed]:
    """Make an archive that is gone with the block."""
    with tempfile.TemporaryDirectory(prefix="footfall-archive-") as made:
        yield pack(target, Path(made))


@contextmanager
def read_archive(path: Path) -> Generator[Packed]:
    """Take an archive that was made before; its name says what it is for."""
    named = _NAME.fullmatch(path.name)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise NotPacked(f"{path} cannot be read: {error.strerror}; `footfall deploy package` makes one") from error
    digest = hashlib.sha256(content).hexdigest()
    if named is None or not digest.startswith(named["digest"]):
        raise NotPacked(
            f"{path} is not an archive as package has made and named it: `footfall deploy package` makes one"
        )
    yield Packed(path, Target(named["runtime"], named["architecture"]), digest, len(content), 0, ())


def pinned() -> tuple[str, ...]:
    """Return what is packed beside footfall, each at the version that is installed here."""
    versions: list[str] = []
    for name in NEEDED:
        try:
            versions.append(f"{name}=={importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError as error:
            raise NotPacked(f"{name} is not installed here: `pip install 'footfall[aws]'`, then again.") from error
    return tuple(versions)


def platforms(architecture: str) -> list[str]:
    """Return the names of wheels that run on the architecture, as pip knows them, the newest first."""
    machine = "aarch64" if architecture == "arm64" else architecture
    newest_first = range(GLIBC_MINOR, GLIBC_MINOR_OLDEST - 1, -1)
    old_names = ("manylinux2014", "manylinux2010", "manylinux1")
    return [f"manylinux_2_{minor}_{machine}" for minor in newest_first] + [f"{name}_{machine}" for name in old_names]


def _install(versions: Sequence[str], target: Target, root: Path) -> None:
    command = [
        sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input",
        "--no-deps", "--no-compile", "--only-binary=:all:", "--implementation", "cp",
        "--python-version", target.runtime, "--target", str(root),
        *(word for name in platforms(target.architecture) for word in ("--platform", name)), *versions,
    ]  # fmt: skip
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["it said nothing"]
        raise NotPacked(
            f"pip could not bring the wheels of python{target.runtime} on {target.architecture}: {said[-1]}. "
            "Packing needs pip and the package index that it is set up for"
        )


def _copy_footfall(root: Path) -> None:
    source = Path(footfall.__file__).parent
    left_out = {str(source / part) for part in PARTS_LEFT_OUT}

    def skipped(folder: str, names: list[str]) -> set[str]:
        found = {name for name in names if str(Path(folder) / name) in left_out or name.endswith(NATIVE_ENDS)}
        return found | {"__pycache__"}

    shutil.copytree(source, root / "footfall", ignore=skipped)


def _trim(root: Path) -> None:
    shutil.rmtree(root / "bin", ignore_errors=True)
    for described in (root / "botocore" / "data").iterdir():
        if described.is_dir() and described.name not in SERVICES:
            shutil.rmtree(described)
    for folder, folders, files in os.walk(root, topdown=True):
        for name in [one for one in folders if one in NAMES_LEFT_OUT]:
            shutil.rmtree(Path(folder) / name)
            folders.remove(name)
        for name in files:
            if name in NAMES_LEFT_OUT or name.endswith((".pyi", ".pyx", ".pxd", ".a", ".h")):
                (Path(folder) / name).unlink()


def _compile(root: Path) -> None:
    # Lambda's disk cannot be written, so modules that come uncompiled are compiled at every cold start. The hash of
    # names is fixed because the order of a set would be another in each run.
    command = [
        sys.executable, "-S", "-m", "compileall", "-q", "-s", str(root), "-p", "/var/task",
        "--invalidation-mode", "unchecked-hash", str(root),
    ]  # fmt: skip
    done = subprocess.run(command, env={"PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    if done.returncode != 0:
        raise NotPacked(f"modules do not compile: {done.stdout.strip()[-500:]}")


def _zip(root: Path, archive: Path) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in _files(root):
            about = zipfile.ZipInfo(path.relative_to(root).as_posix(), MOMENT)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.create_system = 3  # Unix, so that the mode below is read.
            about.external_attr = (0o100755 if ".so" in path.suffixes else 0o100644) << 16
            packed.writestr(about, path.read_bytes(), compresslevel=COMPRESSION)


def _files(root: Path) -> Iterator[Path]:
    return iter(sorted(path for path in root.rglob("*") if path.is_file()))
