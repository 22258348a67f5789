"""Where a reader came from: a referrer's host under the name that people know, and nothing else of the referrer."""

import re
from collections.abc import Mapping

DIRECT = "direct"  # No referrer came: a bookmark, a typed address, an app, a site that tells nothing.
INTERNAL = "internal"  # another page of the brand
UNKNOWN = "unknown"  # A referrer came that names no host.

_CHARS_MAX = 2_100  # of a referrer that are looked at; the door takes no longer one
_SCHEME = re.compile(r"(https?|android-app|ios-app)://", re.ASCII)
# A host without a dot is a machine of somebody's own network, as most bare addresses are. It is nobody's site, and
# could be one of our words.
_HOST = re.compile(r"(?=.{4,253}\Z)(?:[a-z0-9_-]{1,63}\.)+(?![0-9]+\Z)[a-z0-9_-]{1,63}", re.ASCII)
_GOOGLE = re.compile(r"(?:[a-z]+\.)?google\.(?:co\.|com\.)?[a-z]{2,3}", re.ASCII)
_GOOGLE_APART = frozenset(("news", "mail", "docs", "drive", "meet", "chat", "sites", "classroom", "calendar", "gemini"))
_FRONTS = ("www.", "m.", "l.", "lm.", "amp.", "mobile.", "out.", "old.", "web.")

# One name for the hosts and apps of one service. docs/how-to/referrers.md tells of it.
KNOWN: Mapping[str, str] = {
    **dict.fromkeys(("t.co", "twitter.com", "x.com", "com.twitter.android"), "x.com"),
    **dict.fromkeys(("facebook.com", "fb.me", "com.facebook.katana", "com.facebook.lite"), "facebook.com"),
    **dict.fromkeys(("messenger.com", "com.facebook.orca"), "messenger.com"),
    **dict.fromkeys(("instagram.com", "com.instagram.android"), "instagram.com"),
    **dict.fromkeys(("threads.net", "threads.com", "com.instagram.barcelona"), "threads.com"),
    **dict.fromkeys(("linkedin.com", "lnkd.in", "com.linkedin.android"), "linkedin.com"),
    **dict.fromkeys(("reddit.com", "redd.it", "com.reddit.frontpage"), "reddit.com"),
    **dict.fromkeys(("youtube.com", "youtu.be", "com.google.android.youtube"), "youtube.com"),
    **dict.fromkeys(("bing.com", "cn.bing.com", "www2.bing.com", "com.microsoft.bing"), "bing.com"),
    **dict.fromkeys(("duckduckgo.com", "html.duckduckgo.com", "com.duckduckgo.mobile.android"), "duckduckgo.com"),
    **dict.fromkeys(("chatgpt.com", "chat.openai.com", "com.openai.chatgpt"), "chatgpt.com"),
    **dict.fromkeys(("whatsapp.com", "wa.me", "com.whatsapp"), "whatsapp.com"),
    **dict.fromkeys(("telegram.org", "t.me", "org.telegram.messenger"), "telegram.org"),
    **dict.fromkeys(("com.google.android.googlequicksearchbox", "com.google.android.gms"), "google.com"),
    **dict.fromkeys(("com.google.android.gm", "mail.google.com"), "mail.google.com"),
    **dict.fromkeys(("com.google.android.apps.magazines", "news.google.com"), "news.google.com"),
}

# Below these, each name is somebody else's site; elsewhere the last two parts of a host are, or three of `co.uk`.
_SHARED = frozenset(
    (
        "github.io", "gitlab.io", "blogspot.com", "wordpress.com", "substack.com", "medium.com", "tumblr.com",
        "netlify.app", "vercel.app", "pages.dev", "web.app", "herokuapp.com", "wixsite.com", "weebly.com", "ghost.io",
    )
)  # fmt: skip
_SECOND_LEVEL = frozenset(("co", "com", "org", "net", "ac", "gov", "edu", "or", "ne", "gv", "govt", "school"))
_COUNTRY_CHARS, _PARTS = 2, 2


def source_of(referrer: str) -> str:
    """Return the host that a referrer names, under the name that people know; a word of ours when it names none."""
    text = referrer[:_CHARS_MAX].strip().lower()
    if not text:
        return DIRECT
    host, is_app = _named(text)
    if _HOST.fullmatch(host) is None:
        return UNKNOWN
    return KNOWN.get(host, host) if is_app else _known(host)


def site_of(host: str) -> str:
    """Return the site that a host is of, about: `news.abc.example` and `abc.example` are one."""
    parts = host.split(".")
    is_shared = ".".join(parts[-2:]) in _SHARED
    is_of_country = len(parts) > _PARTS and len(parts[-1]) == _COUNTRY_CHARS and parts[-2] in _SECOND_LEVEL
    return ".".join(parts[-(_PARTS + 1 if is_shared or is_of_country else _PARTS) :])


def site_of_address(address: str) -> str:
    """Return the site of a page's address; empty when it names no host."""
    found = source_of(address)
    return "" if found in (DIRECT, UNKNOWN) else site_of(found)


def _named(text: str) -> tuple[str, bool]:
    """Return the host that a text names, if it does, and whether it is an app's name."""
    scheme = _SCHEME.match(text)
    if scheme is None:
        return "", False  # What stands there may as well be a path.
    # Browsers take a backslash for a slash.
    authority = re.split(r"[/?#\\]", text[scheme.end() :], maxsplit=1)[0]
    host = authority.rpartition("@")[2].partition(":")[0].rstrip(".")
    return (host if host.isascii() else _in_ascii(host)), not scheme[1].startswith("http")


def _in_ascii(host: str) -> str:
    """Return a name of other letters as browsers send it, so that none can be taken for another; empty if it cannot."""
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return ""


def _known(host: str) -> str:
    bare = host.removeprefix("www.")
    if bare in KNOWN:
        return KNOWN[bare]
    if _GOOGLE.fullmatch(bare):
        front = bare.partition(".")[0]
        return f"{front}.google.com" if front in _GOOGLE_APART else "google.com"
    for front in _FRONTS:
        if bare.startswith(front) and bare[len(front) :] in KNOWN:
            return KNOWN[bare[len(front) :]]
    return bare if "." in bare else host
