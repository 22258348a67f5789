"""The scheme of an address that was typed without one, found by trial: https first, then http."""

from collections.abc import Callable

from footfall.archive.addresses import Address
from footfall.ports.capturing import CaptureFailed, Reason

# What the other scheme could do better. A host that is not there, or not public, is so for both.
_TRIED_ON = frozenset({Reason.NO_CONNECTION, Reason.BAD_CERTIFICATE, Reason.TOO_SLOW, Reason.SITE_FAILED})


def answering_url(address: Address, ask: Callable[[str], object]) -> str:
    """Return the first of an address's candidates that answers; raise the CaptureFailed of the last one tried.

    `ask` takes a URL, returns when the host answered anything at all, and raises CaptureFailed otherwise.
    """
    *others, last = address.candidates
    for url in others:
        try:
            ask(url)
        except CaptureFailed as error:
            if error.reason not in _TRIED_ON:
                raise
        else:
            return url
    if address.has_scheme:
        return last
    ask(last)
    return last
