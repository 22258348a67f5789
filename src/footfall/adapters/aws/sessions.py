"""How footfall reaches AWS: one client per service, with time limits of our own and no retries but ours."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from footfall.ports.errors import Unavailable


class MissingExtra(Unavailable):
    """The packages that this ground needs are not installed; the message says how to install them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Where AWS is, or what stands in for it; what is None comes from the machine's own AWS settings."""

    region: str | None = None
    endpoint: str | None = None
    access_key: str | None = None
    secret_key: str | None = None
    connect_timeout_ms: int = 2_000
    read_timeout_ms: int = 10_000
    connections_max: int = 16

    def __repr__(self) -> str:
        return f"Ground(region={self.region!r}, endpoint={self.endpoint!r})"  # Logs never hold a secret.


def client_of(service: str, ground: Ground, *, config: dict[str, Any] | None = None) -> Any:
    """Return a client of the service, one attempt per call; `config` adds to or replaces botocore's options."""
    session, options_of = _vendor()
    # A retry inside the vendor's client would be neither counted nor paced.
    options: dict[str, Any] = {
        "connect_timeout": ground.connect_timeout_ms / 1_000,
        "read_timeout": ground.read_timeout_ms / 1_000,
        "max_pool_connections": ground.connections_max,
        "retries": {"total_max_attempts": 1, "mode": "standard"},
        "tcp_keepalive": True,
    }
    return session.client(
        service,
        region_name=ground.region,
        endpoint_url=ground.endpoint,
        aws_access_key_id=ground.access_key,
        aws_secret_access_key=ground.secret_key,
        config=options_of(**{**options, **(config or {})}),
    )


def _vendor() -> tuple[Any, Any]:
    """Return a new session, with credentials of its own, and the class of a client's options."""
    # Imported where it is used: it costs a third of a second, and one machine alone never needs it.
    try:
        import boto3  # pyright: ignore[reportMissingTypeStubs] - the vendor has none
        import botocore.session  # pyright: ignore[reportMissingTypeStubs] - the vendor has none
        from botocore.config import Config  # pyright: ignore[reportMissingTypeStubs] - the vendor has none
    except ImportError as error:
        raise MissingExtra(
            f"AWS needs boto3, which is not installed: `pip install 'footfall[aws]'` ({error})"
        ) from error
    vendor: Any = boto3
    below: Any = botocore.session.Session()
    below.register_component("data_loader", _descriptions())
    return vendor.session.Session(botocore_session=below), Config


@cache
def _descriptions() -> Any:
    """Return the reader of the vendor's descriptions of services, which keeps what it has read: a tenth of a second."""
    from botocore import loaders  # pyright: ignore[reportMissingTypeStubs] - the vendor has none

    vendor: Any = loaders
    return vendor.create_loader()
