"""What is kept of a user agent: sixteen bits that tell kinds of agent apart, of which none can be read back."""

from xxhash import xxh3_64_intdigest

NOT_KNOWN = 0
_BITS = 0xFFFF


def agent_code(agent: str) -> int:
    """Return the number that stands for an agent, among 65,535 that all agents share; 0 for none."""
    return xxh3_64_intdigest(agent.encode("utf-8", "replace")) & _BITS or 1 if agent else NOT_KNOWN
