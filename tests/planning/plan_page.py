"""The page of a plan with everything on it: growth, an asset that goes viral, and every picture."""

from footfall.app.planning_inputs import Given, Shape, asked, shaped, viral_of
from footfall.planning.advice import advice
from footfall.planning.plan import plan
from footfall.planning.site import Stack
from footfall.shells.cli.plan_html import page
from tests.planning.sites import book, region


def plan_page(*, per_day: float = 50e6, brands: int = 5) -> str:
    """Return the page."""
    shape = Shape(per_day, spike_times=10.0, growth=0.08)
    given = Given(assets=100_000, brands=brands)
    made = plan(asked(shaped(shape), given, Stack(), per_day=per_day, viral=viral_of(shape)), book(), region())
    return page(made, advice(made))
