"""The demo's metrics: a few numbers of its invented readers and viewers, so that the catalogue is not an empty page."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from footfall.accounts.audit import COMMAND_LINE, Note
from footfall.app.metric_acts import adding
from footfall.metrics.catalogue import MetricCatalogue

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
        "name": "playbacks", "valueType": "SCALAR", "source": {"counts": "playbacks"}, "title": "Playbacks",
        "owner": _OWNER, "relatedDimensions": ["section"], "description": "How often somebody began to watch.",
    },
    {
        "name": "completions", "valueType": "SCALAR", "source": {"counts": "completions"},
        "title": "Completed viewings", "owner": _OWNER, "relatedDimensions": ["section"],
        "description": "How often something was watched to its end.",
    },
    {
        "name": "completed_share", "valueType": "HYBRID", "hybridFormula": "completions / playbacks",
        "title": "Completed share of playbacks", "owner": _OWNER,
        "description": "Which part of what is begun is watched to its end; 1 is all of it.",
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
    """Add the demo's metrics to a brand that has none, each written down first; return how many were added."""
    if next(catalogue.rows(brand), None) is not None:
        return 0  # Whoever changed or removed some wants them so.
    for document in DEMO_METRICS:
        change = adding(brand, document, by=COMMAND_LINE)
        note = change.rehearsed(catalogue)
        assert note is not None, "a metric that was not there makes a version"
        write(note)
        change.do(catalogue)
    return len(DEMO_METRICS)
