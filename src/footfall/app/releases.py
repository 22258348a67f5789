"""Held hits on their way into the stream again, where somebody looks for them once a minute."""

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.catalog.catalogue import Catalogue
from footfall.catalog.labels import KnownLabels
from footfall.flow.count.releasing import Releases
from footfall.flow.stream.archive import Archive
from footfall.flow.stream.raw import ArchiveRaw
from footfall.ports.stream import Stream
from footfall.ports.table import Table
from footfall.values.clock import Clock

ASSETS_AT_HAND_MAX = 10_000


class Releasing:
    """Looks for hits that were held for want of labels and appends those that have them by now."""

    def __init__(self, settings: Settings, stream: Stream, store: Table, archive: Archive, *, clock: Clock) -> None:
        table = wiring.open_catalog_table(settings, clock, read_only=True)
        self._stream = stream
        self._catalogue = Catalogue(table, clock)
        self._labels = KnownLabels(table, assets_max=ASSETS_AT_HAND_MAX)
        self._versions: dict[str, int] = {}
        self._releases = Releases(
            store,
            ArchiveRaw(archive),
            shards=settings.stream_shards,
            labelled=self._labels.labelled,
            now_ms=clock.now_ms,
        )

    def release(self, brand: str) -> int:
        """Append what may be counted now; return how many entries that were.

        One that is appended twice, because this was cut short, is counted once.
        """
        version = self._catalogue.version(brand)
        if version == 0:
            return 0
        before = self._versions.pop(brand, None)
        changed = None if before is None else self._catalogue.changed_since(brand, before)
        if changed is None:
            self._labels.forget_all()
        else:
            self._labels.forget(brand, changed)
        count = 0
        for entries in self._releases.released(brand, changed):
            self._stream.append(entries)
            count += len(entries)
        self._versions[brand] = version  # Only now: after a failure all that is held is looked through again.
        return count
