"""What keeps rules from being tried, apart from those who try, so that whoever only tells of it loads nothing else."""

from footfall.values.errors import FootfallError


class TrialGoesOn(FootfallError):
    """Somebody else's rules are being tried."""


class NoTrialsHere(FootfallError):
    """Whatever answers here cannot read raw hits."""


class TrialFailed(FootfallError):
    """A trial ended without an answer."""
