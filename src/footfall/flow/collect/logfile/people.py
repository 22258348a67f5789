"""Who sent a request of a log: a visitor's hash under the salt of its day, and whether it calls itself a program."""

from collections.abc import Callable

from footfall.flow.collect.senders import visitor_hash
from footfall.screening.agent_codes import NOT_KNOWN, agent_code
from footfall.screening.agents import AGENT_CHARS_MAX, AgentLabel, known_agents
from footfall.screening.labels import Label, Reason
from footfall.values.window import Grain, Window, window_of

HEALTH_CHECK, ROBOT = "health-check", "robot"
# The reasons that are frozen into the hits of programs; a health check is its own.
PROGRAMS = {Label.BOT: Reason.AGENT_BOT.value, Label.AI: Reason.AGENT_AI.value, Label.PREFETCH: Reason.PREFETCH.value}
CACHED_MAX = 50_000  # per day; some 15 MB
AGENTS_MAX = 20_000  # Some 5 MB.
DAYS_MAX = 4  # Servers' lines are seldom out of order by more than a midnight; a shuffled log costs hashes, not memory.
SALTS_MAX = 10_000  # Twenty-seven years of days.
SALT_KEPT_MS = 24 * 3_600_000  # Well before its 47 hours are over, so that none outlives them here.

# The visitor, why it is no person if it calls itself a program, and the number of its agent.
Sender = tuple[bytes, str, int]
Salt = Callable[[int], bytes]


class Day(dict[tuple[bytes, bytes], Sender]):
    """The senders of one local day by address and agent; one that is asked for the first time is hashed."""

    def __init__(self, window: Window, kinds: "_Kinds", *, brand: str, salt: bytes) -> None:
        super().__init__()
        self.from_ms = window.from_ms
        self.to_ms = window.to_ms
        self._brand = brand
        self._salt = salt
        self._kinds = kinds

    def __missing__(self, asked: tuple[bytes, bytes]) -> Sender:
        address, agent = asked
        visitor = b""
        if address not in (b"", b"-"):
            visitor = visitor_hash(
                self._salt, self._brand, address.decode("utf-8", "replace"), agent.decode("utf-8", "replace")
            )
        if len(self) >= CACHED_MAX:
            self.clear()
        code = NOT_KNOWN if agent in (b"", b"-") else agent_code(agent.decode("utf-8", "replace"))
        self[asked] = sender = (visitor, self._kinds[agent], code)
        return sender


class Days:
    """The days that a log speaks of, each with the salt that its import has for it."""

    def __init__(self, brand: str, zone: str, salt: Salt) -> None:
        self._brand = brand
        self._zone = zone
        self._salt = salt
        self._days: dict[int, Day] = {}
        self._salts: dict[int, bytes] = {}
        self._forgets_at_ms = 0
        self._kinds = _Kinds()

    def tell(self, now_ms: int) -> None:
        """Take note of the time: what was made of salts long ago is forgotten."""
        if now_ms >= self._forgets_at_ms:
            self._days.clear()
            self._salts.clear()
            self._forgets_at_ms = now_ms + SALT_KEPT_MS

    def day_of(self, at_ms: int) -> Day:
        """Return the senders of the brand's local day that holds the moment."""
        window = window_of(at_ms, Grain.DAY, self._zone)
        day = self._days.get(window.from_ms)
        if day is None:
            if len(self._days) >= DAYS_MAX:
                del self._days[next(iter(self._days))]
            day = self._days[window.from_ms] = Day(
                window, self._kinds, brand=self._brand, salt=self._salt_of(window.from_ms)
            )
        return day

    def _salt_of(self, day_start_ms: int) -> bytes:
        salt = self._salts.get(day_start_ms)
        if salt is None:
            if len(self._salts) >= SALTS_MAX:
                self._salts.clear()
            salt = self._salts[day_start_ms] = self._salt(day_start_ms)
        return salt


class _Kinds(dict[bytes, str]):
    """What agents call themselves; there are far fewer agents than readers."""

    def __missing__(self, agent: bytes) -> str:
        if len(self) >= AGENTS_MAX:
            self.clear()
        self[agent] = kind = _kind(known_agents().label_of(agent.decode("utf-8", "replace")[:AGENT_CHARS_MAX]))
        return kind


def _kind(agent: AgentLabel) -> str:
    # What is only suspected counts: a publisher's own application may call itself anything.
    return HEALTH_CHECK if agent.reason is Reason.MONITOR else PROGRAMS.get(agent.label, "")
