// Alerts as people read and write them: what a form says becomes a definition, and a definition becomes a sentence. Pure.
import { counted, percent, whole } from "./words.ts";

export interface Alert {
  id: string;
  name: string;
  kind: string;
  isOn: boolean;
  hits?: number;
  window?: string;
  minutes?: number;
  section?: string | null;
  hours?: string | null;
  share?: number;
  atLeast?: number;
  times?: number;
  webhooks: string[];
  emails: string[];
  turnedOff: Record<string, string>;
  secret?: string;
}

export interface Delivery {
  to: string;
  state: string;
  attempts: number;
  at: string | null;
  said: string;
  next: string | null;
}

export interface AlertEvent {
  id: string;
  type: string;
  alert: { id: string; name: string };
  at: string;
  text: string;
  deliveries: Delivery[];
}

export interface Tried {
  to: string;
  isTaken: boolean;
  said: string;
}

export const KINDS: Record<string, string> = {
  "asset-passes": "an asset passes a number of hits",
  "brand-silent": "no hit is counted",
  "drops-spike": "more hits than usual are lost",
  "page-changes": "a page of the watch list changes",
};

// What each kind is told by; the numbers among them are sent as such.
const FIELDS: Record<string, readonly string[]> = {
  "asset-passes": ["hits", "window", "minutes", "section"],
  "brand-silent": ["minutes", "hours"],
  "drops-spike": ["minutes", "share", "atLeast"],
  "page-changes": [], // Which pages those are is said by the watches that name the alert.
};
const NUMBERS = new Set(["hits", "minutes", "atLeast"]);

export function definitionFrom(values: Record<string, string>): Record<string, unknown> {
  const kind = values.kind ?? "";
  const made: Record<string, unknown> = { name: values.name ?? "", kind };
  for (const field of FIELDS[kind] ?? []) {
    const value = (values[field] ?? "").trim();
    if (!value || (kind === "asset-passes" && field === "minutes" && values.window !== "minutes")) continue;
    // A share is typed as people say it, in percent.
    made[field] = field === "share" ? Number(value) / 100 : NUMBERS.has(field) ? Number(value) : value;
  }
  const places = (values.places ?? "").split(/[\s,]+/).filter(Boolean);
  made.webhooks = places.filter((one) => one.includes("://"));
  made.emails = places.filter((one) => !one.includes("://"));
  return made;
}

// The definition of an alert that is there, to be sent back with something changed.
export function definitionOf(alert: Alert): Record<string, unknown> {
  const { id: _id, turnedOff: _off, secret: _secret, ...rest } = alert;
  const told = new Set([
    "name",
    "kind",
    "isOn",
    "webhooks",
    "emails",
    "times",
    ...(FIELDS[alert.kind] ?? []),
  ]);
  return Object.fromEntries(Object.entries(rest).filter(([name, value]) => told.has(name) && value !== null));
}

export function conditionOf(alert: Alert): string {
  const minutes = counted(alert.minutes ?? 0, "minute");
  if (alert.kind === "asset-passes") {
    const where = alert.section ? ` in section ${alert.section}` : "";
    const when =
      alert.window === "minutes" ? `in ${minutes}` : alert.window === "day" ? "in a day" : "in an hour";
    return `An asset has ${counted(alert.hits ?? 0, "hit")} ${when}${where}`;
  }
  if (alert.kind === "brand-silent")
    return `No hit is counted for ${minutes}${alert.hours ? `, between ${alert.hours.replace("-", " and ")}` : ""}`;
  if (alert.kind === "drops-spike")
    return `${percent(alert.share ?? 0)} of the hits of ${minutes}, and at least ${whole(alert.atLeast ?? 0)}, are not counted`;
  if (alert.kind === "page-changes") return "A page of a watch that tells it changes";
  return alert.kind;
}

const STATES: Record<string, string> = {
  waiting: "waits",
  retrying: "is tried again",
  delivered: "delivered",
  failed: "failed",
  withdrawn: "taken back",
};

export function deliveryWords(one: Delivery): string {
  const tries = one.attempts > 1 ? ` after ${counted(one.attempts, "try", "tries")}` : "";
  return `${one.to}: ${STATES[one.state] ?? one.state}${tries}${one.said ? ` (${one.said})` : ""}`;
}

export function triedWords(found: readonly Tried[]): string {
  return found.map((one) => `${one.to}: ${one.isTaken ? "taken" : "not taken"} (${one.said})`).join("; ");
}
