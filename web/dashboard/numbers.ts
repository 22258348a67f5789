// The numbers of a metric: which span is asked for, and the answer turned into lines of a chart. Pure.
import { short, whole } from "./words.ts";

export interface Covered {
  days?: number;
  hours?: number;
  withData: number;
}

export interface Numbers {
  metric: string;
  unit: string;
  versions: Record<string, { version: number; hash: string }>;
  from: string;
  to: string;
  grain: string;
  by: string[];
  where?: Record<string, string[]>;
  coverage: Covered & { metrics: Record<string, Covered> };
  freshness: string | null;
  exact: boolean;
  seams: { metric: string; chainedMetric: string; cutoffDate: string; missing?: string[] }[];
  items: { period: string; dimensions: Record<string, string>; value: number | null }[];
}

export const GRAINS: readonly (readonly [string, string])[] = [
  ["hour", "Hours"],
  ["day", "Days"],
  ["week", "Weeks"],
  ["month", "Months"],
  ["quarter", "Quarters"],
  ["year", "Years"],
];

const FIRST_DAY = "1970-01-02";
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DAYS_BACK = 29;
const WEEKS_BACK = 25;
const MONTHS_BACK = 12;
const QUARTERS_BACK = 8;
const YEARS_BACK = 5;

export interface Span {
  grain: string;
  from: string;
  to: string; // the first day that is not in it
  isOwn: boolean; // Somebody chose its days.
}

// The span that an address asks for; without days of its own the last ones of a grain, today with them.
export function spanIn(parameters: URLSearchParams, today: string): Span {
  const asked = parameters.get("grain") ?? "";
  const grain = GRAINS.some(([known]) => known === asked) ? asked : "day";
  const end = movedDay(today, 1);
  const [from, to] = [parameters.get("from") ?? "", parameters.get("to") ?? ""];
  const [until = end] = [to, end].sort(); // Nobody knows numbers of tomorrow.
  if (isDay(from) && isDay(until) && from < until) return { grain, from, to: until, isOwn: true };
  return { grain, from: firstOf(grain, today), to: end, isOwn: false };
}

// Whole weeks, months, quarters and years, so that the first of them does not look like a rise.
function firstOf(grain: string, today: string): string {
  if (grain === "hour") return movedDay(today, -1);
  if (grain === "day") return movedDay(today, -DAYS_BACK);
  const at = new Date(`${today}T00:00:00Z`);
  if (grain === "week") return movedDay(today, -((at.getUTCDay() + 6) % 7) - 7 * WEEKS_BACK);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  if (grain === "year") return textOf(Date.UTC(year - YEARS_BACK, 0, 1));
  if (grain === "quarter") return textOf(Date.UTC(year, month - (month % 3) - 3 * QUARTERS_BACK, 1));
  return textOf(Date.UTC(year, month - MONTHS_BACK, 1));
}

// A day that can be asked for; whoever types a year passes through those of the Romans.
export function isDay(text: string): boolean {
  if (text < FIRST_DAY) return false;
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

export function movedDay(day: string, days: number): string {
  return textOf(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);
}

function textOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

export interface Group {
  name: string;
  values: (number | null)[];
  size: number; // all its values without their signs, by which groups are ordered
}

export interface Drawn {
  periods: string[];
  groups: Group[];
}

// An answer's items as one row of values for each group, the largest group first.
export function drawnFrom({ items, by }: Pick<Numbers, "items" | "by">, alone: string): Drawn {
  const periods = [...new Set(items.map((one) => one.period))];
  const places = new Map(periods.map((period, place) => [period, place]));
  const groups = new Map<string, Group>();
  for (const { period, dimensions, value } of items) {
    const name = by.length ? by.map((one) => dimensions[one] || `no ${one}`).join(", ") : alone;
    const group = groups.get(name) ?? { name, values: periods.map(() => null), size: 0 };
    groups.set(name, group);
    group.values[places.get(period) ?? 0] = value;
    group.size += Math.abs(value ?? 0);
  }
  return { periods, groups: [...groups.values()].sort((a, b) => b.size - a.size) };
}

// Where the period is that is not over yet; -1 when all are.
export function openPlace(periods: readonly string[], to: string, today: string): number {
  return to > today && (periods.at(-1) ?? "9") <= today ? periods.length - 1 : -1;
}

// Of hours those that have begun, and where the one is that is not over.
export function begunHours<T extends { period: string }>(items: readonly T[], now: number): T[] {
  return items.filter(({ period }) => Date.parse(period) <= now);
}

export function openHour(periods: readonly string[], now: number): number {
  return Date.parse(periods.at(-1) ?? "") + HOUR_MS > now ? periods.length - 1 : -1;
}

// The first period that any group has a number of, when there are others before it.
export function firstKnown({ periods, groups }: Drawn): string | undefined {
  const place = periods.findIndex((_, at) => groups.some((group) => (group.values[at] ?? null) !== null));
  return place > 0 ? periods[place] : undefined;
}

// A line's whole periods, and the open one apart with the one before it from which its line comes.
export function parted(
  values: readonly (number | null)[],
  open: number,
): { values: (number | null)[]; soFar?: (number | null)[] } {
  if (open < 0 || (values[open] ?? null) === null) return { values: [...values] };
  return {
    values: values.map((value, place) => (place === open ? null : value)),
    soFar: values.map((value, place) => (place === open || place === open - 1 ? value : null)),
  };
}

const PLAIN = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const SMALL = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

// A number of any size with as many digits as tell something.
export function amount(value: number): string {
  return Math.abs(value) >= 1 ? PLAIN.format(value) : SMALL.format(value);
}

export function tick(value: number): string {
  return Math.abs(value) >= 1_000 ? short(value) : SMALL.format(value);
}

// The range of a scale: from nothing, or from below it where there is less than nothing.
export function rangeOf(low: number | null, high: number | null): [number, number] {
  const [bottom, top] = [Math.min(0, low ?? 0), Math.max(0, high ?? 0)];
  const room = (top - bottom) * 0.08 || 1;
  return [bottom < 0 ? bottom - room : 0, top > 0 || bottom === 0 ? top + room : 0];
}

// A chart's story in one sentence, for whoever does not see it.
export function numbersStory({ periods, groups }: Drawn, name: (period: string) => string): string {
  if (!groups.some((group) => group.values.some((one) => one !== null))) return "no numbers yet";
  return groups
    .slice(0, 3)
    .map((group) => groupStory(group, periods, name))
    .join("; ");
}

function groupStory(
  { name, values }: Group,
  periods: readonly string[],
  said: (period: string) => string,
): string {
  const known = values.flatMap((value, place) => (value === null ? [] : [{ value, place }]));
  const [first] = known;
  if (!first) return `${name} has none`;
  const most = known.reduce((best, one) => (one.value > best.value ? one : best), first);
  const least = known.reduce((best, one) => (one.value < best.value ? one : best), first);
  const last = known.at(-1) ?? first;
  const at = ({ place }: { place: number }) => said(periods[place] ?? "");
  return `${name} from ${amount(least.value)} (${at(least)}) to ${amount(most.value)} (${at(most)}), last ${amount(last.value)}`;
}

// How many days of the span there are numbers of.
export function coverageWords({ days, hours, withData }: Covered): string {
  const all = days ?? hours ?? 0;
  return withData >= all ? `all ${whole(all)}` : `${whole(withData)} of ${whole(all)}`;
}
