"""Where people, sessions and what is on its way to them lie in the table (docs/formats/people.md)."""

from footfall.ports.table import Key

PEOPLE, EMAILS, OWNERS = "people", "emails", "owners"
INVITATIONS, RESETS, FAILED = "invitations", "resets", "failed-sign-ins"
SETUP = Key("about", "setup")


def person(person_id: str) -> Key:
    """Return where somebody lies."""
    return Key(PEOPLE, person_id)


def email(address: str) -> Key:
    """Return where it is said whose an e-mail address is."""
    return Key(EMAILS, address)


def owner(person_id: str) -> Key:
    """Return where it is said that somebody owns the instance."""
    return Key(OWNERS, person_id)


def members(brand: str) -> str:
    """Return the partition of those who have a role in a brand."""
    return f"members#{brand}"


def member(brand: str, person_id: str) -> Key:
    """Return where it is said that somebody has a role in a brand."""
    return Key(members(brand), person_id)


def session(digest: str) -> Key:
    """Return where a session lies: a partition each, since every request of its holder reads it."""
    return Key(f"session#{digest}", "session")


def sessions(person_id: str) -> str:
    """Return the partition that names the sessions of a person."""
    return f"sessions#{person_id}"


def session_of(person_id: str, digest: str) -> Key:
    """Return where it is said that a session is a person's."""
    return Key(sessions(person_id), digest)


def invitation(brand: str, invitation_id: str) -> Key:
    """Return where an invitation lies."""
    return Key(INVITATIONS, f"{brand}#{invitation_id}")


def reset(person_id: str) -> Key:
    """Return where it is said that somebody may choose a new password."""
    return Key(RESETS, person_id)


def failed(day: str) -> Key:
    """Return where the sign-ins of a day that failed are counted."""
    return Key(FAILED, day)
