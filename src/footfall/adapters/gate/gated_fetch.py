"""Fetches of our own through the gate's rule: each hop resolved once, looked at, and connected to as it was looked at.

For what needs no browser: whether a host answers, whether a page changed, and outside archives.
"""

import contextlib
import http.client
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from footfall import __version__
from footfall.adapters.gate.pinned_line import PinnedLine, SocketDial, dialled_socket
from footfall.adapters.gate.resolving import Resolve, system_addresses
from footfall.ports.capturing import CaptureFailed, Reason
from footfall.values.public_addresses import NotPublic, Policy
from footfall.values.web_urls import NotAWebUrl, WebUrl, web_url

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEPS_METHOD = frozenset({307, 308})
_READ_BYTES = 65_536
_HEADERS = {"User-Agent": f"footfall/{__version__}", "Accept-Encoding": "identity", "Connection": "close"}


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one fetch may use, all its hops together."""

    time_ms_max: int = 20_000
    bytes_max: int = 10_000_000
    redirects_max: int = 10


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a host answered."""

    url: str  # the last hop's
    status: int
    headers: Mapping[str, str]  # names in lower case, the first of each
    body: bytes
    is_cut: bool  # There was more than bytes_max.

    @property
    def is_unchanged(self) -> bool:
        """Tell whether the host says that what we know is still so."""
        return self.status == 304


@dataclass(frozen=True, slots=True)
class _Question:
    method: str
    url: WebUrl
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None


class GatedFetch:
    """Asks hosts that the policy lets it reach; every failure is a CaptureFailed with its reason."""

    def __init__(
        self,
        policy: Policy,
        limits: FetchLimits | None = None,
        *,
        resolve: Resolve = system_addresses,
        dial: SocketDial = dialled_socket,
        trusts: ssl.SSLContext | None = None,
    ) -> None:
        self._policy = policy
        self._limits = limits or FetchLimits()
        self._resolve = resolve
        self._dial = dial
        self._trusts = trusts  # None: what the machine trusts

    def get(self, url: str, *, headers: Mapping[str, str] | None = None, etag: str = "", modified: str = "") -> Fetched:
        """Return what is at a URL after its redirects; with what is known of it, 304 may be the answer."""
        known = {"If-None-Match": etag, "If-Modified-Since": modified}
        given = {**(headers or {}), **{name: value for name, value in known.items() if value}}
        return self._followed(_Question("GET", _read(url), given), self._limits.redirects_max)

    def head(self, url: str, *, headers: Mapping[str, str] | None = None) -> Fetched:
        """Return what is said of a URL after its redirects, without a body."""
        return self._followed(_Question("HEAD", _read(url), headers or {}), self._limits.redirects_max)

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str] | None = None) -> Fetched:
        """Return the answer to a body that is sent to a URL."""
        return self._followed(_Question("POST", _read(url), headers or {}, body), self._limits.redirects_max)

    def ask(self, url: str) -> Fetched:
        """Return whatever a host answers first, which may be a redirect: it answers, and that is what is asked."""
        until_s = time.monotonic() + self._limits.time_ms_max / 1_000
        return self._answered(_Question("HEAD", _read(url)), until_s)

    def _followed(self, question: _Question, redirects_max: int) -> Fetched:
        until_s = time.monotonic() + self._limits.time_ms_max / 1_000
        for _ in range(redirects_max + 1):
            fetched = self._answered(question, until_s)
            location = fetched.headers.get("location", "")
            if fetched.status not in _REDIRECTS or not location:
                return fetched
            question = _next(question, fetched.status, _read(location, base=fetched.url))
        raise CaptureFailed(Reason.TOO_MANY_REDIRECTS, f"The page redirects more than {redirects_max} times.")

    def _answered(self, question: _Question, until_s: float) -> Fetched:
        url = question.url
        try:
            places = self._places(url)
            with contextlib.closing(self._line(url, places, until_s)) as line:
                line.request(question.method, url.target, question.body, {**_HEADERS, **question.headers})
                answer = line.getresponse()
                body = _body(answer, self._limits.bytes_max)
                line.require_time()  # Else what was cut off by the timer would pass for a whole answer.
        except NotPublic as error:
            raise CaptureFailed(Reason.BLOCKED_ADDRESS, str(error)) from error
        except ssl.SSLCertVerificationError as error:
            why = f"The certificate of {url.host} is not to be trusted: {error.verify_message}."
            raise CaptureFailed(Reason.BAD_CERTIFICATE, why) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            if isinstance(error, TimeoutError) or time.monotonic() >= until_s:
                raise CaptureFailed(Reason.TOO_SLOW, f"{url.host} did not answer in time.") from error
            raise CaptureFailed(Reason.NO_CONNECTION, f"{url.host} gave no answer: {error}") from error
        headers = {name.lower(): value for name, value in reversed(answer.headers.items())}
        cut = len(body) > self._limits.bytes_max
        return Fetched(url.written, answer.status, headers, body[: self._limits.bytes_max], is_cut=cut)

    def _places(self, url: WebUrl) -> tuple[str, ...]:
        host = url.host.strip("[]")
        self._policy.require_host(host, url.port)
        try:
            addresses = self._resolve(host, url.port)
        except (OSError, UnicodeError) as error:
            raise CaptureFailed(Reason.NO_SUCH_HOST, f"There is no host {host}.") from error
        return self._policy.checked(host, url.port, addresses)

    def _line(self, url: WebUrl, places: tuple[str, ...], until_s: float) -> PinnedLine:
        context = None
        if url.scheme == "https":
            context = self._trusts or ssl.create_default_context()
        return PinnedLine(url, places, self._policy, context=context, until_s=until_s, dial=self._dial)


def _read(text: str, *, base: str | None = None) -> WebUrl:
    try:
        return web_url(text, base=base)
    except NotAWebUrl as error:
        reason = Reason.UNFIT_ADDRESS if base is None else Reason.BLOCKED_ADDRESS
        raise CaptureFailed(reason, str(error)) from error


def _next(question: _Question, status: int, url: WebUrl) -> _Question:
    is_same_origin = (url.scheme, url.host, url.port) == (question.url.scheme, question.url.host, question.url.port)
    # What was said to one host, a key maybe, is not for another.
    headers = dict(question.headers) if is_same_origin else dict[str, str]()
    if status in _KEEPS_METHOD or question.method in ("GET", "HEAD"):
        return _Question(question.method, url, headers, question.body)
    return _Question("GET", url, {name: value for name, value in headers.items() if name.lower() != "content-type"})


def _body(answer: http.client.HTTPResponse, bytes_max: int) -> bytes:
    """Return the body, or one byte more of it than there may be."""
    read = bytearray()
    while len(read) <= bytes_max:
        data = answer.read1(min(_READ_BYTES, bytes_max + 1 - len(read)))
        if not data:
            break
        read += data
    return bytes(read)
