"""The demo's metrics: a few numbers of its invented readers and viewers, so that the catalogue is not an empty page."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from footfall.accounts.audit import COMMAND_LINE, Note
from footfall.app.own_metrics import COMPLETED, define_all
from footfall.metrics.catalogue import MetricCatalogue
from footfall.metrics.definition import definition_from

_OWNER = "The demo's newsroom"

DEMO_METRICS: Final[tuple[Mapping[str, Any], ...]] = (
    {
        "name": "reads", "valueType": "SCALAR", "source": {"counts": "hits"}, "title": "Reads", "owner": _OWNER,
        "relatedDimensions": ["paidType", "section"], "description": "How often something was read.",
    },
    {
        "name": "visitors", "valueType": "SCALAR", "source": {"counts": "visitors"}, "title": "Visitors",
        "owner": _OWNER, "relatedDimensions": ["section"], "description": "How many people read.",
    },
    {
        "name": "paid_reads", "valueType": "SCALAR", "source": {"counts": "hits", "where": {"paidType": ["paid"]}},
        "title": "Reads of paid articles", "owner": _OWNER, "relatedDimensions": ["section"],
        "description": "How often something was read that readers pay for.",
    },
    {
        "name": "reads_per_visitor", "valueType": "HYBRID", "hybridFormula": "reads / visitors",
        "title": "Reads per visitor", "owner": _OWNER, "description": "How much one visitor reads.",
    },
    {
        "name": "paid_share", "valueType": "HYBRID", "hybridFormula": "paid_reads / reads",
        "title": "Share of paid reads", "owner": _OWNER,
        "description": "Which part of what is read is paid for; 1 is all of it.",
    },
    {
        "name": "minutes_watched", "valueType": "SCALAR", "source": {"counts": "minutes"}, "title": "Minutes watched",
        "owner": _OWNER, "relatedDimensions": ["section"], "description": "How long was watched.",
    },
    {
        "name": "viewers", "valueType": "SCALAR", "source": {"counts": "viewers"}, "title": "Viewers",
        "owner": _OWNER, "relatedDimensions": ["section"], "description": "How many people watched.",
    },
    {
        "name": "minutes_per_viewer", "valueType": "HYBRID", "hybridFormula": "minutes_watched / viewers",
        "title": "Minutes per viewer", "owner": _OWNER, "description": "How long one viewer watches.",
    },
    {
        "name": "playbacks", "valueType": "SCALAR", "source": {"counts": "playbacks"}, "title": "Playbacks",
        "owner": _OWNER, "relatedDimensions": ["section"], "description": "How often somebody began to watch.",
    },
    {
        "name": "completions", "valueType": "SCALAR", "source": {"counts": "completions"},
        "title": "Completed viewings", "owner": _OWNER, "relatedDimensions": ["section"],
        "description": COMPLETED,
    },
    {
        "name": "completed_share", "valueType": "HYBRID", "hybridFormula": "completions / playbacks",
        "title": "Completed share of playbacks", "owner": _OWNER,
        "description": "Which part of the playbacks were completed; 1 is all of them.",
    },
    {
        "name": "follows", "valueType": "SCALAR", "source": {"counts": "follows"}, "title": "New follows",
        "owner": _OWNER, "relatedDimensions": ["kind"], "description": "How often somebody began to follow.",
    },
    {
        "name": "unfollows", "valueType": "SCALAR", "source": {"counts": "unfollows"}, "title": "Follows that ended",
        "owner": _OWNER, "relatedDimensions": ["kind"], "description": "How often somebody ceased to follow.",
    },
    {
        "name": "net_follows", "valueType": "HYBRID", "hybridFormula": "follows - unfollows", "title": "Net follows",
        "owner": _OWNER, "description": "By how many the follows became more, or fewer.",
    },
)  # fmt: skip


def define_demo(catalogue: MetricCatalogue, brand: str, write: Callable[[Note], None]) -> int:
    """Add the demo's metrics that a brand never had, each written down first; return how many were added."""
    there: set[str] = set()
    missing: list[Mapping[str, Any]] = []
    for document in DEMO_METRICS:
        name = str(document["name"])
        if catalogue.known(brand, name) is not None:
            there.add(name)  # as somebody changed it, maybe
        elif catalogue.removed_at_ms(brand, name) is None and _consumed(document) <= there:
            there.add(name)
            missing.append(document)
    define_all(catalogue, brand, missing, write, by=COMMAND_LINE)
    return len(missing)


def _consumed(document: Mapping[str, Any]) -> set[str]:
    """Return what a metric is computed from: where somebody removed some of it, neither comes back."""
    return set(definition_from(document).consumed_metrics)
