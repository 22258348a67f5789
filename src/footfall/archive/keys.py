"""Where requests, captures and what refers to bytes lie in the archive's table (docs/formats/captures.md)."""

from hashlib import sha256

from footfall.archive.captures import Request
from footfall.ports.table import Key

SPACES = "archive-spaces"  # the partition of all spaces in which anything was ever asked for
BRANDS = "archive-brands"  # the partition of what each brand has in all
RUNNING = "archive-running"  # the partition of requests that are being worked on
TURNS = "archive-turns"  # the partition of whose turn it is
LOOSE = "archive-loose"  # the partition of bytes that nothing refers to
DAMAGED = "archive-damaged"  # the partition of bytes that are not what was written, or not there
SWEEPS = "archive-sweeps"  # the partition of how far each round through everything has come
END = "~"  # after every sort key that is made of digits, capital letters and #


def member_space(person: str) -> str:
    """Return the space of one member."""
    return f"member:{person}"


def brand_space(brand: str) -> str:
    """Return the space of a brand."""
    return f"brand:{brand}"


def digest(key: str) -> str:
    """Return what stands for an address in a key: addresses are longer than a partition's name may be."""
    return sha256(key.encode()).hexdigest()[:32]


def moment(at_us: int, id: str) -> str:
    """Return a sort key that follows time; two captures of one microsecond stand by their ids."""
    return f"{at_us:017d}#{id}"


def request(id: str) -> Key:
    """Return where a request lies."""
    return Key(f"archive-request#{id}", "request")


def requests(space: str) -> str:
    """Return the partition of a space's requests; their ids rise with time."""
    return f"archive-requests#{space}"


def request_of(space: str, id: str) -> Key:
    """Return where the copy of a request lies that its space lists."""
    return Key(requests(space), id)


def open_request(asked: Request) -> Key:
    """Return where it is said that a page is being asked for: one place for each page, brand and way to capture it."""
    ways = f"{asked.hide_banners:d}{asked.hide_sticky:d}{asked.keep_errors:d}{asked.if_changed:d}"
    return Key(open_requests(asked.space), f"{digest(asked.key)}#{ways}#{asked.brand}")


def open_requests(space: str) -> str:
    """Return the partition of the pages that are being asked for in a space."""
    return f"archive-open#{space}"


def space(name: str) -> Key:
    """Return where it is said that a space is there."""
    return Key(SPACES, name)


def queue(priority: int) -> str:
    """Return the partition of requests that wait."""
    return f"archive-queue#{priority}"


def queued(priority: int, turn: int, id: str) -> Key:
    """Return where a request waits: those of one turn by their ids, so that the older goes first."""
    return Key(queue(priority), f"{turn:012d}#{id}")


def turn(priority: int) -> Key:
    """Return where it is said whose turn it is."""
    return Key(TURNS, str(priority))


def quota(who: str) -> Key:
    """Return where it is counted how much somebody has open, and which turn is their last."""
    return Key(f"archive-quota#{who}", "open")


def quota_of_day(who: str, day: str) -> Key:
    """Return where it is counted how much somebody has asked for in a day."""
    return Key(f"archive-quota#{who}", day)


def running(id: str) -> Key:
    """Return where it is said that a request is being worked on."""
    return Key(RUNNING, id)


def draft(id: str) -> Key:
    """Return where a capture waits until it is kept."""
    return Key(f"archive-draft#{id}", "draft")


def capture(id: str) -> Key:
    """Return where a capture lies, or its tombstone."""
    return Key(f"archive-capture#{id}", "capture")


def address(space: str, key: str) -> str:
    """Return the partition of an address's captures in a space."""
    return f"archive-at#{space}#{digest(key)}"


def line_by_address(space: str, key: str, *, at_us: int, id: str) -> Key:
    """Return where a capture's line lies among those of its address."""
    return Key(address(space, key), moment(at_us, id))


def library(space: str) -> str:
    """Return the partition of all captures of a space."""
    return f"archive-library#{space}"


def line_by_time(space: str, *, at_us: int, id: str) -> Key:
    """Return where a capture's line lies among those of its space."""
    return Key(library(space), moment(at_us, id))


def days(space: str, key: str) -> str:
    """Return the partition of how many captures an address has by day."""
    return f"archive-days#{space}#{digest(key)}"


def day(space: str, key: str, day: str) -> Key:
    """Return where an address's captures of a day are counted."""
    return Key(days(space, key), day)


def all_of(brand: str) -> str:
    """Return the partition of all captures of a brand, whoever they belong to."""
    return f"archive-all#{brand}"


def one_of(brand: str, *, at_us: int, id: str) -> Key:
    """Return where a capture stands among all of its brand."""
    return Key(all_of(brand), moment(at_us, id))


def removed(brand: str) -> str:
    """Return the partition of captures of a brand that were removed."""
    return f"archive-removed#{brand}"


def removed_one(brand: str, *, at_us: int, id: str) -> Key:
    """Return where it is said that a capture was removed, by the time that it was made."""
    return Key(removed(brand), moment(at_us, id))


def brand(name: str) -> Key:
    """Return where it is counted what a brand has."""
    return Key(BRANDS, name)


def references(sha256: str) -> str:
    """Return the partition of the captures that refer to bytes."""
    return f"archive-blob#{sha256}"


def reference(sha256: str, id: str) -> Key:
    """Return where it is said that a capture refers to bytes."""
    return Key(references(sha256), id)


def held(id: str) -> str:
    """Return the partition of all bytes that a capture refers to, those of its pack among them."""
    return f"archive-holds#{id}"


def held_by(id: str, sha256: str) -> Key:
    """Return where a capture names bytes that it refers to."""
    return Key(held(id), sha256)


def loose(sha256: str) -> Key:
    """Return where it is said since when nothing refers to bytes."""
    return Key(LOOSE, sha256)


def damaged(sha256: str) -> Key:
    """Return where it is said what is wrong with bytes."""
    return Key(DAMAGED, sha256)


def sweep(name: str) -> Key:
    """Return where it is said how far a round through everything has come."""
    return Key(SWEEPS, name)


def replay_secret() -> Key:
    """Return where the secret lies with which addresses of replays are signed."""
    return Key("archive-secrets", "replay")
