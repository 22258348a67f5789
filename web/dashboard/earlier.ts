// Sections and types beside an earlier time: the same hours yesterday, or the same days last week. Pure.
import type { Share, Shares } from "./shapes.ts";
import { change } from "./words.ts";

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

export interface Earlier {
  from: string;
  to: string;
  name: string;
  brief: string;
}

// The span to compare with: it never overlaps, and has the same hours of a day or the same days of a week.
export function earlier(from: string, to: string): Earlier {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const weeks = Math.ceil((end - start) / WEEK_MS);
  const isDay = end - start <= DAY_MS;
  const shift = isDay ? DAY_MS : weeks * WEEK_MS;
  const brief = isDay ? "yesterday" : weeks === 1 ? "last week" : `${weeks} weeks before`;
  return { from: moment(start - shift), to: moment(end - shift), name: `the same time ${brief}`, brief };
}

function moment(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

export interface Compared {
  closed: Shares; // Whole windows alone: an open one would be compared with a whole one.
  before: Shares;
  span: Earlier;
}

// The sentence about all of it.
export function changeSaid(compared: Compared | undefined): string {
  if (!compared) return "";
  const { closed, before, span } = compared;
  if (before.keptSince) return `not all of ${span.name} is kept`;
  if (!before.hits) return `nothing was counted at ${span.name}`;
  const said = change(closed.hits, before.hits);
  return said === "as before" ? `as at ${span.name}` : `${said} on ${span.name}`;
}

export interface Move {
  said: string;
  rank?: number | null; // How many places up; null for one that is new, undefined where nothing is known.
}

// What became of one of them; nothing is said where there was nothing at all to compare with.
export function moveOf(compared: Compared | undefined, nameOf: (one: Share) => string, name: string): Move {
  if (!compared?.before.hits || compared.before.keptSince) return { said: "–" };
  const [now, then] = [compared.closed, compared.before].map((one) =>
    one.items.find((item) => nameOf(item) === name),
  );
  if (!now) return { said: "–" };
  return then
    ? { said: change(now.hits, then.hits), rank: then.rank - now.rank }
    : { said: "new", rank: null };
}
