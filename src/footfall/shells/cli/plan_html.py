"""A plan as one page that needs nothing else: sentences, pictures and the tables beside them, light or dark."""

from collections.abc import Iterator, Sequence
from html import escape

from footfall import __version__
from footfall.planning.advice import Advice
from footfall.planning.plan import Plan, all_figures
from footfall.planning.quantities import money, short
from footfall.shells.cli.plan_html_style import STYLE
from footfall.shells.cli.plan_html_tables import table
from footfall.shells.cli.plan_pictures import pictures
from footfall.shells.cli.plan_report import shown_value


def page(made: Plan, advices: Sequence[Advice]) -> str:
    """Return the whole page."""
    title = f"footfall plan: {money(made.bill.usd)} a month"
    return "".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>",
            *_head(made),
            _advice(advices),
            *pictures(made),
            _figures(made),
            f"<footer>Made by footfall {escape(__version__)}; prices of {escape(made.dated)}, "
            f"{escape(made.region.title)}. "
            "Nothing on this page is loaded from anywhere.</footer></main></body></html>",
        ]
    )


def _head(made: Plan) -> Iterator[str]:
    work = made.work
    per_day, peak = float(work.hits.sum()) / work.days, float(work.hits.max())
    yield "<header><p class=kicker>footfall plan</p>"
    yield f"<h1>{escape(money(made.bill.usd))} a month on AWS for {escape(short(per_day))} hits a day</h1>"
    if made.refused:
        yield f"<p class=lead>{escape(made.refused)}</p>"
    popular = work.site.popularity
    yield (
        f"<p class=lead>{popular.brands:,} brand{'s' * (popular.brands > 1)}, "
        f"{escape(short(popular.assets * popular.brands))} assets, "
        f"{work.site.batch} hit{'s' * (work.site.batch > 1)} to a request; the busiest minute has "
        f"{escape(short(peak))} hits, "
        f"{peak / float(work.hits.mean()):.1f} times the mean.</p></header>"
    )
    yield "<section class=tiles aria-label='In short'>"
    for name, value, more in _tiles(made):
        yield f"<div class=tile><h2>{escape(name)}</h2><p class=big>{escape(value)}</p><p>{_coded(more)}</p></div>"
    yield "</section>"


def _tiles(made: Plan) -> list[tuple[str, str, str]]:
    """Return what is told in large: a name, a value, and what is to be known of it."""
    work, stack = made.work, made.work.stack
    first, hard, cheapest = made.first, made.first_hard, made.cheapest
    return [
        ("Kinesis shards", f"{stack.kinesis_shards}", f"{stack.counting_shards} counting shards"),
        (
            "Functions at once",
            f"{sum(float(one.at_once.max()) for one in work.functions.values()):,.0f}",
            "of 1,000 that an account has",
        ),
        (
            "Write units a second",
            f"{float(work.writes.max()) / 60:,.1f}",
            f"{float(work.writes.mean()) / 60:,.1f} in the mean",
        ),
        ("First to break", f"{first.multiple:.1f} x", first.title),
        ("Without a parameter to move it", f"{hard.multiple:,.1f} x", hard.title),
        (
            "Most to save",
            money(cheapest.saves) if cheapest else "nothing",
            cheapest.what if cheapest else "no change is cheaper",
        ),
    ]


def _coded(text: str) -> str:
    """Return a sentence with what stands between backticks as code."""
    parts = escape(text).split("`")
    return "".join(part if place % 2 == 0 else f"<code>{part}</code>" for place, part in enumerate(parts))


def _advice(advices: Sequence[Advice]) -> str:
    rows = "".join(f"<li class={'due' if one.is_due else 'calm'}>{_coded(one.says)}</li>" for one in advices)
    return f"<section><h2>What to do</h2><ul class=advice>{rows}</ul></section>"


def _figures(made: Plan) -> str:
    rows = [
        (one.name, shown_value(one), one.unit, one.origin.value, one.why, one.source)
        for one in sorted(all_figures(made), key=lambda one: one.name)
    ]
    return (
        f"<section><h2>Where every number comes from</h2><details><summary>{len(rows)} numbers</summary>"
        f"{table('All numbers', ('name', 'value', 'unit', 'how', 'why', 'source'), rows)}</details></section>"
    )
