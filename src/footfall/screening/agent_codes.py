"""What is kept of a user agent: sixteen bits that tell kinds of agent apart, of which none can be read back."""

from xxhash import xxh3_64_intdigest

NOT_KNOWN = 0
REMEMBERED_MAX = 10_000  # agents whose number is remembered: some 3 MB
REMEMBERED_CHARS_MAX = 512
_BITS = 0xFFFF


class AgentCodes(dict[str, int]):
    """The number that stands for an agent, `codes[agent]`, among 65,535 that all agents share; 0 for none."""

    def __missing__(self, agent: str) -> int:
        code = xxh3_64_intdigest(agent.encode("utf-8", "replace")) & _BITS or 1 if agent else NOT_KNOWN
        if len(self) >= REMEMBERED_MAX:
            self.clear()
        if len(agent) <= REMEMBERED_CHARS_MAX:
            self[agent] = code
        return code


_codes = AgentCodes()
agent_code = _codes.__getitem__
