"""Open a database that is being moved by its address."""

from collections.abc import Callable

from footfall.adapters.relational.mariadb import MariaDbRelational
from footfall.adapters.relational.places import MARIADB, place_from
from footfall.adapters.relational.postgres import PostgresRelational
from footfall.ports.relational import Relational


def open_relational(url: str, *, pause: Callable[[float], None]) -> Relational:
    """Return the database at an address such as mysql://user:password@host:port/database, or raise Refused."""
    place = place_from(url)
    return (MariaDbRelational if place.scheme in MARIADB else PostgresRelational)(place, pause=pause)
