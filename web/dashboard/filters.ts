// What a list is asked for: from the page's address to the question, and to the address of the same as a table. Pure.
import type { Query } from "./api.ts";

export const FILTERS = [
  ["section", "Section"],
  ["resourceType", "Type"],
  ["paidType", "Paid"],
  ["author", "Author"],
  ["tag", "Tag"],
] as const;
export const INCLUDED = ["suspected", "bot", "ai", "prefetch", "blocked"] as const;
const LIMITS = ["25", "50", "100"];
const LIMIT_MAX = "100";

export interface Wanted {
  period: string;
  from: string;
  to: string;
  sort: string;
  limit: string;
  include: string[];
  values: Record<string, string>;
}

export function wantedFrom(parameters: URLSearchParams, periods: readonly string[], zone = "UTC"): Wanted {
  const period = parameters.get("period") ?? "";
  // Whoever types an address names days, and means the last of them to its end, as the page's own words say.
  const from = momentOf(parameters.get("from") ?? "", zone, dayStart);
  const to = momentOf(parameters.get("to") ?? "", zone, dayEnd);
  const limit = parameters.get("limit") ?? "";
  const chosen = periods.includes(period) ? period : periods.includes("day") ? "day" : (periods[0] ?? "day");
  return {
    period: from && to ? "" : chosen,
    from: from && to ? from : "",
    to: from && to ? to : "",
    sort: parameters.get("sort") === "uniques" ? "uniques" : "hits",
    limit: LIMITS.includes(limit) ? limit : "25",
    include: INCLUDED.filter((one) => (parameters.get("include") ?? "").split(",").includes(one)),
    values: Object.fromEntries(FILTERS.map(([name]) => [name, parameters.get(name) ?? ""])),
  };
}

export function questionOf(brand: string, wanted: Wanted): Query {
  const include = wanted.include.length === INCLUDED.length ? ["all"] : wanted.include;
  return {
    brand,
    period: wanted.period || undefined,
    from: wanted.from || undefined,
    to: wanted.to || undefined,
    sort: wanted.sort === "uniques" ? "uniques" : undefined,
    limit: wanted.limit,
    include,
    ...wanted.values,
  };
}

// The visitors of those that a list by hits shows: one question for all of them, in which nearly all of them are.
export function visitorsQuestionOf(question: Query): Query {
  return { ...question, sort: "uniques", limit: LIMIT_MAX };
}

// A value as it stands in a list of values: its own commas are written apart from those between values.
export function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll(",", "\\,");
}

export function filtersSaid(wanted: Wanted): string[] {
  const said = FILTERS.filter(([name]) => wanted.values[name]).map(
    ([name, words]) => `${words}: ${wanted.values[name]}`,
  );
  return wanted.include.length ? [...said, `with ${wanted.include.join(", ")}`] : said;
}

// Which windows a small line shows for a period: enough of them to have a shape.
export function sparkOf(period: string): { grain: string; last: number } {
  if (period === "justnow") return { grain: "minute", last: 30 };
  return period === "week" ? { grain: "day", last: 14 } : { grain: "hour", last: 25 };
}

// A day of the brand's zone as the moment at which it begins, for spans that are given as days.
export function dayStart(day: string, zone: string): string {
  const utc = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(utc)) return "";
  // The offset at the guess may be that of the other side of a change, so it is looked at twice.
  let moment = utc - offsetMs(utc, zone);
  moment = utc - offsetMs(moment, zone);
  return new Date(moment).toISOString().replace(/\.\d+Z$/, "Z");
}

export function dayEnd(day: string, zone: string): string {
  const utc = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(utc)) return "";
  return dayStart(new Date(utc + 86_400_000).toISOString().slice(0, 10), zone);
}

// A moment as it is, and a day as a moment of it; what is neither is left to the server to refuse.
function momentOf(text: string, zone: string, ofDay: (day: string, zone: string) => string): string {
  return (/^\d{4}-\d\d-\d\d$/.test(text) && ofDay(text, zone)) || text;
}

export function dayOf(moment: string, zone: string): string {
  const at = Date.parse(moment);
  if (Number.isNaN(at)) return "";
  return new Date(at + offsetMs(at, zone)).toISOString().slice(0, 10);
}

function offsetMs(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(new Date(at));
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const local = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return local - Math.floor(at / 1000) * 1000;
}
