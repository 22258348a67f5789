"""Where leases and ended playbacks lie in the audience's table (docs/formats/audience.md)."""

from typing import Final

from footfall.audience.history_keys import part
from footfall.ports.table import Key

LEASES = "leases"
ENDED = "R#"
# One partition of an index takes 1,000 writes a second, and a brand has no more than some thousand ends in one.
DAY_SHARDS: Final = 8
_PAST_HASH = "$"


def playbacks(brand: str, member: str) -> str:
    """Return the partition of what a member plays and has played."""
    return f"{brand}#l#{part(member)}"


def leases(brand: str, member: str) -> Key:
    """Return where all leases of a member lie, in one item."""
    return Key(playbacks(brand, member), LEASES)


def ended(brand: str, member: str, *, ended_ms: int, session: str) -> Key:
    """Return where it lies what came of a playback; those of a member follow each other as they ended."""
    return Key(playbacks(brand, member), f"{ENDED}{ended_ms:015d}#{part(session)}")


def all_ended() -> tuple[str, str]:
    """Return the ends between which a member's ended playbacks lie."""
    return ENDED, f"{ENDED[0]}{_PAST_HASH}"


def ended_on(brand: str, day: str, shard: int) -> str:
    """Return the partition that a shard of a day's ended playbacks has in the index `recent`."""
    return f"{brand}#d#{day}#{shard}"
