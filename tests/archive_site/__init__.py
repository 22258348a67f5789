"""A site of hard pages on loopback, which the archive is tested and measured on: `with archive_site() as site`."""

from tests.archive_site.site import Site, archive_site

__all__ = ["Site", "archive_site"]
