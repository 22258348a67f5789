"""How much of everything a capture may take."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Time, bytes and memory of one capture, and how many there are at once."""

    contexts_max: int = 4  # On two cores, more of them only take memory.
    jobs_per_browser_max: int = 100  # What a browser keeps of every page goes with it.
    open_ms: int = 20_000  # until the document is there
    load_ms: int = 8_000  # until what it names is there; many pages never are.
    scroll_ms: int = 30_000
    images_ms: int = 5_000
    stuck_ms: int = 12_000  # A page that answers nothing for so long is kept busy by its scripts.
    whole_ms: int = 60_000
    close_ms: int = 8_000  # A context closes in a tenth of a second, or never; a busy machine takes longer.
    received_bytes_max: int = 50_000_000
    body_bytes_max: int = 16_000_000  # One body, decoded: a few bytes may unpack to gigabytes.
    bodies_bytes_max: int = 80_000_000
    body_ms: int = 10_000  # A response that takes longer is cut.
    exchanges_max: int = 3_000
    frames_max: int = 60
    dialogs_max: int = 30
    renderer_bytes_max: int = 1_000_000_000
    renderers_bytes_max: int = 3_000_000_000  # of all pages together
