"""What a message of the live route is made of: the questions whose ready answers are its parts."""

from collections.abc import Callable, Mapping

from footfall.accounts.brands import Brand, Brands
from footfall.app.settings import Settings
from footfall.flow.serve.query import PERIOD_DEFAULT
from footfall.shells.http.popular import POPULAR, list_asks
from footfall.shells.http.series import SeriesAsks

ITEMS = 25
MINUTES = 2  # The open minute and the one before it, which may still grow; older ones a page has.


def live_questions(brands: Brands, settings: Settings) -> Callable[[str], Mapping[str, str]]:
    """Return the function that names a brand's questions."""
    lists = list_asks(settings)[POPULAR]
    series = SeriesAsks()

    def questions(name: str) -> Mapping[str, str]:
        brand = brands.named(name) or Brand(name)
        whose = {"brand": [name]}
        asked = {**whose, "period": [PERIOD_DEFAULT], "limit": [str(ITEMS)]}
        minutes = {**whose, "grain": ["minute"], "last": [str(MINUTES)]}
        periods = {**settings.periods, **brand.periods}
        return {
            "list": lists.question(asked, periods).text,
            "minutes": series.question(minutes, periods).text,
            "visitors": series.question({**minutes, "measure": ["uniques"]}, periods).text,
        }

    return questions
