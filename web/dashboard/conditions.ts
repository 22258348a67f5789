// What narrows a metric's numbers, as the API writes it in addresses: values of dimensions, and an older definition. Pure.
import { escaped } from "./filters.ts";

export interface Condition {
  dimension: string;
  values: string[];
}

export function conditionsIn(parameters: URLSearchParams): Condition[] {
  const found = new Map<string, Set<string>>();
  for (const text of parameters.getAll("where")) {
    const colon = text.indexOf(":");
    if (colon < 1) continue;
    const dimension = text.slice(0, colon);
    const values = found.get(dimension) ?? new Set();
    for (const one of valuesIn(text.slice(colon + 1))) values.add(one);
    found.set(dimension, values);
  }
  return [...found].map(([dimension, values]) => ({ dimension, values: [...values] }));
}

// Commas part values; one that belongs to a value has a backslash before it.
export function valuesIn(text: string): string[] {
  const values = [""];
  for (const [piece, kept] of text.matchAll(/\\([\\,])|./gsu)) {
    if (piece === ",") values.push("");
    else values[values.length - 1] += kept ?? piece;
  }
  return values;
}

export function textsOf(conditions: readonly Condition[]): string[] {
  return conditions.map(({ dimension, values }) => `${dimension}:${values.map(escaped).join(",")}`);
}

export function withValue(
  conditions: readonly Condition[],
  dimension: string,
  value: string,
): readonly Condition[] {
  const known = conditions.find((one) => one.dimension === dimension);
  if (!known) return [...conditions, { dimension, values: [value] }];
  if (known.values.includes(value)) return conditions;
  return conditions.map((one) => (one === known ? { dimension, values: [...one.values, value] } : one));
}

export function withoutValue(
  conditions: readonly Condition[],
  dimension: string,
  value: string,
): readonly Condition[] {
  return conditions
    .map((one) =>
      one.dimension === dimension
        ? { dimension, values: one.values.filter((other) => other !== value) }
        : one,
    )
    .filter((one) => one.values.length);
}

export function conditionWords({ dimension, values }: Condition): string {
  return `${dimension} is ${values.map((one) => (one ? `“${one}”` : "not told")).join(" or ")}`;
}

// Which definition is asked for: the one of a number, the one of a moment, or with neither the newest.
export interface Chosen {
  version: string;
  asOf: string;
}

export function chosenIn(parameters: URLSearchParams): Chosen {
  const [version, asOf] = [parameters.get("version") ?? "", parameters.get("asOf") ?? ""];
  if (/^[1-9]\d{0,8}$/.test(version)) return { version, asOf: "" };
  return { version: "", asOf: Number.isNaN(Date.parse(asOf)) ? "" : asOf };
}

const NUMBERS_MAX = 50; // of versions in a choice; the address takes any.

export function versionsToChoose(newest: number, chosen: string): number[] {
  const recent = Array.from({ length: Math.min(newest, NUMBERS_MAX) }, (_, place) => newest - place);
  const own = Number(chosen);
  return !own || recent.includes(own) ? recent : [...recent, own];
}

// By which dimensions numbers are grouped: those of the address that the metric has, each once.
export const GROUPED_MAX = 2; // More could not be read in a chart; the API takes four.

export function groupingIn(parameters: URLSearchParams, dimensions: readonly string[]): string[] {
  const wanted = new Set(parameters.getAll("by").flatMap(valuesIn));
  return [...wanted].filter((one) => dimensions.includes(one)).slice(0, GROUPED_MAX);
}
