"""The labels that a hit may have, and the typed reasons for them."""

from enum import StrEnum


class Label(StrEnum):
    """What a sender is held for; the texts are stored and answered, so they never change."""

    PERSON = "person"
    BOT = "bot"  # a program that is known or says so
    AI = "ai"  # a program that reads for a model, or for somebody who asks one
    PREFETCH = "prefetch"  # loaded before, or without, anybody looking at it
    SUSPECTED = "suspected"


class Reason(StrEnum):
    """Why a sender has its label."""

    NONE = ""  # Nothing speaks against a person.
    NO_AGENT = "no-agent"
    SEARCH_ENGINE = "search-engine"
    SEO = "seo"
    ADVERTISING = "advertising"
    SOCIAL_PREVIEW = "social-preview"
    FEED_READER = "feed-reader"
    ARCHIVER = "archiver"
    ACADEMIC = "academic"
    SCANNER = "scanner"
    MONITOR = "monitor"  # asks whether a site is up: health checks of load balancers too
    HTTP_LIBRARY = "http-library"
    AUTOMATION = "automation"  # a browser that a program drives
    AI_CRAWLER = "ai-crawler"
    AI_ASSISTANT = "ai-assistant"  # sent by a person's question to a model
    PREFETCHER = "prefetcher"
    LISTED = "listed"  # on the maintained list, which does not say what for
    SAYS_SO = "says-so"  # has a word in its name that programs have
    HAS_CONTACT = "has-contact"  # names an address to complain to, as programs do and browsers do not
    NO_BROWSER = "no-browser"  # has no form that a browser or an application's web view has
