"""How an instance says no to an operator: apart from what it takes to do what is asked, which takes long to load."""

from footfall.values.errors import FootfallError


class ControlFailed(FootfallError):
    """The instance could not do what was asked."""


class ControlRefused(ControlFailed):
    """The instance would not do what was asked, as it would not for anybody who asks for the same."""
