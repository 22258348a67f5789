"""What the lane takes from its clients: the bounds that keep a stranger from making us hold more."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LaneLimits:
    """What one instance takes from its clients."""

    body_bytes_max: int
    pending_bytes_max: int
    connections_max: int
    head_s_max: float
    body_s_max: float
    idle_s_max: float
