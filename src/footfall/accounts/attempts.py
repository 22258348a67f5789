"""How often somebody may try a password or a code: few times, in memory that holds no address and no e-mail."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from math import ceil

from footfall.values.errors import FootfallError

ATTEMPTS_MAX = 10
SPREAD_MAX = 100  # against somebody from all networks together; 9,600 guesses a day find no password that we take
KNOWN_MAX = 20_000  # networks from which somebody signed in
WITHIN_S = 900.0
SUBJECTS_MAX = 100_000  # Then those are forgotten that tried least lately; some 20 MB.


class TooManyAttempts(FootfallError):
    """Somebody has tried too often, and has to wait."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"there were too many attempts; wait {retry_after_s} s")
        self.retry_after_s = retry_after_s


class Attempts:
    """The attempts of the last quarter of an hour, by keyed hashes of who tried and of whom they tried."""

    def __init__(self, secret: bytes, *, seconds: Callable[[], float]) -> None:
        self._secret = secret
        self._seconds = seconds
        self._made: OrderedDict[bytes, list[float]] = OrderedDict()
        self._known: OrderedDict[bytes, None] = OrderedDict()

    def take(self, *subjects: str, spread: str = "") -> None:
        """Count an attempt against each subject, or raise TooManyAttempts and count it against none.

        The spread one is somebody whom many networks may try, of whom each is a subject of its own: its limit is
        wider, so that nobody is locked out by whoever knows the name.
        """
        now_s = self._seconds()
        limits = {self._key(one): ATTEMPTS_MAX for one in subjects} | (
            {self._key(spread): SPREAD_MAX} if spread else {}
        )
        lately = {key: [at_s for at_s in self._made.get(key, ()) if now_s - at_s < WITHIN_S] for key in limits}
        waits = [times[-most] + WITHIN_S - now_s for key, most in limits.items() if len(times := lately[key]) >= most]
        if waits:
            raise TooManyAttempts(max(1, ceil(max(waits))))
        for key, times in lately.items():
            self._made[key] = [*times, now_s]
            self._made.move_to_end(key)
        while len(self._made) > SUBJECTS_MAX:
            self._made.popitem(last=False)

    def give_back(self, *subjects: str) -> None:
        """Take the last attempt back: it went well."""
        for key in map(self._key, subjects):
            times = self._made.get(key, [])[:-1]
            if times:
                self._made[key] = times
            else:
                self._made.pop(key, None)

    def know(self, subject: str) -> None:
        """Remember somebody in a network: they have signed in there."""
        key = self._key(subject)
        self._known[key] = None
        self._known.move_to_end(key)
        while len(self._known) > KNOWN_MAX:
            self._known.popitem(last=False)

    def is_known(self, subject: str) -> bool:
        """Tell whether somebody has signed in from a network, as far as is remembered."""
        return self._key(subject) in self._known

    def __len__(self) -> int:
        """Return how many subjects are remembered."""
        return len(self._made)

    def _key(self, subject: str) -> bytes:
        return hashlib.blake2b(subject.encode("utf-8", "surrogatepass"), digest_size=16, key=self._secret).digest()
