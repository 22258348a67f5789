// The watch list in words: what a form says becomes a rule, and a rule becomes a sentence. Pure.
import { shortUrl } from "./captures.ts";
import { counted, periodName } from "./words.ts";

export interface PageRule {
  kind: "page";
  url: string;
  everyMinutes: number;
  onlyChanged: boolean;
}

export interface PopularRule {
  kind: "popular";
  period: string;
  top: number;
  section?: string | null;
  everyMinutes: number;
}

export interface Watch {
  id: string;
  name: string;
  rule: PageRule | PopularRule;
  isOn: boolean;
  alert?: { places: string[] } | null; // ids of the brand's alerts
  lastAt: string | null;
  nextAt: string | null;
  says: string;
}

// A time as people say it: 60 minutes are an hour.
export function everyWords(minutes: number): string {
  if (minutes % 1_440 === 0)
    return minutes === 1_440 ? "every day" : `every ${counted(minutes / 1_440, "day")}`;
  if (minutes % 60 === 0) return minutes === 60 ? "every hour" : `every ${counted(minutes / 60, "hour")}`;
  return minutes === 1 ? "every minute" : `every ${counted(minutes, "minute")}`;
}

export function ruleWords(rule: Watch["rule"]): string {
  if (rule.kind === "page")
    return `${shortUrl(rule.url)}, ${everyWords(rule.everyMinutes)}${rule.onlyChanged ? ", kept only when its text changed" : ""}`;
  const where = rule.section ? ` of section ${rule.section}` : "";
  return `The ${rule.top} most read${where} (${periodName(rule.period).toLowerCase()}), ${everyWords(rule.everyMinutes)}`;
}

export function watchFrom(values: Readonly<Record<string, string>>): Record<string, unknown> {
  const text = (name: string) => (values[name] ?? "").trim();
  const everyMinutes = Number(text("everyMinutes"));
  const section = text("section");
  const rule =
    values.kind === "popular"
      ? {
          kind: "popular",
          period: text("period"),
          top: Number(text("top")),
          ...(section ? { section } : {}),
          everyMinutes,
        }
      : { kind: "page", url: text("url"), everyMinutes, onlyChanged: values.onlyChanged === "on" };
  const name = text("name");
  const places = Object.keys(values)
    .filter((one) => one.startsWith(TELLS))
    .map((one) => one.slice(TELLS.length));
  return { ...(name ? { name } : {}), rule, ...(places.length ? { alert: { places } } : {}) };
}

export const TELLS = "tells "; // Before an alert's id, in the names of a form.

export function toldWords(places: readonly string[], names: ReadonlyMap<string, string>): string {
  return `A change is told by ${places.map((id) => names.get(id) ?? id).join(", ")}`;
}
