"""What can be wrong with a sketch, or with what should go into one."""

from footfall.values.errors import FootfallError


class NotASketch(FootfallError):
    """The bytes are damaged, or never were a sketch of this kind."""


class UnknownSketchVersion(NotASketch):
    """The bytes are whole, but of a format that this footfall does not read."""


class OtherSize(FootfallError):
    """Two sketches of different sizes cannot be put together without losing precision."""


class ValueTooLong(FootfallError):
    """A value is longer than a sketch takes."""
