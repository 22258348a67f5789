"""What can be wrong with what is asked of the catalogue, besides what is wrong with a definition."""

from collections.abc import Mapping, Sequence

from footfall.values.errors import FootfallError, Refused

# What an address says behind a name is no name, and no end of one with slashes.
RESERVED_ENDS = ("data", "deprecate", "diff", "lineage", "restore", "versions")


class NoSuchMetric(Refused):
    """Nobody has defined a metric of this name, or no version of it is the one that is asked for."""


class MetricExists(Refused):
    """A metric of this name was defined before."""


class MetricInUse(Refused):
    """Others are computed from the metric, so that it stays."""

    def __init__(
        self, name: str, users: Sequence[str], *, what: str, advice: str = "deprecate it, or change those first"
    ) -> None:
        super().__init__("name", f"{name!r} is used by {', '.join(users)}: {what}; {advice}")
        self.users = tuple(users)

    @property
    def more(self) -> Mapping[str, object]:
        """Return the metrics that need it."""
        return {"users": list(self.users)}


class ChangeLoses(Refused):
    """A change would take data from a metric, or from those that use it; what it is stays."""

    def __init__(self, field: str, name: str, *, users: Sequence[str], days: int, days_max: int, what: str) -> None:
        count = f"more than {days_max:,}" if days > days_max else f"{days:,}"
        has = [f"is used by {', '.join(users)}"] if users else []
        has += [f"has points of {count} day{'' if days == 1 else 's'}"] if days else []
        super().__init__(
            field,
            f"{name!r} {' and '.join(has)}: {what}; define another metric, chained to this one (chainedMetric, "
            "chainCutoffDate) where the old numbers should go on",
        )
        self.users = tuple(users)
        self.days = days

    @property
    def more(self) -> Mapping[str, object]:
        """Return who uses it, and how many days have points."""
        return {"users": list(self.users), "days": self.days}


class ChangedMeanwhile(FootfallError):
    """Somebody else saved the metric after it was read; `differences` says what they changed."""

    def __init__(self, name: str, *, based_on: int, newest: int, differences: Sequence[object]) -> None:
        super().__init__(
            f"version {newest} of {name!r} was saved meanwhile, and this change is based on version {based_on}: "
            "look at what changed, and save again based on the newest."
        )
        self.based_on = based_on
        self.newest = newest
        self.differences = list(differences)

    @property
    def more(self) -> Mapping[str, object]:
        """Return what those who save again have to look at."""
        return {"basedOn": self.based_on, "newest": self.newest, "differences": self.differences}


class PushTooLarge(Refused):
    """A push has more points, or more days, than are taken at once; nothing of it was."""


class PushBroken(FootfallError):
    """A push was stopped between two of its transactions; whoever sends it again finishes it."""

    def __init__(self, name: str, *, taken: int, days: int, last: str, cause: FootfallError) -> None:
        super().__init__(
            f"the first {taken:,} of {days:,} days for {name!r}, up to {last}, were taken, and none after: {cause} "
            "Send the whole push again: what is there already changes nothing."
        )
        self.taken = taken
        self.days = days
        self.last = last

    @property
    def more(self) -> Mapping[str, object]:
        """Return how far it came."""
        return {"daysTaken": self.taken, "days": self.days, "takenUntil": self.last}


class CatalogueBusy(FootfallError):
    """So many others are changing the catalogue that a change found no moment; it is safe to try again."""
