// Metrics as people speak of them: what one is, in which unit, and how its definition reads. Pure.
import type { Query } from "./api.ts";

export interface Row {
  name: string;
  title: string;
  valueType: string;
  unit: string;
  version: number;
  hash: string;
  isDeprecated: boolean;
  owner: string;
}

export interface Listed extends Row {
  dimensions: string[];
}

export interface Page {
  items: Listed[];
  after?: string;
}

export type Where = Readonly<Record<string, readonly string[]>>;

export interface Metric {
  name: string;
  valueType: string;
  aggregationStyle?: string;
  aggregationParam?: number;
  unit?: string;
  source?: { counts?: string; where?: Where };
  relatedDimensions: string[];
  hybridFormula?: string;
  consumedMetrics: string[];
  chainedMetric?: string;
  chainCutoffDate?: string;
  title?: string;
  description?: string;
  owner?: string;
  version: number;
  hash: string;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
  updatedBy: string;
  reason?: string;
  deprecatedAt?: string;
  deprecatedBy?: string;
  deprecatedReason?: string;
  replacement?: string;
}

export interface Difference {
  field: string;
  before: unknown;
  after: unknown;
}

export const KINDS: readonly (readonly [string, string])[] = [
  ["SCALAR", "a number"],
  ["WEIGHTED_AVERAGE", "a weighted average"],
  ["PERCENTILE", "a percentile"],
  ["HYBRID", "computed from others"],
];

// What footfall counts itself, as a sentence says it.
const COUNTED: Readonly<Record<string, string>> = {
  hits: "the hits of this brand’s pages",
  visitors: "the visitors of this brand’s pages",
  minutes: "the minutes that were watched",
  viewers: "those who watched",
  playbacks: "the viewings that began",
  completions: "the viewings that have seen at least 90 hundredths of the asset",
  follows: "the follows that began",
  unfollows: "the follows that ended",
};

const PAGE_ROWS = 50;

// What footfall's own counts are told apart by: those of follows by who is followed and who follows.
export function dimensionsOf(counts: string): readonly string[] {
  return counts === "follows" || counts === "unfollows"
    ? ["kind", "followerKind"]
    : ["section", "resourceType", "paidType"];
}

export function kindWords(valueType: string): string {
  return KINDS.find(([kind]) => kind === valueType)?.[1] ?? valueType;
}

// A ratio has no unit that anybody would say, and is called the same everywhere; others are said of one: hits per visitor.
export function unitWords(unit: string | undefined): string {
  if (isPlain(unit)) return "a plain number";
  return (unit ?? "")
    .replace(/\/(\p{L}{2,}[^s\W])s\b/gu, "/$1")
    .replaceAll("*", " × ")
    .replaceAll("/", " per ");
}

export function isPlain(unit: string | undefined): boolean {
  return !unit || unit === "ratio";
}

export interface Sought {
  q: string;
  valueType: string;
  deprecated: string;
  after: string;
}

export function soughtIn(parameters: URLSearchParams): Sought {
  const [kind, deprecated] = [parameters.get("valueType") ?? "", parameters.get("deprecated") ?? ""];
  return {
    q: (parameters.get("q") ?? "").trim(),
    valueType: KINDS.some(([known]) => known === kind) ? kind : "",
    deprecated: ["true", "false"].includes(deprecated) ? deprecated : "",
    after: parameters.get("after") ?? "",
  };
}

export function questionFor(brand: string, sought: Sought): Query {
  return { brand, ...sought, limit: PAGE_ROWS };
}

export function isFiltered({ q, valueType, deprecated }: Sought): boolean {
  return Boolean(q || valueType || deprecated);
}

// What a metric is, in sentences that need no manual; a formula stands beside them as it is.
export function definitionWords(metric: Metric): string[] {
  return [basis(metric), aggregation(metric), grouping(metric), chain(metric)].filter(Boolean);
}

function basis({ valueType, aggregationParam, source }: Metric): string {
  if (valueType === "HYBRID") return "It is computed from other metrics by a formula.";
  const where = Object.entries(source?.where ?? {}).map(([name, values]) => `${name} is ${anyOf(values)}`);
  const only = where.length ? `, where ${where.join(" and ")}` : "";
  const counted = COUNTED[source?.counts ?? ""];
  if (counted) return `It counts ${counted}${only}.`;
  if (valueType === "PERCENTILE")
    return `It is the ${ordinal(aggregationParam ?? 50)} percentile of what is sent for each day.`;
  if (valueType === "WEIGHTED_AVERAGE")
    return "It is the average of numbers that are sent for each day, each with its weight.";
  return "It is a number that is sent for each day.";
}

function aggregation({ valueType, aggregationStyle }: Metric): string {
  if (aggregationStyle === "LAST_DAY_OF_PERIOD") return "Of a week or a month its last day counts.";
  if (valueType === "SCALAR") return "Days of a week or a month are added up.";
  return valueType === "HYBRID" ? "What it needs is put together over a period first, then computed." : "";
}

