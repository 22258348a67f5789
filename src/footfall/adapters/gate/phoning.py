"""Hosts that a browser talks to on its own behalf, whatever page it shows: data, to be added to.

They are no part of any page that is kept, and what a browser tells them is nobody's business.
"""

_HOSTS = frozenset(
    {
        "accounts.google.com", "android.clients.google.com", "browser.events.data.msn.com",
        "chrome-untrusted.googleapis.com", "chromekanonymity-pa.googleapis.com",
        "chromekanonymityauth-pa.googleapis.com", "chromewebstore.googleapis.com", "clients1.google.com",
        "clients2.google.com", "clients2.googleusercontent.com", "clients3.google.com", "clients4.google.com",
        "clients5.google.com", "clients6.google.com", "clientservices.googleapis.com",
        "content-autofill.googleapis.com", "mtalk.google.com", "ogads-pa.clients6.google.com",
        "optimizationguide-pa.googleapis.com", "passwordsleakcheck-pa.googleapis.com",
        "safebrowsing.googleapis.com", "safebrowsing.google.com", "sb-ssl.google.com", "suggestqueries.google.com",
        "update.googleapis.com",
    }
)  # fmt: skip
_ENDINGS = (".gvt1.com", ".gvt2.com", ".safebrowsing.apple")


def is_phoning(host: str) -> bool:
    """Tell whether a host is one that browsers phone home to."""
    return host in _HOSTS or host.endswith(_ENDINGS)
