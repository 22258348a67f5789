"""Where an instance keeps objects beside its counts: what judging has learned, digests, hits that were set apart."""

from pathlib import Path

from footfall.adapters.embedded.file_blobs import FileBlobs
from footfall.app.settings import Settings, require_named
from footfall.ports.blobs import Blobs

BLOBS_FOLDER = "blobs"


def open_blobs(settings: Settings) -> Blobs:
    """Open them: a folder of the data directory, or the bucket that raw hits are in."""
    if settings.ground == "aws":
        from footfall.app import aws_wiring

        return aws_wiring.open_blobs(settings, require_named(settings, "aws_raw_bucket"))
    return FileBlobs(Path(settings.data_dir) / BLOBS_FOLDER)
