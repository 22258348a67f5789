"""Where a database is, as an address tells it: mysql://user:password@host:port/database."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from footfall.values.errors import Refused

MARIADB = frozenset({"mysql", "mariadb"})
POSTGRES = frozenset({"postgresql", "postgres"})
PATIENCE_S = 60  # for one answer; what takes longer is not one of our small statements


@dataclass(frozen=True, slots=True)
class Place:
    """A database's address, taken apart."""

    scheme: str
    host: str
    port: int | None
    user: str
    password: str = field(repr=False)  # Logs never hold a secret.
    database: str
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    patience_s: int = PATIENCE_S

    @property
    def told(self) -> str:
        """Return the address without its secret."""
        port = f":{self.port}" if self.port else ""
        return f"{self.scheme}://{self.user}@{self.host}{port}/{self.database}"


def place_from(url: str) -> Place:
    """Return the place that an address names, or raise Refused."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise Refused("source", f"is not an address: {error}") from None
    if parts.scheme not in MARIADB | POSTGRES:
        raise Refused("source", f"{parts.scheme!r} is none of mysql, mariadb and postgresql")
    database = unquote(parts.path.removeprefix("/"))
    if not parts.hostname or not database or not parts.username:
        raise Refused("source", f"is not of the form {parts.scheme}://user:password@host:port/database")
    return Place(
        parts.scheme, parts.hostname, port, unquote(parts.username), unquote(parts.password or ""), database,
        dict(parse_qsl(parts.query)),
    )  # fmt: skip
