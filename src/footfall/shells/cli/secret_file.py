"""A brand's secret key in a file, so that it stands in no list of processes and in no shell's history."""

from collections.abc import Mapping
from pathlib import Path

from footfall.shells.cli.command import Argument
from footfall.values.errors import FootfallError

SECRET_BYTES_MAX = 1_000  # Ours have fewer than 100; whatever is longer is no key.

SECRET_FILE = Argument("--secret-file", "A file with a secret key of the brand, for one that has keys.", shows="FILE")


class SecretUnreadable(FootfallError):
    """The file that should hold a key cannot be read."""


def key_headers(name: str | None) -> Mapping[str, str]:
    """Return the headers that carry the key of a file; none when no file is named."""
    if name is None:
        return {}
    try:
        with Path(name).open(encoding="utf-8") as file:
            secret = file.read(SECRET_BYTES_MAX).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SecretUnreadable(f"{name} cannot be read: {error}.") from error
    return {"Authorization": f"Bearer {secret}"}
