"""What judging finds: who or what, in which range of event times, why, and how sure; not yet a verdict."""

from dataclasses import dataclass
from enum import StrEnum

from footfall.screening.features import FeatureNote


class SubjectKind(StrEnum):
    """What a verdict can be about; the texts are stored."""

    VISITOR = "visitor"
    ASSET = "asset"


class Cause(StrEnum):
    """Why something was found; the texts are stored and answered."""

    UNUSUAL_VISITOR = "unusual-visitor"  # by the forest
    WALK = "walk"  # a visitor who goes from asset to asset as even as a clock: by a rule, which needs no comparison
    UNUSUAL_ASSET = "unusual-asset"  # by the forest: told, and held by nobody but an operator
    FEW_AGENTS = "few-agents"  # a steep rise by too few kinds of agent
    FEW_VISITORS = "few-visitors"  # a steep rise by too few visitors
    CLOCKWORK = "clockwork"  # a steep rise as even as a clock


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as people are; the same subject and beginning is the same case, with a later end."""

    kind: SubjectKind
    subject: int  # the number of the visitor or the asset
    from_ms: int
    to_ms: int  # not included
    cause: Cause
    score: float
    notes: tuple[FeatureNote, ...]
    words: str
    agents: tuple[int, ...] = ()  # of an asset: only hits of these kinds of agent are meant, by their numbers
    visitors: tuple[int, ...] = ()  # or only those of these visitors; nothing of both: all hits

    @property
    def is_held(self) -> bool:
        """Tell whether it may be left out before an operator has looked: a viral story is unusual, and no fraud."""
        return self.cause is not Cause.UNUSUAL_ASSET
