"""What a user agent says of its sender: a person's browser, a known program, a model's reader, a loader in advance."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from footfall.screening.agent_rules import FIRST, LAST, PEOPLE, Rule
from footfall.screening.labels import Label, Reason
from footfall.screening.listed_agents import listed_rules
from footfall.screening.patterns import Patterns

AGENT_CHARS_MAX = 1_024  # The longest of browsers have some 500; what follows is not looked at.
REMEMBERED_MAX = 20_000  # Some 10 MB at the lengths that browsers have, 30 MB if somebody makes them up.


@dataclass(frozen=True, slots=True)
class AgentLabel:
    """What an agent is, why, and what it is called if it is called something."""

    label: Label
    reason: Reason
    name: str = ""


PERSON = AgentLabel(Label.PERSON, Reason.NONE)
NO_BROWSER = AgentLabel(Label.SUSPECTED, Reason.NO_BROWSER)
NO_AGENT = AgentLabel(Label.SUSPECTED, Reason.NO_AGENT)


class Agents(dict[str, AgentLabel]):
    """Labels by agent: `agents[text]`; those that were asked for lately are remembered."""

    def __init__(self, rules: Iterable[Rule] | None = None) -> None:
        super().__init__()
        ordered = [*PEOPLE, *FIRST, *listed_rules(), *LAST] if rules is None else [*rules]
        self._patterns = Patterns(rule.pattern for rule in ordered)
        self._labels = [AgentLabel(rule.label, rule.reason, rule.name) for rule in ordered]

    def __missing__(self, agent: str) -> AgentLabel:
        label = self.label_of(agent[:AGENT_CHARS_MAX])
        if len(agent) <= AGENT_CHARS_MAX:
            if len(self) >= REMEMBERED_MAX:
                self.clear()
            self[agent] = label
        return label

    def label_of(self, agent: str) -> AgentLabel:
        """Return what an agent is, without remembering it."""
        if agent in ("", "-"):
            return NO_AGENT
        found = self._patterns.found_in(agent)
        if not found:
            return NO_BROWSER
        first = self._labels[found[0]]
        if first.name or first.label is Label.PERSON:
            return first
        # A rule of ours that knows no name; the list may have one.
        for place in found:
            if name := self._labels[place].name:
                return AgentLabel(first.label, first.reason, name)
        return first


@cache
def known_agents() -> Agents:
    """Return the labels by all rules, made once: it takes some 40 ms and 20 MB."""
    return Agents()
