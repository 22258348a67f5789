"""Groups of the stream, and names of windows: a brand's own, and those beside it, which have a mark behind its name.

Hits travel in the group that has the brand's name. What is no hit has a group beside it, with a ledger of its own that
adds up. What is counted in another measure than hits has windows beside the brand's own: its zone, its settings and who
may read it are the brand's.
"""

from collections.abc import Iterable

MARK = "~"  # No brand name may hold it.

_COUNTERS = MARK + "uniques"
_PINGS = MARK + "pings"
_WATCH = MARK + "watch"
_SHOWS = MARK + "shows"
_PLAYS = MARK + "plays"
_COMPLETIONS = MARK + "completions"
_FOLLOWS = MARK + "follows"
_UNFOLLOWS = MARK + "unfollows"


def counters_group(brand: str) -> str:
    """Return the group of the stream in which a brand's counted values travel."""
    return brand + _COUNTERS


def pings_group(brand: str) -> str:
    """Return the group of the stream in which the beats of a brand's players travel."""
    return brand + _PINGS


def watch_name(brand: str) -> str:
    """Return the name of the windows in which a brand's watched milliseconds are counted, by asset."""
    return brand + _WATCH


def shows_name(brand: str) -> str:
    """Return the name of the windows in which the same are counted by series."""
    return brand + _SHOWS


def plays_name(brand: str) -> str:
    """Return the name of the windows in which a brand's playbacks are counted: viewings, where they begin."""
    return brand + _PLAYS


def completions_name(brand: str) -> str:
    """Return the name of the windows in which viewings are counted that were completed."""
    return brand + _COMPLETIONS


def follows_name(brand: str) -> str:
    """Return the name of the windows in which a brand's follows are counted, and of the group in which they travel."""
    return brand + _FOLLOWS


def unfollows_name(brand: str) -> str:
    """Return the name of the windows in which follows that ended are counted, and of the group in which they travel."""
    return brand + _UNFOLLOWS


def is_beside(group: str) -> bool:
    """Tell whether a group holds something else than hits."""
    return MARK in group


def is_of_counters(group: str) -> bool:
    """Tell whether a group holds values of named counters."""
    return group.endswith(_COUNTERS)


def is_of_pings(group: str) -> bool:
    """Tell whether a group holds beats of players."""
    return group.endswith(_PINGS)


def is_of_follows(group: str) -> bool:
    """Tell whether a group holds follows, or follows that ended."""
    return group.endswith((_FOLLOWS, _UNFOLLOWS))


def held_in(group: str) -> str:
    """Return what a group holds, as people name it: hits, or what its mark says."""
    return group.partition(MARK)[2] or "hits"


def brand_of_group(group: str) -> str:
    """Return whose a group is, or whose windows have a name."""
    return group.partition(MARK)[0]


def brands_of_groups(groups: Iterable[str]) -> frozenset[str]:
    """Return the brands that groups belong to."""
    return frozenset(brand_of_group(group) for group in groups)


def window_names(groups: Iterable[str]) -> frozenset[str]:
    """Return every name that windows of what came in groups may have."""
    names: set[str] = set()
    for group in groups:
        brand = brand_of_group(group)
        names.add(brand)
        if is_of_pings(group):
            names |= {watch_name(brand), shows_name(brand), plays_name(brand), completions_name(brand)}
        elif is_of_follows(group):
            names.add(group)
    return frozenset(names)


def names_of(brands: Iterable[str], *, among: Iterable[str]) -> set[str]:
    """Return the names of windows that belong to brands."""
    wanted = set(brands)
    return {name for name in among if brand_of_group(name) in wanted}
