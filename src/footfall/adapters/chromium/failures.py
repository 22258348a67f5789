"""Why a page could not be captured, in words of the port and in a sentence for whoever asked."""

import re
from collections.abc import Mapping

from footfall.ports.capturing import CaptureFailed, Reason

STATUS_REFUSED_MIN = 400
STATUS_FAILED_MIN = 500
SIGN_IN_STATUSES = frozenset({401, 403, 407})
ENDED = ("crashed", "has been closed", "Connection closed", "Browser closed")
NET_ERROR = re.compile(r"net::(ERR_[A-Z0-9_]+)")

# By how the browser's error begins; the first that fits counts.
REASONS: Mapping[str, tuple[Reason, str]] = {
    "ERR_NAME_": (Reason.NO_SUCH_HOST, "There is no site of that name."),
    "ERR_ADDRESS_INVALID": (Reason.NO_SUCH_HOST, "There is no site of that name."),
    "ERR_CERT_": (Reason.BAD_CERTIFICATE, "The site's certificate is not valid, so nobody knows whose page it is."),
    "ERR_SSL_": (Reason.BAD_CERTIFICATE, "The site's encryption does not work."),
    "ERR_BAD_SSL_": (Reason.BAD_CERTIFICATE, "The site's encryption does not work."),
    "ERR_TOO_MANY_REDIRECTS": (Reason.TOO_MANY_REDIRECTS, "The site sends its readers round in a circle."),
    "ERR_INVALID_AUTH_": (Reason.NEEDS_SIGN_IN, "The site asks for a name and a password."),
    "ERR_UNEXPECTED_PROXY_AUTH": (Reason.NEEDS_SIGN_IN, "The site asks for a name and a password."),
    "ERR_TIMED_OUT": (Reason.TOO_SLOW, "The site did not answer in time."),
    "ERR_CONNECTION_TIMED_OUT": (Reason.TOO_SLOW, "The site did not answer in time."),
    "ERR_UNKNOWN_URL_SCHEME": (Reason.UNFIT_ADDRESS, "The page leads to an address that is no http or https."),
    "ERR_INVALID_URL": (Reason.UNFIT_ADDRESS, "That is no address of a page."),
    "ERR_INVALID_REDIRECT": (Reason.UNFIT_ADDRESS, "The site leads on to something that is no address."),
    "ERR_UNSAFE_REDIRECT": (Reason.UNFIT_ADDRESS, "The page leads to an address that is no http or https."),
    "ERR_UNSAFE_PORT": (Reason.BLOCKED_ADDRESS, "The address has a port that no page is read from."),
    "ERR_BLOCKED_BY_": (Reason.BLOCKED_ADDRESS, "The browser refused to open the address."),
}


def failure_of_opening(says: str) -> CaptureFailed:
    """Return why a page did not open, from what the browser says of it."""
    if "Download is starting" in says:
        return download("a file")
    if "Timeout" in says and "exceeded" in says:
        return CaptureFailed(Reason.TOO_SLOW, "The page did not open in time.")
    if any(sign in says for sign in ENDED):
        return crashed()
    found = NET_ERROR.search(says)
    error = found[1] if found else ""
    for begin, (reason, text) in REASONS.items():
        if error.startswith(begin):
            return CaptureFailed(reason, f"{text} ({error})")
    if error == "ERR_ABORTED":
        return CaptureFailed(Reason.DOWNLOAD, "The address answers with no page. (ERR_ABORTED)")
    return CaptureFailed(Reason.NO_CONNECTION, f"The site could not be reached. ({error or says[:80]})")


def failure_of_status(status: int) -> CaptureFailed | None:
    """Return why a page with a status is not kept, or nothing when it is."""
    if status < STATUS_REFUSED_MIN:
        return None
    if status in SIGN_IN_STATUSES:
        return CaptureFailed(Reason.NEEDS_SIGN_IN, f"The site shows this page only to whom it knows. (status {status})")
    if status >= STATUS_FAILED_MIN:
        return CaptureFailed(Reason.SITE_FAILED, f"The site itself failed. (status {status})")
    return CaptureFailed(Reason.NOT_FOUND, f"The site has no page at this address. (status {status})")


def download(kind: str) -> CaptureFailed:
    """Return that there is a file in place of a page."""
    return CaptureFailed(Reason.DOWNLOAD, f"The address leads to {kind} to be downloaded, not to a page.")


def crashed() -> CaptureFailed:
    """Return that the page or the browser ended."""
    return CaptureFailed(Reason.CRASHED, "The browser ended while it had this page open.")


def out_of_memory() -> CaptureFailed:
    """Return that a page took too much memory."""
    return CaptureFailed(Reason.OUT_OF_MEMORY, "The page takes more memory than a capture may.")


def too_large(bytes_max: int) -> CaptureFailed:
    """Return that too much had to be fetched for a page."""
    return CaptureFailed(Reason.TOO_LARGE, f"The page fetches more than {bytes_max // 1_000_000} MB.")


def stuck() -> CaptureFailed:
    """Return that a page does not answer the browser."""
    return CaptureFailed(Reason.TOO_SLOW, "The page's own scripts keep it so busy that it cannot be read.")


def overdue(whole_ms: int) -> CaptureFailed:
    """Return that a capture took longer than it may."""
    return CaptureFailed(Reason.TOO_SLOW, f"The page could not be captured within {whole_ms // 1_000} seconds.")


def astray(url: str) -> CaptureFailed:
    """Return that a page led out of the web."""
    return CaptureFailed(Reason.UNFIT_ADDRESS, f"The page leads to {url[:80]!r}, which is no http or https.")


def restless() -> CaptureFailed:
    """Return that a page goes on to another again and again."""
    return CaptureFailed(Reason.TOO_MANY_REDIRECTS, "The page goes on to another one again and again.")
