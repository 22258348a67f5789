// What the server told with the page itself: enough to ask for everything else.
import type { BrandFacts, Facts } from "./shapes.ts";

function told(): Facts {
  const empty: Facts = {
    brands: [],
    periods: ["justnow", "day", "week"],
    live: false,
    people: false,
    verdicts: false,
    archive: false,
    version: "",
  };
  if (typeof document === "undefined") return empty;
  return { ...empty, ...(JSON.parse(document.body.dataset.facts ?? "{}") as Partial<Facts>) };
}

export const facts = told();

// The brand that the address names, else the first one that there is; a name alone when nothing is known of it.
export function brandOf(wanted: string, known: readonly BrandFacts[]): BrandFacts | null {
  const found = known.find((one) => one.brand === wanted);
  if (found) return found;
  return wanted ? { brand: wanted, title: "", zone: "UTC" } : (known[0] ?? null);
}

// Brands of whoever is signed in first, then the open ones, each once.
export function knownBrands(own: readonly BrandFacts[], open: readonly BrandFacts[]): BrandFacts[] {
  const names = new Set(own.map((one) => one.brand));
  return [...own, ...open.filter((one) => !names.has(one.brand))];
}

const ORDER = ["viewer", "editor", "admin", "owner"];

export function mayDo(role: string | undefined, needs: "editor" | "admin"): boolean {
  return ORDER.indexOf(role ?? "") >= ORDER.indexOf(needs);
}
