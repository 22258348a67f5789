// What the names of reasons, causes and refusals mean, in an editor's words. Pure.

const REASONS: Record<string, string> = {
  "bot-agent": "known bots",
  "ai-agent": "known AI agents",
  "no-agent": "no user agent",
  "no-browser": "user agents of no browser",
  headless: "browsers that a program drives",
  prefetch: "loaded ahead, not looked at",
  "data-centre": "sent from a data centre",
  "referrer-spam": "referrer spam",
  "impossible-client": "screens or clocks that cannot be",
  "key-rate": "one key, too many a minute",
  rate: "one visitor, too many a minute",
  reload: "one visitor reloading one asset",
  "one-address": "one address on one asset, too often",
  "rule-address": "your rule on addresses",
  "rule-agent": "your rule on user agents",
  "rule-path": "your rule on paths",
  "rule-country": "your rule on countries",
  verdict: "found by judging",
  "verdict-confirmed": "found by judging, kept out by you",
  robot: "robots in imported logs",
  "health-check": "health checks in imported logs",
};

const CAUSES: Record<string, string> = {
  "unusual-visitor": "unlike other visitors",
  walk: "goes from asset to asset like a clock",
  "unusual-asset": "readers unlike those of other assets",
  "few-agents": "steep rise by few kinds of browser",
  "few-visitors": "steep rise by few visitors",
  clockwork: "steep rise, as even as a clock",
};

const REFUSALS: Record<string, string> = {
  missing: "none was sent",
  stale: "too old",
  forged: "forged",
  replayed: "sent a second time",
  malformed: "not readable",
  elsewhere: "of another page or brand",
};

export const CAUSE_NAMES = Object.keys(CAUSES);

// A name that this release does not know is shown as its words.
export function reasonWords(name: string): string {
  return REASONS[name] ?? name.replaceAll("-", " ");
}

export function causeWords(name: string): string {
  return CAUSES[name] ?? name.replaceAll("-", " ");
}

export function refusalWords(name: string): string {
  const [what = "", ...rest] = name.split("-");
  const why = rest.join("-");
  return `${what}: ${REFUSALS[why] ?? rest.join(" ")}`;
}
