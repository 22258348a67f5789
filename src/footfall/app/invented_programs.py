"""The demo's programs: a few of its readers are crawlers and assistants, as everywhere, and screening names them."""

import random
from typing import Final

from footfall.app.invented_traffic import Hit

SHARE = 0.06

_AGENTS: Final = (
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "curl/8.5.0",
)
_WEIGHTS: Final = (30, 12, 16, 12, 10, 8, 8, 4)


def with_programs(hits: list[Hit], *, seed: int, at_ms: int) -> list[Hit]:
    """Return the hits of a moment, some of which are now those of programs; the same seed makes the same ones."""
    chance = random.Random(f"{seed}/programs/{at_ms}")  # noqa: S311 - a demo
    return [_of_program(hit, chance) if chance.random() < SHARE else hit for hit in hits]


def _of_program(hit: Hit, chance: random.Random) -> Hit:
    agent = chance.choices(_AGENTS, _WEIGHTS)[0]
    return {**hit, "agent": agent, "referrer": "", "visitor": f"program-{_AGENTS.index(agent)}"}
