"""Readable text: what a page says without its menus, for searching and comparing.

Trafilatura finds it in articles. A front page is menus and teasers to it: where it finds next to nothing, all that
a person sees is the text.
"""

from dataclasses import dataclass
from types import ModuleType

from footfall.values.web_urls import NotInstalled

HTML_CHARACTERS_MAX = 5_000_000  # A document of this size takes seconds; a larger one is read as it is seen.
TEXT_CHARACTERS_MAX = 2_000_000  # Several novels; what is behind is not searched for.
TITLE_CHARACTERS_MAX = 300
READABLE_SHARE_MIN = 0.1  # Less of what is seen than this is no article.
READABLE_CHARACTERS_MIN = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """What a page says."""

    title: str
    text: str
    is_article: bool  # menus are left out; otherwise it is all that was seen


def reading_from(html: str, *, seen: str, title: str, url: str) -> Reading:
    """Return a page's title and readable text; `seen` is its innerText, `title` what its document says."""
    found = _found(html, url) if len(html) <= HTML_CHARACTERS_MAX else ""
    is_article = len(found) >= max(READABLE_CHARACTERS_MIN, int(READABLE_SHARE_MIN * len(seen)))
    text = found if is_article or not seen.strip() else seen
    return Reading(
        title=one_line(title)[:TITLE_CHARACTERS_MAX] or _first_line(text),
        text=_tidy(text)[:TEXT_CHARACTERS_MAX],
        is_article=is_article,
    )


def one_line(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return " ".join(text.split())


def _first_line(text: str) -> str:
    return next((one_line(line)[:TITLE_CHARACTERS_MAX] for line in text.splitlines() if line.strip()), "")


def _tidy(text: str) -> str:
    lines = (one_line(line) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def _found(html: str, url: str) -> str:
    try:
        return _trafilatura().extract(html, url=url, include_comments=False, include_tables=True) or ""
    except (ValueError, RecursionError):  # A document that no parser takes has still been seen.
        return ""


def _trafilatura() -> ModuleType:
    # Imported where it is used: only who keeps pages needs it.
    try:
        import trafilatura
    except ImportError as error:
        raise NotInstalled(
            f"reading a page needs trafilatura, which is not installed: `pip install 'footfall[archive]'` ({error})"
        ) from error
    return trafilatura
