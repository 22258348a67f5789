"""What the vendor's client raises, told in the words of a port: what several services have in common."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any

from footfall.ports.errors import PortError, Unavailable

# What to do about credentials, whichever service refuses them.
CREDENTIALS: Mapping[str, str] = {
    "UnrecognizedClientException": "give credentials that exist",
    "InvalidSignatureException": "give the secret that belongs to the access key, and set this machine's clock",
    "ExpiredTokenException": "renew the credentials",
}


@contextmanager
def told_as(
    what: str, *, refusal: Callable[[Mapping[str, Any], str], PortError], lost: type[Unavailable]
) -> Generator[None]:
    """Turn what is raised inside into a port's errors: a refusal as it is told, `lost` where nobody answered."""
    # botocore is there, or there would be no client; nothing is loaded before it is needed.
    from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs] - the vendor has none
        BotoCoreError,
        ClientError,
        HTTPClientError,
    )

    try:
        yield
    except ClientError as error:
        said: Mapping[str, Any] = error.response  # pyright: ignore[reportUnknownMemberType]
        raise refusal(said, what) from error
    except HTTPClientError as error:
        raise lost(f"{what}: {error}; whether the call took effect is unknown") from error
    except BotoCoreError as error:
        raise Unavailable(f"{what}: {error}; see the region, the endpoint and the credentials") from error
