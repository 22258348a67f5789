"""A brand's secret key in a file, so that it stands in no list of processes and in no shell's history."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from footfall.client.signing import signature_header
from footfall.shells.cli.calls import Sign
from footfall.shells.cli.command import Argument, Surroundings, WrongUsage, brand_name
from footfall.values.errors import FootfallError

SECRET_BYTES_MAX = 1_000  # Ours have fewer than 100; whatever is longer is no key.

SECRET_FILE = Argument("--secret-file", "A file with a secret key of the brand, for one that has keys.", shows="FILE")
BRAND_OR_KEY = Argument(
    "--brand", "The brand; not needed with --secret-file, whose key says it.", shows="BRAND", reads=brand_name
)
SIGN = Argument("--sign", "A file with a signing key of the brand, with which each request is signed.", shows="FILE")


class WhoseIsIt(WrongUsage):
    """Neither a brand nor a key of one is named."""


class SecretUnreadable(FootfallError):
    """The file that should hold a key cannot be read."""


def key_headers(name: str | None) -> Mapping[str, str]:
    """Return the headers that carry the key of a file; none when no file is named."""
    return {} if name is None else {"Authorization": f"Bearer {secret_in(name)}"}


def secret_in(name: str) -> str:
    """Return the key that a file holds."""
    try:
        with Path(name).open(encoding="utf-8") as file:
            return file.read(SECRET_BYTES_MAX).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SecretUnreadable(f"{name} cannot be read: {error}.") from error


def signer(arguments: argparse.Namespace, around: Surroundings) -> Sign | None:
    """Return what signs each request with the key in the file of --sign; None when none is named."""
    if arguments.sign is None:
        return None
    if arguments.secret_file is None:
        raise WhoseIsIt("--sign needs a --secret-file as well: the one key says whose it is, the other signs.")
    signing_key = secret_in(arguments.sign)
    return lambda body: signature_header(signing_key, body, at_s=around.clock.now_ms() // 1_000)


def brand_asked(arguments: argparse.Namespace) -> Mapping[str, str]:
    """Return what a request says of its brand: nothing when only a key is given, for the key says it."""
    if arguments.brand is not None:
        return {"brand": arguments.brand}
    if arguments.secret_file is None:
        raise WhoseIsIt("Say whose it is with --brand BRAND, or with --secret-file FILE that holds a key of the brand.")
    return {}
