"""The labels that a hit may have, and the typed reasons for them."""

from enum import StrEnum


class Label(StrEnum):
    """What a sender is held for; the texts are stored and answered, so they never change."""

    PERSON = ""  # stored as no label at all, so that hits of persons lie as they always did
    BOT = "bot"  # a program that is known or says so
    AI = "ai"  # a program that reads for a model, or for somebody who asks one
    PREFETCH = "prefetch"  # loaded before, or without, anybody looking at it
    SUSPECTED = "suspected"
    BLOCKED = "blocked"  # by a rule of the operator


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

    # What a door freezes into a record; the texts are lines of the ledger.
    AGENT_BOT = "bot-agent"
    AGENT_AI = "ai-agent"
    HEADLESS = "headless"
    PREFETCH = "prefetch"
    DATA_CENTRE = "data-centre"
    REFERRER_SPAM = "referrer-spam"
    RELOAD = "reload"
    ONE_ADDRESS = "one-address"  # of one asset, whatever agents they have
    RATE = "rate"
    KEY_RATE = "key-rate"
    IMPOSSIBLE = "impossible-client"
    RULE_ADDRESS = "rule-address"
    RULE_AGENT = "rule-agent"
    RULE_PATH = "rule-path"
    RULE_COUNTRY = "rule-country"
    VERDICT = "verdict"  # one that is held, or that the judge confirmed itself
    VERDICT_CONFIRMED = "verdict-confirmed"  # by an operator


_LABELS: dict[str, Label] = {
    Reason.NONE: Label.PERSON,
    Reason.SEARCH_ENGINE: Label.BOT,
    Reason.SEO: Label.BOT,
    Reason.ADVERTISING: Label.BOT,
    Reason.SOCIAL_PREVIEW: Label.BOT,
    Reason.FEED_READER: Label.BOT,
    Reason.ARCHIVER: Label.BOT,
    Reason.ACADEMIC: Label.BOT,
    Reason.SCANNER: Label.BOT,
    Reason.MONITOR: Label.BOT,
    Reason.HTTP_LIBRARY: Label.BOT,
    Reason.AUTOMATION: Label.BOT,
    Reason.AI_CRAWLER: Label.AI,
    Reason.AI_ASSISTANT: Label.AI,
    Reason.PREFETCHER: Label.PREFETCH,
    Reason.LISTED: Label.BOT,
    Reason.SAYS_SO: Label.BOT,
    Reason.HAS_CONTACT: Label.BOT,
    Reason.AGENT_BOT: Label.BOT,
    Reason.AGENT_AI: Label.AI,
    Reason.HEADLESS: Label.BOT,
    Reason.PREFETCH: Label.PREFETCH,
    Reason.DATA_CENTRE: Label.BOT,
    Reason.REFERRER_SPAM: Label.BOT,
    Reason.RULE_ADDRESS: Label.BLOCKED,
    Reason.RULE_AGENT: Label.BLOCKED,
    Reason.RULE_PATH: Label.BLOCKED,
    Reason.RULE_COUNTRY: Label.BLOCKED,
    Reason.VERDICT: Label.SUSPECTED,
    Reason.VERDICT_CONFIRMED: Label.BLOCKED,
    "robot": Label.BOT,  # of imported logs
    "health-check": Label.BOT,
    "too-many-names": Label.PERSON,  # of named counters, which are no hits
}


def label_of(reason: str) -> Label:
    """Return the label that a frozen reason stands for, for ever; one that nobody knows is suspicious."""
    return _LABELS.get(reason, Label.SUSPECTED)
