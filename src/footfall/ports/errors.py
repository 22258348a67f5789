"""What can go wrong on any ground, in words of our own."""

from footfall.values.errors import FootfallError


class PortError(FootfallError):
    """The ground under a port did not do what was asked."""


class Changed(PortError):
    """What the caller expected to find is not there any more; nothing was written."""


class TooLarge(PortError):
    """Over the limit that every adapter of this port keeps."""


class Throttled(PortError):
    """The ground is busy; the same call may succeed later."""


class NoSpace(PortError):
    """The disk is full; nothing was written."""


class Unavailable(PortError):
    """The ground does not answer; whether the call took effect is unknown."""


class NotMade(Unavailable):
    """Nothing was ever stored there: whoever writes has still to begin."""


class Corrupt(PortError):
    """Stored bytes are not what was written."""