function grouping({ relatedDimensions }: Metric): string {
  return relatedDimensions.length ? `It can be grouped by ${relatedDimensions.join(", ")}.` : "";
}

function chain({ chainedMetric, chainCutoffDate }: Metric): string {
  return chainedMetric
    ? `Before ${dayWords(chainCutoffDate ?? "")} its numbers are those of ${chainedMetric}.`
    : "";
}

function anyOf(values: readonly string[]): string {
  return values.map((one) => `“${one}”`).join(" or ");
}

function ordinal(value: number): string {
  if (!Number.isInteger(value)) return String(value);
  const [tens, ones] = [value % 100, value % 10];
  if (tens >= 11 && tens <= 13) return `${value}th`;
  return `${value}${["th", "st", "nd", "rd"][ones] ?? "th"}`;
}

const DAY = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  day: "numeric",
  month: "short",
  year: "numeric",
});
const MONTH = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", month: "short", year: "numeric" });

// A day as it is told, which is one of the brand's zone whatever zone the reader is in.
export function dayWords(day: string): string {
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) ? day : DAY.format(at);
}

// A period as it is told; an hour is one of the clocks of the brand's zone.
export function periodWords(period: string, grain: string, zone = "UTC"): string {
  if (grain === "hour") return hourWords(period, zone);
  const at = Date.parse(`${period}T00:00:00Z`);
  if (grain === "month" && !Number.isNaN(at)) return MONTH.format(at);
  if (grain === "year") return period.slice(0, 4);
  if (grain === "quarter") return `Q${Math.ceil(Number(period.slice(5, 7)) / 3)} ${period.slice(0, 4)}`;
  return grain === "week" ? `week from ${dayWords(period)}` : dayWords(period);
}

function hourWords(period: string, zone: string): string {
  const at = Date.parse(period);
  if (Number.isNaN(at)) return period;
  const clock = { timeZone: zone, hour: "2-digit", minute: "2-digit" } as const;
  return new Intl.DateTimeFormat("en-GB", { ...clock, day: "numeric", month: "short" }).format(at);
}

// Two versions whose totals are the same: of all that numbers depend on, only what they are grouped by is another.
const NUMBERS = [
  "valueType",
  "aggregationStyle",
  "aggregationParam",
  "unit",
  "source",
  "hybridFormula",
  "chainedMetric",
  "chainCutoffDate",
] as const;

export function isGroupedOtherwise(one: Metric, other: Metric): boolean {
  return NUMBERS.every((field) => JSON.stringify(one[field]) === JSON.stringify(other[field]));
}

export function areGroupsAlone(differences: readonly Difference[]): boolean {
  const fields = new Set<string>(NUMBERS);
  return differences.every(({ field }) => !fields.has(field));
}

const FIELDS: Record<string, string> = {
  aggregationParam: "Percentile",
  aggregationStyle: "Over a period",
  chainCutoffDate: "Before which day",
  chainedMetric: "Earlier numbers of",
  consumedMetrics: "Computed from",
  deprecatedReason: "Why deprecated",
  description: "Description",
  hybridFormula: "Formula",
  owner: "Owner",
  relatedDimensions: "Grouped by",
  replacement: "To use instead",
  source: "Counts",
  title: "Title",
  unit: "Unit",
  valueType: "Kind",
};

export function fieldWords(field: string): string {
  return FIELDS[field] ?? field;
}

// A value of a field as a cell of a table shows it.
export function valueWords(field: string, value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (Array.isArray(value)) return value.length ? value.map(String).join(", ") : "–";
  if (field === "valueType") return kindWords(String(value));
  if (field === "aggregationStyle") return STYLES.find(([style]) => style === value)?.[1] ?? String(value);
  if (field === "unit") return unitWords(String(value));
  if (field === "source") return sourceWords(value as NonNullable<Metric["source"]>);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export const STYLES: readonly (readonly [string, string])[] = [
  ["SUM", "all its days"],
  ["LAST_DAY_OF_PERIOD", "its last day"],
];

function sourceWords({ counts = "pushed", where = {} }: NonNullable<Metric["source"]>): string {
  return [counts === "pushed" ? "what is sent" : counts, ...whereLines(where)].join(", ");
}

// A condition as it is typed: one value a line, so that values may have commas and colons in them.
export function whereLines(where: Where): string[] {
  return Object.entries(where).flatMap(([name, values]) => values.map((one) => `${name}: ${one}`));
}

// What was typed as a condition; null when a line names no dimension.
export function whereFrom(text: string): Record<string, string[]> | null {
  const where: Record<string, string[]> = {};
  for (const line of text.split("\n").filter((one) => one.trim())) {
    const found = /^\s*([^:]+?)\s*:\s*(.*?)\s*$/.exec(line);
    const [name, value] = [found?.[1], found?.[2]];
    if (!name || !value) return null;
    where[name] = [...(Object.hasOwn(where, name) ? (where[name] ?? []) : []), value];
  }
  return where;
}
