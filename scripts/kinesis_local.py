"""Bring kinesis-local, which stands for Kinesis in tests: one script of Node, from npm, checked byte for byte."""

import base64
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "0.6.2"
SHA512 = "mFlmksPMQP/A3nT22N2E8WzUbJcbEdxkCnhNCx2lHj20CW4vzuVH8zn5ByRg5LS5es8tvnx2mY1DpbZ5kw9PPQ=="
ENGINES = Path(__file__).resolve().parent.parent / ".venv" / "engines"


class NoKinesis(Exception):
    """kinesis-local could not be brought; the message says what to do."""


def require_kinesis_local(engines: Path = ENGINES) -> Path:
    """Return the folder of the pinned kinesis-local, fetched when it is not there."""
    folder = engines / f"kinesis-local-{VERSION}"
    if (folder / "main.js").exists():
        return folder
    engines.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=engines) as made:
        packed = _packed(Path(made))
        with tarfile.open(packed) as archive:
            archive.extractall(made)  # Its checksum is known, so is all that is in it.
        try:
            os.rename(Path(made) / "package", folder)
        except OSError:  # Another run was quicker, with the same bytes.
            if not (folder / "main.js").exists():
                raise
    return folder


def _packed(folder: Path) -> Path:
    command = ["npm", "pack", f"kinesis-local@{VERSION}", "--silent", "--pack-destination", str(folder)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NoKinesis(f"npm does not run ({error}); install Node 20 with npm") from error
    packed = folder / f"kinesis-local-{VERSION}.tgz"
    if done.returncode != 0 or not packed.exists():
        raise NoKinesis(f"`{' '.join(command)}` failed; try it by hand:\n{done.stderr.strip()}")
    found = base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()
    if found != SHA512:
        raise NoKinesis(f"kinesis-local {VERSION} has the checksum {found}, not {SHA512}: do not use it")
    return packed


if __name__ == "__main__":
    print(require_kinesis_local())
    sys.exit(0)
