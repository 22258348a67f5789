"""What judging tells of itself: apart from judging, for the process that only passes it on."""

from dataclasses import dataclass

GRACE_MS = 3_000  # after a minute's end: what arrived in it is on disk by then


@dataclass(slots=True)
class Report:
    """What judging has come to since its start; the gauges tell it."""

    judged_ms: int = 0  # the end of the last minute that was judged
    hits: int = 0  # of persons, that were read
    sampled_out: float = 0.0  # of them, whose assets were judged by the hits of other visitors
    left_out: int = 0  # of brands that there was no room for
    skipped_ms: int = 0  # that was passed over, because it could not follow
    verdicts: int = 0  # that were found, or went on
    brands: int = 0
    ready_visitors: int = 0  # brands of which enough was seen to find visitors by comparison
    ready_assets: int = 0
