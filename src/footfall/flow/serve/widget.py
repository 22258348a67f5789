"""The most-read box as a piece of HTML that a page includes: a heading and the first assets of a list as links.

Titles and addresses are strangers' words, so each is escaped and only addresses of the web become links. There is no
style and no script in it: a page with the strictest policy can include it, and its own style sheet dresses it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from footfall.flow.serve.parameters import Given, choice_of, given_from, require_short, single_of, whole_of
from footfall.flow.serve.query import LIMIT_MAX, SEVERAL
from footfall.values.errors import Refused

PERIOD = "day"
SHOWN_DEFAULT = 5
SHOWN_MAX = 20  # A box stands beside something else.
HEADING = "Most read"
HEADING_BYTES_MAX = 200
LEVELS = ("2", "3", "4", "5", "6")
ASKED_PER_SHOWN = 2  # Of some assets nobody has told the title yet; others take their places.

SINGLE = ("brand", "period", "limit", "sort", "title", "lang", "level")
_OF_THE_BOX = ("title", "lang", "level", "limit")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,4}")
_LINKED = re.compile(r"(https?:/)?/", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Box:
    """How a box is to look, whatever is in it."""

    heading: str = HEADING
    lang: str = ""  # empty: the page's
    level: str = LEVELS[0]
    limit: int = SHOWN_DEFAULT


def box_parameters(raw_query: str) -> Given:
    """Return the values of each parameter, or refuse a parameter that the box has not."""
    return given_from(raw_query, single=SINGLE, several=SEVERAL, of="the box")


def box_from(given: Given) -> Box:
    """Return the box that the parameters describe, or refuse it."""
    lang = single_of(given, "lang") or ""
    if lang and not _LANGUAGE.fullmatch(lang):
        raise Refused("lang", f"{lang[:64]!r} is not the tag of a language, such as en or pt-BR")
    return Box(
        heading=require_short("title", single_of(given, "title") or HEADING, bytes_max=HEADING_BYTES_MAX),
        lang=lang,
        level=choice_of(given, "level", among=LEVELS, default=LEVELS[0]),
        limit=whole_of(given, "limit", highest=SHOWN_MAX, default=SHOWN_DEFAULT),
    )


def list_given(given: Given) -> Given:
    """Return what the box asks of the list of the most popular."""
    limit = min(LIMIT_MAX, box_from(given).limit * ASKED_PER_SHOWN)
    asked = {name: values for name, values in given.items() if name not in _OF_THE_BOX}
    return {"period": [PERIOD], **asked, "limit": [str(limit)]}


def fragment(items: Iterable[Mapping[str, Any]], box: Box, *, mark: str) -> str:
    """Return the box as HTML, or nothing at all when nothing can be shown; `mark` tells it from others on the page."""
    lines = [line for line in map(_line, items) if line][: box.limit]
    if not lines:
        return ""
    heading = f"footfall-{mark}"
    lang = f' lang="{escape(box.lang)}"' if box.lang else ""
    return (
        f'<section class="footfall-box" aria-labelledby="{heading}"{lang}>\n'
        f'<h{box.level} class="footfall-heading" id="{heading}">{escape(box.heading)}</h{box.level}>\n'
        f'<ol class="footfall-list">\n{"".join(lines)}</ol>\n</section>\n'
    )


def _line(item: Mapping[str, Any]) -> str:
    """Return an entry; empty for one that nobody has told the title or the address of."""
    title, address = item.get("title", ""), item.get("address") or item["assetId"]
    if not title.strip() or not _LINKED.match(address):
        return ""
    return (
        f'<li class="footfall-item"><a class="footfall-link" dir="auto" href="{escape(address)}">'
        f"{escape(title)}</a></li>\n"
    )
