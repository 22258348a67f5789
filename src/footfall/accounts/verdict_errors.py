"""What may be wrong with a question about verdicts, for those who answer it without knowing anything of verdicts."""

from footfall.values.errors import FootfallError


class UnknownVerdict(FootfallError):
    """There is no such verdict, or it is gone with its time."""


class VerdictsContended(FootfallError):
    """Others kept changing the verdicts of a brand."""
