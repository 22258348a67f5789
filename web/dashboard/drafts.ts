// A metric as it is typed into a form, and the document that is sent of it. Pure.
import { type Metric, whereFrom } from "./metrics.ts";

export type Draft = Partial<Omit<Metric, "version" | "hash">>;

// What an empty catalogue shows: a metric that has numbers at once, since footfall counts hits anyway.
export const EXAMPLE: Draft = {
  name: "reads",
  title: "Reads",
  description: "How often articles are opened by people.",
  owner: "Audience desk",
  valueType: "SCALAR",
  source: { counts: "hits", where: { resourceType: ["article"] } },
  relatedDimensions: ["section"],
};

// The whole definition as the API takes it, or which field says nothing that can be sent and why.
export type Sent = { document: Record<string, unknown> } | { field: string; reason: string };

export function documentFrom(values: Readonly<Record<string, string>>): Sent {
  const kind = values.valueType ?? "SCALAR";
  const document: Record<string, unknown> = { valueType: kind };
  for (const field of [
    "name",
    "title",
    "description",
    "owner",
    "reason",
    "chainedMetric",
    "chainCutoffDate",
  ]) {
    const text = (values[field] ?? "").trim();
    if (text) document[field] = text;
  }
  if (kind === "HYBRID") {
    // Where it stands as it was typed, so that the character that a refusal names is the one in the field.
    document.hybridFormula = values.hybridFormula ?? "";
  } else {
    if (values.unit?.trim()) document.unit = values.unit.trim();
    document.relatedDimensions = namesIn(values.relatedDimensions ?? "");
  }
  if (kind === "PERCENTILE") {
    document.aggregationStyle = "PERCENTILE";
    document.aggregationParam = Number(values.aggregationParam || "50");
  } else document.aggregationStyle = values.aggregationStyle || "SUM";
  if (kind === "SCALAR" && values.counts && values.counts !== "pushed") {
    const where = whereFrom(values.where ?? "");
    if (!where) return { field: "where", reason: "must be lines such as section: news" };
    document.source = { counts: values.counts, where };
  }
  return { document };
}

function namesIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}

export interface Pointed {
  before: string;
  here: string; // the character that was refused; empty at the end
  after: string;
  place: number; // where it is in the text, as fields of a page count
}

// A text parted at the character that the server names, counted from 1 in whole characters.
export function pointedAt(text: string, at: number): Pointed {
  const characters = [...text];
  const place = Math.min(Math.max(at - 1, 0), characters.length);
  const before = characters.slice(0, place).join("");
  return {
    before,
    here: characters[place] ?? "",
    after: characters.slice(place + 1).join(""),
    place: before.length,
  };
}
