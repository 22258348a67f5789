"""The only place where keys of the catalogue are built, and where they are read back.

A brand's name holds no `#`, so the first one ends it; what comes last in a key may hold anything.
"""

from footfall.ports.table import Key

# Counts what editors do in all brands; no brand's name begins so.
EDITED = Key("#edits", "number")
MOMENT_DIGITS = 15  # Milliseconds up to the year 9998; equal width makes the order of texts theirs.


def assets_partition(brand: str) -> str:
    """Return where a brand's assets lie, in the order of their ids."""
    return f"{brand}#assets"


def asset(brand: str, asset_id: str) -> Key:
    """Return the key of one asset."""
    return Key(assets_partition(brand), asset_id)


def author_partition(brand: str, author: str) -> str:
    """Return where the links to an author's assets lie."""
    return f"{brand}#author#{author}"


def tag_partition(brand: str, tag: str) -> str:
    """Return where the links to a tag's assets lie."""
    return f"{brand}#tag#{tag}"


def published_partition(brand: str) -> str:
    """Return where the links to assets lie in the order in which they were published."""
    return f"{brand}#published"


def published(brand: str, moment_ms: int, asset_id: str) -> Key:
    """Return the key of the link to an asset that was published at a moment."""
    return Key(published_partition(brand), f"{moment_text(moment_ms)}#{asset_id}")


def moment_text(moment_ms: int) -> str:
    """Return a moment as it stands in a key."""
    return f"{moment_ms:0{MOMENT_DIGITS}d}"


def id_from_published(key: Key) -> str:
    """Return the asset that a link in the order of publishing leads to."""
    return key.sort[MOMENT_DIGITS + 1 :]


def moment_from_published(key: Key) -> int:
    """Return the moment that a link in the order of publishing stands for."""
    return int(key.sort[:MOMENT_DIGITS])


def version(brand: str) -> Key:
    """Return the key of the number of the catalogue's last change."""
    return Key(f"{brand}#catalogue", "version")


def intent(brand: str) -> Key:
    """Return the key of what is being written, which is there only while it is."""
    return Key(f"{brand}#catalogue", "intent")


def lease(brand: str) -> Key:
    """Return the key that says who alone may write, which is there only while somebody does."""
    return Key(f"{brand}#catalogue", "lease")


def changes_partition(brand: str) -> str:
    """Return where it is listed which assets each change was about."""
    return f"{brand}#changes"


def change(brand: str, number: int) -> Key:
    """Return the key of one change."""
    return Key(changes_partition(brand), f"{number:020d}")


def change_number(key: Key) -> int:
    """Return the version that a change made."""
    return int(key.sort)


def pins_partition(brand: str) -> str:
    """Return where it is listed which assets editors have pinned."""
    return f"{brand}#pins"


def pin(brand: str, asset_id: str) -> Key:
    """Return the key of an asset's pin."""
    return Key(pins_partition(brand), asset_id)


def hidden_partition(brand: str) -> str:
    """Return where it is listed which assets editors have hidden."""
    return f"{brand}#hidden"


def hidden(brand: str, asset_id: str) -> Key:
    """Return the key of what hides an asset."""
    return Key(hidden_partition(brand), asset_id)
