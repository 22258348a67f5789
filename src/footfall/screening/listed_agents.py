"""The maintained list of crawlers (the package crawler-user-agents) as rules: its patterns, tags and names."""

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import msgspec

from footfall.screening.agent_rules import NOT_FROM_THE_LIST, Rule
from footfall.screening.labels import Label, Reason
from footfall.values.errors import FootfallError

PACKAGE, FILE = "crawleruseragents", "crawler-user-agents.json"

# In the order of what says most; an agent with several tags has the first of these.
_REASONS = {
    "ai-crawler": Reason.AI_CRAWLER,
    "monitoring": Reason.MONITOR,
    "browser-automation": Reason.AUTOMATION,
    "http-library": Reason.HTTP_LIBRARY,
    "social-preview": Reason.SOCIAL_PREVIEW,
    "feed-reader": Reason.FEED_READER,
    "scanner": Reason.SCANNER,
    "archiver": Reason.ARCHIVER,
    "academic": Reason.ACADEMIC,
    "advertising": Reason.ADVERTISING,
    "search-engine": Reason.SEARCH_ENGINE,
    "seo": Reason.SEO,
}


class NoCrawlerList(FootfallError):
    """The package with the list of crawlers is not there, or is not what it was."""


class Listed(msgspec.Struct, frozen=True):
    """One entry of the list; it has more that we do not need."""

    pattern: str
    tags: Sequence[str] = ()


def listed_rules() -> list[Rule]:
    """Return the list as rules, the longest pattern first, since it says most."""
    entries = sorted(_entries(), key=lambda entry: (-len(entry.pattern), entry.pattern))
    return [_rule(entry) for entry in entries if entry.pattern not in NOT_FROM_THE_LIST]


def name_of(pattern: str) -> str:
    """Return the name that a pattern stands for: what is left of it without its signs."""
    name = re.sub(r"\[(.)[^\]]*\]", r"\1", pattern)  # Of a choice of letters, the first.
    name = re.sub(r"\\[bdsw][+*?]?|[$^]|\(\?:|[()?*+]", "", name)
    return re.sub(r"\\(.)", r"\1", name).strip(" /;-_.") or pattern


def _entries() -> list[Listed]:
    # The file is read as data: the package's own module would compile every pattern for Python's engine.
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise NoCrawlerList(f"the package {PACKAGE} is not installed; install footfall again with its dependencies")
    path = Path(spec.submodule_search_locations[0]) / FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Listed])
    except (OSError, msgspec.MsgspecError) as error:
        raise NoCrawlerList(f"{FILE} of {PACKAGE} cannot be read ({error}); install that package again") from error


def _rule(entry: Listed) -> Rule:
    tagged = set(entry.tags)
    reason = next((reason for tag, reason in _REASONS.items() if tag in tagged), Reason.LISTED)
    label = Label.AI if reason is Reason.AI_CRAWLER else Label.BOT
    return Rule(entry.pattern, label, reason, name_of(entry.pattern))
