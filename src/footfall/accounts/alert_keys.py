"""Where alerts, what they have told and what is on its way lie in the table (docs/formats/alerts.md)."""

from footfall.ports.table import Key

ALERTS, STATES, MEMORIES, OUTBOX = "alerts", "alert-states", "alert-memories", "alert-outbox"


def alert(brand: str, alert_id: str) -> Key:
    """Return where an alert lies."""
    return Key(ALERTS, f"{brand}#{alert_id}")


def state(brand: str, alert_id: str) -> Key:
    """Return where it is said what an alert has told."""
    return Key(STATES, f"{brand}#{alert_id}")


def memory(brand: str) -> Key:
    """Return where it is said what alerts remember of a brand."""
    return Key(MEMORIES, brand)


def events(brand: str) -> str:
    """Return the partition of what was told of a brand, in the order of time."""
    return f"alert-events#{brand}"


def event(brand: str, sort: str) -> Key:
    """Return where it is said what was told, and what became of each delivery."""
    return Key(events(brand), sort)


def event_sort(at_ms: int, event_id: str) -> str:
    """Return the place of an event among those of its brand."""
    return f"{at_ms:015d}-{event_id}"


def delivery(due_ms: int, event_id: str, place: int) -> Key:
    """Return where a delivery waits: those that are due first come first."""
    return Key(OUTBOX, f"{due_ms:015d}#{event_id}#{place}")


def due_until(now_ms: int) -> str:
    """Return the end of what is due in the outbox."""
    return f"{now_ms:015d}#~"
